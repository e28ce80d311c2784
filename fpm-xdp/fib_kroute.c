/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's routes of one prefix, side by side, lowest metric first.
 *
 * Linux tells routes of a prefix apart by (tos, metric) in IPv4 and by metric in IPv6, where routes
 * with a gateway and an equal metric are one multipath route and others stand for themselves
 * (net/ipv4/fib_trie.c fib_table_insert(), net/ipv6/ip6_fib.c fib6_add_rt2node(), 6.1 to 6.18).
 * Where several cannot be told apart by that (ip route append) we know that we do not know which
 * one Linux takes: `dups` counts them and the prefix goes to Linux.
 *
 * IPv4 routes that differ in their preferred source alone look the same from here, and so do some
 * IPv6 routes of an equal metric that are no multipath route in spite of their gateways: those with
 * a nexthop object and those of router advertisements (rt6_qualify_for_ecmp()).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

#define PROTOCOL_RA 9u /* RTPROT_RA */

void fib_use_set(struct fib_use *use, struct fib_entry *entry, struct fib_nhg *nhg)
{
	use->entry = entry;
	use->nhg = nhg;
	if (!nhg)
		return;
	fx_list_append(&nhg->routes, &use->on_nhg);
	nhg->nroutes++;
}

void fib_use_clear(struct fib *fib, struct fib_use *use)
{
	struct fib_nhg *nhg = use->nhg;

	if (!nhg)
		return;
	use->nhg = NULL;
	fx_list_remove(&use->on_nhg);
	nhg->nroutes--;
	fib_nhg_put(fib, nhg);
}

static bool route_has_gateway(const struct rt_op *op)
{
	return op->nh_id || (op->npaths && op->paths[0].gw.family);
}

/* IPv6 without a gateway: the device is part of what it is. 0 stands for "with a gateway". */
static uint32_t route_device(const struct rt_op *op)
{
	if (op->dst.family == FX_AF_INET || route_has_gateway(op) || !op->npaths)
		return 0;
	return op->paths[0].ifindex;
}

static struct fib_kroute_key route_key(enum fib_source source, const struct rt_op *op)
{
	return (struct fib_kroute_key){ .table = op->table,
					.metric = op->metric,
					.device = route_device(op),
					.tos = op->tos,
					.source = (uint8_t)source,
					.dst = op->dst,
					.src = op->src };
}

static bool kroute_is(const struct fib_kroute *k, enum fib_source source, const struct rt_op *op)
{
	return k->source == source && k->table == op->table && k->metric == op->metric &&
	       k->tos == op->tos && k->device == route_device(op) &&
	       fx_prefix_equal(&k->src, &op->src);
}

static struct fib_kroute **kroute_find(struct fib_entry *entry, enum fib_source source,
				       const struct rt_op *op)
{
	struct fib_kroute **at;

	for (at = &entry->k; *at; at = &(*at)->next) {
		if (kroute_is(*at, source, op))
			return at;
	}
	return NULL;
}

static void kroute_unlink(struct fib *fib, struct fib_entry *entry, struct fib_kroute **at)
{
	struct fib_kroute *k = *at;

	*at = k->next;
	if (k->table == FIB_TABLE_LOCAL && entry->dst.len < fx_family_bits(entry->dst.family))
		fib_local_net(fib, &entry->dst, false);
	fib_use_clear(fib, &k->use);
	if (k->source == FIB_KERNEL)
		fib->kernel_routes--;
	else
		fib->fpm_routes--;
	fx_slab_free(&fib->kroutes, k);
}

static bool route_stands_alone(const struct rt_op *op)
{
	return op->dst.family == FX_AF_INET || op->nh_id || op->protocol == PROTOCOL_RA;
}

static bool kroute_same(const struct fib_kroute *k, const struct rt_op *op,
			const struct fib_nhg *nhg)
{
	return k->kind == op->kind && k->protocol == op->protocol && k->use.nhg == nhg;
}

static void kroute_fill(struct fib *fib, struct fib_entry *entry, struct fib_kroute *k,
			const struct rt_op *op, struct fib_nhg *nhg)
{
	fib_use_clear(fib, &k->use);
	fib_use_set(&k->use, entry, nhg);
	k->kind = (uint8_t)op->kind;
	k->protocol = op->protocol;
	k->encap = op->encap;
	k->expires = op->flags & RT_F_EXPIRES;
}

static uint32_t kroute_count(const struct fib_entry *entry)
{
	const struct fib_kroute *k;
	uint32_t n = 0;

	for (k = entry->k; k; k = k->next)
		n++;
	return n;
}

static struct fib_kroute *kroute_new(struct fib *fib, struct fib_entry *entry,
				     enum fib_source source, const struct rt_op *op)
{
	struct fib_kroute *k, **at;

	if (kroute_count(entry) >= FIB_MAX_KROUTES ||
	    fib->kroutes.count >= 2ull * fib->limits.prefixes)
		return NULL;
	k = fx_slab_alloc(&fib->kroutes);
	if (!k)
		return NULL;
	fx_list_init(&k->use.on_nhg);
	k->metric = op->metric;
	k->tos = op->tos;
	k->src = op->src;
	k->table = op->table;
	k->device = route_device(op);
	k->source = (uint8_t)source;
	k->dups = 1;
	for (at = &entry->k; *at && (*at)->metric <= k->metric; at = &(*at)->next)
		;
	k->next = *at;
	*at = k;
	if (source == FIB_KERNEL)
		fib->kernel_routes++;
	else
		fib->fpm_routes++;
	if (k->table == FIB_TABLE_LOCAL && entry->dst.len < fx_family_bits(entry->dst.family))
		fib_local_net(fib, &entry->dst, true);
	return k;
}

/* A route that is told once more, or another one that looks the same from here? */
static void kroute_again(struct fib *fib, struct fib_entry *entry, struct fib_kroute *k,
			 const struct rt_op *op, struct fib_nhg *nhg)
{
	bool first_of_dump = k->gen != fib->gen[k->source];
	bool same = kroute_same(k, op, nhg);

	if (first_of_dump) {
		k->dups = 1;
		k->unsure = k->again = false;
	} else if (op->flags & RT_F_REPLACE || !route_stands_alone(op)) {
		k->again = false;
	} else if (!same || op->kind != RT_KIND_UNICAST) {
		k->dups++; /* e.g. the broadcast address of a network that two interfaces have */
	} else {
		k->again = true;
	}
	kroute_fill(fib, entry, k, op, nhg);
}

/*
 * A dump's word on a route that a notice has told of since the dump began: the notice is newer, or
 * both are right, if there are two routes that look alike. true: the dump is not to be listened to.
 */
static bool kroute_is_stale(struct fib *fib, struct fib_kroute *k, enum fib_source source,
			    const struct rt_op *op)
{
	struct fib_kroute_key key = route_key(source, op);

	if (source != FIB_KERNEL || !fib->kernel_dump)
		return false;
	if (!(op->flags & RT_F_DUMP)) {
		fib_tomb_unset(fib, &key);
		return false;
	}
	if (!k)
		return fib_tomb_is(fib, &key);
	if (k->told != fib->gen[FIB_KERNEL])
		return false;
	if (!k->replaced && route_stands_alone(op)) {
		k->unsure = true;
		fib->resync_wanted = true;
	}
	return true;
}

static int kroute_add(struct fib *fib, struct fib_entry *entry, enum fib_source source,
		      const struct rt_op *op)
{
	struct fib_kroute **at = kroute_find(entry, source, op), *k = at ? *at : NULL;
	struct fib_nhg *nhg = NULL;

	if (kroute_is_stale(fib, k, source, op))
		return 0;
	if (op->kind == RT_KIND_UNICAST) {
		nhg = fib_nhg_of_route(fib, source, op);
		if (!nhg)
			return -ENOSPC;
	}
	if (k) {
		kroute_again(fib, entry, k, op, nhg);
	} else {
		k = kroute_new(fib, entry, source, op);
		if (!k) {
			if (nhg)
				fib_nhg_put(fib, nhg);
			return -ENOSPC;
		}
		kroute_fill(fib, entry, k, op, nhg);
	}
	k->gen = fib->gen[source];
	if (!(op->flags & RT_F_DUMP)) {
		k->told = fib->gen[source];
		k->replaced = op->flags & RT_F_REPLACE;
	}
	return 0;
}

/* IPv6 tells of single paths of a multipath route that went; what is left of it stays. */
static bool kroute_subtract(struct fib *fib, struct fib_entry *entry, struct fib_kroute *k,
			    const struct rt_op *op)
{
	struct rt_path left[RT_MAX_PATHS];
	struct fib_nhg *nhg = k->use.nhg, *rest;
	uint16_t i, j, n = 0;

	if (op->dst.family != FX_AF_INET6 || !nhg || nhg->id || !op->npaths || op->nh_id)
		return false;
	for (i = 0; i < nhg->ndefs; i++) {
		for (j = 0; j < op->npaths; j++) {
			if (nhg->defs[i].ifindex == op->paths[j].ifindex &&
			    fx_addr_equal(&nhg->defs[i].gw, &op->paths[j].gw))
				break;
		}
		if (j == op->npaths)
			left[n++] = nhg->defs[i];
	}
	if (!n)
		return false;
	rest = fib_nhg_of_paths(fib, left, n, nhg->mtu, FIB_KERNEL);
	if (!rest)
		return false;
	fib_use_clear(fib, &k->use);
	fib_use_set(&k->use, entry, rest);
	return true;
}

static void kroute_del(struct fib *fib, struct fib_entry *entry, enum fib_source source,
		       const struct rt_op *op)
{
	struct fib_kroute **at = entry ? kroute_find(entry, source, op) : NULL;
	struct fib_kroute_key key = route_key(source, op);

	if (source == FIB_KERNEL && (!at || ((*at)->dups == 1 && !(*at)->again)))
		fib_tomb_set(fib, &key);
	if (!at)
		return;
	(*at)->told = fib->gen[source];
	(*at)->replaced = false;
	if ((*at)->dups > 1 || (*at)->again) {
		(*at)->dups -= (*at)->dups > 1;
		fib->resync_wanted = true;
		(*at)->unsure = true; /* which of them is left shows at the next dump */
	} else if (!kroute_subtract(fib, entry, *at, op)) {
		kroute_unlink(fib, entry, at);
	}
}

int fib_kroute_apply(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	uint32_t table = fib_table_key(op->table);
	struct fib_entry *entry;
	int err = 0;

	if (op->verb == RT_ROUTE_DEL) {
		entry = fib_entry_find(fib, table, &op->dst);
		kroute_del(fib, entry, source, op);
	} else {
		entry = fib_entry_get(fib, table, &op->dst);
		if (!entry)
			return -ENOSPC;
		err = kroute_add(fib, entry, source, op);
	}
	if (entry) {
		fib_entry_retry(fib, entry);
		fib_entry_dirty(fib, entry);
	}
	return err;
}

static void kroutes_doubt(struct fib *fib, struct fib_nhg *nhg)
{
	struct fx_list *pos, *tmp;
	struct fib_kroute *k;
	struct fib_entry *entry;

	fx_list_for_each(pos, tmp, &nhg->routes)
	{
		entry = fx_container_of(pos, struct fib_use, on_nhg)->entry;
		for (k = entry->k; k; k = k->next) {
			if (k->source != FIB_KERNEL || k->use.nhg != nhg)
				continue;
			k->unsure = fib->resync_wanted = true;
			fib_entry_dirty(fib, entry);
		}
	}
}

/*
 * IPv4 routes go with their nexthop object without a word (__remove_nexthop_fib()), IPv6 ones too
 * if nexthop_compat_mode is off (Linux 6.18). The next dump tells; until then, and should the id
 * come back meanwhile, they are Linux's. Those with an MTU of their own lean on it through a set of
 * paths without an id.
 */
void fib_kroute_doubt(struct fib *fib, struct fib_nhg *nhg)
{
	struct fx_list *pos, *tmp;
	struct fib_nhg *owner;

	kroutes_doubt(fib, nhg);
	fx_list_for_each(pos, tmp, &nhg->dependents)
	{
		owner = fx_container_of(pos, struct fib_dep, on_target)->owner;
		if (!owner->id)
			kroutes_doubt(fib, owner);
	}
}

size_t fib_kroute_sweep(struct fib *fib, struct fib_entry *entry, enum fib_source source)
{
	struct fib_kroute **at = &entry->k;
	size_t swept = 0;

	while (*at) {
		if ((*at)->source != source || (*at)->gen == fib->gen[source]) {
			at = &(*at)->next;
			continue;
		}
		kroute_unlink(fib, entry, at);
		swept++;
	}
	return swept;
}
