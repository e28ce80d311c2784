/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Taking over maps that a predecessor filled. Its ids are kept apart: everything is planned anew
 * under fresh ids beside it, entry by entry, and forwards all the while; what the new model does
 * not confirm goes at the end, and then the old ids do.
 */
#include <errno.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

void fib_adopt_group(struct fib *fib, uint32_t gid, uint64_t word)
{
	uint32_t n = 1u << FX_GROUP_LOG2(word);

	fib->adopting = true;
	fib_ids_adopt(&fib->group_ids, gid, 1);
	if (FX_GROUP_KIND(word) == FX_GROUP_HASH)
		fib_ids_adopt(&fib->bucket_ids, FX_GROUP_VAL(word) / FIB_BUCKET_UNIT,
			      n > FIB_BUCKET_UNIT ? n / FIB_BUCKET_UNIT : 1);
}

void fib_adopt_adj(struct fib *fib, uint32_t id)
{
	fib->adopting = true;
	fib_ids_adopt(&fib->adj_ids, id, 1);
}

int fib_adopt_prefix(struct fib *fib, uint32_t vrf, const struct fx_prefix *prefix, uint32_t gid)
{
	struct fib_entry *entry = fib_entry_get(fib, vrf, prefix);

	if (!entry)
		return -ENOMEM;
	fib->adopting = true;
	if (!entry->gid) {
		if (prefix->family == FX_AF_INET)
			fib->programmed4++;
		else
			fib->programmed6++;
	}
	entry->flags |= FIB_E_ADOPTED;
	entry->gid = gid ? gid : FX_GID_PENDING;
	return 0;
}

int fib_adopt_neigh(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr, uint32_t adj)
{
	static const uint8_t no_mac[6];
	struct fib_neigh_st *neigh;
	int err = fib_neigh(fib, ifindex, addr, no_mac);

	if (err)
		return err;
	fib->adopting = true;
	neigh = fib_neigh_find(fib, ifindex, addr);
	neigh->adopted = true;
	neigh->valid = false;
	neigh->in_map = adj;
	if (neigh->adj) {
		fib_adj_put(fib, neigh->adj);
		neigh->adj = NULL;
	}
	fx_list_remove(&neigh->dirty);
	return 0;
}

int fib_adopt_own4(struct fib *fib, const struct fx_addr *addr)
{
	struct fx_prefix host = { .family = FX_AF_INET, .len = 32 };
	struct fib_entry *entry;

	memcpy(host.bytes, addr->bytes, sizeof(host.bytes));
	entry = fib_entry_get(fib, FX_VRF_DEFAULT, &host);
	if (!entry)
		return -ENOMEM;
	fib->adopting = true;
	entry->flags |= FIB_E_OWN4 | FIB_E_OWN4_ADOPT;
	return 0;
}

void fib_adopt_end(struct fib *fib)
{
	struct fib_entry *entry;
	struct fx_hnode *node;
	uint64_t at = 0;
	uint32_t i;

	if (!fib->adopting)
		return;
	fib->adopting = false;
	fib->release_adopted = true;
	while ((entry = fx_slab_next(&fib->entries, &at))) {
		if (entry->flags & (FIB_E_ADOPTED | FIB_E_OWN4_ADOPT))
			fib_entry_dirty(fib, entry);
	}
	for (i = 0; fib->neighs.heads && i <= fib->neighs.mask; i++) {
		for (node = fib->neighs.heads[i]; node; node = node->next)
			fib_neigh_dirty(fib, fx_container_of(node, struct fib_neigh_st, hnode));
	}
}
