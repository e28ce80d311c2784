/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model's life, its inputs, and mark and sweep. See fib.h for what it is and fib_model.h for
 * how it is made.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

static uint32_t limit_or(uint32_t asked, uint32_t most)
{
	return asked && asked < most ? asked : most;
}

static int fib_init_ids(struct fib *fib)
{
	if (fib_ids_init(&fib->adj_ids, 1, fib->limits.adjs) < 0 ||
	    fib_ids_init(&fib->group_ids, FX_GID_FIRST, fib->limits.groups) < 0 ||
	    fib_ids_init(&fib->bucket_ids, 1, fib->limits.buckets / FIB_BUCKET_UNIT) < 0)
		return -ENOMEM;
	fib->by_gid = calloc(fib->limits.groups, sizeof(struct fib_nhg *));
	return fib->by_gid ? 0 : -ENOMEM;
}

struct fib *fib_new(const struct fib_limits *limits)
{
	struct fib *fib = calloc(1, sizeof(*fib));

	if (!fib)
		return NULL;
	fib->limits.prefixes = limits->prefixes ? limits->prefixes : FX_MAX_PREFIXES;
	fib->limits.adjs = limit_or(limits->adjs, FX_MAX_ADJS);
	fib->limits.groups = limit_or(limits->groups, FX_MAX_GROUPS);
	fib->limits.buckets = limit_or(limits->buckets, FX_MAX_BUCKETS);
	fx_slab_init(&fib->entries, sizeof(struct fib_entry));
	fx_slab_init(&fib->kroutes, sizeof(struct fib_kroute));
	fx_slab_init(&fib->nhgs, sizeof(struct fib_nhg));
	fx_slab_init(&fib->adj_slab, sizeof(struct fib_adj));
	fx_list_init(&fib->dirty_adjs);
	fx_list_init(&fib->dirty_nhgs);
	fx_list_init(&fib->dirty_neighs);
	fx_list_init(&fib->dirty_entries);
	fx_list_init(&fib->reports);
	fx_list_init(&fib->doubted_links);
	if (fib_init_ids(fib) < 0 || fib_vrf(fib, FX_VRF_DEFAULT, true) < 0) {
		fib_free(fib);
		return NULL;
	}
	return fib;
}

void fib_free(struct fib *fib)
{
	if (!fib)
		return;
	fx_slab_done(&fib->entries);
	fx_slab_done(&fib->kroutes);
	fx_htable_done(&fib->by_prefix);
	fib_tomb_clear(fib);
	fib_nhg_free_all(fib);
	fib_adj_free_all(fib);
	fib_ids_done(&fib->adj_ids);
	fib_ids_done(&fib->group_ids);
	fib_ids_done(&fib->bucket_ids);
	free(fib->by_gid);
	free(fib->local_nets);
	free(fib->views);
	free(fib);
}

int fib_vrf(struct fib *fib, uint32_t table, bool on)
{
	struct fib_vrf_st *vrf = fib_vrf_find(fib, table);

	if (on == (vrf != NULL))
		return 0;
	if (on) {
		if (fib->nvrfs == FIB_MAX_VRFS)
			return -ENOSPC;
		fib->vrfs[fib->nvrfs++] = (struct fib_vrf_st){ .table = table };
	} else {
		*vrf = fib->vrfs[--fib->nvrfs];
	}
	fib_entry_dirty_all(fib);
	return 0;
}

void fib_kernel_first(struct fib *fib, bool on)
{
	if (fib->kernel_first == on)
		return;
	fib->kernel_first = on;
	fib_entry_dirty_all(fib);
}

void fib_local_net(struct fib *fib, const struct fx_prefix *dst, bool on)
{
	struct fx_prefix *grown;
	uint32_t i;

	for (i = 0; i < fib->nlocal_nets; i++) {
		if (fx_prefix_equal(&fib->local_nets[i], dst))
			break;
	}
	if (on) {
		grown = realloc(fib->local_nets, (fib->nlocal_nets + 1) * sizeof(*grown));
		if (!grown)
			return;
		fib->local_nets = grown;
		fib->local_nets[fib->nlocal_nets++] = *dst;
	} else if (i < fib->nlocal_nets) {
		fib->local_nets[i] = fib->local_nets[--fib->nlocal_nets];
	}
	fib_entry_dirty_all(fib);
}

static bool op_is_sane(const struct rt_op *op)
{
	struct fx_prefix masked = op->dst;

	if (op->npaths > RT_MAX_PATHS || !fx_family_bits(op->dst.family) ||
	    op->dst.len > fx_family_bits(op->dst.family))
		return false;
	fx_prefix_mask(&masked);
	return fx_prefix_equal(&masked, &op->dst);
}

static void fpm_count(struct fib *fib, struct fib_entry *entry, bool on)
{
	if (on == !!(entry->flags & FIB_E_FPM))
		return;
	entry->flags ^= FIB_E_FPM;
	fib->fpm_routes += on ? 1 : -1u;
}

static int fpm_add(struct fib *fib, struct fib_entry *entry, const struct rt_op *op)
{
	struct fib_nhg *nhg = NULL;

	if (op->kind == RT_KIND_UNICAST) {
		nhg = fib_nhg_of_route(fib, FIB_FPM, op);
		if (!nhg)
			return -ENOSPC;
	}
	fib_use_clear(fib, &entry->f.use);
	fib_use_set(&entry->f.use, entry, nhg);
	entry->f.gen = fib->gen[FIB_FPM];
	entry->f.metric = op->metric;
	entry->f.protocol = op->protocol;
	entry->f.kind = (uint8_t)op->kind;
	entry->f.encap = op->encap;
	entry->f.rtm_type = op->rtm_type;
	fpm_count(fib, entry, true);
	entry->reported = 0;
	if (fib->status_on)
		entry->flags |= FIB_E_REPORT;
	return 0;
}

static void fpm_del(struct fib *fib, struct fib_entry *entry)
{
	fib_use_clear(fib, &entry->f.use);
	fpm_count(fib, entry, false);
	entry->flags &= (uint8_t)~FIB_E_REPORT;
	entry->reported = 0;
	fx_list_remove(&entry->report);
}

/* IPv6 source-specific routes stand beside the plain one: Linux has to choose by source. */
static bool op_is_source_specific(const struct rt_op *op)
{
	return op->src.len > 0;
}

static int fpm_apply(struct fib *fib, const struct rt_op *op)
{
	uint32_t table = fib_table_key(op->table);
	struct fib_entry *entry;
	int err;

	if (op_is_source_specific(op))
		return fib_kroute_apply(fib, FIB_FPM, op);
	if (op->verb == RT_ROUTE_DEL) {
		entry = fib_entry_find(fib, table, &op->dst);
		if (entry) {
			fpm_del(fib, entry);
			fib_entry_dirty(fib, entry);
		}
		return 0;
	}
	entry = fib_entry_get(fib, table, &op->dst);
	if (!entry)
		return -ENOSPC;
	err = fpm_add(fib, entry, op);
	fib_entry_retry(fib, entry);
	fib_entry_dirty(fib, entry);
	return err;
}

/* No room: what covers the prefix must not catch its packets in XDP. */
static void fib_refuse(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	uint32_t table = fib_table_key(op->table);
	struct fib_vrf_st *vrf = fib_vrf_find(fib, table);
	struct fib_entry *entry = fib_entry_find(fib, table, &op->dst);

	fib->refused++;
	if (vrf)
		vrf->refused[source] = true;
	if (entry) {
		entry->flags |= FIB_E_POISONED;
		fib_entry_dirty(fib, entry);
	}
	fib_entry_poison_cover(fib, table, &op->dst);
}

int fib_route(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	int err;

	switch (op->verb) {
	case RT_SKIP:
		return 0;
	case RT_NH_ADD:
	case RT_NH_DEL:
		return fib_nhg_apply(fib, source, op);
	case RT_ROUTE_ADD:
	case RT_ROUTE_DEL:
		break;
	}
	if (!op_is_sane(op))
		return -EINVAL;
	if (op->verb == RT_ROUTE_ADD && fib->entries.count >= fib->limits.prefixes &&
	    !fib_entry_find(fib, fib_table_key(op->table), &op->dst))
		err = -ENOSPC;
	else
		err = source == FIB_FPM ? fpm_apply(fib, op) : fib_kroute_apply(fib, source, op);
	if (err == -ENOSPC || err == -ENOMEM)
		fib_refuse(fib, source, op);
	return err;
}

void fib_resync_begin(struct fib *fib, enum fib_source source)
{
	unsigned int i;

	fib->gen[source]++;
	if (source == FIB_KERNEL) {
		fib->kernel_dump = true;
		fib_tomb_clear(fib);
	}
	for (i = 0; i < fib->nvrfs; i++)
		fib->vrfs[i].refused[source] = false;
}

static size_t entry_sweep(struct fib *fib, struct fib_entry *entry, enum fib_source source)
{
	size_t swept;

	if (source == FIB_FPM && !fib_vrf_is(fib, entry->table))
		return 0;
	swept = fib_kroute_sweep(fib, entry, source);
	if (source == FIB_FPM && (entry->flags & FIB_E_FPM) && entry->f.gen != fib->gen[FIB_FPM]) {
		fpm_del(fib, entry);
		swept++;
	}
	return swept;
}

bool fib_resync_wanted(struct fib *fib)
{
	bool wanted = fib->resync_wanted;

	fib->resync_wanted = false;
	return wanted;
}

static bool fib_is_complete(const struct fib *fib)
{
	unsigned int i;

	for (i = 0; i < fib->nvrfs; i++) {
		if (fib->vrfs[i].refused[FIB_FPM] || fib->vrfs[i].refused[FIB_KERNEL])
			return false;
	}
	return !fib->failed;
}

size_t fib_resync_sweep(struct fib *fib, enum fib_source source)
{
	struct fib_entry *entry;
	size_t swept = 0, n;
	uint64_t at = 0;

	if (source == FIB_KERNEL) {
		fib->kernel_dump = false;
		fib_tomb_clear(fib);
		fib_link_trust(fib);
	}
	while ((entry = fx_slab_next(&fib->entries, &at))) {
		n = entry_sweep(fib, entry, source);
		if (n || (entry->flags & FIB_E_FAILED)) {
			fib_entry_retry(fib, entry);
			fib_entry_dirty(fib, entry);
		}
		swept += n;
	}
	fib_nhg_sweep(fib, source);
	if (fib_is_complete(fib))
		fib_entry_unpoison(fib);
	return swept;
}
