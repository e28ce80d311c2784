/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The insides of the kernel view: for kernel_view.c and kv_*.c, and for nobody else.
 *
 *	kernel_view.c	lifetime, the rtnetlink socket's messages to those whom they concern
 *	kv_dump.c	which dump is next, and what its end means
 *	kv_link.c	the table of interfaces: changes told, eligibility judged
 *	kv_neigh.c	the table of neighbours
 *	kv_conf.c	netconf (sysctls), policy rules, qdiscs
 *	kv_xdp.c	who can send for XDP
 *	kv_filter.c	netfilter hooks: nftables
 *	kv_legacy.c	netfilter hooks of others
 *	kv_xfrm.c	IPsec policies
 *	kv_ask.c	questions answered at once, on sockets of their own
 */
#ifndef FX_FPM_KV_H
#define FX_FPM_KV_H

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/kernel_view.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/nlsock.h"

#define KV_POLL_MS   1000 /* what no notification tells */
#define KV_SETTLE_MS 100  /* after a change that the kernel's routes follow without a word */
#define KV_BUDGET    256  /* messages per wake-up, so that FPM's stream is never starved */

/* ---- kv_dump.c ---- */

enum kv_step {
	KV_LINKS,
	KV_CONF4,
	KV_CONF6,
	KV_QDISCS,
	KV_NEIGHS,
	KV_NEXTHOPS,
	KV_ROUTES4,
	KV_ROUTES6,
	KV_RULES,
	KV_STEPS,
};

#define KV_BIT(step)   (1u << (step))
#define KV_ALL	       (KV_BIT(KV_STEPS) - 1)
#define KV_ROUTES_BITS (KV_BIT(KV_NEXTHOPS) | KV_BIT(KV_ROUTES4) | KV_BIT(KV_ROUTES6))
/* without these nothing is judged */
#define KV_FACTS_BITS                                                                              \
	(KV_BIT(KV_LINKS) | KV_BIT(KV_CONF4) | KV_BIT(KV_CONF6) | KV_BIT(KV_QDISCS) |              \
	 KV_BIT(KV_RULES))

struct kv_dump {
	uint32_t pending; /* KV_BIT(): as soon as the one under way has ended */
	uint32_t settle;  /* after KV_SETTLE_MS */
	uint32_t later;	  /* failed or cut short too often: with the next poll */
	uint32_t done;	  /* ended whole at least once */
	int step;	  /* under way; -1: none */
	uint32_t seq;
	unsigned int tries;
	unsigned int polls; /* since links were last asked for */
	bool interrupted;
	bool bracket; /* between resync_begin and resync_end */
	bool again;   /* what the bracket has seen so far does not count */
	struct log_limit limit;
};

int kv_dump_init(struct kernel_view *view);
void kv_dump_want(struct kernel_view *view, uint32_t steps);
void kv_dump_settle(struct kernel_view *view, uint32_t steps);
void kv_dump_poll(struct kernel_view *view);
/* Whether hdr is an answer to the dump under way. */
bool kv_dump_owns(struct kernel_view *view, const struct nlmsghdr *hdr);
/* Whether hdr was a dump's end, or an error: nothing more to be done with it. */
bool kv_dump_control(struct kernel_view *view, const struct nlmsghdr *hdr);
/* The request of one step, for a socket with strict checking. NULL: no memory. */
struct nl_msg *kv_dump_request(enum kv_step step);

/* ---- kv_link.c ---- */

/* enum netdev_xdp_act of linux/netdev.h, which Debian 12's headers lack (Linux 6.3) */
#define KV_XDP_NDO_XMIT	   (1u << 2)
#define KV_XDP_NDO_XMIT_SG (1u << 6)

struct kv_iface {
	struct kv_iface *next;
	struct kv_link link;
	struct kv_link told; /* as last given to ops.link; ifindex 0: never */
	struct eligibility judged;
	bool is_judged;
	bool seen;  /* rtnetlink has told of it; else only another source so far */
	bool stale; /* not repeated in the dump under way */
	/* facts of other sources */
	uint64_t xdp_features; /* NETDEV_XDP_ACT_* */
	bool forwarding4;
	bool conf4, conf6; /* netconf has told */
	uint8_t rp_filter;
	bool disabled6;
	bool ingress_filter, ingress_filter_dump;
	bool shaped, shaped_dump;
	bool tcx_ingress, tcx_egress;
	bool takes; /* frames of the device below, whatever their MAC address */
	bool taken; /* by one above that is in our namespace */
	/* veth's other end, or the device below */
	uint32_t peer;
	int32_t peer_nsid; /* -1: our own namespace */
};

#define KV_IFACE_BUCKETS 512u

struct kv_links {
	struct kv_iface *buckets[KV_IFACE_BUCKETS];
	unsigned int count;
	bool judge; /* a fact has changed since the last kv_link_judge() */
};

struct kv_iface *kv_link_find(struct kernel_view *view, uint32_t ifindex);
struct kv_iface *kv_link_get(struct kernel_view *view, uint32_t ifindex); /* NULL: no memory */
struct kv_iface *kv_link_each(struct kernel_view *view,
			      struct kv_iface *after); /* NULL: first, end */
void kv_link_message(struct kernel_view *view, struct nlmsghdr *hdr);
void kv_link_mark(struct kernel_view *view);
void kv_link_sweep(struct kernel_view *view);
void kv_link_tell(struct kernel_view *view, struct kv_iface *iface); /* if anything has changed */
void kv_link_judge(struct kernel_view *view);
void kv_link_done(struct kernel_view *view);

/* ---- kv_neigh.c ---- */

struct kv_neigh {
	struct kv_neigh *next;
	uint32_t ifindex;
	struct fx_addr addr;
	uint8_t mac[6];
	uint16_t nud;
	bool stale;
};

#define KV_NEIGH_BUCKETS 8192u

struct kv_neighs {
	struct kv_neigh *buckets[KV_NEIGH_BUCKETS];
};

void kv_neigh_message(struct kernel_view *view, struct nlmsghdr *hdr);
void kv_neigh_mark(struct kernel_view *view);
void kv_neigh_sweep(struct kernel_view *view);
void kv_neigh_forget(struct kernel_view *view, uint32_t ifindex); /* all of this interface */
void kv_neigh_done(struct kernel_view *view);

/* ---- kv_conf.c ---- */

struct kv_rules {
	uint32_t odd; /* rules beyond the defaults */
	bool local, main;
};

struct kv_conf {
	uint8_t rp_filter; /* conf.all */
	bool forwarding6;
	bool proxy_ndp;
	bool learns4;
	struct kv_rules rules[2]; /* IPv4, IPv6: tally of the dump under way */
	uint32_t rules4, rules6;  /* as eligibility has them */
};

void kv_conf_netconf(struct kernel_view *view, struct nlmsghdr *hdr);
void kv_conf_rule(struct kernel_view *view, struct nlmsghdr *hdr, bool dump);
void kv_conf_rules_begin(struct kernel_view *view);
void kv_conf_rules_end(struct kernel_view *view, bool supported);
void kv_conf_qdisc(struct kernel_view *view, struct nlmsghdr *hdr, bool dump);
void kv_conf_qdiscs_begin(struct kernel_view *view);
void kv_conf_qdiscs_end(struct kernel_view *view);
/* Sysctls of which no notification tells. */
void kv_conf_sysctls(struct kernel_view *view);
/* Programs attached by tcx (Linux 6.6): no notification tells them. */
void kv_conf_tcx(struct kernel_view *view);

/* ---- kv_xdp.c ---- */

struct kv_xdp {
	struct nl_sock *sock; /* generic netlink; or rtnetlink on kernels without the family */
	struct loop_source *source;
	uint16_t family; /* of "netdev"; 0: kernel before 6.3 */
	uint32_t seq;
	bool running, again;
	bool notified; /* member of the group that tells changes */
};

/* Calls kernel_view_begin() when the features are known, at once or later. 0 or negative errno. */
int kv_xdp_init(struct kernel_view *view);
void kv_xdp_done(struct kernel_view *view);
void kv_xdp_poll(struct kernel_view *view);
void kv_xdp_link(struct kernel_view *view, struct kv_iface *iface); /* the link is new or changed */

/* ---- kv_filter.c, kv_legacy.c, kv_xfrm.c ---- */

struct kv_hooks {
	bool ip4, ip6;
};

enum kv_filter_phase { KV_FILTER_IDLE, KV_FILTER_CHAINS, KV_FILTER_RULES };

struct kv_filter {
	struct nl_sock *sock; /* NULL: no netfilter in this kernel */
	struct loop_source *source;
	enum kv_filter_phase phase;
	bool known, again;
	uint32_t seq;
	struct kv_hooks dump, local_dump; /* of the dump under way; local: input and output */
	struct kv_hooks nft;
	struct kv_hooks legacy;
};

int kv_filter_init(struct kernel_view *view);
void kv_filter_done(struct kernel_view *view);
void kv_filter_poll(struct kernel_view *view);

/* What is hooked in by others than nftables. */
void kv_legacy_look(struct kv_hooks *ret);

struct kv_xfrm {
	struct nl_sock *sock; /* NULL: no IPsec in this kernel */
	struct loop_source *source;
	uint32_t spd_seq, default_seq;
	bool spd_known, default_known;
	bool policies; /* for forwarded packets: of the directions forward and out */
	bool block;    /* what no policy matches is dropped */
};

int kv_xfrm_init(struct kernel_view *view);
void kv_xfrm_done(struct kernel_view *view);
void kv_xfrm_poll(struct kernel_view *view);

/* ---- kernel_view.c ---- */

struct kernel_view {
	struct kernel_view_ops ops;
	void *arg;
	struct loop *loop;
	struct nl_sock *sock;
	struct loop_source *source;
	struct loop_source *poll;
	struct loop_source *settle;
	struct kv_dump dump;
	struct kv_links links;
	struct kv_neighs neighs;
	struct kv_conf conf;
	struct kv_xdp xdp;
	struct kv_filter filter;
	struct kv_xfrm xfrm;
	struct kernel_view_stats stats;
	struct rt_op op; /* the one that is decoded: too large for the stack */
};

void kernel_view_begin(struct kernel_view *view); /* the first dumps */

#endif
