/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink messages to struct rt_op. Quirks by FRR version: doc/fpm-protocol.md. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/lwtunnel.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "fpm-xdp/rtnl_attr.h"
#include "fpm-xdp/rtnl_decode.h"

/* struct nexthop_grp {u32 id, u8 weight - 1, u8 weight_high, u16}: the high byte is zero before
 * kernel 6.12 and without zebra --nexthop-weight-16-bit (FRR 10.5), and has no name in older
 * headers. */
#define GROUP_MEMBER_LEN 8

#define ENCAP_FRR_VXLAN	 100 /* FRR's own, in no kernel: EVPN type 5 over FPM (FRR 8.4 to 10.7) */

struct decoder {
	enum rtnl_origin origin;
	struct rt_op *op;
	enum rtnl_reject *reject;
	uint8_t family; /* of the route or nexthop: what size a gateway has */
	bool has_dst, has_src;
	bool multipath;	     /* paths came by RTA_MULTIPATH or NHA_GROUP, flat is not used */
	struct rt_path flat; /* the one path said by attributes of the message itself */
};

typedef int (*attr_fn)(struct decoder *d, const struct rtnl_attr *attr, struct rt_path *path);

#define RTNL_REJECT_CASE(name, text)                                                               \
	case RTNL_REJ_##name:                                                                      \
		return text;

const char *rtnl_reject_name(enum rtnl_reject reject)
{
	switch (reject) {
		RTNL_REJECTS(RTNL_REJECT_CASE)
	case RTNL_REJ_NONE:
	case RTNL_REJ_COUNT:
		break;
	}
	return "none";
}

static int reject(struct decoder *d, enum rtnl_reject why)
{
	*d->reject = why;
	return -EBADMSG;
}

static int skip(struct rt_op *op, enum rt_skip why)
{
	op->verb = RT_SKIP;
	op->skip = why;
	return 1;
}

static int walk(struct decoder *d, const uint8_t *data, size_t len, attr_fn fn,
		struct rt_path *path)
{
	struct rtnl_attrs attrs = { data, len };
	struct rtnl_attr attr;
	enum rtnl_attr_result r;
	int err;

	while ((r = rtnl_attr_next(&attrs, &attr)) == RTNL_ATTR_OK) {
		err = fn(d, &attr, path);
		if (err)
			return err;
	}
	if (r == RTNL_ATTR_END)
		return 0;
	return reject(d, r == RTNL_ATTR_SHORT ? RTNL_REJ_ATTR_SHORT : RTNL_REJ_ATTR_LONG);
}

/* ---- values ---- */

static int get_u32(struct decoder *d, const struct rtnl_attr *attr, uint32_t *ret)
{
	if (attr->len != sizeof(*ret))
		return reject(d, RTNL_REJ_ATTR_SIZE);
	*ret = rtnl_u32(attr->data);
	return 0;
}

static int get_addr(struct decoder *d, uint8_t family, const uint8_t *data, size_t len,
		    struct fx_addr *ret)
{
	if (!len || len * 8 != fx_family_bits(family)) /* an unknown family has no bits */
		return reject(d, RTNL_REJ_ATTR_SIZE);
	*ret = (struct fx_addr){ .family = family };
	memcpy(ret->bytes, data, len);
	return 0;
}

static int get_via(struct decoder *d, const struct rtnl_attr *attr, struct fx_addr *ret)
{
	uint16_t family;

	if (attr->len < sizeof(family))
		return reject(d, RTNL_REJ_ATTR_SIZE);
	family = rtnl_u16(attr->data);
	if (family != AF_INET && family != AF_INET6)
		return reject(d, RTNL_REJ_VIA_FAMILY);
	return get_addr(d, (uint8_t)family, attr->data + sizeof(family), attr->len - sizeof(family),
			ret);
}

/* Host bits are cleared: two spellings of a prefix are one key. */
static int get_prefix(struct decoder *d, const struct rtnl_attr *attr, struct fx_prefix *prefix)
{
	if (attr->len * 8 != fx_family_bits(prefix->family))
		return reject(d, RTNL_REJ_ATTR_SIZE);
	memcpy(prefix->bytes, attr->data, attr->len);
	fx_prefix_mask(prefix);
	return 0;
}

static int get_encap(struct decoder *d, const struct rtnl_attr *attr, uint8_t *ret)
{
	if (attr->len != sizeof(uint16_t))
		return reject(d, RTNL_REJ_ATTR_SIZE);
	switch (rtnl_u16(attr->data)) {
	case LWTUNNEL_ENCAP_NONE:
		*ret = RT_ENCAP_NONE;
		break;
	case LWTUNNEL_ENCAP_MPLS:
		*ret = RT_ENCAP_MPLS;
		break;
	case LWTUNNEL_ENCAP_SEG6:
	case LWTUNNEL_ENCAP_SEG6_LOCAL:
		*ret = RT_ENCAP_SRV6;
		break;
	case LWTUNNEL_ENCAP_IP:
	case LWTUNNEL_ENCAP_IP6:
	case ENCAP_FRR_VXLAN:
		*ret = RT_ENCAP_VXLAN;
		break;
	default:
		*ret = RT_ENCAP_OTHER;
	}
	return 0;
}

static uint8_t path_flags(uint32_t rtnh_flags)
{
	return (uint8_t)((rtnh_flags & RTNH_F_ONLINK ? RT_PATH_ONLINK : 0) |
			 (rtnh_flags & RTNH_F_DEAD ? RT_PATH_DEAD : 0) |
			 (rtnh_flags & RTNH_F_LINKDOWN ? RT_PATH_LINKDOWN : 0));
}

/* Hops as on the wire hold the weight less one; zebra's older module sends the weight itself. */
static uint16_t hop_weight(const struct decoder *d, uint8_t hops)
{
	if (d->origin == RTNL_FPM_OLD)
		return hops ? hops : 1;
	return (uint16_t)(hops + 1);
}

static void path_done(struct decoder *d, struct rt_path *path)
{
	static const uint8_t v4ll[16] = { 169, 254, 0, 1 };

	if (path->gw.family == AF_INET && !memcmp(path->gw.bytes, v4ll, sizeof(v4ll)))
		path->flags |= RT_PATH_V4LL;
	if (path->encap > d->op->encap)
		d->op->encap = path->encap;
}

static int path_add(struct decoder *d, struct rt_path *path)
{
	if (d->op->npaths == RT_MAX_PATHS)
		return reject(d, RTNL_REJ_PATHS);
	path_done(d, path);
	d->op->paths[d->op->npaths++] = *path;
	return 0;
}

/* 1, or -EBADMSG: the last step of a message. */
static int flat_done(struct decoder *d)
{
	if (d->multipath || !(d->flat.ifindex || d->flat.gw.family || d->flat.encap))
		return 1;
	return path_add(d, &d->flat) < 0 ? -EBADMSG : 1;
}

/* ---- routes ---- */

/* What a path may say, be it alone in a route or one hop of several. */
static int path_attr(struct decoder *d, const struct rtnl_attr *attr, struct rt_path *path)
{
	switch (attr->type) {
	case RTA_OIF:
		return get_u32(d, attr, &path->ifindex);
	case RTA_GATEWAY:
		return get_addr(d, d->family, attr->data, attr->len, &path->gw);
	case RTA_VIA:
		return get_via(d, attr, &path->gw);
	case RTA_ENCAP_TYPE:
		return get_encap(d, attr, &path->encap);
	case RTA_ENCAP:
		if (path->encap == RT_ENCAP_NONE)
			path->encap = RT_ENCAP_OTHER; /* until its type is seen, if ever */
	}
	return 0;
}

static int multipath(struct decoder *d, const struct rtnl_attr *attr)
{
	const uint8_t *at = attr->data;
	size_t left = attr->len, len;
	struct rtnexthop hop;
	int err;

	d->multipath = true;
	d->op->npaths = 0;
	for (; left; at += len, left -= len) {
		struct rt_path path = { 0 };

		if (left < sizeof(hop))
			return reject(d, RTNL_REJ_HOP_SHORT);
		memcpy(&hop, at, sizeof(hop));
		len = hop.rtnh_len;
		if (len < sizeof(hop))
			return reject(d, RTNL_REJ_HOP_SHORT);
		if (len > left)
			return reject(d, RTNL_REJ_HOP_LONG);
		path.ifindex = (uint32_t)hop.rtnh_ifindex;
		path.weight = hop_weight(d, hop.rtnh_hops);
		path.flags = path_flags(hop.rtnh_flags);
		err = walk(d, at + sizeof(hop), len - sizeof(hop), path_attr, &path);
		if (!err)
			err = path_add(d, &path);
		if (err)
			return err;
		len = RTNL_ALIGN(len) < left ? RTNL_ALIGN(len) : left;
	}
	return 0;
}

static int metrics_attr(struct decoder *d, const struct rtnl_attr *attr, struct rt_path *path)
{
	return attr->type == RTAX_MTU ? get_u32(d, attr, &d->op->mtu) : 0;
}

/*
 * Lookups pass over an expired IPv6 route at once (fib6_check_expired()); its deletion, and the
 * notice of it, comes up to half a minute later, with the next garbage collection (Linux 6.18).
 */
static int cacheinfo(struct decoder *d, const struct rtnl_attr *attr)
{
	struct rta_cacheinfo info;

	if (attr->len < sizeof(info))
		return reject(d, RTNL_REJ_ATTR_SIZE);
	memcpy(&info, attr->data, sizeof(info));
	if (info.rta_expires)
		d->op->flags |= RT_F_EXPIRES;
	return 0;
}

static int route_attr(struct decoder *d, const struct rtnl_attr *attr, struct rt_path *path)
{
	switch (attr->type) {
	case RTA_DST:
		d->has_dst = true;
		return get_prefix(d, attr, &d->op->dst);
	case RTA_SRC:
		d->has_src = true;
		return get_prefix(d, attr, &d->op->src);
	case RTA_TABLE:
		return get_u32(d, attr, &d->op->table);
	case RTA_PRIORITY:
		return get_u32(d, attr, &d->op->metric);
	case RTA_NH_ID:
		return get_u32(d, attr, &d->op->nh_id);
	case RTA_CACHEINFO:
		return cacheinfo(d, attr);
	case RTA_METRICS:
		return walk(d, attr->data, attr->len, metrics_attr, NULL);
	case RTA_MULTIPATH:
		return multipath(d, attr);
	}
	return path_attr(d, attr, path);
}

static enum rt_kind route_kind(uint8_t rtm_type)
{
	switch (rtm_type) {
	case RTN_UNSPEC: /* a delete of zebra's: key only */
	case RTN_UNICAST:
		return RT_KIND_UNICAST;
	case RTN_LOCAL:
		return RT_KIND_LOCAL;
	case RTN_BROADCAST:
		return RT_KIND_BROADCAST;
	case RTN_ANYCAST:
		return RT_KIND_ANYCAST;
	case RTN_MULTICAST:
		return RT_KIND_MULTICAST;
	case RTN_BLACKHOLE:
		return RT_KIND_BLACKHOLE;
	case RTN_UNREACHABLE:
		return RT_KIND_UNREACHABLE;
	case RTN_PROHIBIT:
		return RT_KIND_PROHIBIT;
	case RTN_THROW:
		return RT_KIND_THROW;
	}
	return RT_KIND_OTHER;
}

static int route_header(struct decoder *d, const struct rtmsg *rtm)
{
	struct rt_op *op = d->op;
	unsigned int bits = fx_family_bits(rtm->rtm_family);

	if (rtm->rtm_dst_len > bits || rtm->rtm_src_len > bits)
		return reject(d, RTNL_REJ_PREFIX_LEN);
	op->dst = (struct fx_prefix){ .family = rtm->rtm_family, .len = rtm->rtm_dst_len };
	op->src = (struct fx_prefix){ .family = rtm->rtm_family, .len = rtm->rtm_src_len };
	op->table = rtm->rtm_table;
	op->protocol = rtm->rtm_protocol;
	op->tos = rtm->rtm_tos;
	op->rtm_type = rtm->rtm_type;
	op->kind = route_kind(rtm->rtm_type);
	d->family = rtm->rtm_family;
	d->flat.weight = 1;
	d->flat.flags = path_flags(rtm->rtm_flags);
	return 0;
}

static int route(struct decoder *d, enum rt_verb verb, const uint8_t *body, size_t len)
{
	struct rt_op *op = d->op;
	struct rtmsg rtm;
	int err;

	if (len < sizeof(rtm))
		return reject(d, RTNL_REJ_SHORT);
	memcpy(&rtm, body, sizeof(rtm));
	if (rtm.rtm_family == AF_MPLS)
		return skip(op, RT_SKIP_MPLS);
	if (!fx_family_bits(rtm.rtm_family))
		return skip(op, RT_SKIP_FAMILY);
	if (rtm.rtm_flags & RTM_F_CLONED)
		return skip(op, RT_SKIP_CLONED);
	op->verb = verb;
	err = route_header(d, &rtm);
	if (!err)
		err = walk(d, body + sizeof(rtm), len - sizeof(rtm), route_attr, &d->flat);
	if (err)
		return err;
	/* the kernel leaves the address out for a default route, zebra never does */
	if ((op->dst.len && !d->has_dst) || (op->src.len && !d->has_src))
		return reject(d, RTNL_REJ_PREFIX_MISSING);
	/* No table means main, as for the kernel. Deletes of zebra's older module come so
	 * since 9.0, also those of VRFs: it does not say which table it means. */
	if (!op->table)
		op->table = RT_TABLE_MAIN;
	return flat_done(d);
}

/* ---- nexthops ---- */

static int group(struct decoder *d, const struct rtnl_attr *attr)
{
	const uint8_t *at = attr->data, *end = attr->data + attr->len;
	uint32_t weight;
	int err;

	if (!attr->len || attr->len % GROUP_MEMBER_LEN)
		return reject(d, RTNL_REJ_ATTR_SIZE);
	d->multipath = true;
	d->op->flags |= RT_F_GROUP;
	d->op->npaths = 0;
	for (; at < end; at += GROUP_MEMBER_LEN) {
		struct rt_path path = { .nh_id = rtnl_u32(at) };

		weight = ((uint32_t)at[5] << 8 | at[4]) + 1;
		path.weight = (uint16_t)(weight > UINT16_MAX ? UINT16_MAX : weight);
		err = path.nh_id ? path_add(d, &path) : reject(d, RTNL_REJ_NH_ID);
		if (err)
			return err;
	}
	return 0;
}

static int nexthop_attr(struct decoder *d, const struct rtnl_attr *attr, struct rt_path *path)
{
	switch (attr->type) {
	case NHA_ID:
		return get_u32(d, attr, &d->op->nh_id);
	case NHA_GROUP:
		return group(d, attr);
	case NHA_GROUP_TYPE:
		if (attr->len != sizeof(uint16_t))
			return reject(d, RTNL_REJ_ATTR_SIZE);
		if (rtnl_u16(attr->data) == NEXTHOP_GRP_TYPE_RES)
			d->op->flags |= RT_F_RESILIENT;
		return 0;
	case NHA_BLACKHOLE:
		d->op->flags |= RT_F_BLACKHOLE;
		return 0;
	case NHA_FDB:
		d->op->flags |= RT_F_FDB;
		return 0;
	case NHA_OIF:
		return get_u32(d, attr, &path->ifindex);
	case NHA_GATEWAY:
		return get_addr(d, d->family, attr->data, attr->len, &path->gw);
	case NHA_ENCAP_TYPE:
		return get_encap(d, attr, &path->encap);
	case NHA_ENCAP:
		if (path->encap == RT_ENCAP_NONE)
			path->encap = RT_ENCAP_OTHER;
	}
	return 0;
}

static int nexthop(struct decoder *d, enum rt_verb verb, const uint8_t *body, size_t len)
{
	struct rt_op *op = d->op;
	struct nhmsg nhm;
	int err;

	if (len < sizeof(nhm))
		return reject(d, RTNL_REJ_SHORT);
	memcpy(&nhm, body, sizeof(nhm));
	op->verb = verb;
	op->protocol = nhm.nh_protocol;
	d->family = nhm.nh_family;
	d->flat.weight = 1;
	d->flat.flags = path_flags(nhm.nh_flags);
	err = walk(d, body + sizeof(nhm), len - sizeof(nhm), nexthop_attr, &d->flat);
	if (err)
		return err;
	if (!op->nh_id)
		return reject(d, RTNL_REJ_NH_ID);
	return flat_done(d);
}

/* ---- messages ---- */

static int neighbour(struct decoder *d, const uint8_t *body, size_t len)
{
	if (len < sizeof(struct ndmsg))
		return reject(d, RTNL_REJ_SHORT);
	return skip(d->op, body[0] == AF_BRIDGE ? RT_SKIP_EVPN_MAC : RT_SKIP_TYPE);
}

/* In a delete the same bits mean other things (NLM_F_NONREC, NLM_F_BULK). */
static uint32_t op_flags(const struct nlmsghdr *nlh)
{
	if (nlh->nlmsg_type != RTM_NEWROUTE && nlh->nlmsg_type != RTM_NEWNEXTHOP)
		return 0;
	return (nlh->nlmsg_flags & NLM_F_REPLACE ? RT_F_REPLACE : 0) |
	       (nlh->nlmsg_flags & NLM_F_MULTI ? RT_F_DUMP : 0) |
	       (nlh->nlmsg_flags & NLM_F_APPEND ? RT_F_APPEND : 0) |
	       (nlh->nlmsg_flags & NLM_F_CREATE ? RT_F_CREATE : 0);
}

int rtnl_decode(const uint8_t *msg, size_t len, enum rtnl_origin origin, struct rt_op *ret,
		enum rtnl_reject *ret_reject)
{
	struct decoder d = { .origin = origin, .op = ret, .reject = ret_reject };
	struct nlmsghdr nlh;
	const uint8_t *body = msg + sizeof(nlh);

	if (len < sizeof(nlh))
		return reject(&d, RTNL_REJ_SHORT);
	memcpy(&nlh, msg, sizeof(nlh));
	if (nlh.nlmsg_len < sizeof(nlh))
		return reject(&d, RTNL_REJ_SHORT);
	if (nlh.nlmsg_len > len)
		return reject(&d, RTNL_REJ_LENGTH);
	len = nlh.nlmsg_len - sizeof(nlh);
	memset(ret, 0, offsetof(struct rt_op, paths)); /* not its 32 KiB of paths */
	ret->sender = nlh.nlmsg_pid;
	ret->flags = op_flags(&nlh);
	switch (nlh.nlmsg_type) {
	case RTM_NEWROUTE:
		return route(&d, RT_ROUTE_ADD, body, len);
	case RTM_DELROUTE:
		return route(&d, RT_ROUTE_DEL, body, len);
	case RTM_NEWNEXTHOP:
		return nexthop(&d, RT_NH_ADD, body, len);
	case RTM_DELNEXTHOP:
		return nexthop(&d, RT_NH_DEL, body, len);
	case RTM_NEWNEIGH:
	case RTM_DELNEIGH:
		return neighbour(&d, body, len);
	}
	return skip(ret, RT_SKIP_TYPE);
}
