/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers about the model: routes, groups, adjacencies, what the maps should hold, counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

static struct fib_path_view *view_room(struct fib *fib, uint32_t n)
{
	struct fib_path_view *grown;

	if (n > fib->nviews) {
		grown = realloc(fib->views, n * sizeof(*grown));
		if (!grown)
			return NULL;
		fib->views = grown;
		fib->nviews = n;
	}
	return fib->views;
}

static void view_path(const struct fib *fib, const struct rt_path *path, const struct fib_adj *adj,
		      struct fib_path_view *ret)
{
	struct fib_link_st *link = fib_link_find(fib, path->ifindex);
	struct fib_neigh_st *neigh = fib_neigh_find(fib, path->ifindex, &path->gw);

	*ret = (struct fib_path_view){ .ifindex = path->ifindex,
				       .gw = path->gw,
				       .weight = path->weight,
				       .nh_id = path->nh_id,
				       .active = link && link->known && link->info.up,
				       .adj = adj ? adj->id : 0 };
	if (neigh && neigh->valid && path->gw.family) {
		ret->has_mac = true;
		memcpy(ret->mac, neigh->mac, sizeof(ret->mac));
	}
}

static uint32_t view_paths(struct fib *fib, const struct fib_nhg *nhg)
{
	uint16_t i;

	if (!nhg || !nhg->nmembers || !view_room(fib, nhg->nmembers))
		return 0;
	for (i = 0; i < nhg->nmembers; i++)
		view_path(fib, &nhg->members[i].path, nhg->members[i].adj, &fib->views[i]);
	return nhg->nmembers;
}

static enum fx_verdict gid_verdict(uint32_t gid)
{
	switch (gid) {
	case FX_GID_LOCAL:
		return FX_V_LOCAL;
	case FX_GID_NOT_UNICAST:
		return FX_V_NOT_UNICAST;
	case FX_GID_BLACKHOLE:
		return FX_V_BLACKHOLE;
	case FX_GID_UNREACHABLE:
		return FX_V_UNREACHABLE;
	case FX_GID_TRAPPED:
		return FX_V_TRAPPED;
	case FX_GID_PENDING:
		return FX_V_PENDING;
	}
	return FX_V_NO_ROUTE;
}

/* Of a set of paths: forwarded if one of them is. */
static enum fx_verdict nhg_verdict(const struct fib_nhg *nhg)
{
	enum fx_verdict verdict = FX_V_PENDING;
	uint64_t word;
	uint16_t i;

	for (i = 0; i < nhg->nmembers; i++) {
		if (!nhg->members[i].adj)
			continue;
		word = nhg->members[i].adj->value.word0;
		if (FX_ADJ_KIND(word) == FX_ADJ_PASS)
			verdict = (enum fx_verdict)FX_ADJ_VERDICT(word);
		else if (!(FX_ADJ_FLAGS(word) & FX_ADJ_F_TX))
			verdict = FX_V_NO_XDP_TX;
		else
			return FX_V_FORWARDED;
	}
	return verdict;
}

static enum fib_state verdict_state(enum fx_verdict verdict)
{
	switch ((uint32_t)verdict) {
	case FX_V_FORWARDED:
		return FIB_ST_OFFLOADED;
	case FX_V_NEIGHBOR:
	case FX_V_PENDING:
		return FIB_ST_PENDING;
	}
	return FIB_ST_TRAPPED;
}

/* Of a prefix, as its packets find it: a good route to an unknown neighbour is still pending. */
static enum fib_state choice_state(const struct fib_choice *choice)
{
	return choice->nhg ? verdict_state(nhg_verdict(choice->nhg)) : choice->state;
}

static void view_route(struct fib *fib, const struct fib_entry *entry, struct fib_route_view *ret)
{
	const struct fib_kroute *k;
	struct fib_choice choice;
	const struct fib_nhg *nhg;

	fib_select(fib, entry, &choice);
	k = choice.k;
	nhg = k ? k->use.nhg : entry->f.use.nhg;
	*ret = (struct fib_route_view){
		.table = k ? k->table : entry->table,
		.dst = entry->dst,
		.source = choice.source,
		.in_fpm = entry->flags & FIB_E_FPM,
		.protocol = k ? k->protocol : entry->f.protocol,
		.kind = (enum rt_kind)(k ? k->kind : entry->f.kind),
		.state = choice_state(&choice),
		.encap = choice.encap,
		.metric = k ? k->metric : entry->f.metric,
		.nh_id = nhg ? nhg->id : 0,
		.gid = entry->gid,
		.verdict = choice.nhg ? nhg_verdict(choice.nhg) : gid_verdict(choice.gid),
	};
	for (k = entry->k; k; k = k->next)
		ret->in_kernel = ret->in_kernel || k->source == FIB_KERNEL;
	if (!choice.nhg && choice.state == FIB_ST_PENDING)
		ret->verdict = FX_V_PENDING;
	if (!fib_vrf_is(fib, entry->table))
		ret->verdict = FX_V_TRAPPED;
	ret->npaths = view_paths(fib, nhg);
	ret->paths = fib->views;
}

bool fib_route_next(struct fib *fib, uint64_t *cursor, struct fib_route_view *ret)
{
	struct fib_entry *entry;

	while ((entry = fx_slab_next(&fib->entries, cursor))) {
		if (!fib_entry_has_route(entry))
			continue;
		view_route(fib, entry, ret);
		return true;
	}
	return false;
}

int fib_route_get(struct fib *fib, uint32_t table, const struct fx_prefix *dst,
		  struct fib_route_view *ret)
{
	struct fib_entry *entry = fib_entry_find(fib, fib_table_key(table), dst);

	if (!entry || !fib_entry_has_route(entry))
		return -ENOENT;
	view_route(fib, entry, ret);
	return 0;
}

/* What the kernel does not have either, or not yet, is not in the way. */
static bool entry_matches(const struct fib_entry *entry)
{
	return entry->gid != 0 && fib_entry_has_route(entry);
}

int fib_route_match(struct fib *fib, uint32_t vrf, const struct fx_addr *addr,
		    struct fib_route_view *ret)
{
	struct fx_prefix host = { .family = addr->family };
	struct fib_entry *entry;

	host.len = (uint8_t)fx_family_bits(addr->family);
	memcpy(host.bytes, addr->bytes, sizeof(host.bytes));
	entry = fib_entry_cover(fib, vrf, &host, host.len + 1, entry_matches);
	if (!entry)
		return -ENOENT;
	view_route(fib, entry, ret);
	return 0;
}

bool fib_group_next(struct fib *fib, uint64_t *cursor, struct fib_group_view *ret)
{
	struct fib_nhg *nhg = fx_slab_next(&fib->nhgs, cursor);

	if (!nhg)
		return false;
	*ret = (struct fib_group_view){
		.gid = nhg->gid,
		.source = (enum fib_source)nhg->source,
		.nh_id = nhg->id,
		.routes = nhg->nroutes,
		.resolved = nhg->state != FIB_NHG_UNRESOLVED,
		.buckets = nhg->buckets ? 1u << nhg->log2 : 0,
		.npaths = view_paths(fib, nhg),
	};
	ret->paths = fib->views;
	return true;
}

int fib_group_choose(struct fib *fib, uint32_t gid, uint32_t hash, struct fib_path_view *ret)
{
	struct fib_nhg *nhg = gid < fib->limits.groups ? fib->by_gid[gid] : NULL;
	uint32_t id;
	uint16_t i;

	if (!nhg || !nhg->nmembers)
		return -ENOENT;
	if (!nhg->buckets) {
		view_path(fib, &nhg->members[0].path, nhg->members[0].adj, ret);
		return 0;
	}
	id = nhg->buckets[hash & ((1u << nhg->log2) - 1)];
	for (i = 0; i < nhg->nmembers; i++) {
		if (!nhg->members[i].adj || nhg->members[i].adj->id != id)
			continue;
		view_path(fib, &nhg->members[i].path, nhg->members[i].adj, ret);
		return 0;
	}
	return -ENOENT;
}

bool fib_adj_next(struct fib *fib, uint64_t *cursor, struct fib_adj_view *ret)
{
	struct fib_adj *adj = fx_slab_next(&fib->adj_slab, cursor);
	struct fib_neigh_st *neigh;

	if (!adj)
		return false;
	*ret = (struct fib_adj_view){ .id = adj->id,
				      .ifindex = adj->link->info.ifindex,
				      .addr = adj->addr,
				      .mtu = adj->link->info.mtu,
				      .value = adj->value,
				      .gateway = adj->gateways > 0 && adj->addr.family };
	if (adj->mtu && adj->mtu < ret->mtu)
		ret->mtu = adj->mtu;
	neigh = fib_neigh_find(fib, ret->ifindex, &adj->addr);
	if (neigh && neigh->valid && adj->addr.family) {
		ret->has_mac = true;
		memcpy(ret->mac, neigh->mac, sizeof(ret->mac));
	}
	return true;
}

uint32_t fib_expect_prefix(const struct fib *fib, uint32_t vrf, const struct fx_prefix *prefix)
{
	const struct fib_entry *entry = fib_entry_find(fib, vrf, prefix);

	return entry ? entry->gid : 0;
}

uint64_t fib_expect_group(const struct fib *fib, uint32_t gid)
{
	const struct fib_nhg *nhg = gid < fib->limits.groups ? fib->by_gid[gid] : NULL;

	return nhg ? fib_group_word(nhg) : 0;
}

bool fib_has_own_nets(const struct fib *fib)
{
	uint32_t i;

	for (i = 0; i < fib->nlocal_nets; i++) {
		if (fib->local_nets[i].family == FX_AF_INET && fib->local_nets[i].bytes[0] != 127)
			return true;
	}
	return false;
}

void fib_counts(const struct fib *fib, struct fib_counts *ret)
{
	struct fib_choice choice;
	struct fib_entry *entry;
	struct fib_nhg *nhg;
	uint64_t at = 0;

	*ret = (struct fib_counts){ .programmed4 = fib->programmed4,
				    .programmed6 = fib->programmed6,
				    .fpm = fib->fpm_routes,
				    .kernel = fib->kernel_routes,
				    .adjs = fib->adj_slab.count,
				    .neighs = fib->neighs.count,
				    .refused = fib->refused };
	ret->quarantined = fib_ids_quarantined(&fib->adj_ids) +
			   fib_ids_quarantined(&fib->group_ids) +
			   fib_ids_quarantined(&fib->bucket_ids);
	while ((entry = fx_slab_next(&fib->entries, &at))) {
		if (!fib_entry_has_route(entry))
			continue;
		if (entry->dst.family == FX_AF_INET)
			ret->routes4++;
		else
			ret->routes6++;
		fib_select(fib, entry, &choice);
		ret->states[choice_state(&choice)]++;
	}
	for (at = 0; (nhg = fx_slab_next(&fib->nhgs, &at));)
		ret->groups += nhg->gid != 0;
}
