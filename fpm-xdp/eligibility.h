/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether packets that come in on an interface may be forwarded in XDP, per family: what of the
 * router's Linux configuration could change a forwarded packet's fate beyond what the forwarding
 * program does itself. Pure: takes facts, gives reasons. When in doubt, not eligible.
 */
#ifndef FX_FPM_ELIGIBILITY_H
#define FX_FPM_ELIGIBILITY_H

#include <stdbool.h>
#include <stdint.h>

/* FX_REASON(name, text): the text is what `show interface` says; stable. */
#define ELIGIBILITY_REASONS(FX_REASON)                                                             \
	FX_REASON(FORWARDING, "forwarding-off") /* sysctl forwarding is 0 */                       \
	FX_REASON(RP_FILTER, "rp-filter")	/* source validation asked for */                  \
	FX_REASON(RULES, "policy-rules")	/* other than the default rules */                 \
	FX_REASON(NETFILTER, "netfilter")	/* hooks that a forwarded packet would meet */     \
	FX_REASON(MASTER, "enslaved")		/* bridge or bond port, VRF member (not yet) */    \
	FX_REASON(NOT_ETHERNET, "not-ethernet")                                                    \
	FX_REASON(UNKNOWN, "unknown")		  /* a fact could not be read (yet) */             \
	FX_REASON(QDISC, "ingress-qdisc")	  /* tc filters may stand at the ingress */        \
	FX_REASON(XFRM, "ipsec")		  /* policies exist */                             \
	FX_REASON(IPV6_DISABLED, "ipv6-disabled") /* sysctl disable_ipv6 is 1 */                   \
	FX_REASON(PROXY_NDP, "proxy-ndp")	  /* for some destinations we would answer */      \
	FX_REASON(TAKEN, "device-above")	  /* VLAN, ipvlan, ...: it takes what comes in */  \
	FX_REASON(LOCAL_NET, "local-network")	  /* fib_has_own_nets(): the model says so */      \
	FX_REASON(LEARNS, "icmp-learned")	  /* ICMP may change single destinations */

#define ELIGIBILITY_ENUM(name, text) ELIGIBLE_##name,

enum eligibility_reason { ELIGIBILITY_REASONS(ELIGIBILITY_ENUM) ELIGIBLE_REASONS };

struct eligibility {
	uint32_t why4; /* bits 1 << enum eligibility_reason; 0: eligible */
	uint32_t why6;
};

/* Facts of one interface together with those of the whole namespace. */
struct eligibility_facts {
	bool known; /* all of the below could be read */
	bool ether;
	bool enslaved;
	bool taken; /* ipvlan, or macvlan in passthru or source mode, stands above */
	/*
	 * net.ipv4.conf.IF.forwarding of the interface that the packet comes in on: all that
	 * ip_mkroute_input() asks for (Linux 6.1 to 6.18).
	 */
	bool forwarding4;
	/*
	 * net.ipv6.conf.all.forwarding: what ip6_forward() asks for; the interface's own decides
	 * only on router advertisements. Linux 6.17 adds conf.IF.force_forwarding, which lets one
	 * interface forward with "all" off: such an interface is left to Linux.
	 */
	bool forwarding6;
	bool disabled6; /* net.ipv6.conf.IF.disable_ipv6 */
	bool proxy_ndp; /* net.ipv6.conf.all.proxy_ndp: ip6_forward() then looks for proxies */
	/*
	 * ip_forward_use_pmtu, or conf.all.accept_redirects, without which no interface that
	 * forwards accepts any (IN_DEV_RX_REDIRECTS()). Exceptions of routes are not told.
	 */
	bool learns4;
	uint8_t rp_filter;   /* the larger of conf.all and conf.IF, as Linux takes it */
	bool ingress_filter; /* a qdisc that can hold filters for what comes in */
	uint32_t rules4;     /* deviations from the default rules, missing ones too */
	uint32_t rules6;
	bool netfilter4; /* some hook that a forwarded packet would meet */
	bool netfilter6;
	bool xfrm4;
	bool xfrm6;
};

/* Facts that are not known give the one reason ELIGIBLE_UNKNOWN. */
void eligibility_judge(const struct eligibility_facts *facts, struct eligibility *ret);
const char *eligibility_reason_name(enum eligibility_reason reason);

#define ELIGIBILITY_TEXT_SIZE 256 /* for all reasons at once */

/* The names of the reasons in why with commas between, into buf (ELIGIBILITY_TEXT_SIZE bytes),
 * which is returned. */
const char *eligibility_text(uint32_t why, char *buf);

#endif
