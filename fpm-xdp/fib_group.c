/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of paths as map entries: a group word, and with more than one path its hash buckets.
 * A member whose link is down gives its buckets to the others at once; with all of them down they
 * keep them, and their adjacencies send the packets to Linux, which knows what to answer.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

static void group_mark(struct fib *fib, struct fib_nhg *nhg)
{
	if (fx_list_is_idle(&nhg->dirty))
		fx_list_append(&fib->dirty_nhgs, &nhg->dirty);
}

uint64_t fib_group_word(const struct fib_nhg *nhg)
{
	switch ((enum fib_nhg_state)nhg->state) {
	case FIB_NHG_UNRESOLVED:
		return fx_group_word(FX_GROUP_PASS, 0, FX_V_PENDING);
	case FIB_NHG_BLACKHOLE:
		return fx_group_word(FX_GROUP_DROP, 0, FX_V_BLACKHOLE);
	case FIB_NHG_TRAPPED:
		return fx_group_word(FX_GROUP_PASS, 0, FX_V_TRAPPED);
	case FIB_NHG_PATHS:
		break;
	}
	if (nhg->buckets)
		return fx_group_word(FX_GROUP_HASH, nhg->log2, nhg->base);
	if (nhg->nmembers == 1 && nhg->members[0].adj)
		return fx_group_word(FX_GROUP_ADJ, 0, nhg->members[0].adj->id);
	return fx_group_word(FX_GROUP_PASS, 0, FX_V_INTERNAL); /* no room for its buckets */
}

static void group_free_buckets(struct fib *fib, struct fib_nhg *nhg)
{
	uint32_t units;

	if (!nhg->buckets)
		return;
	units = (1u << nhg->log2) / FIB_BUCKET_UNIT;
	fib_ids_free(&fib->bucket_ids, nhg->base / FIB_BUCKET_UNIT, units);
	free(nhg->buckets);
	nhg->buckets = NULL;
	nhg->base = 0;
	nhg->log2 = 0;
}

static int group_alloc_buckets(struct fib *fib, struct fib_nhg *nhg, unsigned int log2)
{
	uint32_t unit;

	if (nhg->buckets && nhg->log2 == log2)
		return 0;
	group_free_buckets(fib, nhg);
	unit = fib_ids_alloc(&fib->bucket_ids, (1u << log2) / FIB_BUCKET_UNIT);
	if (!unit)
		return -ENOSPC;
	nhg->buckets = calloc((size_t)1 << log2, sizeof(*nhg->buckets));
	if (!nhg->buckets) {
		fib_ids_free(&fib->bucket_ids, unit, (1u << log2) / FIB_BUCKET_UNIT);
		return -ENOMEM;
	}
	nhg->base = unit * FIB_BUCKET_UNIT;
	nhg->log2 = (uint8_t)log2;
	return 0;
}

static bool member_alive(const struct fib_member *member)
{
	return member->adj->link->known && member->adj->link->info.up;
}

static int group_fill(struct fib *fib, struct fib_nhg *nhg)
{
	bool alive[RT_MAX_PATHS];
	unsigned int log2;
	uint16_t i;
	int err;

	if (nhg->nmembers < 2) {
		group_free_buckets(fib, nhg);
		return 0;
	}
	log2 = fib_choose_log2(nhg->nmembers);
	err = group_alloc_buckets(fib, nhg, log2);
	if (err < 0)
		return err;
	for (i = 0; i < nhg->nmembers; i++)
		alive[i] = member_alive(&nhg->members[i]);
	fib_choose(nhg->members, alive, nhg->nmembers, nhg->buckets, log2);
	return 0;
}

static int group_take_adjs(struct fib *fib, struct fib_nhg *nhg)
{
	struct fib_member *member;
	uint16_t i;

	for (i = 0; i < nhg->nmembers; i++) {
		member = &nhg->members[i];
		if (member->adj)
			continue;
		member->adj = fib_adj_get(fib, member->path.ifindex, &member->path.gw, nhg->mtu);
		if (!member->adj)
			return -ENOSPC;
		member->adj->gateways++;
	}
	return 0;
}

static void group_drop_adjs(struct fib *fib, struct fib_nhg *nhg)
{
	uint16_t i;

	for (i = 0; i < nhg->nmembers; i++) {
		if (!nhg->members[i].adj)
			continue;
		nhg->members[i].adj->gateways--;
		fib_adj_put(fib, nhg->members[i].adj);
		nhg->members[i].adj = NULL;
	}
}

int fib_group_program(struct fib *fib, struct fib_nhg *nhg)
{
	int err;

	if (nhg->gid)
		return 0;
	nhg->gid = fib_ids_alloc(&fib->group_ids, 1);
	if (!nhg->gid)
		return -ENOSPC;
	err = group_take_adjs(fib, nhg);
	if (!err)
		err = group_fill(fib, nhg);
	if (err < 0) {
		group_drop_adjs(fib, nhg);
		group_free_buckets(fib, nhg);
		fib_ids_free(&fib->group_ids, nhg->gid, 1);
		nhg->gid = 0;
		return err;
	}
	fib->by_gid[nhg->gid] = nhg;
	group_mark(fib, nhg);
	return 0;
}

void fib_group_refresh(struct fib *fib, struct fib_nhg *nhg)
{
	if (group_take_adjs(fib, nhg) < 0 || group_fill(fib, nhg) < 0) {
		group_drop_adjs(fib, nhg); /* its word then says: to Linux */
		group_free_buckets(fib, nhg);
	}
	group_mark(fib, nhg);
}

void fib_group_unuse(struct fib *fib, struct fib_nhg *nhg)
{
	if (--nhg->uses == 0 && nhg->gid) {
		group_drop_adjs(fib, nhg);
		group_free_buckets(fib, nhg);
		fib->by_gid[nhg->gid] = NULL;
		fib_ids_free(&fib->group_ids, nhg->gid, 1);
		nhg->gid = 0;
		fx_list_remove(&nhg->dirty);
	}
	fib_nhg_put(fib, nhg);
}

void fib_group_link_changed(struct fib *fib, uint32_t ifindex)
{
	struct fib_nhg *nhg;
	uint64_t at = 0;
	uint16_t i;

	while ((nhg = fx_slab_next(&fib->nhgs, &at))) {
		if (!nhg->gid || nhg->nmembers < 2 || !nhg->members[0].adj)
			continue;
		for (i = 0; i < nhg->nmembers; i++) {
			if (nhg->members[i].path.ifindex != ifindex)
				continue;
			fib_group_refresh(fib, nhg);
			break;
		}
	}
}
