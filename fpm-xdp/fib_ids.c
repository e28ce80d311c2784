/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of map entries; see fib_ids.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_ids.h"

enum {
	ID_FREE,
	ID_USED, /* by the model, or waiting */
	ID_ADOPTED,
	ID_NEVER,
};

int fib_ids_init(struct fib_ids *ids, uint32_t first, uint32_t limit)
{
	*ids = (struct fib_ids){ .limit = limit, .hint = first };
	ids->used = calloc(limit ? limit : 1, 1);
	if (!ids->used)
		return -ENOMEM;
	memset(ids->used, ID_NEVER, first < limit ? first : limit);
	return 0;
}

void fib_ids_done(struct fib_ids *ids)
{
	free(ids->used);
	free(ids->waiting);
	free(ids->wipe);
	*ids = (struct fib_ids){ 0 };
}

static bool ids_are_free(const struct fib_ids *ids, uint32_t first, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (ids->used[first + i] != ID_FREE)
			return false;
	}
	return true;
}

static uint32_t ids_search(const struct fib_ids *ids, uint32_t from, uint32_t to, uint32_t n)
{
	uint32_t at;

	for (at = (from + n - 1) & ~(n - 1); at < to && ids->limit - at >= n; at += n) {
		if (ids_are_free(ids, at, n))
			return at;
	}
	return 0;
}

uint32_t fib_ids_alloc(struct fib_ids *ids, uint32_t n)
{
	uint32_t at = ids_search(ids, ids->hint, ids->limit, n);

	if (!at)
		at = ids_search(ids, 0, ids->hint, n);
	if (!at)
		return 0;
	memset(ids->used + at, ID_USED, n);
	ids->hint = at + n;
	ids->count += n;
	return at;
}

static int runs_push(struct fib_ids_run **runs, uint32_t *count, uint32_t *cap,
		     struct fib_ids_run run)
{
	struct fib_ids_run *grown;

	if (*count == *cap) {
		grown = realloc(*runs, (*cap ? *cap * 2 : 64) * sizeof(**runs));
		if (!grown)
			return -ENOMEM;
		*runs = grown;
		*cap = *cap ? *cap * 2 : 64;
	}
	(*runs)[(*count)++] = run;
	return 0;
}

void fib_ids_free(struct fib_ids *ids, uint32_t first, uint32_t n)
{
	struct fib_ids_run run = { first, n };

	ids->count -= n;
	/* without memory the ids are lost: better than given out too early */
	runs_push(&ids->waiting, &ids->nwaiting, &ids->cap, run);
}

void fib_ids_adopt(struct fib_ids *ids, uint32_t first, uint32_t n)
{
	uint32_t i;

	for (i = first; i < ids->limit && i - first < n; i++) {
		if (ids->used[i] == ID_FREE)
			ids->used[i] = ID_ADOPTED;
	}
}

void fib_ids_release(struct fib_ids *ids)
{
	uint32_t i;

	for (i = 0; i < ids->limit; i++) {
		if (ids->used[i] != ID_ADOPTED)
			continue;
		ids->used[i] = ID_USED;
		ids->count++;
		fib_ids_free(ids, i, 1);
	}
}

bool fib_ids_grace_begin(struct fib_ids *ids)
{
	ids->graced = ids->nwaiting;
	return ids->graced > 0;
}

void fib_ids_grace_end(struct fib_ids *ids)
{
	uint32_t i, left = ids->nwaiting - ids->graced;

	for (i = 0; i < ids->graced; i++)
		runs_push(&ids->wipe, &ids->nwipe, &ids->wipe_cap, ids->waiting[i]);
	if (left)
		memmove(ids->waiting, ids->waiting + ids->graced, left * sizeof(*ids->waiting));
	ids->nwaiting = left;
	ids->graced = 0;
}

bool fib_ids_wiping(const struct fib_ids *ids)
{
	return ids->nwipe > 0;
}

bool fib_ids_wipe(struct fib_ids *ids, uint32_t *ret)
{
	struct fib_ids_run *run;

	if (!ids->nwipe)
		return false;
	run = &ids->wipe[ids->nwipe - 1];
	*ret = run->first + --run->n;
	ids->used[*ret] = ID_FREE;
	if (!run->n)
		ids->nwipe--;
	return true;
}

uint32_t fib_ids_quarantined(const struct fib_ids *ids)
{
	uint32_t i, n = 0;

	for (i = 0; i < ids->nwaiting; i++)
		n += ids->waiting[i].n;
	for (i = 0; i < ids->nwipe; i++)
		n += ids->wipe[i].n;
	return n;
}
