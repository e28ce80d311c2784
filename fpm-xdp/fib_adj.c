/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links, neighbours and adjacencies. An adjacency is (link, address, route MTU): its map entry is
 * what a packet needs to leave. A neighbour's MAC or a link's state is written there once, however
 * many routes lead through it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

static uint32_t addr_hash(uint32_t ifindex, const struct fx_addr *addr, uint32_t more)
{
	return fx_hash(addr->bytes, sizeof(addr->bytes),
		       ifindex ^ more << 8 ^ (uint32_t)addr->family << 24);
}

struct fib_link_st *fib_link_find(const struct fib *fib, uint32_t ifindex)
{
	struct fx_hnode *node = fx_htable_first(&fib->links, ifindex);

	return node ? fx_container_of(node, struct fib_link_st, hnode) : NULL;
}

static struct fib_link_st *link_get(struct fib *fib, uint32_t ifindex)
{
	struct fib_link_st *link = fib_link_find(fib, ifindex);

	if (link)
		return link;
	link = calloc(1, sizeof(*link));
	if (!link)
		return NULL;
	link->info.ifindex = ifindex;
	fx_list_init(&link->adjs);
	fx_list_init(&link->doubted);
	if (fx_htable_add(&fib->links, &link->hnode, ifindex) < 0) {
		free(link);
		return NULL;
	}
	return link;
}

/* Computes its value; true: changed. */
static bool adj_update(struct fib *fib, struct fib_adj *adj);

static void adj_mark(struct fib *fib, struct fib_adj *adj)
{
	if (adj_update(fib, adj) && fx_list_is_idle(&adj->dirty))
		fx_list_append(&fib->dirty_adjs, &adj->dirty);
}

static void link_refresh(struct fib *fib, struct fib_link_st *link)
{
	struct fx_list *pos, *tmp;

	fx_list_for_each(pos, tmp, &link->adjs)
		adj_mark(fib, fx_container_of(pos, struct fib_adj, on_link));
}

static void link_doubt(struct fib *fib, struct fib_link_st *link)
{
	link->sure_gen = fib->gen[FIB_KERNEL] + 1;
	if (fx_list_is_idle(&link->doubted))
		fx_list_append(&fib->doubted_links, &link->doubted);
}

void fib_link_doubt(struct fib *fib, uint32_t ifindex)
{
	struct fib_link_st *link = fib_link_find(fib, ifindex);

	if (!link)
		return;
	link_doubt(fib, link);
	link_refresh(fib, link);
}

void fib_link_trust(struct fib *fib)
{
	struct fx_list *pos, *tmp;
	struct fib_link_st *link;

	fx_list_for_each(pos, tmp, &fib->doubted_links)
	{
		link = fx_container_of(pos, struct fib_link_st, doubted);
		if (fib->gen[FIB_KERNEL] < link->sure_gen)
			continue;
		fx_list_remove(&link->doubted);
		link_refresh(fib, link);
	}
}

static void link_free(struct fib *fib, struct fib_link_st *link)
{
	fx_list_remove(&link->doubted);
	fx_htable_remove(&fib->links, &link->hnode);
	free(link);
}

int fib_link(struct fib *fib, const struct fib_link *info)
{
	struct fib_link_st *link = link_get(fib, info->ifindex);
	bool was_up;

	if (!link)
		return -ENOMEM;
	was_up = link->known && link->info.up;
	link->info = *info;
	link->known = true;
	if (was_up && !info->up)
		link_doubt(fib, link);
	link_refresh(fib, link);
	if (was_up != info->up)
		fib_group_link_changed(fib, info->ifindex);
	return 0;
}

void fib_link_del(struct fib *fib, uint32_t ifindex)
{
	struct fib_link_st *link = fib_link_find(fib, ifindex);

	if (!link || !link->known)
		return;
	link->known = false;
	link_doubt(fib, link);
	link->info = (struct fib_link){ .ifindex = ifindex };
	link_refresh(fib, link);
	fib_group_link_changed(fib, ifindex);
	if (fx_list_empty(&link->adjs))
		link_free(fib, link);
}

struct fib_neigh_st *fib_neigh_find(const struct fib *fib, uint32_t ifindex,
				    const struct fx_addr *addr)
{
	struct fx_hnode *node = fx_htable_first(&fib->neighs, addr_hash(ifindex, addr, 0));
	struct fib_neigh_st *neigh;

	for (; node; node = fx_htable_next(node)) {
		neigh = fx_container_of(node, struct fib_neigh_st, hnode);
		if (neigh->ifindex == ifindex && fx_addr_equal(&neigh->addr, addr))
			return neigh;
	}
	return NULL;
}

void fib_neigh_dirty(struct fib *fib, struct fib_neigh_st *neigh)
{
	if (fx_list_is_idle(&neigh->dirty))
		fx_list_append(&fib->dirty_neighs, &neigh->dirty);
}

static struct fib_adj *adj_find(const struct fib *fib, uint32_t ifindex, const struct fx_addr *addr,
				uint32_t mtu)
{
	struct fx_hnode *node = fx_htable_first(&fib->adjs, addr_hash(ifindex, addr, mtu));
	struct fib_adj *adj;

	for (; node; node = fx_htable_next(node)) {
		adj = fx_container_of(node, struct fib_adj, hnode);
		if (adj->link->info.ifindex == ifindex && adj->mtu == mtu &&
		    fx_addr_equal(&adj->addr, addr))
			return adj;
	}
	return NULL;
}

/* The adjacencies of one neighbour: one for each route MTU. All are on its link's list. */
static void neigh_refresh(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr)
{
	struct fib_link_st *link = fib_link_find(fib, ifindex);
	struct fx_list *pos, *tmp;
	struct fib_adj *adj;

	if (!link)
		return;
	adj = adj_find(fib, ifindex, addr, 0);
	if (adj)
		adj_mark(fib, adj);
	fx_list_for_each(pos, tmp, &link->adjs)
	{
		adj = fx_container_of(pos, struct fib_adj, on_link);
		if (adj->mtu && fx_addr_equal(&adj->addr, addr))
			adj_mark(fib, adj);
	}
}

int fib_neigh(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6])
{
	struct fib_neigh_st *neigh = fib_neigh_find(fib, ifindex, addr);

	if (!neigh) {
		neigh = calloc(1, sizeof(*neigh));
		if (!neigh)
			return -ENOMEM;
		neigh->ifindex = ifindex;
		neigh->addr = *addr;
		fx_list_init(&neigh->dirty);
		if (fx_htable_add(&fib->neighs, &neigh->hnode, addr_hash(ifindex, addr, 0)) < 0) {
			free(neigh);
			return -ENOMEM;
		}
	}
	memcpy(neigh->mac, mac, sizeof(neigh->mac));
	neigh->valid = true;
	neigh->adopted = false;
	if (!neigh->adj)
		neigh->adj = fib_adj_get(fib, ifindex, addr, 0);
	fib_neigh_dirty(fib, neigh);
	neigh_refresh(fib, ifindex, addr);
	return 0;
}

void fib_neigh_del(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr)
{
	struct fib_neigh_st *neigh = fib_neigh_find(fib, ifindex, addr);

	if (!neigh || !neigh->valid)
		return;
	neigh->valid = false;
	fib_neigh_dirty(fib, neigh);
	neigh_refresh(fib, ifindex, addr);
}

/* The map no longer has it. */
void fib_neigh_release(struct fib *fib, struct fib_neigh_st *neigh)
{
	if (neigh->adj)
		fib_adj_put(fib, neigh->adj);
	fx_list_remove(&neigh->dirty);
	fx_htable_remove(&fib->neighs, &neigh->hnode);
	free(neigh);
}

struct fib_adj *fib_adj_get(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr,
			    uint32_t mtu)
{
	struct fib_adj *adj = adj_find(fib, ifindex, addr, mtu);
	struct fib_link_st *link;

	if (adj) {
		adj->refs++;
		return adj;
	}
	link = link_get(fib, ifindex);
	adj = link ? fx_slab_alloc(&fib->adj_slab) : NULL;
	if (!adj)
		return NULL;
	adj->id = fib_ids_alloc(&fib->adj_ids, 1);
	if (!adj->id || fx_htable_add(&fib->adjs, &adj->hnode, addr_hash(ifindex, addr, mtu)) < 0) {
		if (adj->id)
			fib_ids_free(&fib->adj_ids, adj->id, 1);
		fx_slab_free(&fib->adj_slab, adj);
		return NULL;
	}
	adj->link = link;
	adj->addr = *addr;
	adj->mtu = mtu;
	adj->refs = 1;
	adj->fresh = true;
	fx_list_init(&adj->dirty);
	fx_list_append(&link->adjs, &adj->on_link);
	adj_update(fib, adj);
	fx_list_append(&fib->dirty_adjs, &adj->dirty);
	return adj;
}

void fib_adj_put(struct fib *fib, struct fib_adj *adj)
{
	struct fib_link_st *link = adj->link;

	if (--adj->refs)
		return;
	fib_ids_free(&fib->adj_ids, adj->id, 1);
	fx_list_remove(&adj->dirty);
	fx_list_remove(&adj->on_link);
	fx_htable_remove(&fib->adjs, &adj->hnode);
	fx_slab_free(&fib->adj_slab, adj);
	if (!link->known && fx_list_empty(&link->adjs))
		link_free(fib, link);
}

static uint64_t mac_word(const uint8_t mac[6], uint16_t tail)
{
	uint8_t bytes[8];
	uint64_t word;

	memcpy(bytes, mac, 6);
	memcpy(bytes + 6, &tail, 2);
	memcpy(&word, bytes, sizeof(word));
	return word;
}

static void adj_value(const struct fib_adj *adj, const struct fib_neigh_st *neigh,
		      struct fx_adj *ret)
{
	static const uint8_t no_mac[6];
	const struct fib_link *link = &adj->link->info;
	uint32_t mtu = link->mtu < UINT16_MAX ? link->mtu : UINT16_MAX;
	uint32_t flags = (link->xdp_tx ? FX_ADJ_F_TX : 0) | (link->xdp_sg ? FX_ADJ_F_SG : 0);
	uint32_t kind = FX_ADJ_PASS, verdict = FX_V_FORWARDED;

	if (adj->mtu && adj->mtu < mtu)
		mtu = adj->mtu;
	if (!adj->link->known || !link->up)
		verdict = FX_V_LINK_DOWN;
	else if (!fx_list_is_idle(&adj->link->doubted))
		verdict = FX_V_PENDING;
	else if (!link->ether)
		verdict = FX_V_NO_XDP_TX;
	else if (!adj->addr.family)
		kind = adj->mtu ? FX_ADJ_PASS : FX_ADJ_GLEAN;
	else if (neigh && neigh->valid)
		kind = FX_ADJ_FORWARD;
	else
		verdict = FX_V_NEIGHBOR;
	/* an on-link route with an MTU of its own: the neighbour's adjacency does not know it */
	if (kind == FX_ADJ_PASS && verdict == FX_V_FORWARDED)
		verdict = FX_V_TRAPPED;
	ret->word0 = fx_adj_word0(kind, flags, verdict, link->ifindex);
	ret->dst = mac_word(kind == FX_ADJ_FORWARD ? neigh->mac : no_mac, (uint16_t)mtu);
	ret->src = mac_word(link->mac, 0);
	ret->reserved = 0;
}

static bool adj_update(struct fib *fib, struct fib_adj *adj)
{
	struct fx_adj value;

	adj_value(adj, fib_neigh_find(fib, adj->link->info.ifindex, &adj->addr), &value);
	if (!memcmp(&value, &adj->value, sizeof(value)))
		return false;
	adj->value = value;
	return true;
}

void fib_adj_free_all(struct fib *fib)
{
	struct fx_hnode *node;

	while ((node = fx_htable_any(&fib->neighs))) {
		fx_htable_remove(&fib->neighs, node);
		free(fx_container_of(node, struct fib_neigh_st, hnode));
	}
	while ((node = fx_htable_any(&fib->links))) {
		fx_htable_remove(&fib->links, node);
		free(fx_container_of(node, struct fib_link_st, hnode));
	}
	fx_htable_done(&fib->neighs);
	fx_htable_done(&fib->links);
	fx_htable_done(&fib->adjs);
	fx_slab_done(&fib->adj_slab);
}
