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
#define ELIGIBILITY_REASONS(FX_REASON)                                                              \
	FX_REASON(FORWARDING, "forwarding-off")	    /* sysctl forwarding is 0 */                    \
	FX_REASON(RP_FILTER, "rp-filter")	    /* source validation asked for */               \
	FX_REASON(RULES, "policy-rules")	    /* more than the default rules */               \
	FX_REASON(NETFILTER, "netfilter")	    /* hooks that a forwarded packet would meet */  \
	FX_REASON(MASTER, "enslaved")		    /* bridge or bond port, VRF member (not yet) */ \
	FX_REASON(NOT_ETHERNET, "not-ethernet")                                                     \
	FX_REASON(NAME_SPACE, "unknown")	    /* a fact could not be read */                  \
	FX_REASON(QDISC, "qdisc")		    /* an egress qdisc beyond the defaults, anywhere */ \
	FX_REASON(XFRM, "ipsec")		    /* policies exist */

enum eligibility_reason {
#define FX_E(name, text) ELIGIBLE_##name,
	ELIGIBILITY_REASONS(FX_E)
#undef FX_E
	ELIGIBLE_REASONS,
};

struct eligibility {
	uint32_t why4; /* bits 1 << enum eligibility_reason; 0: eligible */
	uint32_t why6;
};

/* Facts of one interface together with those of the whole namespace. */
struct eligibility_facts {
	bool known; /* all of the below could be read */
	bool ether;
	bool enslaved;
	bool forwarding4; /* net.ipv4.conf.IF.forwarding */
	bool forwarding6; /* net.ipv6.conf.IF.forwarding (all.forwarding decides with 6.1: see .c) */
	uint8_t rp_filter; /* the larger of conf.all and conf.IF, as Linux takes it */
	uint32_t rules4;   /* rules beyond the defaults */
	uint32_t rules6;
	bool netfilter4; /* some hook that a forwarded packet would meet */
	bool netfilter6;
	bool xfrm4;
	bool xfrm6;
};

void eligibility_judge(const struct eligibility_facts *facts, struct eligibility *ret);
const char *eligibility_reason_name(enum eligibility_reason reason);

#endif
