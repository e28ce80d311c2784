/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which neighbours need the kernel's attention. Linux keeps a neighbour fresh because packets use
 * it; those that XDP sends it does not see, so it must be told. Pure: takes the time, gives a
 * decision.
 */
#ifndef FX_FPM_NEIGH_USE_H
#define FX_FPM_NEIGH_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/addr.h"

struct neigh_use;

struct neigh_use *neigh_use_new(void); /* NULL: no memory */
void neigh_use_free(struct neigh_use *use);

/* What the kernel says of it: stale, or not (also: gone). 0 or -ENOMEM. */
int neigh_use_set(struct neigh_use *use, uint32_t ifindex, const struct fx_addr *addr, bool stale);
bool neigh_use_is_stale(const struct neigh_use *use, uint32_t ifindex, const struct fx_addr *addr);

/* A stale one whose adjacency (id) has now sent so many packets: whether some since the last call.
 * The first call after neigh_use_fresh() only begins to count. */
bool neigh_use_moved(struct neigh_use *use, uint32_t id, uint64_t packets);
/* It is not stale now. */
void neigh_use_fresh(struct neigh_use *use, uint32_t id);

/* A gateway (id) without a MAC address: whether to ask for it in this second; after each asking the
 * wait doubles, up to NEIGH_USE_MAX_WAIT. */
#define NEIGH_USE_MAX_WAIT 32u
bool neigh_use_ask(struct neigh_use *use, uint32_t id, uint64_t now_s);
void neigh_use_resolved(struct neigh_use *use, uint32_t id);

#endif
