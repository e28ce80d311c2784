/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the namespace that rtnetlink tells: per-interface sysctls, policy rules, qdiscs; and
 * programs at tcx, which it does not. */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/fib_rules.h>
#include <linux/netconf.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

/* ---- netconf ---- */

static uint8_t conf_small(const struct nlattr *attr, uint8_t old)
{
	uint32_t value = nlsock_attr_u32(attr, old);

	return value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

static void conf_all(struct kv_conf *conf, uint8_t family, struct nlattr **tb)
{
	if (family == AF_INET) {
		conf->rp_filter = conf_small(tb[NETCONFA_RP_FILTER], conf->rp_filter);
		return;
	}
	conf->forwarding6 = nlsock_attr_u32(tb[NETCONFA_FORWARDING], conf->forwarding6) != 0;
	conf->proxy_ndp = nlsock_attr_u32(tb[NETCONFA_PROXY_NEIGH], conf->proxy_ndp) != 0;
}

static void conf_iface(struct kv_iface *iface, uint8_t family, bool gone, struct nlattr **tb)
{
	if (family == AF_INET6) {
		iface->conf6 = !gone;
		return;
	}
	iface->conf4 = !gone;
	iface->forwarding4 = nlsock_attr_u32(tb[NETCONFA_FORWARDING], iface->forwarding4) != 0;
	iface->rp_filter = conf_small(tb[NETCONFA_RP_FILTER], iface->rp_filter);
}

/* A notification holds what changed, a dump everything: an absent attribute changes nothing. */
void kv_conf_netconf(struct kernel_view *view, struct nlmsghdr *hdr)
{
	const struct netconfmsg *msg = nlmsg_data(hdr);
	bool gone = hdr->nlmsg_type == RTM_DELNETCONF;
	struct nlattr *tb[NETCONFA_MAX + 1];
	struct kv_iface *iface;
	int32_t ifindex;

	if (nlmsg_parse(hdr, sizeof(*msg), tb, NETCONFA_MAX, NULL) < 0 ||
	    (msg->ncm_family != AF_INET && msg->ncm_family != AF_INET6))
		return;
	ifindex = (int32_t)nlsock_attr_u32(tb[NETCONFA_IFINDEX], 0);
	view->links.judge = true;
	if (ifindex == NETCONFA_IFINDEX_ALL)
		conf_all(&view->conf, msg->ncm_family, tb);
	if (ifindex <= 0) /* "default" concerns interfaces to come, which tell their own */
		return;
	iface = gone ? kv_link_find(view, (uint32_t)ifindex) : kv_link_get(view, (uint32_t)ifindex);
	if (iface)
		conf_iface(iface, msg->ncm_family, gone, tb);
}

/* ---- sysctls ---- */

/* What cannot be read is taken to be on. */
static bool sysctl_is_on(const char *path)
{
	FILE *file = fopen(path, "re");
	int c = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return c != '0';
}

void kv_conf_sysctls(struct kernel_view *view)
{
	bool now = sysctl_is_on("/proc/sys/net/ipv4/ip_forward_use_pmtu") ||
		   sysctl_is_on("/proc/sys/net/ipv4/conf/all/accept_redirects");

	view->links.judge |= now != view->conf.learns4;
	view->conf.learns4 = now;
}

/* ---- rules ---- */

/* Attributes that say nothing of which packets a rule takes. */
static bool rule_attr_plain(int type)
{
	switch (type) {
	case FRA_TABLE:
	case FRA_PRIORITY:
	case FRA_PROTOCOL:
	case FRA_PAD:
	case FRA_SUPPRESS_PREFIXLEN: /* judged by its value */
	case FRA_SUPPRESS_IFGROUP:
	case FRA_L3MDEV:
		return true;
	}
	return false;
}

/* The table that a rule sends every packet to; 0: it is a rule of another kind. l3mdev rules (VRF)
 * take packets of enslaved interfaces only, which are not eligible: the table is RT_TABLE_UNSPEC
 * with *ret_l3mdev set. */
static uint32_t rule_table(struct nlmsghdr *hdr, uint32_t *ret_priority, bool *ret_l3mdev)
{
	const struct fib_rule_hdr *frh = nlmsg_data(hdr);
	struct nlattr *tb[FRA_MAX + 1];
	struct nlattr *attr;
	int left;

	if (nlmsg_parse(hdr, sizeof(*frh), tb, FRA_MAX, NULL) < 0)
		return 0;
	nlmsg_for_each_attr(attr, hdr, sizeof(*frh),
			    left) if (!rule_attr_plain(nla_type(attr))) return 0;
	if (frh->action != FR_ACT_TO_TBL || frh->src_len || frh->dst_len || frh->tos ||
	    (frh->flags & ~FIB_RULE_PERMANENT) ||
	    nlsock_attr_u32(tb[FRA_SUPPRESS_PREFIXLEN], UINT32_MAX) != UINT32_MAX ||
	    nlsock_attr_u32(tb[FRA_SUPPRESS_IFGROUP], UINT32_MAX) != UINT32_MAX)
		return 0;
	*ret_l3mdev = nlsock_attr_u8(tb[FRA_L3MDEV], 0) != 0;
	*ret_priority = nlsock_attr_u32(tb[FRA_PRIORITY], 0);
	return nlsock_attr_u32(tb[FRA_TABLE], frh->table);
}

/* Rules that send everything to local, main and default in this order are what the forwarding
 * program does by itself. */
static void rule_count(struct nlmsghdr *hdr, struct kv_rules *rules)
{
	uint32_t priority = 0, table;
	bool l3mdev = false;

	table = rule_table(hdr, &priority, &l3mdev);
	if (l3mdev)
		return;
	if (table == RT_TABLE_LOCAL && priority == 0)
		rules->local = true;
	else if (table == RT_TABLE_MAIN && priority == 32766)
		rules->main = true;
	else if (table != RT_TABLE_DEFAULT || priority != 32767)
		rules->odd++;
}

void kv_conf_rule(struct kernel_view *view, struct nlmsghdr *hdr, bool dump)
{
	const struct fib_rule_hdr *frh = nlmsg_data(hdr);

	/* also seen in a dump: the multicast families' own rules */
	if (nlmsg_datalen(hdr) < (int)sizeof(*frh) ||
	    (frh->family != AF_INET && frh->family != AF_INET6))
		return;
	if (dump) {
		rule_count(hdr, &view->conf.rules[frh->family == AF_INET6]);
		return;
	}
	/* to the safe side at once; the dump then tells how many there really are */
	if (frh->family == AF_INET)
		view->conf.rules4++;
	else
		view->conf.rules6++;
	view->links.judge = true;
	kv_dump_want(view, KV_BIT(KV_RULES));
}

void kv_conf_rules_begin(struct kernel_view *view)
{
	memset(view->conf.rules, 0, sizeof(view->conf.rules));
}

static uint32_t rules_deviation(const struct kv_rules *rules)
{
	return rules->odd + !rules->local + !rules->main;
}

void kv_conf_rules_end(struct kernel_view *view, bool supported)
{
	/* a kernel without policy rules looks up local and main */
	view->conf.rules4 = supported ? rules_deviation(&view->conf.rules[0]) : 0;
	view->conf.rules6 = supported ? rules_deviation(&view->conf.rules[1]) : 0;
	view->links.judge = true;
}

/* ---- qdiscs ---- */

/*
 * Those that come by default (net.core.default_qdisc) and neither shape nor classify. The kernel
 * gives a handle to each that somebody asked for, and none to its own: fq may then have a rate,
 * fq_codel filters, pfifo a limit, all of which somebody wanted. mq and noqueue have nothing to
 * set.
 */
static bool qdisc_plain(const char *kind, uint32_t handle)
{
	static const char *const plain[] = { "noqueue",	 "mq", "pfifo_fast",
					     "fq_codel", "fq", "pfifo" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(kind, plain[i]))
			return i < 2 || !handle;
	return false;
}

void kv_conf_qdisc(struct kernel_view *view, struct nlmsghdr *hdr, bool dump)
{
	const struct tcmsg *tcm = nlmsg_data(hdr);
	struct nlattr *tb[TCA_MAX + 1];
	struct kv_iface *iface;
	char kind[16];

	if (nlmsg_parse(hdr, sizeof(*tcm), tb, TCA_MAX, NULL) < 0 || tcm->tcm_ifindex <= 0)
		return;
	if (hdr->nlmsg_type == RTM_DELQDISC) { /* the default that takes its place is not told */
		kv_dump_want(view, KV_BIT(KV_QDISCS));
		return;
	}
	iface = kv_link_get(view, (uint32_t)tcm->tcm_ifindex);
	nlsock_attr_string(tb[TCA_KIND], kind, sizeof(kind));
	if (!iface || qdisc_plain(kind, tcm->tcm_handle))
		return;
	/* "ingress" and "clsact" have the same parent; clsact also holds filters at the egress */
	iface->ingress_filter_dump |= tcm->tcm_parent == TC_H_INGRESS;
	iface->shaped_dump |= tcm->tcm_parent != TC_H_INGRESS || !strcmp(kind, "clsact");
	if (dump)
		return;
	iface->ingress_filter |= iface->ingress_filter_dump;
	iface->shaped |= iface->shaped_dump;
	view->links.judge = true;
	kv_link_tell(view, iface);
}

void kv_conf_qdiscs_begin(struct kernel_view *view)
{
	struct kv_iface *iface = NULL;

	while ((iface = kv_link_each(view, iface)))
		iface->ingress_filter_dump = iface->shaped_dump = false;
}

void kv_conf_qdiscs_end(struct kernel_view *view)
{
	struct kv_iface *iface = NULL;

	while ((iface = kv_link_each(view, iface))) {
		iface->ingress_filter = iface->ingress_filter_dump;
		iface->shaped = iface->shaped_dump;
		kv_link_tell(view, iface);
	}
}

/* ---- tcx ---- */

/* enum bpf_attach_type of Linux 6.6 */
#define TCX_INGRESS 46
#define TCX_EGRESS  47

/* EINVAL: a kernel before 6.6. What cannot be read for another reason is taken to be there. */
static bool tcx_used(uint32_t ifindex, int type)
{
	uint32_t programs = 0;
	int err = bpf_prog_query((int)ifindex, (enum bpf_attach_type)type, 0, NULL, NULL,
				 &programs);

	return err ? err != -EINVAL && err != -ENODEV : programs != 0;
}

void kv_conf_tcx(struct kernel_view *view)
{
	struct kv_iface *iface = NULL;

	while ((iface = kv_link_each(view, iface))) {
		bool ingress, egress;

		if (!iface->seen)
			continue;
		ingress = tcx_used(iface->link.ifindex, TCX_INGRESS);
		egress = tcx_used(iface->link.ifindex, TCX_EGRESS);
		view->links.judge |= ingress != iface->tcx_ingress;
		iface->tcx_ingress = ingress;
		if (egress == iface->tcx_egress)
			continue;
		iface->tcx_egress = egress;
		kv_link_tell(view, iface);
	}
}
