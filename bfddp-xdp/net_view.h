/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Links, addresses and routes of the daemon's network namespace, as far as sessions need them: one
 * rtnetlink socket that is told changes, one for questions about routes. Edge.
 */
#ifndef FX_BFDDP_NET_VIEW_H
#define FX_BFDDP_NET_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/addr.h"

struct loop;
struct net_view;

struct net_link {
	uint32_t ifindex;
	char name[16];
	bool up;	   /* IFF_UP and carrier */
	bool ether;	   /* Ethernet, and not a port of another */
	bool has_xdp;	   /* some program is attached */
	bool is_veth;	   /* told at each message: what its other end does shows nowhere else */
	uint32_t peer;	   /* its other end */
	int32_t peer_nsid; /* -1: in our namespace */
};

struct net_view_ops {
	void (*link)(void *arg, const struct net_link *link); /* new, or changed in any field */
	void (*link_del)(void *arg, const struct net_link *link);
	void (*addresses)(void *arg); /* some have come or gone */
	void (*routes)(void *arg);    /* see net_view_watch_routes() */
};

/* NULL with errno. What there is has been read when this returns; no callback has been called. */
struct net_view *net_view_new(struct loop *loop, const struct net_view_ops *ops, void *arg);
void net_view_free(struct net_view *view); /* NULL ok */

const struct net_link *net_view_link(const struct net_view *view, uint32_t ifindex);
const struct net_link *net_view_by_name(const struct net_view *view, const char *name);
bool net_view_has_addr(const struct net_view *view, const struct fx_addr *addr);

/* Whether the other end of a veth has a native XDP program, wherever it lives. */
bool net_view_peer_has_xdp(struct net_view *view, const struct net_link *link);

/* From now on changes of routes are told. Costs reading them all, so it is for those who ask. */
void net_view_watch_routes(struct net_view *view);

struct net_route {
	struct fx_addr local; /* zero: the kernel names none */
	uint32_t ifindex;
};

/* The kernel's way to dst. src zero: any; ifindex 0: any. 0, or negative errno: there is none. */
int net_view_route(struct net_view *view, const struct fx_addr *dst, const struct fx_addr *src,
		   uint32_t ifindex, struct net_route *ret);

#endif
