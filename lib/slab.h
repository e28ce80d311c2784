/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects of one size in chunks: no allocation in steady churn, and an index for each that stays
 * its own for life, so that a walk by index may go on after any change. Pure.
 */
#ifndef FX_LIB_SLAB_H
#define FX_LIB_SLAB_H

#include <stddef.h>
#include <stdint.h>

#define FX_SLAB_CHUNK 1024u /* objects */

struct fx_slab {
	size_t size; /* of an object with its head */
	uint8_t **chunks;
	uint32_t nchunks;
	uint32_t top; /* indexes from here on were never used */
	uint32_t count;
	void *free; /* first of the free objects */
};

void fx_slab_init(struct fx_slab *slab, size_t size);
void fx_slab_done(struct fx_slab *slab);
void *fx_slab_alloc(struct fx_slab *slab); /* zeroed; NULL: no memory */
void fx_slab_free(struct fx_slab *slab, void *object);
/* The object in use at or after *index, which is set behind it; NULL: no more. */
void *fx_slab_next(const struct fx_slab *slab, uint64_t *index);

#endif
