/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/net_view.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/log.h"
#include "lib/loop.h"
#include "lib/nlsock.h"

#define VIEW_BUDGET  256
#define VIEW_WAIT_MS 2000 /* for the kernel's answer to a question */

struct view_addr {
	struct fx_addr addr;
	uint32_t ifindex;
	bool stale;
};

struct view_link {
	struct net_link link;
	bool stale;
};

struct net_view {
	struct net_view_ops ops;
	void *arg;
	bool told; /* from now on changes are told: the first dump is over */
	struct nl_sock *sock, *ask;
	struct loop_source *source;
	struct view_link *links; /* in no order */
	size_t nlinks;
	struct view_addr *addrs;
	size_t naddrs;
	bool addrs_changed, routes_changed, lost;
};

/* One more element of an array; NULL: no memory. */
static void *view_more(void *array, size_t n, size_t size)
{
	if (n & (n - 1)) /* room for the next power of two is there */
		return array;
	return realloc(array, (n ? 2 * n : 1) * size);
}

/* ---- links ---- */

static struct view_link *view_find(const struct net_view *view, uint32_t ifindex)
{
	size_t i;

	for (i = 0; i < view->nlinks; i++)
		if (view->links[i].link.ifindex == ifindex)
			return &view->links[i];
	return NULL;
}

/* XDP_ATTACHED_* */
static uint8_t view_xdp(struct nlattr *attr)
{
	struct nlattr *xdp[IFLA_XDP_MAX + 1];

	if (!attr || nla_parse_nested(xdp, IFLA_XDP_MAX, attr, NULL) < 0)
		return XDP_ATTACHED_NONE;
	return nlsock_attr_u8(xdp[IFLA_XDP_ATTACHED], XDP_ATTACHED_NONE);
}

static bool view_is_veth(struct nlattr *attr)
{
	struct nlattr *info[IFLA_INFO_MAX + 1];
	char kind[16];

	if (!attr || nla_parse_nested(info, IFLA_INFO_MAX, attr, NULL) < 0)
		return false;
	nlsock_attr_string(info[IFLA_INFO_KIND], kind, sizeof(kind));
	return !strcmp(kind, "veth");
}

static void view_link_set(struct net_view *view, const struct net_link *link)
{
	struct view_link *have = view_find(view, link->ifindex);
	void *more;

	if (have) {
		have->stale = false;
		if (!link->is_veth && !memcmp(&have->link, link, sizeof(*link)))
			return;
	} else {
		more = view_more(view->links, view->nlinks, sizeof(*view->links));
		if (!more)
			return;
		view->links = more;
		have = &view->links[view->nlinks++];
		have->stale = false;
	}
	have->link = *link;
	if (view->told)
		view->ops.link(view->arg, link);
}

static void view_link_drop(struct net_view *view, struct view_link *have)
{
	struct net_link gone = have->link;

	*have = view->links[--view->nlinks];
	if (view->told)
		view->ops.link_del(view->arg, &gone);
}

static void view_link(struct net_view *view, struct nlmsghdr *hdr)
{
	const struct ifinfomsg *ifi = nlmsg_data(hdr);
	struct nlattr *attrs[IFLA_MAX + 1];
	struct net_link link;
	struct view_link *have;

	if (nlmsg_parse(hdr, sizeof(*ifi), attrs, IFLA_MAX, NULL) < 0 ||
	    ifi->ifi_family != AF_UNSPEC) /* a bridge's word on its port */
		return;
	if (hdr->nlmsg_type == RTM_DELLINK) {
		have = view_find(view, (uint32_t)ifi->ifi_index);
		if (have)
			view_link_drop(view, have);
		return;
	}
	memset(&link, 0, sizeof(link)); /* compared as a whole */
	link.ifindex = (uint32_t)ifi->ifi_index;
	nlsock_attr_string(attrs[IFLA_IFNAME], link.name, sizeof(link.name));
	link.up = ifi->ifi_flags & IFF_UP && ifi->ifi_flags & IFF_RUNNING;
	link.ether = ifi->ifi_type == ARPHRD_ETHER;
	link.has_xdp = view_xdp(attrs[IFLA_XDP]) != XDP_ATTACHED_NONE;
	link.is_veth = view_is_veth(attrs[IFLA_LINKINFO]);
	link.peer = nlsock_attr_u32(attrs[IFLA_LINK], 0);
	link.peer_nsid = (int32_t)nlsock_attr_u32(attrs[IFLA_LINK_NETNSID], UINT32_MAX);
	view_link_set(view, &link);
}

/* ---- addresses ---- */

static void view_addr_set(struct net_view *view, const struct view_addr *addr, bool add)
{
	void *more;
	size_t i;

	for (i = 0; i < view->naddrs; i++)
		if (view->addrs[i].ifindex == addr->ifindex &&
		    fx_addr_equal(&view->addrs[i].addr, &addr->addr))
			break;
	if (add && i < view->naddrs) {
		view->addrs[i].stale = false;
		return;
	}
	if (!add && i == view->naddrs)
		return;
	view->addrs_changed = true;
	if (!add) {
		view->addrs[i] = view->addrs[--view->naddrs];
		return;
	}
	more = view_more(view->addrs, view->naddrs, sizeof(*view->addrs));
	if (!more)
		return;
	view->addrs = more;
	view->addrs[view->naddrs++] = *addr;
}

static void view_address(struct net_view *view, struct nlmsghdr *hdr)
{
	const struct ifaddrmsg *ifa = nlmsg_data(hdr);
	struct nlattr *attrs[IFA_MAX + 1];
	struct view_addr addr = { 0 };
	struct nlattr *value;
	uint32_t flags;
	bool usable;

	if (nlmsg_parse(hdr, sizeof(*ifa), attrs, IFA_MAX, NULL) < 0)
		return;
	value = attrs[IFA_LOCAL] ? attrs[IFA_LOCAL] : attrs[IFA_ADDRESS];
	addr.addr.family = ifa->ifa_family;
	addr.ifindex = ifa->ifa_index;
	if (!value || nla_len(value) * 8 != (int)fx_family_bits(ifa->ifa_family))
		return;
	memcpy(addr.addr.bytes, nla_data(value), (size_t)nla_len(value));
	flags = nlsock_attr_u32(attrs[IFA_FLAGS], ifa->ifa_flags);
	/* until duplicate address detection is over (RFC 4862 5.4) nothing may be sent from it */
	usable = !(flags & IFA_F_TENTATIVE) || flags & IFA_F_OPTIMISTIC;
	view_addr_set(view, &addr, hdr->nlmsg_type == RTM_NEWADDR && usable);
}

/* ---- messages ---- */

static void view_message(void *arg, struct nlmsghdr *hdr)
{
	struct net_view *view = arg;

	switch (hdr->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		view_link(view, hdr);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		view_address(view, hdr);
		break;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		view->routes_changed = true;
		break;
	}
}

/* Reads from the socket for questions until the answer seq has ended. 0 or negative errno. */
struct view_wait {
	nlsock_each each;
	void *arg;
	uint32_t seq;
	bool single; /* one message is the answer */
	int rc;	     /* 1: not yet */
};

static void view_answer(void *arg, struct nlmsghdr *hdr)
{
	struct view_wait *wait = arg;

	if (hdr->nlmsg_seq != wait->seq || wait->rc <= 0)
		return;
	wait->rc = nlsock_end(hdr, wait->seq);
	if (wait->rc != 1)
		return;
	wait->each(wait->arg, hdr);
	if (wait->single)
		wait->rc = 0;
}

static int view_ask(struct net_view *view, struct nl_msg *msg, bool single, nlsock_each each,
		    void *arg)
{
	struct pollfd pfd = { .fd = nl_socket_get_fd(view->ask), .events = POLLIN };
	struct view_wait wait = { .each = each, .arg = arg, .single = single, .rc = 1 };
	int rc;

	rc = nlsock_post(view->ask, msg, &wait.seq);
	while (!rc && wait.rc == 1) {
		if (poll(&pfd, 1, VIEW_WAIT_MS) <= 0)
			return -ETIMEDOUT;
		rc = nlsock_read(view->ask, VIEW_BUDGET, view_answer, &wait);
	}
	return rc < 0 ? rc : wait.rc;
}

static int view_dump(struct net_view *view)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct ifaddrmsg ifa = { .ifa_family = AF_UNSPEC };
	size_t i;
	int rc;

	for (i = 0; i < view->nlinks; i++)
		view->links[i].stale = true;
	for (i = 0; i < view->naddrs; i++)
		view->addrs[i].stale = true;
	rc = view_ask(view, nlsock_request(RTM_GETLINK, NLM_F_DUMP, &ifi, sizeof(ifi)), false,
		      view_message, view);
	if (!rc)
		rc = view_ask(view, nlsock_request(RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa)),
			      false, view_message, view);
	if (rc < 0)
		return rc;
	for (i = view->nlinks; i-- > 0;)
		if (view->links[i].stale)
			view_link_drop(view, &view->links[i]);
	for (i = view->naddrs; i-- > 0;)
		if (view->addrs[i].stale)
			view_addr_set(view, &view->addrs[i], false);
	return 0;
}

static int view_ready(void *arg, unsigned int what)
{
	struct net_view *view = arg;
	int rc = nlsock_read(view->sock, VIEW_BUDGET, view_message, view);

	if (rc == -ENOBUFS || view->lost) {
		log_info("net", "messages lost, reading everything again");
		view->lost = view_dump(view) < 0;
		view->addrs_changed = view->routes_changed = true;
		rc = 0;
	}
	if (view->addrs_changed)
		view->ops.addresses(view->arg);
	if (view->routes_changed)
		view->ops.routes(view->arg);
	view->addrs_changed = view->routes_changed = false;
	return rc;
}

struct net_view *net_view_new(struct loop *loop, const struct net_view_ops *ops, void *arg)
{
	static const unsigned int groups[] = { RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR,
					       RTNLGRP_IPV6_IFADDR, 0 };
	static const unsigned int none[] = { 0 };
	struct net_view *view = calloc(1, sizeof(*view));
	int err = 0;

	if (!view)
		return NULL;
	view->ops = *ops;
	view->arg = arg;
	view->sock = nlsock_open(NETLINK_ROUTE, groups);
	if (view->sock)
		view->ask = nlsock_open(NETLINK_ROUTE, none);
	if (view->ask)
		view->source = loop_fd(loop, "net", LOOP_PRIO_INPUT, nl_socket_get_fd(view->sock),
				       LOOP_READ, view_ready, view);
	if (!view->source)
		err = -errno;
	if (!err)
		err = view_dump(view);
	if (err < 0) {
		net_view_free(view);
		errno = -err;
		return NULL;
	}
	view->told = true;
	view->addrs_changed = false;
	return view;
}

void net_view_free(struct net_view *view)
{
	if (!view)
		return;
	loop_source_free(view->source);
	nl_socket_free(view->sock); /* NULL ok */
	nl_socket_free(view->ask);
	free(view->links);
	free(view->addrs);
	free(view);
}

/* ---- questions ---- */

const struct net_link *net_view_link(const struct net_view *view, uint32_t ifindex)
{
	const struct view_link *have = view_find(view, ifindex);

	return have ? &have->link : NULL;
}

const struct net_link *net_view_by_name(const struct net_view *view, const char *name)
{
	size_t i;

	for (i = 0; i < view->nlinks; i++)
		if (!strcmp(view->links[i].link.name, name))
			return &view->links[i].link;
	return NULL;
}

bool net_view_has_addr(const struct net_view *view, const struct fx_addr *addr)
{
	size_t i;

	for (i = 0; i < view->naddrs; i++)
		if (fx_addr_equal(&view->addrs[i].addr, addr))
			return true;
	return false;
}

static void view_peer_answer(void *arg, struct nlmsghdr *hdr)
{
	struct nlattr *attrs[IFLA_MAX + 1];
	bool *ret = arg;

	if (hdr->nlmsg_type == RTM_NEWLINK &&
	    nlmsg_parse(hdr, sizeof(struct ifinfomsg), attrs, IFLA_MAX, NULL) >= 0)
		*ret = view_xdp(attrs[IFLA_XDP]) == XDP_ATTACHED_DRV;
}

bool net_view_peer_has_xdp(struct net_view *view, const struct net_link *link)
{
	struct ifinfomsg body = { .ifi_index = (int)link->peer };
	struct nl_msg *msg = nlsock_request(RTM_GETLINK, 0, &body, sizeof(body));
	bool has_xdp = false;

	if (!msg)
		return false;
	if (nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) ||
	    (link->peer_nsid >= 0 && nla_put_s32(msg, IFLA_TARGET_NETNSID, link->peer_nsid))) {
		nlmsg_free(msg);
		return false;
	}
	return !view_ask(view, msg, true, view_peer_answer, &has_xdp) && has_xdp;
}

void net_view_watch_routes(struct net_view *view)
{
	nl_socket_add_membership(view->sock, RTNLGRP_IPV4_ROUTE);
	nl_socket_add_membership(view->sock, RTNLGRP_IPV6_ROUTE);
}

struct view_route {
	struct net_route route;
	uint8_t family;
	uint8_t type; /* RTN_* */
};

static void view_route_answer(void *arg, struct nlmsghdr *hdr)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);
	struct nlattr *attrs[RTA_MAX + 1];
	struct view_route *ret = arg;
	struct nlattr *src;

	if (hdr->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse(hdr, sizeof(*rtm), attrs, RTA_MAX, NULL) < 0)
		return;
	ret->type = rtm->rtm_type;
	ret->route.ifindex = nlsock_attr_u32(attrs[RTA_OIF], 0);
	src = attrs[RTA_PREFSRC];
	if (src && nla_len(src) * 8 == (int)fx_family_bits(ret->family)) {
		ret->route.local.family = ret->family;
		memcpy(ret->route.local.bytes, nla_data(src), (size_t)nla_len(src));
	}
}

static struct nl_msg *view_route_request(const struct fx_addr *dst, const struct fx_addr *src,
					 uint32_t ifindex)
{
	unsigned int bits = fx_family_bits(dst->family);
	bool has_src = src->family == dst->family && !fx_addr_is_zero(src);
	struct rtmsg rtm = {
		.rtm_family = dst->family,
		.rtm_dst_len = (uint8_t)bits,
		.rtm_src_len = has_src ? (uint8_t)bits : 0,
	};
	struct nl_msg *msg = nlsock_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));

	if (!msg)
		return NULL;
	if (nla_put(msg, RTA_DST, (int)bits / 8, dst->bytes) ||
	    (has_src && nla_put(msg, RTA_SRC, (int)bits / 8, src->bytes)) ||
	    (ifindex && nla_put_u32(msg, RTA_OIF, ifindex))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int net_view_route(struct net_view *view, const struct fx_addr *dst, const struct fx_addr *src,
		   uint32_t ifindex, struct net_route *ret)
{
	struct view_route answer = { .family = dst->family };
	int rc = view_ask(view, view_route_request(dst, src, ifindex), true, view_route_answer,
			  &answer);

	if (rc < 0)
		return rc;
	if (answer.type != RTN_UNICAST && answer.type != RTN_LOCAL)
		return -EHOSTUNREACH;
	*ret = answer.route;
	return 0;
}
