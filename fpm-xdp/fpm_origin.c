/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells zebra's FPM modules apart by what only one of them sends. */
#include <sys/socket.h>
#include <linux/rtnetlink.h>

#include "fpm-xdp/fpm_origin.h"
#include "fpm-xdp/rtnl_attr.h"

#define DPLANE_PRIORITY 20

/* What the attributes of a route message say. */
struct traits {
	bool nh_id;
	bool has_priority;
	uint32_t priority;
	bool zero_hops;
};

void fpm_origin_init(struct fpm_origin *origin)
{
	*origin = (struct fpm_origin){ .origin = RTNL_FPM_DPLANE };
}

static bool has_zero_hops(const uint8_t *at, size_t left)
{
	struct rtnexthop hop;
	size_t len;

	for (; left >= sizeof(hop); at += len, left -= len) {
		memcpy(&hop, at, sizeof(hop));
		if (!hop.rtnh_hops)
			return true;
		len = RTNL_ALIGN((size_t)hop.rtnh_len);
		if (len < sizeof(hop) || len > left)
			break;
	}
	return false;
}

static bool read_traits(const uint8_t *data, size_t len, struct traits *ret)
{
	struct rtnl_attrs attrs = { data, len };
	struct rtnl_attr attr;
	enum rtnl_attr_result r;

	while ((r = rtnl_attr_next(&attrs, &attr)) == RTNL_ATTR_OK) {
		if (attr.type == RTA_NH_ID)
			ret->nh_id = true;
		if (attr.type == RTA_MULTIPATH)
			ret->zero_hops = has_zero_hops(attr.data, attr.len);
		if (attr.type == RTA_PRIORITY && attr.len == sizeof(uint32_t)) {
			ret->has_priority = true;
			ret->priority = rtnl_u32(attr.data);
		}
	}
	return r == RTNL_ATTR_END;
}

static void settle(struct fpm_origin *origin, enum rtnl_origin as)
{
	origin->origin = as;
	origin->settled = true;
}

static void see_route(struct fpm_origin *origin, const struct nlmsghdr *nlh, const uint8_t *body,
		      size_t len)
{
	bool replace = nlh->nlmsg_flags & NLM_F_REPLACE;
	struct traits traits = { 0 };
	struct rtmsg rtm;

	if (len < sizeof(rtm))
		return;
	memcpy(&rtm, body, sizeof(rtm));
	if (rtm.rtm_family == AF_MPLS) {
		settle(origin, RTNL_FPM_DPLANE);
		return;
	}
	if (!read_traits(body + sizeof(rtm), len - sizeof(rtm), &traits))
		return;
	if (nlh->nlmsg_type == RTM_DELROUTE)
		settle(origin, traits.has_priority ? RTNL_FPM_DPLANE : RTNL_FPM_OLD);
	else if (traits.nh_id || replace || traits.zero_hops)
		settle(origin, RTNL_FPM_DPLANE);
	else if (rtm.rtm_family == AF_INET || traits.priority != DPLANE_PRIORITY)
		settle(origin, RTNL_FPM_OLD);
}

enum rtnl_origin fpm_origin_see(struct fpm_origin *origin, const uint8_t *msg, size_t len)
{
	struct nlmsghdr nlh;

	if (origin->settled || len < sizeof(nlh))
		return origin->origin;
	memcpy(&nlh, msg, sizeof(nlh));
	switch (nlh.nlmsg_type) {
	case RTM_NEWNEXTHOP:
	case RTM_DELNEXTHOP:
		settle(origin, RTNL_FPM_DPLANE);
		break;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		see_route(origin, &nlh, msg + sizeof(nlh), len - sizeof(nlh));
		break;
	}
	return origin->origin;
}
