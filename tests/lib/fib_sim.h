/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps, simulated: executes the model's steps and fails the test at once when a step breaks a
 * promise: what is pointed at was written before, what is cleared is pointed at by nothing.
 */
#ifndef FX_TESTS_LIB_FIB_SIM_H
#define FX_TESTS_LIB_FIB_SIM_H

#include "fpm-xdp/fib.h"

#define SIM_PREFIXES 4096

struct sim_prefix {
	bool used;
	uint32_t vrf;
	struct fx_prefix prefix;
	uint32_t gid;
};

struct sim_neigh {
	bool used;
	uint32_t ifindex;
	struct fx_addr addr;
	uint32_t adj;
};

struct fib_sim {
	struct fx_adj *adjs;
	uint64_t *groups;
	uint32_t *buckets;
	struct sim_prefix prefixes[SIM_PREFIXES];
	struct sim_neigh neighs[SIM_PREFIXES];
	uint32_t nprefixes;
	uint32_t room; /* PREFIX steps beyond this many entries fail with -ENOSPC */
	size_t steps;
	uint32_t own4;	/* how many addresses */
	bool check_all; /* every invariant after every step: slow */
};

struct fib_sim *sim_new(void);
void sim_free(struct fib_sim *sim);

/* Executes until the model has no more to say, with grace periods; slice: steps a call. */
void sim_run(struct fib_sim *sim, struct fib *fib, size_t slice);
/* Takes what the map holds into a new model, as the daemon does after a restart. */
void sim_adopt(struct fib_sim *sim, struct fib *fib);

struct sim_prefix *sim_find(struct fib_sim *sim, uint32_t vrf, const char *prefix);
/* The group word that the prefix leads to; fixed ids give the id itself; 0: no entry. */
uint64_t sim_word(struct fib_sim *sim, const char *prefix);
/* The adjacency that the prefix leads to for this hash; NULL: none. */
struct fx_adj *sim_choose(struct fib_sim *sim, const char *prefix, uint32_t hash);
/* Where everything leads, without ids: equal for equal forwarding. */
uint64_t sim_digest(struct fib_sim *sim);
/* What is written is what the model knows of, and every group is some prefix's. */
void sim_check_no_leaks(struct fib_sim *sim, const struct fib *fib);

#endif
