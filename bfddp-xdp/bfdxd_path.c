/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a session runs, and whether it can: links, addresses, routes. */
#include "config.h"

#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/loop.h"

#define PATH_SETTLE_MS 100u /* routes and addresses change in bursts: one look for all of them */

struct path_place {
	struct fx_addr local;
	uint32_t ifindex;
	const char *why; /* NULL: the path is up */
};

static bool path_is_multihop(const struct bfd_session *s)
{
	return s->conf.flags & DP_F_MULTIHOP;
}

/* bfdd does not say when an interface goes or comes back with another index: the name counts. */
static const struct net_link *path_link(struct bfdxd *d, const struct bfd_session *s)
{
	if (s->conf.ifname[0])
		return net_view_by_name(d->net, s->conf.ifname);
	return s->conf.ifindex ? net_view_link(d->net, s->conf.ifindex) : NULL;
}

static void path_route(struct bfdxd *d, const struct bfd_session *s, uint32_t ifindex,
		       struct path_place *ret)
{
	struct net_route route;

	if (net_view_route(d->net, &s->conf.peer, &ret->local, ifindex, &route) < 0) {
		ret->why = "no route to the peer";
		return;
	}
	ret->ifindex = route.ifindex;
	if (fx_addr_is_zero(&ret->local))
		ret->local = route.local;
	if (fx_addr_is_zero(&ret->local))
		ret->why = "no local address";
}

static void path_place(struct bfdxd *d, const struct bfd_session *s, struct path_place *ret)
{
	bool named = s->conf.ifname[0] || s->conf.ifindex;
	const struct net_link *link = path_link(d, s);

	*ret = (struct path_place){ .local = s->conf.local };
	if (named && !path_is_multihop(s)) {
		if (!link) {
			ret->why = "no such interface";
			return;
		}
		ret->ifindex = link->ifindex;
	}
	if (!fx_addr_is_zero(&ret->local) && !net_view_has_addr(d->net, &ret->local))
		ret->why = "the local address is not this router's";
	else if (!ret->ifindex || fx_addr_is_zero(&ret->local))
		path_route(d, s, ret->ifindex, ret);
	link = net_view_link(d->net, ret->ifindex);
	if (!ret->why && (!link || !link->up))
		ret->why = "link down";
}

/*
 * Our IPv4 echo packets come back from ourselves to ourselves, which Linux drops as a martian: only
 * the kernel half takes them. Where that comes in again the echoes start anew, as if none were
 * owed.
 */
static void path_echo(struct bfd_session *s)
{
	bool no_echo = s->conf.peer.family == FX_AF_INET && !s->kernel;

	if (s->no_echo && !no_echo) {
		s->next_echo_ns = bfdxd_now();
		bfd_session_echo_rx(s, s->next_echo_ns);
	}
	s->no_echo = no_echo;
}

uint32_t bfdxd_path(struct bfdxd *d, struct bfd_entry *entry)
{
	struct bfd_session *s = &entry->session;
	struct bfdxd_slot *slot = &d->slots[entry->slot];
	struct path_place place;
	uint32_t todo = 0;
	bool carried;

	slot->asks = path_is_multihop(s) || fx_addr_is_zero(&s->conf.local) ||
		     (!s->conf.ifindex && !s->conf.ifname[0]);
	if (slot->asks && !d->watches_routes) {
		d->watches_routes = true;
		net_view_watch_routes(d->net);
	}
	path_place(d, s, &place);
	slot->path_why = place.why;
	/* Down first: its last packet, if there is one, goes by the old way. */
	if (place.why)
		todo |= bfd_session_path(s, true, bfdxd_now(), bfdxd_random(d));
	if (!place.why || place.ifindex)
		todo |= bfd_session_place(s, &place.local, place.ifindex);
	carried = bfdxd_iface_use(d, entry, place.ifindex);
	if (carried != s->kernel)
		todo |= BFD_DO_KERNEL;
	s->kernel = carried;
	path_echo(s);
	if (!place.why)
		todo |= bfd_session_path(s, false, bfdxd_now(), bfdxd_random(d));
	return todo;
}

/* ---- what changes ---- */

static bool path_concerns(const struct bfdxd *d, const struct bfd_entry *entry,
			  const struct net_link *link)
{
	return d->slots[entry->slot].ifindex == link->ifindex ||
	       entry->session.ifindex == link->ifindex ||
	       !strcmp(entry->session.conf.ifname, link->name);
}

static void path_link_changed(struct bfdxd *d, const struct net_link *link)
{
	struct bfd_entry *entry = NULL;

	while ((entry = bfd_table_next(d->table, entry)))
		if (path_concerns(d, entry, link))
			bfdxd_do(d, entry, bfdxd_path(d, entry));
}

static void path_on_link(void *arg, const struct net_link *link)
{
	struct bfdxd *d = arg;

	bfdxd_iface_link(d, link);
	path_link_changed(d, link);
}

static void path_on_link_del(void *arg, const struct net_link *link)
{
	struct bfdxd *d = arg;

	path_link_changed(d, link);
	bfdxd_iface_gone(d, link->ifindex);
}

static void path_on_change(void *arg)
{
	struct bfdxd *d = arg;

	if (!loop_timer_armed(d->path_timer))
		loop_timer_set(d->path_timer, PATH_SETTLE_MS);
}

int bfdxd_on_path_timer(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;
	struct bfd_entry *entry = NULL;
	uint32_t todo;

	while ((entry = bfd_table_next(d->table, entry))) {
		todo = bfdxd_path(d, entry);
		if (todo)
			bfdxd_do(d, entry, todo);
	}
	return 0;
}

const struct net_view_ops bfdxd_net_ops = {
	.link = path_on_link,
	.link_del = path_on_link_del,
	.addresses = path_on_change,
	.routes = path_on_change,
};
