/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of map entries: given out, freed, and used again only after a grace period, because a packet
 * under way may still hold the old one. Pure.
 */
#ifndef FX_FPM_FIB_IDS_H
#define FX_FPM_FIB_IDS_H

#include <stdbool.h>
#include <stdint.h>

struct fib_ids_run {
	uint32_t first;
	uint32_t n;
};

struct fib_ids {
	uint8_t *used; /* a byte an id: enum in fib_ids.c */
	uint32_t limit;
	uint32_t hint;		     /* where to look next */
	uint32_t count;		     /* in use by the model */
	struct fib_ids_run *waiting; /* freed; the first `graced` of them are in a grace period */
	uint32_t nwaiting, cap, graced;
	struct fib_ids_run *wipe; /* past grace, the map entry still to be cleared */
	uint32_t nwipe, wipe_cap;
};

int fib_ids_init(struct fib_ids *ids, uint32_t first, uint32_t limit); /* ids below first: never */
void fib_ids_done(struct fib_ids *ids);

/* n neighbouring ids, n a power of two; 0: none free. */
uint32_t fib_ids_alloc(struct fib_ids *ids, uint32_t n);
void fib_ids_free(struct fib_ids *ids, uint32_t first, uint32_t n);

/* A predecessor's ids: not given out until fib_ids_release() puts them all on the way of freed
 * ones. */
void fib_ids_adopt(struct fib_ids *ids, uint32_t first, uint32_t n);
void fib_ids_release(struct fib_ids *ids);

bool fib_ids_grace_begin(struct fib_ids *ids); /* true: some wait */
void fib_ids_grace_end(struct fib_ids *ids);
/* The next id whose map entry is to be cleared, and which is free with that; false: none. */
bool fib_ids_wipe(struct fib_ids *ids, uint32_t *ret);
bool fib_ids_wiping(const struct fib_ids *ids);
uint32_t fib_ids_quarantined(const struct fib_ids *ids);

#endif
