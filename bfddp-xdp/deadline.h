/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is next: a binary heap of times, one per slot. Pure. Times in ns, UINT64_MAX: never. */
#ifndef FX_BFDDP_DEADLINE_H
#define FX_BFDDP_DEADLINE_H

#include <stdint.h>

struct deadline;

struct deadline *deadline_new(uint32_t slots); /* slots 0..slots-1; NULL: no memory */
void deadline_free(struct deadline *deadline);

/* O(log n). Replaces the slot's time. */
void deadline_set(struct deadline *deadline, uint32_t slot, uint64_t time);
/* The earliest: its time, and *ret_slot; UINT64_MAX: there is none. */
uint64_t deadline_first(const struct deadline *deadline, uint32_t *ret_slot);

#endif
