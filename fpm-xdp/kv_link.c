/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of interfaces. An entry may be there before rtnetlink has told of the link: netconf and
 * the netdev family announce a new device first. */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

struct kv_iface *kv_link_find(struct kernel_view *view, uint32_t ifindex)
{
	struct kv_iface *iface = view->links.buckets[ifindex % KV_IFACE_BUCKETS];

	while (iface && iface->link.ifindex != ifindex)
		iface = iface->next;
	return iface;
}

struct kv_iface *kv_link_get(struct kernel_view *view, uint32_t ifindex)
{
	struct kv_iface **head = &view->links.buckets[ifindex % KV_IFACE_BUCKETS];
	struct kv_iface *iface = kv_link_find(view, ifindex);

	if (iface)
		return iface;
	iface = calloc(1, sizeof(*iface));
	if (!iface) {
		view->stats.errors++;
		return NULL;
	}
	iface->link.ifindex = ifindex;
	iface->peer_nsid = -1;
	iface->next = *head;
	*head = iface;
	view->links.count++;
	return iface;
}

struct kv_iface *kv_link_each(struct kernel_view *view, struct kv_iface *after)
{
	size_t i = 0;

	if (after && after->next)
		return after->next;
	if (after)
		i = after->link.ifindex % KV_IFACE_BUCKETS + 1;
	for (; i < KV_IFACE_BUCKETS; i++)
		if (view->links.buckets[i])
			return view->links.buckets[i];
	return NULL;
}

static void link_remove(struct kernel_view *view, struct kv_iface *iface)
{
	struct kv_iface **at = &view->links.buckets[iface->link.ifindex % KV_IFACE_BUCKETS];

	while (*at != iface)
		at = &(*at)->next;
	*at = iface->next;
	view->links.count--;
	kv_neigh_forget(view, iface->link.ifindex);
	view->links.judge = true;
	if (iface->told.ifindex) {
		view->ops.link_del(view->arg, iface->link.ifindex);
		kv_dump_settle(view, KV_ROUTES_BITS);
	}
	free(iface);
}

static void link_parse_xdp(struct kv_link *link, struct nlattr *nest)
{
	struct nlattr *tb[IFLA_XDP_MAX + 1] = { 0 };

	link->xdp_prog = 0;
	link->xdp_mode = XDP_ATTACHED_NONE;
	if (!nest || nla_parse_nested(tb, IFLA_XDP_MAX, nest, NULL) < 0)
		return;
	link->xdp_mode = nlsock_attr_u8(tb[IFLA_XDP_ATTACHED], XDP_ATTACHED_NONE);
	link->xdp_prog = nlsock_attr_u32(tb[IFLA_XDP_PROG_ID], 0);
	if (link->xdp_mode == XDP_ATTACHED_MULTI) /* the driver's comes first */
		link->xdp_prog = nlsock_attr_u32(tb[IFLA_XDP_DRV_PROG_ID], 0);
}

static uint32_t link_vrf_table(struct nlattr *nest, int type)
{
	struct nlattr *tb[IFLA_VRF_MAX + 1] = { 0 };

	if (!nest || nla_parse_nested(tb, IFLA_VRF_MAX, nest, NULL) < 0)
		return 0;
	return nlsock_attr_u32(tb[type], 0);
}

/*
 * ipvlan has the MAC address of the device below and takes what is for its own IP addresses;
 * macvlan takes everything in passthru mode, and by sender in source mode. In other modes a frame
 * for the device's own MAC address is the device's own. A card that strips VLAN tags shows XDP the
 * frames of a VLAN device as untagged ones.
 */
static bool link_takes(const char *kind, struct nlattr *data)
{
	struct nlattr *tb[IFLA_MACVLAN_MAX + 1] = { 0 };
	uint32_t mode;

	if (!strcmp(kind, "ipvlan") || !strcmp(kind, "ipvtap") || !strcmp(kind, "vlan"))
		return true;
	if (strcmp(kind, "macvlan") != 0 && strcmp(kind, "macvtap") != 0)
		return false;
	if (data)
		nla_parse_nested(tb, IFLA_MACVLAN_MAX, data, NULL);
	mode = nlsock_attr_u32(tb[IFLA_MACVLAN_MODE], MACVLAN_MODE_PASSTHRU);
	return mode != MACVLAN_MODE_PRIVATE && mode != MACVLAN_MODE_VEPA &&
	       mode != MACVLAN_MODE_BRIDGE;
}

static void link_parse_info(struct kv_iface *iface, struct nlattr *nest)
{
	struct nlattr *tb[IFLA_INFO_MAX + 1] = { 0 };
	struct kv_link *link = &iface->link;

	if (nest)
		nla_parse_nested(tb, IFLA_INFO_MAX, nest, NULL);
	nlsock_attr_string(tb[IFLA_INFO_KIND], link->kind, sizeof(link->kind));
	nlsock_attr_string(tb[IFLA_INFO_SLAVE_KIND], link->master_kind, sizeof(link->master_kind));
	iface->takes = link_takes(link->kind, tb[IFLA_INFO_DATA]);
	link->vrf_table = 0;
	if (!strcmp(link->kind, "vrf"))
		link->vrf_table = link_vrf_table(tb[IFLA_INFO_DATA], IFLA_VRF_TABLE);
	else if (!strcmp(link->master_kind, "vrf"))
		link->vrf_table = link_vrf_table(tb[IFLA_INFO_SLAVE_DATA], IFLA_VRF_PORT_TABLE);
}

/* One of IFLA_AF_SPEC { AF_INET6 { IFLA_INET6_CONF: an array of int } }, by DEVCONF_*. */
static int32_t link_inet6_conf(const struct nlattr *conf, int index, int32_t missing)
{
	int32_t value;

	if (!conf || nla_len(conf) < (int)sizeof(value) * (index + 1))
		return missing;
	memcpy(&value, (const uint8_t *)nla_data(conf) + sizeof(value) * (size_t)index,
	       sizeof(value));
	return value;
}

/* Called when the device's own MTU is known. */
static void link_parse_inet6(struct kv_iface *iface, struct nlattr *spec)
{
	struct nlattr *af[AF_INET6 + 1] = { 0 };
	struct nlattr *tb[IFLA_INET6_MAX + 1] = { 0 };
	int32_t mtu;

	iface->disabled6 = false;
	if (!spec || nla_parse_nested(af, AF_INET6, spec, NULL) < 0 || !af[AF_INET6] ||
	    nla_parse_nested(tb, IFLA_INET6_MAX, af[AF_INET6], NULL) < 0)
		return;
	iface->disabled6 = link_inet6_conf(tb[IFLA_INET6_CONF], DEVCONF_DISABLE_IPV6, 0) != 0;
	/* net.ipv6.conf.IF.mtu: what ip6_forward() compares with (Linux 6.1 to 6.18) */
	mtu = link_inet6_conf(tb[IFLA_INET6_CONF], DEVCONF_MTU6, 0);
	if (mtu > 0 && (uint32_t)mtu < iface->link.mtu)
		iface->link.mtu = (uint32_t)mtu;
}

static bool link_carrier(uint32_t flags, uint8_t operstate)
{
	return (flags & IFF_LOWER_UP) &&
	       !(operstate >= IF_OPER_NOTPRESENT && operstate <= IF_OPER_TESTING);
}

static void link_parse(struct kv_iface *iface, const struct ifinfomsg *ifi, struct nlattr **tb)
{
	struct kv_link *link = &iface->link;

	nlsock_attr_string(tb[IFLA_IFNAME], link->name, sizeof(link->name));
	link->type = ifi->ifi_type;
	link->admin_up = ifi->ifi_flags & IFF_UP;
	link->carrier = link_carrier(ifi->ifi_flags,
				     nlsock_attr_u8(tb[IFLA_OPERSTATE], IF_OPER_UNKNOWN));
	link->mtu = nlsock_attr_u32(tb[IFLA_MTU], 0);
	link->master = nlsock_attr_u32(tb[IFLA_MASTER], 0);
	memset(link->mac, 0, sizeof(link->mac));
	if (tb[IFLA_ADDRESS] && nla_len(tb[IFLA_ADDRESS]) == sizeof(link->mac))
		memcpy(link->mac, nla_data(tb[IFLA_ADDRESS]), sizeof(link->mac));
	link_parse_info(iface, tb[IFLA_LINKINFO]);
	link_parse_xdp(link, tb[IFLA_XDP]);
	link_parse_inet6(iface, tb[IFLA_AF_SPEC]);
	iface->peer = nlsock_attr_u32(tb[IFLA_LINK], 0);
	iface->peer_nsid = (int32_t)nlsock_attr_u32(tb[IFLA_LINK_NETNSID], UINT32_MAX);
}

void kv_link_tell(struct kernel_view *view, struct kv_iface *iface)
{
	struct kv_link *link = &iface->link;

	if (!iface->seen)
		return;
	/* A frame sent for XDP passes by every egress qdisc. */
	link->shaped = iface->shaped || iface->tcx_egress;
	link->xdp_tx = (iface->xdp_features & KV_XDP_NDO_XMIT) && !link->shaped;
	link->xdp_sg = link->xdp_tx && (iface->xdp_features & KV_XDP_NDO_XMIT_SG);
	if (!memcmp(link, &iface->told, sizeof(*link)))
		return;
	/*
	 * As a link goes down the kernel drops IPv4 routes and nexthops without a message (Linux
	 * 6.1 to 6.18: fib_sync_down_dev(), nexthop_flush_dev()), and it raises or clears the dead
	 * flag of others as silently.
	 */
	if (iface->told.ifindex &&
	    (iface->told.admin_up != link->admin_up || iface->told.carrier != link->carrier))
		kv_dump_settle(view, KV_ROUTES_BITS);
	memcpy(&iface->told, link, sizeof(*link)); /* with the padding, which is compared too */
	view->links.judge = true;
	view->ops.link(view->arg, link);
}

void kv_link_message(struct kernel_view *view, struct nlmsghdr *hdr)
{
	struct nlattr *tb[IFLA_MAX + 1];
	const struct ifinfomsg *ifi = nlmsg_data(hdr);
	struct kv_iface *iface;

	/* AF_BRIDGE: a port joins, changes or leaves its bridge; the device itself is still there
	 */
	if (nlmsg_parse(hdr, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 ||
	    ifi->ifi_family != AF_UNSPEC || ifi->ifi_index <= 0)
		return;
	if (hdr->nlmsg_type == RTM_DELLINK) {
		iface = kv_link_find(view, (uint32_t)ifi->ifi_index);
		if (iface)
			link_remove(view, iface);
		return;
	}
	iface = kv_link_get(view, (uint32_t)ifi->ifi_index);
	if (!iface)
		return;
	link_parse(iface, ifi, tb);
	iface->seen = true;
	iface->stale = false;
	kv_xdp_link(view, iface);
	kv_link_tell(view, iface);
	view->links.judge = true;
}

void kv_link_mark(struct kernel_view *view)
{
	struct kv_iface *iface = NULL;

	while ((iface = kv_link_each(view, iface)))
		iface->stale = true;
}

void kv_link_sweep(struct kernel_view *view)
{
	struct kv_iface *iface = kv_link_each(view, NULL);

	while (iface) {
		struct kv_iface *next = kv_link_each(view, iface);

		if (iface->stale)
			link_remove(view, iface);
		iface = next;
	}
}

static void link_judge_one(struct kernel_view *view, struct kv_iface *iface)
{
	const struct kv_conf *conf = &view->conf;
	const struct kv_filter *filter = &view->filter;
	struct eligibility_facts facts = {
		.known = (view->dump.done & KV_FACTS_BITS) == KV_FACTS_BITS && filter->known &&
			 view->xfrm.spd_known && view->xfrm.default_known,
		.ether = iface->link.type == ARPHRD_ETHER,
		.enslaved = iface->link.master != 0,
		.taken = iface->taken,
		.forwarding4 = iface->conf4 && iface->forwarding4,
		.forwarding6 = iface->conf6 && conf->forwarding6,
		.disabled6 = iface->disabled6,
		.proxy_ndp = conf->proxy_ndp,
		.learns4 = conf->learns4,
		.rp_filter = iface->rp_filter > conf->rp_filter ? iface->rp_filter
								: conf->rp_filter,
		.ingress_filter = iface->ingress_filter || iface->tcx_ingress,
		.rules4 = conf->rules4,
		.rules6 = conf->rules6,
		.netfilter4 = filter->nft.ip4 || filter->legacy.ip4,
		.netfilter6 = filter->nft.ip6 || filter->legacy.ip6,
		.xfrm4 = view->xfrm.policies || view->xfrm.block,
		.xfrm6 = view->xfrm.policies || view->xfrm.block,
	};
	struct eligibility now;

	eligibility_judge(&facts, &now);
	if (iface->is_judged && now.why4 == iface->judged.why4 && now.why6 == iface->judged.why6)
		return;
	iface->judged = now;
	iface->is_judged = true;
	view->ops.eligible(view->arg, iface->link.ifindex, &now);
}

/* A device above that lives in another namespace cannot be seen. */
static void link_find_taken(struct kernel_view *view)
{
	struct kv_iface *iface = NULL, *below;

	while ((iface = kv_link_each(view, iface)))
		iface->taken = false;
	while ((iface = kv_link_each(view, iface))) {
		below = iface->takes && iface->peer_nsid < 0 ? kv_link_find(view, iface->peer)
							     : NULL;
		if (below)
			below->taken = true;
	}
}

void kv_link_judge(struct kernel_view *view)
{
	struct kv_iface *iface = NULL;

	if (!view->links.judge)
		return;
	view->links.judge = false;
	link_find_taken(view);
	while ((iface = kv_link_each(view, iface)))
		if (iface->seen)
			link_judge_one(view, iface);
}

void kv_link_done(struct kernel_view *view)
{
	for (size_t i = 0; i < KV_IFACE_BUCKETS; i++)
		while (view->links.buckets[i]) {
			struct kv_iface *iface = view->links.buckets[i];

			view->links.buckets[i] = iface->next;
			free(iface);
		}
}
