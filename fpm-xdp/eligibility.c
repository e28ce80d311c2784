/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "fpm-xdp/eligibility.h"

static uint32_t bit(enum eligibility_reason reason, bool on)
{
	return on ? UINT32_C(1) << reason : 0;
}

void eligibility_judge(const struct eligibility_facts *facts, struct eligibility *ret)
{
	uint32_t both;

	if (!facts->known) {
		ret->why4 = ret->why6 = bit(ELIGIBLE_UNKNOWN, true);
		return;
	}
	both = bit(ELIGIBLE_NOT_ETHERNET, !facts->ether) | bit(ELIGIBLE_MASTER, facts->enslaved) |
	       bit(ELIGIBLE_TAKEN, facts->taken) | bit(ELIGIBLE_QDISC, facts->ingress_filter);
	ret->why4 = both | bit(ELIGIBLE_FORWARDING, !facts->forwarding4) |
		    bit(ELIGIBLE_RP_FILTER, facts->rp_filter != 0) |
		    bit(ELIGIBLE_LEARNS, facts->forwarding4 && facts->learns4) |
		    bit(ELIGIBLE_RULES, facts->rules4 != 0) |
		    bit(ELIGIBLE_NETFILTER, facts->netfilter4) | bit(ELIGIBLE_XFRM, facts->xfrm4);
	/* rp_filter is IPv4's alone: IPv6 has no such sysctl (Linux 6.18) */
	ret->why6 = both | bit(ELIGIBLE_FORWARDING, !facts->forwarding6) |
		    bit(ELIGIBLE_RULES, facts->rules6 != 0) |
		    bit(ELIGIBLE_NETFILTER, facts->netfilter6) | bit(ELIGIBLE_XFRM, facts->xfrm6) |
		    bit(ELIGIBLE_IPV6_DISABLED, facts->disabled6) |
		    bit(ELIGIBLE_PROXY_NDP, facts->proxy_ndp);
}

const char *eligibility_reason_name(enum eligibility_reason reason)
{
	static const char *const names[] = {
#define FX_E(name, text) [ELIGIBLE_##name] = text,
		ELIGIBILITY_REASONS(FX_E)
#undef FX_E
	};

	return reason < ELIGIBLE_REASONS ? names[reason] : "unknown";
}

const char *eligibility_text(uint32_t why, char *buf)
{
	size_t len = 0;
	uint32_t i;

	buf[0] = '\0';
	for (i = 0; i < ELIGIBLE_REASONS && len < ELIGIBILITY_TEXT_SIZE; i++) {
		if (why & UINT32_C(1) << i)
			len += (size_t)snprintf(
				buf + len, ELIGIBILITY_TEXT_SIZE - len, "%s%s", len ? "," : "",
				eligibility_reason_name((enum eligibility_reason)i));
	}
	return buf;
}
