/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Invariants of decoded operations, of the plan and of the model's views. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/fx_abi.h"
#include "tests/fuzz/fuzz_model.h"

#define STEPS 32

static void add_link(struct fib *fib, uint32_t ifindex, bool up)
{
	struct fib_link link = {
		.ifindex = ifindex,
		.mac = { 2, 0, 0, 0, 0, (uint8_t)ifindex },
		.up = up,
		.xdp_tx = true,
		.xdp_sg = true,
		.ether = true,
		.mtu = 1500,
	};

	snprintf(link.name, sizeof(link.name), "eth%u", ifindex);
	fuzz_require(!fib_link(fib, &link), "a link is taken");
}

static void add_neigh(struct fib *fib, uint32_t ifindex, const char *text)
{
	const uint8_t mac[6] = { 2, 0, 0, 0, 1, (uint8_t)ifindex };
	struct fx_addr addr;

	fuzz_require(!fx_addr_parse(text, &addr), "an address");
	fuzz_require(!fib_neigh(fib, ifindex, &addr, mac), "a neighbour is taken");
}

void fuzz_model_init(struct fuzz_model *model)
{
	const struct fib_limits limits = { 256, FUZZ_ADJS, FUZZ_GROUPS, FUZZ_BUCKETS };

	memset(model, 0, sizeof(*model));
	model->fib = fib_new(&limits);
	if (!model->fib)
		abort();
	add_link(model->fib, 6, true);
	add_link(model->fib, 7, true);
	add_link(model->fib, 8, false);
	add_neigh(model->fib, 6, "10.0.0.2");
	add_neigh(model->fib, 7, "10.1.0.2");
	add_neigh(model->fib, 6, "2001:db8::2");
	add_neigh(model->fib, 7, "fe80::2");
	fib_vrf(model->fib, 10, true);
}

static void execute(struct fuzz_model *model);

void fuzz_model_event(struct fuzz_model *model, unsigned int event, uint32_t ifindex, bool on)
{
	const struct fx_addr gw = { FX_AF_INET, { 10, 0, 0, 2 } };

	ifindex = 6 + ifindex % 4;
	switch (event) {
	case 0:
		add_link(model->fib, ifindex, on);
		break;
	case 1:
		fib_link_del(model->fib, ifindex);
		break;
	case 2:
		add_neigh(model->fib, ifindex, on ? "10.0.0.2" : "2001:db8::2");
		break;
	case 3:
		fib_neigh_del(model->fib, ifindex, &gw);
		break;
	case 4:
		execute(model);
		break;
	case 5:
		fib_resync_begin(model->fib, on ? FIB_KERNEL : FIB_FPM);
		break;
	case 6:
		fib_resync_sweep(model->fib, on ? FIB_KERNEL : FIB_FPM);
		break;
	case 7:
		fib_kernel_first(model->fib, on);
		break;
	}
}

static void check_prefix(const struct fx_prefix *prefix)
{
	struct fx_prefix masked = *prefix;

	fx_prefix_mask(&masked);
	fuzz_require(prefix->len <= fx_family_bits(prefix->family), "prefix length");
	fuzz_require(fx_prefix_equal(prefix, &masked), "host bits");
}

static void check_op(const struct rt_op *op)
{
	unsigned int i;

	if (op->verb == RT_SKIP) {
		fuzz_require(op->skip > RT_SKIP_NONE && op->skip < RT_SKIP_COUNT, "skip reason");
		return;
	}
	fuzz_require(op->npaths <= RT_MAX_PATHS, "number of paths");
	if (op->verb == RT_NH_ADD || op->verb == RT_NH_DEL)
		fuzz_require(op->nh_id != 0, "nexthop id");
	else
		check_prefix(&op->dst), check_prefix(&op->src);
	for (i = 0; i < op->npaths; i++) {
		const struct rt_path *path = &op->paths[i];

		fuzz_require(path->weight >= 1, "weight");
		fuzz_require(!path->gw.family || fx_family_bits(path->gw.family), "gateway");
		fuzz_require(path->encap <= op->encap, "encap of the whole");
		if (op->flags & RT_F_GROUP)
			fuzz_require(path->nh_id != 0, "member id");
	}
}

void fuzz_model_apply(struct fuzz_model *model, enum fib_source source, const struct rt_op *op)
{
	int err;

	check_op(op);
	err = fib_route(model->fib, source, op);
	fuzz_require(!err || err == -ENOSPC || err == -ENOMEM,
		     "an operation is taken or has no room");
}

static void do_group(struct fuzz_model *model, uint32_t gid, uint64_t word)
{
	uint32_t val = FX_GROUP_VAL(word), n = 1u << FX_GROUP_LOG2(word), i;

	fuzz_require(gid >= FX_GID_FIRST && gid < FUZZ_GROUPS, "group id");
	if (FX_GROUP_KIND(word) == FX_GROUP_ADJ)
		fuzz_require(val < FUZZ_ADJS && model->adjs[val], "adjacency before its group");
	if (FX_GROUP_KIND(word) == FX_GROUP_HASH) {
		fuzz_require(val + n <= FUZZ_BUCKETS, "buckets of a group");
		for (i = 0; i < n; i++)
			fuzz_require(model->buckets[val + i], "buckets before their group");
	}
	model->groups[gid] = 1;
}

static void do_buckets(struct fuzz_model *model, uint32_t base, uint32_t n, const uint32_t *ids)
{
	uint32_t i;

	fuzz_require(base + n <= FUZZ_BUCKETS, "buckets");
	for (i = 0; i < n; i++) {
		fuzz_require(ids[i] < FUZZ_ADJS && model->adjs[ids[i]],
			     "adjacency before its buckets");
		model->buckets[base + i] = 1;
	}
}

static void do_step(struct fuzz_model *model, const struct fib_step *step)
{
	switch (step->type) {
	case FIB_STEP_ADJ:
		fuzz_require(step->adj.id > 0 && step->adj.id < FUZZ_ADJS, "adjacency id");
		model->adjs[step->adj.id] = 1;
		break;
	case FIB_STEP_BUCKETS:
		do_buckets(model, step->buckets.base, step->buckets.n, step->buckets.ids);
		break;
	case FIB_STEP_GROUP:
		do_group(model, step->group.gid, step->group.word);
		break;
	case FIB_STEP_PREFIX:
		check_prefix(&step->prefix.prefix);
		fuzz_require(step->prefix.gid < FUZZ_GROUPS, "a prefix's group id");
		fuzz_require(step->prefix.gid < FX_GID_FIRST || model->groups[step->prefix.gid],
			     "group before its prefix");
		break;
	case FIB_STEP_NEIGH:
		fuzz_require(model->adjs[step->neigh.adj], "adjacency before its neighbour");
		break;
	case FIB_STEP_PREFIX_DEL:
	case FIB_STEP_NEIGH_DEL:
	case FIB_STEP_OWN4:
	case FIB_STEP_OWN4_DEL:
		break;
	}
}

static void execute(struct fuzz_model *model)
{
	struct fib_step steps[STEPS];
	unsigned int rounds = 0;
	size_t n, i;

	do {
		while ((n = fib_plan(model->fib, steps, STEPS)) > 0) {
			for (i = 0; i < n; i++) {
				do_step(model, &steps[i]);
				fib_step_done(model->fib, &steps[i], 0);
			}
			fuzz_require(++rounds < 4096, "the plan ends");
		}
		if (!fib_grace_begin(model->fib))
			break;
		fib_grace_end(model->fib);
		fuzz_require(++rounds < 4096, "grace periods end");
	} while (fib_dirty(model->fib));
	fuzz_require(!fib_dirty(model->fib), "nothing is left to do");
}

static uint32_t look(struct fuzz_model *model)
{
	struct fib_route_view route;
	struct fib_group_view group;
	struct fib_counts counts;
	uint64_t cursor = 0;
	uint32_t seen = 0;

	while (fib_route_next(model->fib, &cursor, &route)) {
		check_prefix(&route.dst);
		fuzz_require(route.gid < FX_GID_FIRST || model->groups[route.gid],
			     "a route's group is in the map");
		fuzz_require(route.npaths <= RT_MAX_PATHS, "paths of a route");
		seen++;
	}
	for (cursor = 0; fib_group_next(model->fib, &cursor, &group);)
		fuzz_require(group.gid < FUZZ_GROUPS, "a group's id");
	fib_counts(model->fib, &counts);
	fuzz_require(seen == counts.routes4 + counts.routes6, "every route is counted");
	fuzz_require(counts.programmed4 <= counts.routes4 && counts.programmed6 <= counts.routes6,
		     "what is programmed is a route");
	return counts.kernel;
}

void fuzz_model_done(struct fuzz_model *model)
{
	execute(model);
	look(model);
	fib_resync_begin(model->fib, FIB_FPM);
	fib_resync_sweep(model->fib, FIB_FPM);
	fib_resync_begin(model->fib, FIB_KERNEL);
	fib_resync_sweep(model->fib, FIB_KERNEL);
	execute(model);
	fuzz_require(!look(model), "the kernel's routes go when they are not seen again");
	fib_free(model->fib);
}
