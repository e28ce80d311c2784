/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel knows: links, addresses, neighbours, nexthops, routes, rules, sysctls. Edge.
 *
 * One rtnetlink socket (libnl-3) in the daemon's network namespace carries dump and notifications
 * alike, so that both come in the kernel's order. On overrun (ENOBUFS), after a link went down (the
 * kernel then drops IPv4 routes and nexthops without a word) and on demand everything is dumped
 * again between resync_begin and resync_end. Never blocks: reads are bounded per wake-up.
 *
 * What is seen goes up through the callbacks; nothing is kept here but what is needed to tell a
 * change from a repetition (links, eligibility).
 */
#ifndef FX_FPM_KERNEL_VIEW_H
#define FX_FPM_KERNEL_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "fpm-xdp/eligibility.h"
#include "fpm-xdp/link_facts.h"
#include "fpm-xdp/rt_op.h"
#include "lib/addr.h"

struct loop; /* lib/loop.h */
struct kernel_view;

struct kernel_view_ops {
	void (*link)(void *arg, const struct kv_link *link); /* new or changed in any field */
	void (*link_del)(void *arg, uint32_t ifindex);
	/* An IPv4 address went, with the last one all routes of the interface, without a word: a
	 * dump follows. */
	void (*addr_del)(void *arg, uint32_t ifindex);
	/* Neighbours with a 6-byte address that Linux would use (NUD_VALID without NUD_NOARP); else
	 * a _del. nud: NUD_* */
	void (*neigh)(void *arg, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6],
		      uint16_t nud);
	void (*neigh_del)(void *arg, uint32_t ifindex, const struct fx_addr *addr);
	/* routes and nexthops, decoded by rtnl_decode */
	void (*route)(void *arg, const struct rt_op *op);
	/* Around a dump of nexthops and routes: what is not repeated in between is gone. A second
	 * resync_begin before the end (messages were lost meanwhile) starts that count anew. A part
	 * of the dump (RT_F_DUMP) may be older than a notice that came before it: fib_tomb.c. */
	void (*resync_begin)(void *arg);
	void (*resync_end)(void *arg);
	/* After each change of what the interface may forward, per family. */
	void (*eligible)(void *arg, uint32_t ifindex, const struct eligibility *eligibility);
};

/* NULL with errno set. The first dump starts at once and ends with the first resync_end. */
struct kernel_view *kernel_view_new(struct loop *loop, const struct kernel_view_ops *ops,
				    void *arg);
void kernel_view_free(struct kernel_view *view);

void kernel_view_resync(struct kernel_view *view); /* soon; repeated calls are one */

/* Tells the kernel that this neighbour is in use (NTF_USE): a stale one is probed, a missing one
 * resolved. Not waited for. 0 or negative errno. */
int kernel_view_neigh_use(struct kernel_view *view, uint32_t ifindex, const struct fx_addr *addr);

/* Whether a netlink socket of this port id lives in our network namespace (/proc/net/netlink): a
 * zebra with it programs the same kernel. */
bool kernel_view_is_local_port(uint32_t portid);

/* A snapshot for `show consistency`: every route of a fresh dump on a socket of its own, decoded.
 * Blocking, at most timeout_ms. 0 or negative errno (-EAGAIN: changed under way, ask again). */
int kernel_view_snapshot(int timeout_ms, void (*route)(void *arg, const struct rt_op *op),
			 void *arg);

struct kernel_view_stats {
	uint64_t messages;
	uint64_t overruns;
	uint64_t resyncs;
	uint64_t errors;
	bool synced; /* everything has been read, and nothing but links is being read again */
};

void kernel_view_stats(const struct kernel_view *view, struct kernel_view_stats *ret);

#endif
