/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Neighbours: into the model, and kept resolved while XDP uses them. */
#include "config.h"

#include <linux/neighbour.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "lib/loop.h"

void fpmd_neigh(void *arg, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6],
		uint16_t nud)
{
	struct fpmd *fpmd = arg;

	neigh_use_set(fpmd->neighs, ifindex, addr, nud & NUD_STALE);
	if (fib_neigh(fpmd->fib, ifindex, addr, mac) < 0)
		log_limited(&fpmd->limit, LOG_LEVEL_ERROR, "neigh", "out of memory");
	fpmd_kick(fpmd);
}

void fpmd_neigh_del(void *arg, uint32_t ifindex, const struct fx_addr *addr)
{
	struct fpmd *fpmd = arg;

	neigh_use_set(fpmd->neighs, ifindex, addr, false);
	fib_neigh_del(fpmd->fib, ifindex, addr);
	fpmd_kick(fpmd);
}

static uint64_t fpmd_adj_packets(const struct fpmd *fpmd, uint32_t id)
{
	uint64_t words[sizeof(struct fx_adjstat) / sizeof(uint64_t)] = { 0 };

	bpfmap_percpu_sum(&fpmd->maps->adjstats, id, words);
	return words[0];
}

/* Whether the kernel should be told that this neighbour is in use. */
static bool fpmd_neigh_needs_use(struct fpmd *fpmd, const struct fib_adj_view *adj)
{
	if (!adj->has_mac)
		return adj->gateway && neigh_use_ask(fpmd->neighs, adj->id, loop_now_ms() / 1000);
	neigh_use_resolved(fpmd->neighs, adj->id);
	if (!neigh_use_is_stale(fpmd->neighs, adj->ifindex, &adj->addr)) {
		neigh_use_fresh(fpmd->neighs, adj->id);
		return false;
	}
	return neigh_use_moved(fpmd->neighs, adj->id, fpmd_adj_packets(fpmd, adj->id));
}

void fpmd_neigh_second(struct fpmd *fpmd)
{
	struct fib_adj_view adj;
	uint64_t cursor = 0;

	while (fib_adj_next(fpmd->fib, &cursor, &adj)) {
		if (!adj.addr.family || !fpmd_neigh_needs_use(fpmd, &adj))
			continue;
		kernel_view_neigh_use(fpmd->view, adj.ifindex, &adj.addr);
	}
}
