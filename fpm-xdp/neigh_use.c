/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which neighbours need the kernel's attention. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/fx_abi.h"
#include "fpm-xdp/neigh_use.h"
#include "lib/list.h"

struct neigh_use_stale {
	struct fx_hnode hnode;
	uint32_t ifindex;
	struct fx_addr addr;
};

/* By adjacency id; memory is touched for those in use only. */
struct neigh_use_adj {
	uint64_t packets;
	bool counted; /* packets is from after it became stale */
	uint32_t next_s;
	uint32_t wait_s; /* 0: not asking */
};

struct neigh_use {
	struct fx_htable stale;
	struct neigh_use_adj *adjs;
};

struct neigh_use *neigh_use_new(void)
{
	struct neigh_use *use = calloc(1, sizeof(*use));

	if (!use)
		return NULL;
	use->adjs = calloc(FX_MAX_ADJS, sizeof(*use->adjs));
	if (!use->adjs) {
		free(use);
		return NULL;
	}
	return use;
}

void neigh_use_free(struct neigh_use *use)
{
	struct fx_hnode *node;

	if (!use)
		return;
	while ((node = fx_htable_any(&use->stale))) {
		fx_htable_remove(&use->stale, node);
		free(fx_container_of(node, struct neigh_use_stale, hnode));
	}
	fx_htable_done(&use->stale);
	free(use->adjs);
	free(use);
}

static uint32_t neigh_use_hash(uint32_t ifindex, const struct fx_addr *addr)
{
	return fx_hash(addr->bytes, sizeof(addr->bytes), ifindex ^ (uint32_t)addr->family << 24);
}

static struct neigh_use_stale *neigh_use_find(const struct neigh_use *use, uint32_t ifindex,
					      const struct fx_addr *addr)
{
	struct fx_hnode *node = fx_htable_first(&use->stale, neigh_use_hash(ifindex, addr));
	struct neigh_use_stale *stale;

	for (; node; node = fx_htable_next(node)) {
		stale = fx_container_of(node, struct neigh_use_stale, hnode);
		if (stale->ifindex == ifindex && fx_addr_equal(&stale->addr, addr))
			return stale;
	}
	return NULL;
}

int neigh_use_set(struct neigh_use *use, uint32_t ifindex, const struct fx_addr *addr, bool stale)
{
	struct neigh_use_stale *found = neigh_use_find(use, ifindex, addr);

	if (found && !stale) {
		fx_htable_remove(&use->stale, &found->hnode);
		free(found);
	}
	if (!stale || found)
		return 0;
	found = calloc(1, sizeof(*found));
	if (!found)
		return -ENOMEM;
	found->ifindex = ifindex;
	found->addr = *addr;
	if (fx_htable_add(&use->stale, &found->hnode, neigh_use_hash(ifindex, addr)) < 0) {
		free(found);
		return -ENOMEM;
	}
	return 0;
}

bool neigh_use_is_stale(const struct neigh_use *use, uint32_t ifindex, const struct fx_addr *addr)
{
	return neigh_use_find(use, ifindex, addr) != NULL;
}

bool neigh_use_moved(struct neigh_use *use, uint32_t id, uint64_t packets)
{
	struct neigh_use_adj *adj = &use->adjs[id % FX_MAX_ADJS];
	/* Less than before: another owner of the id, or cleared counters. */
	bool moved = adj->counted && packets > adj->packets;

	adj->counted = true;
	adj->packets = packets;
	return moved;
}

bool neigh_use_ask(struct neigh_use *use, uint32_t id, uint64_t now_s)
{
	struct neigh_use_adj *adj = &use->adjs[id % FX_MAX_ADJS];

	if (adj->wait_s && now_s < adj->next_s)
		return false;
	adj->wait_s = adj->wait_s ? adj->wait_s * 2 : 1;
	if (adj->wait_s > NEIGH_USE_MAX_WAIT)
		adj->wait_s = NEIGH_USE_MAX_WAIT;
	adj->next_s = (uint32_t)now_s + adj->wait_s;
	return true;
}

void neigh_use_fresh(struct neigh_use *use, uint32_t id)
{
	use->adjs[id % FX_MAX_ADJS].counted = false;
}

void neigh_use_resolved(struct neigh_use *use, uint32_t id)
{
	use->adjs[id % FX_MAX_ADJS].wait_s = 0;
}
