/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model's prefixes: found by table and prefix, by cover, and marked for another look. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

#define TABLE_UNSPEC 0u
#define TABLE_MAIN   254u

uint32_t fib_table_key(uint32_t table)
{
	return table == FIB_TABLE_LOCAL || table == TABLE_UNSPEC ? TABLE_MAIN : table;
}

struct fib_vrf_st *fib_vrf_find(struct fib *fib, uint32_t table)
{
	unsigned int i;

	for (i = 0; i < fib->nvrfs; i++) {
		if (fib->vrfs[i].table == table)
			return &fib->vrfs[i];
	}
	return NULL;
}

bool fib_vrf_is(const struct fib *fib, uint32_t table)
{
	unsigned int i;

	for (i = 0; i < fib->nvrfs; i++) {
		if (fib->vrfs[i].table == table)
			return true;
	}
	return false;
}

static uint32_t entry_hash(uint32_t table, const struct fx_prefix *dst)
{
	return fx_hash(dst->bytes, dst->family == FX_AF_INET ? 4 : 16,
		       table ^ (uint32_t)dst->len << 24 ^ (uint32_t)dst->family << 16);
}

struct fib_entry *fib_entry_find(const struct fib *fib, uint32_t table, const struct fx_prefix *dst)
{
	struct fx_hnode *node = fx_htable_first(&fib->by_prefix, entry_hash(table, dst));
	struct fib_entry *entry;

	for (; node; node = fx_htable_next(node)) {
		entry = fx_container_of(node, struct fib_entry, hnode);
		if (entry->table == table && fx_prefix_equal(&entry->dst, dst))
			return entry;
	}
	return NULL;
}

struct fib_entry *fib_entry_get(struct fib *fib, uint32_t table, const struct fx_prefix *dst)
{
	struct fib_entry *entry = fib_entry_find(fib, table, dst);
	struct fib_vrf_st *vrf;

	if (entry)
		return entry;
	entry = fx_slab_alloc(&fib->entries);
	if (!entry)
		return NULL;
	entry->table = table;
	entry->dst = *dst;
	fx_list_init(&entry->dirty);
	fx_list_init(&entry->report);
	if (fx_htable_add(&fib->by_prefix, &entry->hnode, entry_hash(table, dst)) < 0) {
		fx_slab_free(&fib->entries, entry);
		return NULL;
	}
	/* it might cover what was refused: nobody remembers those prefixes */
	vrf = fib_vrf_find(fib, table);
	if (vrf && (vrf->refused[FIB_FPM] || vrf->refused[FIB_KERNEL]) &&
	    dst->len < fx_family_bits(dst->family))
		entry->flags |= FIB_E_POISONED;
	return entry;
}

struct fib_entry *fib_entry_cover(const struct fib *fib, uint32_t table,
				  const struct fx_prefix *dst, int below,
				  bool (*want)(const struct fib_entry *entry))
{
	struct fx_prefix prefix = *dst;
	struct fib_entry *entry;
	int len;

	for (len = below - 1; len >= 0; len--) {
		prefix.len = (uint8_t)len;
		fx_prefix_mask(&prefix);
		entry = fib_entry_find(fib, table, &prefix);
		if (entry && want(entry))
			return entry;
	}
	return NULL;
}

void fib_entry_dirty(struct fib *fib, struct fib_entry *entry)
{
	if (fx_list_is_idle(&entry->dirty))
		fx_list_append(&fib->dirty_entries, &entry->dirty);
}

void fib_entry_dirty_all(struct fib *fib)
{
	struct fib_entry *entry;
	uint64_t at = 0;

	while ((entry = fx_slab_next(&fib->entries, &at)))
		fib_entry_dirty(fib, entry);
}

/* An entry without a route stays while the map or the plan still knows it. */
void fib_entry_drop_if_empty(struct fib *fib, struct fib_entry *entry)
{
	if (fib_entry_has_route(entry) || entry->gid || entry->next ||
	    !fx_list_is_idle(&entry->dirty) || (entry->flags & FIB_E_OWN4))
		return;
	fib_entry_retry(fib, entry);
	fx_list_remove(&entry->report);
	fx_htable_remove(&fib->by_prefix, &entry->hnode);
	fx_slab_free(&fib->entries, entry);
}

void fib_entry_retry(struct fib *fib, struct fib_entry *entry)
{
	if (!(entry->flags & FIB_E_FAILED))
		return;
	entry->flags &= (uint8_t) ~(FIB_E_FAILED | FIB_E_GIVEN_UP);
	fib->failed--;
}

static bool entry_programmed(const struct fib_entry *entry)
{
	return fib_entry_has_route(entry) || entry->gid;
}

void fib_entry_poison_cover(struct fib *fib, uint32_t table, const struct fx_prefix *dst)
{
	struct fib_entry *cover = fib_entry_cover(fib, table, dst, dst->len, entry_programmed);

	if (!cover || (cover->flags & FIB_E_POISONED))
		return;
	cover->flags |= FIB_E_POISONED;
	fib_entry_dirty(fib, cover);
}

void fib_entry_unpoison(struct fib *fib)
{
	struct fib_entry *entry;
	uint64_t at = 0;

	while ((entry = fx_slab_next(&fib->entries, &at))) {
		if (!(entry->flags & FIB_E_POISONED))
			continue;
		entry->flags &= (uint8_t)~FIB_E_POISONED;
		fib_entry_dirty(fib, entry);
	}
}
