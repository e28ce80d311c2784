/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which devices can send for XDP (ndo_xdp_xmit): doc/decisions/0010-xdp-transmit.md.
 *
 * Linux 6.3 and newer: the generic netlink family "netdev" tells each device's XDP features and
 * their changes. A veth end has NDO_XMIT as long as its peer receives by NAPI, which native XDP or
 * GRO turns on; the change is told in the namespace of the end that it concerns (seen with 6.18).
 *
 * Before: with each message about a veth its peer is asked for, wherever it lives, and is good if
 * it has a native XDP program (GRO cannot be seen by rtnetlink). A program that comes or goes there
 * changes offloads of our end, which is such a message (veth_xdp_set()), and there is one a second
 * anyway. Other drivers go by name.
 */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* linux/netdev.h of Linux 6.3, which Debian 12's headers lack */
#define NETDEV_FAMILY	      "netdev"
#define NETDEV_GROUP	      "mgmt"
#define NETDEV_A_IFINDEX      1
#define NETDEV_A_XDP_FEATURES 3
#define NETDEV_A_MAX	      3
#define NETDEV_DEV_GET	      1
#define NETDEV_DEV_ADD	      2
#define NETDEV_DEV_DEL	      3
#define NETDEV_DEV_CHANGE     4

/* ---- the netdev family ---- */

static void xdp_ask(struct kernel_view *view)
{
	struct kv_xdp *xdp = &view->xdp;
	struct genlmsghdr body = { .cmd = NETDEV_DEV_GET, .version = 1 };

	xdp->again = xdp->running;
	if (xdp->running)
		return;
	xdp->running = !nlsock_post(
		xdp->sock, nlsock_request(xdp->family, NLM_F_DUMP, &body, sizeof(body)), &xdp->seq);
	if (!xdp->running)
		view->stats.errors++;
	xdp->again = !xdp->running; /* with the next poll */
}

static void xdp_device(struct kernel_view *view, struct nlmsghdr *hdr)
{
	const struct genlmsghdr *genl = nlmsg_data(hdr);
	struct nlattr *tb[NETDEV_A_MAX + 1];
	struct kv_iface *iface;
	uint32_t ifindex;
	uint64_t features = 0;

	if (nlmsg_parse(hdr, sizeof(*genl), tb, NETDEV_A_MAX, NULL) < 0)
		return;
	ifindex = nlsock_attr_u32(tb[NETDEV_A_IFINDEX], 0);
	if (genl->cmd < NETDEV_DEV_GET || genl->cmd > NETDEV_DEV_CHANGE || !ifindex)
		return;
	if (genl->cmd != NETDEV_DEV_DEL && tb[NETDEV_A_XDP_FEATURES] &&
	    nla_len(tb[NETDEV_A_XDP_FEATURES]) == sizeof(features))
		features = nla_get_u64(tb[NETDEV_A_XDP_FEATURES]);
	/* a deleted device may be gone from the table already: it must not come back for this */
	iface = features ? kv_link_get(view, ifindex) : kv_link_find(view, ifindex);
	if (!iface || iface->xdp_features == features)
		return;
	iface->xdp_features = features;
	kv_link_tell(view, iface);
}

static void xdp_message(void *arg, struct nlmsghdr *hdr)
{
	struct kernel_view *view = arg;
	struct kv_xdp *xdp = &view->xdp;
	int end = nlsock_end(hdr, xdp->seq);

	if (hdr->nlmsg_type == xdp->family) {
		if (hdr->nlmsg_flags & NLM_F_DUMP_INTR)
			xdp->again = true;
		xdp_device(view, hdr);
		return;
	}
	if (!xdp->running || end > 0)
		return;
	xdp->running = false;
	if (end)
		view->stats.errors++;
	else if (xdp->again)
		xdp_ask(view);
	/* links are told with what they can do from the start: dumped after this */
	if (!xdp->running && !view->dump.done && view->dump.step < 0)
		kernel_view_begin(view);
}

/* ---- kernels without it ---- */

/* Drivers whose ndo_xdp_xmit works in 6.1 as soon as a native program is on the device. */
static bool xdp_driver_sends(const char *driver)
{
	static const char *const sends[] = {
		"atlantic", "bnxt_en", "ena",  "fsl_dpaa2_eth", "fsl_enetc",  "hv_netvsc",
		"i40e",	    "ice",     "igb",  "igc",		"ixgbe",      "mlx5_core",
		"mvneta",   "mvpp2",   "qede", "sfc",		"virtio_net",
	};

	for (size_t i = 0; i < sizeof(sends) / sizeof(sends[0]); i++)
		if (!strcmp(driver, sends[i]))
			return true;
	return false;
}

static bool xdp_driver(const char *name, char ret[32])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq ifr = { .ifr_data = (void *)&info };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	memcpy(ifr.ifr_name, name, strnlen(name, sizeof(ifr.ifr_name) - 1));
	err = fd < 0 ? -1 : ioctl(fd, SIOCETHTOOL, &ifr);
	if (fd >= 0)
		close(fd);
	memcpy(ret, info.driver, 31);
	ret[31] = '\0';
	return !err;
}

/* The answer about a veth's peer; the request's number is the index of our end. */
static void xdp_peer_message(void *arg, struct nlmsghdr *hdr)
{
	struct kernel_view *view = arg;
	struct kv_iface *iface = kv_link_find(view, hdr->nlmsg_seq);
	struct nlattr *tb[IFLA_MAX + 1] = { 0 };
	struct nlattr *xdp[IFLA_XDP_MAX + 1] = { 0 };
	bool native;

	if (!iface)
		return;
	if (hdr->nlmsg_type == RTM_NEWLINK &&
	    nlmsg_parse(hdr, sizeof(struct ifinfomsg), tb, IFLA_MAX, NULL) >= 0 && tb[IFLA_XDP])
		nla_parse_nested(xdp, IFLA_XDP_MAX, tb[IFLA_XDP], NULL);
	native = nlsock_attr_u8(xdp[IFLA_XDP_ATTACHED], XDP_ATTACHED_NONE) == XDP_ATTACHED_DRV;
	/* an error: there is no peer (any more) */
	iface->xdp_features = native ? KV_XDP_NDO_XMIT | KV_XDP_NDO_XMIT_SG : 0;
	kv_link_tell(view, iface);
}

static void xdp_ask_peer(struct kernel_view *view, const struct kv_iface *iface)
{
	struct ifinfomsg body = { .ifi_index = (int)iface->peer };
	struct nl_msg *msg = nlsock_request(RTM_GETLINK, 0, &body, sizeof(body));

	if (!msg)
		return;
	nlmsg_hdr(msg)->nlmsg_seq = iface->link.ifindex;
	if (nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) ||
	    (iface->peer_nsid >= 0 && nla_put_s32(msg, IFLA_TARGET_NETNSID, iface->peer_nsid))) {
		nlmsg_free(msg);
		return;
	}
	if (nlsock_post(view->xdp.sock, msg, NULL))
		view->stats.errors++;
}

void kv_xdp_link(struct kernel_view *view, struct kv_iface *iface)
{
	char driver[32];

	if (view->xdp.family)
		return;
	if (!strcmp(iface->link.kind, "veth")) {
		if (iface->peer)
			xdp_ask_peer(view, iface);
		return;
	}
	/* one with a kind (vlan, bridge, ...) is software: its own driver names do not count */
	iface->xdp_features = !iface->link.kind[0] && xdp_driver(iface->link.name, driver) &&
					      xdp_driver_sends(driver)
				      ? KV_XDP_NDO_XMIT
				      : 0;
}

/* ---- both ---- */

static int xdp_readable(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;
	int err = nlsock_read(view->xdp.sock, KV_BUDGET,
			      view->xdp.family ? xdp_message : xdp_peer_message, view);

	if (err == -ENOBUFS) {
		if (view->xdp.family)
			xdp_ask(view);
		err = 0;
	}
	kv_link_judge(view);
	return err;
}

/* The family's number; 0: this kernel has none. Sets *ret_group (negative: none). */
static uint16_t xdp_resolve(struct nl_sock *sock, int *ret_group)
{
	int family = genl_ctrl_resolve(sock, NETDEV_FAMILY);

	if (family <= 0)
		return 0;
	*ret_group = genl_ctrl_resolve_grp(sock, NETDEV_FAMILY, NETDEV_GROUP);
	return (uint16_t)family;
}

static int xdp_open(struct kv_xdp *xdp)
{
	static const unsigned int no_groups[] = { 0 };
	int group = -1;

	xdp->sock = nlsock_open_genl();
	xdp->family = xdp->sock ? xdp_resolve(xdp->sock, &group) : 0;
	if (!xdp->family) {
		nl_socket_free(xdp->sock);
		xdp->sock = nlsock_open(NETLINK_ROUTE, no_groups);
		return xdp->sock ? 0 : -errno;
	}
	xdp->notified = group >= 0 && !nl_socket_add_membership(xdp->sock, group);
	return nl_socket_set_nonblocking(xdp->sock) ? -EIO : 0;
}

int kv_xdp_init(struct kernel_view *view)
{
	struct kv_xdp *xdp = &view->xdp;
	int err = xdp_open(xdp);

	if (err)
		return err;
	xdp->source = loop_fd(view->loop, "netdev", LOOP_PRIO_INPUT, nl_socket_get_fd(xdp->sock),
			      LOOP_READ, xdp_readable, view);
	if (!xdp->source)
		return -errno;
	if (xdp->family)
		xdp_ask(view);
	if (!xdp->running)
		kernel_view_begin(view);
	return 0;
}

void kv_xdp_done(struct kernel_view *view)
{
	loop_source_free(view->xdp.source);
	nl_socket_free(view->xdp.sock);
}

void kv_xdp_poll(struct kernel_view *view)
{
	struct kv_xdp *xdp = &view->xdp;

	if (xdp->family && !xdp->running && (xdp->again || !xdp->notified))
		xdp_ask(view);
}
