/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See fib_sim.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/list.h"
#include "tests/lib/fib_sim.h"

struct fib_sim *sim_new(void)
{
	struct fib_sim *sim = calloc(1, sizeof(*sim));

	assert_non_null(sim);
	sim->adjs = calloc(FX_MAX_ADJS, sizeof(*sim->adjs));
	sim->groups = calloc(FX_MAX_GROUPS, sizeof(*sim->groups));
	sim->buckets = calloc(FX_MAX_BUCKETS, sizeof(*sim->buckets));
	sim->room = SIM_PREFIXES;
	return sim;
}

void sim_free(struct fib_sim *sim)
{
	free(sim->adjs);
	free(sim->groups);
	free(sim->buckets);
	free(sim);
}

static struct sim_prefix *prefix_find(struct fib_sim *sim, uint32_t vrf,
				      const struct fx_prefix *prefix)
{
	uint32_t i;

	for (i = 0; i < SIM_PREFIXES; i++) {
		if (sim->prefixes[i].used && sim->prefixes[i].vrf == vrf &&
		    fx_prefix_equal(&sim->prefixes[i].prefix, prefix))
			return &sim->prefixes[i];
	}
	return NULL;
}

static void check_adj(struct fib_sim *sim, uint32_t id)
{
	assert_int_not_equal(id, 0);
	assert_true(id < FX_MAX_ADJS);
	assert_int_not_equal(FX_ADJ_KIND(sim->adjs[id].word0), FX_ADJ_NONE);
}

static void check_group(struct fib_sim *sim, uint32_t gid)
{
	uint64_t word = sim->groups[gid];
	uint32_t i;

	if (gid < FX_GID_FIRST)
		return;
	switch (FX_GROUP_KIND(word)) {
	case FX_GROUP_PASS:
	case FX_GROUP_DROP:
		break;
	case FX_GROUP_ADJ:
		check_adj(sim, FX_GROUP_VAL(word));
		break;
	case FX_GROUP_HASH:
		for (i = 0; i < 1u << FX_GROUP_LOG2(word); i++)
			check_adj(sim, sim->buckets[FX_GROUP_VAL(word) + i]);
		break;
	default:
		fail_msg("group %u is not written", gid);
	}
}

static void check_everything(struct fib_sim *sim)
{
	uint32_t i;

	for (i = 0; i < SIM_PREFIXES; i++) {
		if (sim->prefixes[i].used)
			check_group(sim, sim->prefixes[i].gid);
		if (sim->neighs[i].used)
			check_adj(sim, sim->neighs[i].adj);
	}
}

static int put_prefix(struct fib_sim *sim, const struct fib_step *step)
{
	struct sim_prefix *at = prefix_find(sim, step->prefix.vrf, &step->prefix.prefix);
	uint32_t i;

	check_group(sim, step->prefix.gid);
	if (!at) {
		if (sim->nprefixes >= sim->room)
			return -ENOSPC;
		for (i = 0; sim->prefixes[i].used; i++)
			;
		at = &sim->prefixes[i];
		sim->nprefixes++;
	}
	*at = (struct sim_prefix){ true, step->prefix.vrf, step->prefix.prefix, step->prefix.gid };
	return 0;
}

static void put_neigh(struct fib_sim *sim, const struct fib_step *step)
{
	bool del = step->type == FIB_STEP_NEIGH_DEL;
	struct sim_neigh *at, *free_at = NULL;

	for (at = sim->neighs; at < sim->neighs + SIM_PREFIXES; at++) {
		if (!at->used)
			free_at = free_at ? free_at : at;
		else if (at->ifindex == step->neigh.ifindex &&
			 fx_addr_equal(&at->addr, &step->neigh.addr))
			break;
	}
	if (at == sim->neighs + SIM_PREFIXES) {
		assert_false(del);
		at = free_at;
	}
	*at = (struct sim_neigh){ !del, step->neigh.ifindex, step->neigh.addr, step->neigh.adj };
	if (!del)
		check_adj(sim, step->neigh.adj);
}

static int sim_step(struct fib_sim *sim, const struct fib_step *step)
{
	struct sim_prefix *prefix;

	switch (step->type) {
	case FIB_STEP_ADJ:
		assert_true(step->adj.id > 0 && step->adj.id < FX_MAX_ADJS);
		sim->adjs[step->adj.id] = step->adj.value;
		break;
	case FIB_STEP_BUCKETS:
		memcpy(sim->buckets + step->buckets.base, step->buckets.ids,
		       step->buckets.n * sizeof(uint32_t));
		break;
	case FIB_STEP_GROUP:
		assert_true(step->group.gid >= FX_GID_FIRST && step->group.gid < FX_MAX_GROUPS);
		sim->groups[step->group.gid] = step->group.word;
		break;
	case FIB_STEP_PREFIX:
		return put_prefix(sim, step);
	case FIB_STEP_PREFIX_DEL:
		prefix = prefix_find(sim, step->prefix.vrf, &step->prefix.prefix);
		assert_non_null(prefix);
		prefix->used = false;
		sim->nprefixes--;
		break;
	case FIB_STEP_NEIGH:
	case FIB_STEP_NEIGH_DEL:
		put_neigh(sim, step);
		break;
	case FIB_STEP_OWN4:
		sim->own4++;
		break;
	case FIB_STEP_OWN4_DEL:
		sim->own4--;
		break;
	}
	return 0;
}

void sim_run(struct fib_sim *sim, struct fib *fib, size_t slice)
{
	struct fib_step *steps = calloc(slice, sizeof(*steps));
	size_t n, i;
	int err[4096];

	assert_true(slice <= 4096);
	for (;;) {
		n = fib_plan(fib, steps, slice);
		assert_true(n <= slice);
		for (i = 0; i < n; i++) {
			err[i] = sim_step(sim, &steps[i]);
			sim->steps++;
			if (sim->check_all)
				check_everything(sim);
		}
		for (i = 0; i < n; i++)
			fib_step_done(fib, &steps[i], err[i]);
		if (n)
			continue;
		if (fib_grace_begin(fib))
			fib_grace_end(fib);
		else if (!fib_dirty(fib))
			break;
	}
	check_everything(sim);
	free(steps);
}

void sim_adopt(struct fib_sim *sim, struct fib *fib)
{
	uint32_t i;

	for (i = 0; i < FX_MAX_ADJS; i++) {
		if (sim->adjs[i].word0)
			fib_adopt_adj(fib, i);
	}
	for (i = FX_GID_FIRST; i < FX_MAX_GROUPS; i++) {
		if (sim->groups[i])
			fib_adopt_group(fib, i, sim->groups[i]);
	}
	for (i = 0; i < SIM_PREFIXES; i++) {
		if (sim->prefixes[i].used)
			assert_int_equal(fib_adopt_prefix(fib, sim->prefixes[i].vrf,
							  &sim->prefixes[i].prefix,
							  sim->prefixes[i].gid),
					 0);
		if (sim->neighs[i].used)
			assert_int_equal(fib_adopt_neigh(fib, sim->neighs[i].ifindex,
							 &sim->neighs[i].addr, sim->neighs[i].adj),
					 0);
	}
}

struct sim_prefix *sim_find(struct fib_sim *sim, uint32_t vrf, const char *text)
{
	struct fx_prefix prefix;

	assert_int_equal(fx_prefix_parse(text, &prefix), 0);
	return prefix_find(sim, vrf, &prefix);
}

uint64_t sim_word(struct fib_sim *sim, const char *text)
{
	struct sim_prefix *prefix = sim_find(sim, FX_VRF_DEFAULT, text);

	if (!prefix)
		return 0;
	return prefix->gid < FX_GID_FIRST ? prefix->gid : sim->groups[prefix->gid];
}

struct fx_adj *sim_choose(struct fib_sim *sim, const char *text, uint32_t hash)
{
	uint64_t word = sim_word(sim, text);
	uint32_t mask = (1u << FX_GROUP_LOG2(word)) - 1;

	if (FX_GROUP_KIND(word) == FX_GROUP_ADJ)
		return &sim->adjs[FX_GROUP_VAL(word)];
	if (FX_GROUP_KIND(word) == FX_GROUP_HASH)
		return &sim->adjs[sim->buckets[FX_GROUP_VAL(word) + (hash & mask)]];
	return NULL;
}

static uint64_t adj_digest(const struct fx_adj *adj)
{
	return fx_mix64(adj->word0) ^ fx_mix64(adj->dst + 1) ^ fx_mix64(adj->src + 2);
}

static uint64_t group_digest(struct fib_sim *sim, uint32_t gid)
{
	uint64_t word = sim->groups[gid], sum = 0;
	uint32_t i;

	if (gid < FX_GID_FIRST)
		return gid;
	if (FX_GROUP_KIND(word) == FX_GROUP_ADJ)
		return adj_digest(&sim->adjs[FX_GROUP_VAL(word)]);
	if (FX_GROUP_KIND(word) != FX_GROUP_HASH)
		return word;
	for (i = 0; i < 1u << FX_GROUP_LOG2(word); i++)
		sum ^= fx_mix64(adj_digest(&sim->adjs[sim->buckets[FX_GROUP_VAL(word) + i]]) + i);
	return sum;
}

uint64_t sim_digest(struct fib_sim *sim)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < SIM_PREFIXES; i++) {
		if (sim->prefixes[i].used)
			sum += fx_mix64(group_digest(sim, sim->prefixes[i].gid) ^
					fx_hash(&sim->prefixes[i].prefix, sizeof(struct fx_prefix),
						sim->prefixes[i].vrf));
		if (sim->neighs[i].used)
			sum += fx_mix64(
				adj_digest(&sim->adjs[sim->neighs[i].adj]) ^
				fx_hash(sim->neighs[i].addr.bytes, 16, sim->neighs[i].ifindex));
	}
	return sum;
}

void sim_check_no_leaks(struct fib_sim *sim, const struct fib *fib)
{
	bool *group_used = calloc(FX_MAX_GROUPS, 1);
	uint32_t i, adjs = 0, groups = 0;
	struct fib_counts counts;

	fib_counts(fib, &counts);
	for (i = 0; i < SIM_PREFIXES; i++) {
		if (sim->prefixes[i].used)
			group_used[sim->prefixes[i].gid] = true;
	}
	for (i = FX_GID_FIRST; i < FX_MAX_GROUPS; i++) {
		groups += sim->groups[i] != 0;
		if (!group_used[i] && sim->groups[i])
			fail_msg("group %u is written and used by nothing", i);
	}
	for (i = 1; i < FX_MAX_ADJS; i++)
		adjs += sim->adjs[i].word0 != 0;
	assert_int_equal(groups, counts.groups);
	assert_int_equal(adjs, counts.adjs);
	assert_int_equal(counts.quarantined, 0);
	free(group_used);
}
