/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fpm-xdp/kernel_view.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/kv.h"
#include "fpm-xdp/rtnl_decode.h"
#include "lib/log.h"

static const unsigned int view_groups[] = {
	RTNLGRP_LINK,
	RTNLGRP_NEIGH,
	RTNLGRP_TC,
	RTNLGRP_IPV4_IFADDR,
	RTNLGRP_IPV6_IFADDR,
	RTNLGRP_IPV4_ROUTE,
	RTNLGRP_IPV6_ROUTE,
	RTNLGRP_IPV4_RULE,
	RTNLGRP_IPV6_RULE,
	RTNLGRP_IPV4_NETCONF,
	RTNLGRP_IPV6_NETCONF,
	RTNLGRP_NEXTHOP,
	0,
};

static void view_route(struct kernel_view *view, const struct nlmsghdr *hdr)
{
	enum rtnl_reject why;

	if (rtnl_decode((const uint8_t *)hdr, hdr->nlmsg_len, RTNL_KERNEL, &view->op, &why) > 0)
		view->ops.route(view->arg, &view->op);
	else
		view->stats.errors++;
}

static void view_address(struct kernel_view *view, const struct nlmsghdr *hdr)
{
	const struct ifaddrmsg *ifa = nlmsg_data(hdr);

	if (nlmsg_datalen(hdr) < (int)sizeof(*ifa))
		return;
	/*
	 * Routes that prefer an IPv4 address as source go with it without a message
	 * (fib_sync_down_addr()), and with the last address all of the interface
	 * (fib_disable_ip()). disable_ipv6 changes an interface's addresses and tells nothing else:
	 * the links show it, and need not wait for the poll.
	 */
	if (ifa->ifa_family == AF_INET6)
		kv_dump_settle(view, KV_BIT(KV_LINKS));
	if (ifa->ifa_family != AF_INET || hdr->nlmsg_type != RTM_DELADDR)
		return;
	view->ops.addr_del(view->arg, ifa->ifa_index);
	kv_dump_settle(view, KV_ROUTES_BITS);
}

static void view_message(void *arg, struct nlmsghdr *hdr)
{
	struct kernel_view *view = arg;
	bool dump = kv_dump_owns(view, hdr);

	view->stats.messages++;
	if (kv_dump_control(view, hdr))
		return;
	switch (hdr->nlmsg_type) {
	case RTM_NEWLINK:
	case RTM_DELLINK:
		kv_link_message(view, hdr);
		break;
	case RTM_NEWADDR:
	case RTM_DELADDR:
		view_address(view, hdr);
		break;
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		kv_neigh_message(view, hdr);
		break;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		view_route(view, hdr);
		break;
	case RTM_NEWRULE:
	case RTM_DELRULE:
		kv_conf_rule(view, hdr, dump);
		break;
	case RTM_NEWNETCONF:
	case RTM_DELNETCONF:
		kv_conf_netconf(view, hdr);
		break;
	case RTM_NEWQDISC:
	case RTM_DELQDISC:
		kv_conf_qdisc(view, hdr, dump);
		break;
	}
}

static int view_readable(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;
	int err = nlsock_read(view->sock, KV_BUDGET, view_message, view);

	if (err == -ENOBUFS) {
		view->stats.overruns++;
		log_info("kernel", "messages lost, reading everything again overruns=%llu",
			 (unsigned long long)view->stats.overruns);
		kv_dump_want(view, KV_ALL);
		err = 0;
	}
	kv_link_judge(view);
	return err;
}

static int view_poll(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;

	kv_dump_poll(view);
	kv_conf_sysctls(view);
	kv_conf_tcx(view);
	kv_xdp_poll(view);
	kv_filter_poll(view);
	kv_xfrm_poll(view);
	kv_link_judge(view);
	return loop_timer_set(view->poll, KV_POLL_MS);
}

void kernel_view_begin(struct kernel_view *view)
{
	kv_dump_want(view, KV_ALL);
}

static int view_init(struct kernel_view *view)
{
	int err;

	view->sock = nlsock_open(NETLINK_ROUTE, view_groups);
	if (!view->sock)
		return -errno;
	view->source = loop_fd(view->loop, "kernel", LOOP_PRIO_INPUT, nl_socket_get_fd(view->sock),
			       LOOP_READ, view_readable, view);
	view->poll = loop_timer(view->loop, "kernel-poll", LOOP_PRIO_NORMAL, view_poll, view);
	if (!view->source || !view->poll)
		return -errno;
	err = kv_dump_init(view);
	if (!err)
		err = kv_filter_init(view);
	if (!err)
		err = kv_xfrm_init(view);
	if (!err)
		err = kv_xdp_init(view); /* last: what it finds starts the dumps */
	return err ? err : loop_timer_set(view->poll, KV_POLL_MS);
}

struct kernel_view *kernel_view_new(struct loop *loop, const struct kernel_view_ops *ops, void *arg)
{
	struct kernel_view *view = calloc(1, sizeof(*view));
	int err;

	if (!view)
		return NULL;
	view->loop = loop;
	view->ops = *ops;
	view->arg = arg;
	err = view_init(view);
	if (err) {
		kernel_view_free(view);
		errno = -err;
		return NULL;
	}
	return view;
}

void kernel_view_free(struct kernel_view *view)
{
	if (!view)
		return;
	kv_xdp_done(view);
	kv_xfrm_done(view);
	kv_filter_done(view);
	loop_source_free(view->settle);
	loop_source_free(view->poll);
	loop_source_free(view->source);
	nl_socket_free(view->sock); /* NULL ok */
	kv_neigh_done(view);
	kv_link_done(view);
	free(view);
}

void kernel_view_resync(struct kernel_view *view)
{
	kv_dump_settle(view, KV_ALL);
}

void kernel_view_stats(const struct kernel_view *view, struct kernel_view_stats *ret)
{
	*ret = view->stats;
}

/*
 * NTF_USE runs neigh_event_send() on the entry as a packet to it would (Linux 3.0 and newer,
 * neigh_add()): a STALE one goes to DELAY, then PROBE, unless its address is confirmed; a missing
 * or failed one is solicited for.
 */
int kernel_view_neigh_use(struct kernel_view *view, uint32_t ifindex, const struct fx_addr *addr)
{
	struct ndmsg ndm = {
		.ndm_family = addr->family,
		.ndm_ifindex = (int)ifindex,
		.ndm_state = NUD_NONE,
		.ndm_flags = NTF_USE,
	};
	unsigned int bits = fx_family_bits(addr->family);
	struct nl_msg *msg;

	if (!bits)
		return -EINVAL;
	msg = nlsock_request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, &ndm, sizeof(ndm));
	if (msg && nla_put(msg, NDA_DST, (int)bits / 8, addr->bytes)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return nlsock_post(view->sock, msg, NULL);
}
