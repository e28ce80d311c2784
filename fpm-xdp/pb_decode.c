/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protobuf FPM messages to struct rt_op. */
#include <errno.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "fpm-xdp/fpm.pb-c.h"
#include "fpm-xdp/pb_decode.h"

#define PB_REJECT_CASE(name, text)                                                                 \
	case PB_REJ_##name:                                                                        \
		return text;

const char *pb_reject_name(enum pb_reject reject)
{
	switch (reject) {
		PB_REJECTS(PB_REJECT_CASE)
	case PB_REJ_NONE:
	case PB_REJ_COUNT:
		break;
	}
	return "none";
}

static int reject(enum pb_reject why, enum pb_reject *ret_reject)
{
	*ret_reject = why;
	return -EBADMSG;
}

static int skip(struct rt_op *op, enum rt_skip why)
{
	op->verb = RT_SKIP;
	op->skip = why;
	return 1;
}

/* The rtm_protocol that the netlink form of the same route has. */
static uint8_t route_protocol(Fxpb__Protocol protocol)
{
	switch (protocol) {
	case FXPB__PROTOCOL__PROTOCOL_LOCAL:
	case FXPB__PROTOCOL__PROTOCOL_CONNECTED:
	case FXPB__PROTOCOL__PROTOCOL_KERNEL:
		return RTPROT_KERNEL;
	case FXPB__PROTOCOL__PROTOCOL_STATIC:
		return 196; /* FRR's own, not RTPROT_STATIC */
	case FXPB__PROTOCOL__PROTOCOL_RIP:
		return RTPROT_RIP;
	case FXPB__PROTOCOL__PROTOCOL_RIPNG:
		return 190;
	case FXPB__PROTOCOL__PROTOCOL_OSPF:
		return RTPROT_OSPF;
	case FXPB__PROTOCOL__PROTOCOL_ISIS:
		return RTPROT_ISIS;
	case FXPB__PROTOCOL__PROTOCOL_BGP:
		return RTPROT_BGP;
	case FXPB__PROTOCOL__PROTOCOL_UNKNOWN:
	case FXPB__PROTOCOL__PROTOCOL_OTHER:
	case _FXPB__PROTOCOL_IS_INT_SIZE:
		break;
	}
	return RTPROT_ZEBRA;
}

static void route_type(struct rt_op *op, const Fxpb__AddRoute *add)
{
	static const struct {
		enum rt_kind kind;
		uint8_t rtm_type;
	} types[] = {
		[FXPB__ROUTE_TYPE__ROUTE_UNKNOWN] = { RT_KIND_OTHER, RTN_UNSPEC },
		[FXPB__ROUTE_TYPE__ROUTE_NORMAL] = { RT_KIND_UNICAST, RTN_UNICAST },
		[FXPB__ROUTE_TYPE__ROUTE_UNREACHABLE] = { RT_KIND_UNREACHABLE, RTN_UNREACHABLE },
		[FXPB__ROUTE_TYPE__ROUTE_BLACKHOLE] = { RT_KIND_BLACKHOLE, RTN_BLACKHOLE },
	};
	unsigned int type = add->has_type ? (unsigned int)add->type : 0;

	if (type >= sizeof(types) / sizeof(types[0]))
		type = 0; /* of a newer schema: left to Linux */
	op->kind = types[type].kind;
	op->rtm_type = types[type].rtm_type;
}

static int route_prefix(struct rt_op *op, const Fxpb__Key *key, enum pb_reject *ret_reject)
{
	const Fxpb__Prefix *prefix = key->prefix;
	unsigned int bits = fx_family_bits(op->dst.family);
	size_t needed;

	if (!prefix)
		return reject(PB_REJ_PREFIX, ret_reject);
	if (prefix->length > bits)
		return reject(PB_REJ_PREFIX_LEN, ret_reject);
	needed = (prefix->length + 7) / 8; /* zebra sends no byte more */
	if (prefix->bytes.len < needed || prefix->bytes.len > bits / 8)
		return reject(PB_REJ_PREFIX_BYTES, ret_reject);
	op->dst.len = (uint8_t)prefix->length;
	if (needed)
		memcpy(op->dst.bytes, prefix->bytes.data, needed);
	fx_prefix_mask(&op->dst);
	return 0;
}

static int path_gateway(const Fxpb__Address *address, bool prefer_v6, struct fx_addr *ret,
			enum pb_reject *ret_reject)
{
	uint32_t v4;

	if (address->v6 && (prefer_v6 || !address->v4)) {
		if (address->v6->bytes.len != sizeof(ret->bytes))
			return reject(PB_REJ_GATEWAY, ret_reject);
		ret->family = FX_AF_INET6;
		memcpy(ret->bytes, address->v6->bytes.data, sizeof(ret->bytes));
	} else if (address->v4) {
		v4 = address->v4->value; /* a number, not network order */
		*ret = (struct fx_addr){ FX_AF_INET,
					 { (uint8_t)(v4 >> 24), (uint8_t)(v4 >> 16),
					   (uint8_t)(v4 >> 8), (uint8_t)v4 } };
	}
	return 0;
}

static int route_paths(struct rt_op *op, const Fxpb__AddRoute *add, enum pb_reject *ret_reject)
{
	bool prefer_v6 = op->dst.family == FX_AF_INET6;
	size_t i;

	if (add->n_nexthops > RT_MAX_PATHS)
		return reject(PB_REJ_PATHS, ret_reject);
	for (i = 0; i < add->n_nexthops; i++) {
		const Fxpb__Nexthop *nexthop = add->nexthops[i];
		struct rt_path *path = &op->paths[i];
		int err;

		*path = (struct rt_path){ .weight = 1, .encap = op->encap };
		if (nexthop->interface && nexthop->interface->has_index)
			path->ifindex = nexthop->interface->index;
		err = !nexthop->address
			      ? 0
			      : path_gateway(nexthop->address, prefer_v6, &path->gw, ret_reject);
		if (err)
			return err;
	}
	op->npaths = (uint16_t)add->n_nexthops;
	return 0;
}

/* What a delete and an add have in common. 0: go on; 1: skipped. */
static int route_key(struct rt_op *op, uint32_t vrf_id, Fxpb__Family family,
		     Fxpb__SubFamily sub_family, const Fxpb__Key *key, enum pb_reject *ret_reject)
{
	if (family == FXPB__FAMILY__FAMILY_IPV4)
		op->dst.family = FX_AF_INET;
	else if (family == FXPB__FAMILY__FAMILY_IPV6)
		op->dst.family = FX_AF_INET6;
	else
		return skip(op, RT_SKIP_FAMILY);
	if (sub_family == FXPB__SUB_FAMILY__SUB_FAMILY_MULTICAST)
		return skip(op, RT_SKIP_MULTICAST);
	op->src.family = op->dst.family;
	op->vrf = vrf_id;
	op->table = vrf_id ? 0 : RT_TABLE_MAIN;
	return route_prefix(op, key, ret_reject);
}

static int add_route(struct rt_op *op, const Fxpb__AddRoute *add, enum pb_reject *ret_reject)
{
	int err;

	err = route_key(op, add->vrf_id, add->family, add->sub_family, add->key, ret_reject);
	if (err)
		return err;
	op->verb = RT_ROUTE_ADD;
	op->flags = RT_F_CREATE | RT_F_REPLACE; /* always the whole present state of the prefix */
	if (add->protocol == FXPB__PROTOCOL__PROTOCOL_LOCAL ||
	    add->protocol == FXPB__PROTOCOL__PROTOCOL_CONNECTED)
		op->flags |= RT_F_CONNECTED;
	op->protocol = route_protocol(add->protocol);
	op->metric = (uint32_t)add->metric;
	op->encap = add->srv6_vpn_sid ? RT_ENCAP_SRV6 : RT_ENCAP_NONE;
	route_type(op, add);
	err = route_paths(op, add, ret_reject);
	return err ? err : 1;
}

static int delete_route(struct rt_op *op, const Fxpb__DeleteRoute *del, enum pb_reject *ret_reject)
{
	int err;

	err = route_key(op, del->vrf_id, del->family, del->sub_family, del->key, ret_reject);
	if (err)
		return err;
	op->verb = RT_ROUTE_DEL;
	return 1;
}

static int message(struct rt_op *op, const Fxpb__Message *msg, enum pb_reject *ret_reject)
{
	switch (msg->has_type ? msg->type : FXPB__MESSAGE_TYPE__UNKNOWN_MESSAGE) {
	case FXPB__MESSAGE_TYPE__ADD_ROUTE:
		if (!msg->add_route)
			return reject(PB_REJ_BODY, ret_reject);
		return add_route(op, msg->add_route, ret_reject);
	case FXPB__MESSAGE_TYPE__DELETE_ROUTE:
		if (!msg->delete_route)
			return reject(PB_REJ_BODY, ret_reject);
		return delete_route(op, msg->delete_route, ret_reject);
	case FXPB__MESSAGE_TYPE__ADD_SRV6_LOCALSID:
	case FXPB__MESSAGE_TYPE__DELETE_SRV6_LOCALSID:
		return skip(op, RT_SKIP_SRV6_SID);
	case FXPB__MESSAGE_TYPE__UNKNOWN_MESSAGE:
	case _FXPB__MESSAGE_TYPE_IS_INT_SIZE:
		break;
	}
	return skip(op, RT_SKIP_TYPE);
}

int pb_decode(const uint8_t *payload, size_t len, struct rt_op *ret, enum pb_reject *ret_reject)
{
	Fxpb__Message *msg = fxpb__message__unpack(NULL, len, payload);
	int err;

	if (!msg)
		return reject(PB_REJ_MALFORMED, ret_reject);
	memset(ret, 0, offsetof(struct rt_op, paths)); /* not its 32 KiB of paths */
	err = message(ret, msg, ret_reject);
	fxpb__message__free_unpacked(msg, NULL);
	return err;
}
