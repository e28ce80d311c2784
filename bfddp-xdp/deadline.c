/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bfddp-xdp/deadline.h"

#include <stdlib.h>

struct deadline {
	uint32_t n;
	uint32_t *heap;	 /* [1..n]: slots, each not later than those at twice its place */
	uint32_t *place; /* of each slot in the heap; 0: not in it */
	uint64_t *time;
};

struct deadline *deadline_new(uint32_t slots)
{
	struct deadline *deadline = calloc(1, sizeof(*deadline));

	if (!deadline)
		return NULL;
	deadline->heap = calloc((size_t)slots + 1, sizeof(*deadline->heap));
	deadline->place = calloc(slots, sizeof(*deadline->place));
	deadline->time = calloc(slots, sizeof(*deadline->time));
	if (!deadline->heap || !deadline->place || !deadline->time) {
		deadline_free(deadline);
		return NULL;
	}
	return deadline;
}

void deadline_free(struct deadline *deadline)
{
	if (!deadline)
		return;
	free(deadline->heap);
	free(deadline->place);
	free(deadline->time);
	free(deadline);
}

static uint64_t deadline_at(const struct deadline *deadline, uint32_t place)
{
	return deadline->time[deadline->heap[place]];
}

static void deadline_put(struct deadline *deadline, uint32_t place, uint32_t slot)
{
	deadline->heap[place] = slot;
	deadline->place[slot] = place;
}

static void deadline_up(struct deadline *deadline, uint32_t place, uint32_t slot)
{
	uint64_t time = deadline->time[slot];

	for (; place > 1 && deadline_at(deadline, place / 2) > time; place /= 2)
		deadline_put(deadline, place, deadline->heap[place / 2]);
	deadline_put(deadline, place, slot);
}

static void deadline_down(struct deadline *deadline, uint32_t place, uint32_t slot)
{
	uint64_t time = deadline->time[slot];
	uint32_t below;

	for (; place * 2 <= deadline->n; place = below) {
		below = place * 2;
		if (below < deadline->n &&
		    deadline_at(deadline, below + 1) < deadline_at(deadline, below))
			below++;
		if (deadline_at(deadline, below) >= time)
			break;
		deadline_put(deadline, place, deadline->heap[below]);
	}
	deadline_put(deadline, place, slot);
}

static void deadline_settle(struct deadline *deadline, uint32_t place, uint32_t slot)
{
	if (place > 1 && deadline_at(deadline, place / 2) > deadline->time[slot])
		deadline_up(deadline, place, slot);
	else
		deadline_down(deadline, place, slot);
}

static void deadline_remove(struct deadline *deadline, uint32_t slot)
{
	uint32_t place = deadline->place[slot];
	uint32_t last = deadline->heap[deadline->n];

	if (!place)
		return;
	deadline->place[slot] = 0;
	deadline->n--;
	if (last != slot)
		deadline_settle(deadline, place, last);
}

void deadline_set(struct deadline *deadline, uint32_t slot, uint64_t time)
{
	if (time == UINT64_MAX) {
		deadline_remove(deadline, slot);
		return;
	}
	deadline->time[slot] = time;
	if (!deadline->place[slot])
		deadline_up(deadline, ++deadline->n, slot);
	else
		deadline_settle(deadline, deadline->place[slot], slot);
}

uint64_t deadline_first(const struct deadline *deadline, uint32_t *ret_slot)
{
	if (!deadline->n)
		return UINT64_MAX;
	*ret_slot = deadline->heap[1];
	return deadline_at(deadline, 1);
}
