/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netfilter: whether a forwarded packet would meet a hook. nftables (iptables-nft too) tells its
 * base chains and each change; for the rest see kv_legacy.c.
 *
 * Base chains of input and output alone do not concern forwarded packets, unless a rule there
 * brings in connection tracking: that reassembles fragments before they are
 * forwarded (nf_defrag_ipv4). So where there are only such chains their rules are read, and any
 * expression that is not known to be harmless counts as a hook.
 */
#include "config.h"

#include "fpm-xdp/kv.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

static void hooks_add(struct kv_hooks *hooks, uint8_t family)
{
	/* A netdev chain concerns one device; which, is not asked. NFPROTO_BRIDGE and NFPROTO_ARP
	 * see no routed packet. */
	bool both = family == NFPROTO_INET || family == NFPROTO_NETDEV;

	hooks->ip4 |= both || family == NFPROTO_IPV4;
	hooks->ip6 |= both || family == NFPROTO_IPV6;
}

static bool hooks_need_rules(const struct kv_filter *filter)
{
	return (filter->local_dump.ip4 && !filter->dump.ip4) ||
	       (filter->local_dump.ip6 && !filter->dump.ip6);
}

static void filter_ask(struct kernel_view *view, enum kv_filter_phase phase, uint8_t message)
{
	struct kv_filter *filter = &view->filter;
	struct nfgenmsg body = { .nfgen_family = NFPROTO_UNSPEC, .version = NFNETLINK_V0 };
	uint16_t type = (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | message);

	filter->phase = phase;
	if (!nlsock_post(filter->sock, nlsock_request(type, NLM_F_DUMP, &body, sizeof(body)),
			 &filter->seq))
		return;
	view->stats.errors++;
	filter->phase = KV_FILTER_IDLE;
	filter->again = true; /* with the next poll */
}

static void filter_start(struct kernel_view *view)
{
	struct kv_filter *filter = &view->filter;

	filter->again = filter->phase != KV_FILTER_IDLE;
	if (filter->again)
		return;
	filter->dump = filter->local_dump = (struct kv_hooks){ false, false };
	filter_ask(view, KV_FILTER_CHAINS, NFT_MSG_GETCHAIN);
}

/* A base chain without a rule that lets everything pass, as `iptables -F` leaves it behind. */
static bool chain_is_idle(struct nlattr **tb, const char *type)
{
	return !strcmp(type, "filter") && tb[NFTA_CHAIN_USE] && tb[NFTA_CHAIN_POLICY] &&
	       nlsock_attr_u32(tb[NFTA_CHAIN_USE], 1) == 0 &&
	       ntohl(nlsock_attr_u32(tb[NFTA_CHAIN_POLICY], 0)) == NF_ACCEPT;
}

static void filter_chain(struct kv_hooks *hooks, struct kv_hooks *local, uint8_t family,
			 struct nlmsghdr *hdr)
{
	struct nlattr *tb[NFTA_CHAIN_MAX + 1];
	struct nlattr *hook[NFTA_HOOK_MAX + 1];
	char type[16];
	uint32_t num;

	if (nlmsg_parse(hdr, sizeof(struct nfgenmsg), tb, NFTA_CHAIN_MAX, NULL) < 0)
		return;
	if (!tb[NFTA_CHAIN_HOOK]) { /* no base chain: it hooks nothing, its rules may do */
		hooks_add(local, family);
		return;
	}
	if (nla_parse_nested(hook, NFTA_HOOK_MAX, tb[NFTA_CHAIN_HOOK], NULL) < 0)
		memset(hook, 0, sizeof(hook));
	num = ntohl(nlsock_attr_u32(hook[NFTA_HOOK_HOOKNUM], htonl(NF_INET_PRE_ROUTING)));
	nlsock_attr_string(tb[NFTA_CHAIN_TYPE], type, sizeof(type));
	if (chain_is_idle(tb, type))
		return;
	/* Of netdev chains the numbers mean ingress and egress. The first nat chain, wherever it
	 * stands, brings NAT's own hooks and connection tracking. */
	if (family != NFPROTO_NETDEV && strcmp(type, "nat") != 0 &&
	    (num == NF_INET_LOCAL_IN || num == NF_INET_LOCAL_OUT))
		hooks_add(local, family);
	else
		hooks_add(hooks, family);
}

/* Expressions that only look at a packet, count it or decide on it (Linux 6.18). Not among them:
 * ct, nat, masq, redir, socket, tproxy, synproxy, connlimit, flow_offload, objref, dynset, match,
 * target and all that is not known. */
static bool expr_harmless(const char *name)
{
	static const char *const harmless[] = {
		"immediate", "payload", "cmp",	 "range", "meta",   "bitwise", "byteorder",
		"lookup",    "counter", "limit", "quota", "log",    "reject",  "exthdr",
		"fib",	     "rt",	"hash",	 "last",  "numgen",
	};

	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
		if (!strcmp(name, harmless[i]))
			return true;
	return false;
}

static void filter_rule(struct kv_hooks *hooks, uint8_t family, struct nlmsghdr *hdr)
{
	struct nlattr *tb[NFTA_RULE_MAX + 1];
	struct nlattr *expr[NFTA_EXPR_MAX + 1];
	struct nlattr *elem;
	char name[32];
	int left;

	if (nlmsg_parse(hdr, sizeof(struct nfgenmsg), tb, NFTA_RULE_MAX, NULL) < 0 ||
	    !tb[NFTA_RULE_EXPRESSIONS])
		return;
	nla_for_each_nested(elem, tb[NFTA_RULE_EXPRESSIONS], left)
	{
		if (nla_parse_nested(expr, NFTA_EXPR_MAX, elem, NULL) < 0)
			memset(expr, 0, sizeof(expr));
		nlsock_attr_string(expr[NFTA_EXPR_NAME], name, sizeof(name));
		if (!expr_harmless(name))
			hooks_add(hooks, family);
	}
}

static void filter_finish(struct kernel_view *view, int err)
{
	struct kv_filter *filter = &view->filter;
	enum kv_filter_phase phase = filter->phase;

	filter->phase = KV_FILTER_IDLE;
	/* nfnetlink gives EINVAL for a subsystem that is neither built in nor to be loaded */
	if (err == -EINVAL || nlsock_absent(err)) {
		filter->dump = filter->local_dump = (struct kv_hooks){ false, false };
	} else if (err) {
		view->stats.errors++;
		view->links.judge = true;
		filter->known = false;
		filter->again = true; /* with the next poll */
		return;
	}
	if (!filter->again && phase == KV_FILTER_CHAINS && hooks_need_rules(filter)) {
		filter_ask(view, KV_FILTER_RULES, NFT_MSG_GETRULE);
		return;
	}
	if (filter->again) {
		filter_start(view);
		return;
	}
	filter->nft = filter->dump;
	filter->known = true;
	view->links.judge = true;
}

/* A change: the chains are asked for anew; what certainly is a hook counts at once. Elements of
 * sets, which may change a thousand times a second, hook in nothing; nor does all else behind
 * rules. */
static void filter_changed(struct kernel_view *view, struct nlmsghdr *hdr, uint8_t family)
{
	uint8_t message = hdr->nlmsg_type & 0xff;
	struct kv_hooks local = { false, false };

	if (message > NFT_MSG_DELRULE)
		return;
	if (message == NFT_MSG_NEWCHAIN)
		filter_chain(&view->filter.nft, &local, family, hdr);
	if (message == NFT_MSG_NEWRULE)
		filter_rule(&view->filter.nft, family, hdr);
	view->links.judge = true;
	filter_start(view);
}

static void filter_message(void *arg, struct nlmsghdr *hdr)
{
	struct kernel_view *view = arg;
	struct kv_filter *filter = &view->filter;
	const struct nfgenmsg *nfg = nlmsg_data(hdr);
	bool ours = filter->phase != KV_FILTER_IDLE && hdr->nlmsg_seq == filter->seq &&
		    hdr->nlmsg_pid == nl_socket_get_local_port(filter->sock);

	if (ours && (hdr->nlmsg_flags & NLM_F_DUMP_INTR))
		filter->again = true;
	if (hdr->nlmsg_type < NLMSG_MIN_TYPE) {
		if (ours && nlsock_end(hdr, filter->seq) <= 0)
			filter_finish(view, nlsock_end(hdr, filter->seq));
		return;
	}
	if (hdr->nlmsg_type >> 8 != NFNL_SUBSYS_NFTABLES || nlmsg_datalen(hdr) < (int)sizeof(*nfg))
		return;
	if (!ours)
		filter_changed(view, hdr, nfg->nfgen_family);
	else if (filter->phase == KV_FILTER_CHAINS)
		filter_chain(&filter->dump, &filter->local_dump, nfg->nfgen_family, hdr);
	else
		filter_rule(&filter->dump, nfg->nfgen_family, hdr);
}

static int filter_readable(void *arg, unsigned int what)
{
	struct kernel_view *view = arg;
	int err = nlsock_read(view->filter.sock, KV_BUDGET, filter_message, view);

	if (err == -ENOBUFS) {
		filter_start(view);
		err = 0;
	}
	kv_link_judge(view);
	return err;
}

int kv_filter_init(struct kernel_view *view)
{
	static const unsigned int groups[] = { NFNLGRP_NFTABLES, 0 };
	struct kv_filter *filter = &view->filter;

	kv_legacy_look(&filter->legacy);
	filter->sock = nlsock_open(NETLINK_NETFILTER, groups);
	if (!filter->sock) {
		filter->known = nlsock_absent(-errno);
		if (!filter->known) /* so nothing is eligible */
			log_error("kernel", "netfilter cannot be asked error=%s", strerror(errno));
		return 0;
	}
	filter->source = loop_fd(view->loop, "netfilter", LOOP_PRIO_NORMAL,
				 nl_socket_get_fd(filter->sock), LOOP_READ, filter_readable, view);
	if (!filter->source)
		return -errno;
	filter_start(view);
	return 0;
}

void kv_filter_done(struct kernel_view *view)
{
	loop_source_free(view->filter.source);
	nl_socket_free(view->filter.sock);
}

void kv_filter_poll(struct kernel_view *view)
{
	struct kv_filter *filter = &view->filter;
	struct kv_hooks now;

	kv_legacy_look(&now);
	if (now.ip4 != filter->legacy.ip4 || now.ip6 != filter->legacy.ip6)
		view->links.judge = true;
	filter->legacy = now;
	if (filter->sock && filter->phase == KV_FILTER_IDLE && filter->again)
		filter_start(view);
}
