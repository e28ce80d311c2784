/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a packet would go: the way of bpf/xdp_fwd.bpf.c through the very maps that it reads, step
 * by step, with the model's names for what is found.
 */
#include "config.h"

#include <arpa/inet.h>
#include <string.h>

#include "bpf/fx_hash.h"
#include "bpf/fx_parse.h"
#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"
#include "lib/verdict.h"

struct show_way {
	uint32_t gid;
	uint32_t adj; /* 0: not known: none, or the flow decides */
	bool open;    /* the flow would decide, and is not known */
	uint32_t verdict;
};

/* Addresses that no route is asked for. Without a flow the source is one that nothing speaks
 * against: one of those for documentation (RFC 5737, RFC 3849). */
static uint32_t show_way_addrs(const struct fx_addr *dst, const struct show_flow *flow)
{
	struct in6_addr src6 = { .s6_addr = { 0x20, 0x01, 0x0d, 0xb8 } }, dst6;
	uint32_t src = htonl(0xc0000201), dst4;

	memcpy(&dst4, dst->bytes, sizeof(dst4));
	memcpy(&dst6, dst->bytes, sizeof(dst6));
	if (flow) {
		memcpy(&src, flow->src.bytes, sizeof(src));
		memcpy(&src6, flow->src.bytes, sizeof(src6));
	}
	return dst->family == FX_AF_INET ? fx_parse_ipv4_addrs(src, dst4)
					 : fx_parse_ipv6_addrs(&src6, &dst6);
}

static uint32_t show_way_lookup(const struct fwd_maps *maps, const struct fx_addr *addr)
{
	struct fx_lpm4_key key4 = { .prefixlen = 64, .vrf = FX_VRF_DEFAULT };
	struct fx_lpm6_key key6 = { .prefixlen = 160, .vrf = FX_VRF_DEFAULT };
	uint32_t gid = 0;
	int rc;

	memcpy(&key4.addr, addr->bytes, sizeof(key4.addr));
	memcpy(key6.addr, addr->bytes, sizeof(key6.addr));
	rc = addr->family == FX_AF_INET ? bpfmap_lookup(&maps->lpm4, &key4, &gid)
					: bpfmap_lookup(&maps->lpm6, &key6, &gid);
	return rc ? 0 : gid;
}

static uint32_t show_way_hash(const struct fwd_maps *maps, const struct fx_addr *dst,
			      const struct show_flow *flow)
{
	uint32_t seed = bpfmap_load32(&maps->meta, 0, FWD_META_HASH_SEED);
	uint16_t ports_be[2] = { htons(flow->sport), htons(flow->dport) };
	struct in6_addr src6, dst6;
	uint32_t ports, src, dst4;

	memcpy(&ports, ports_be, sizeof(ports));
	if (dst->family == FX_AF_INET) {
		memcpy(&src, flow->src.bytes, sizeof(src));
		memcpy(&dst4, dst->bytes, sizeof(dst4));
		return fx_hash_ipv4(seed, src, dst4, flow->proto, ports);
	}
	memcpy(&src6, flow->src.bytes, sizeof(src6));
	memcpy(&dst6, dst->bytes, sizeof(dst6));
	return fx_hash_ipv6(seed, &src6, &dst6, flow->proto, ports);
}

/* A connected network's neighbour for the address; 0: not resolved. */
static uint32_t show_way_neigh(const struct fwd_maps *maps, uint32_t ifindex,
			       const struct fx_addr *addr)
{
	struct fx_neigh4_key key4 = { .ifindex = ifindex };
	struct fx_neigh6_key key6 = { .ifindex = ifindex };
	uint32_t adj = 0;
	int rc;

	memcpy(&key4.addr, addr->bytes, sizeof(key4.addr));
	memcpy(key6.addr, addr->bytes, sizeof(key6.addr));
	rc = addr->family == FX_AF_INET ? bpfmap_lookup(&maps->neigh4, &key4, &adj)
					: bpfmap_lookup(&maps->neigh6, &key6, &adj);
	return rc ? 0 : adj;
}

static uint32_t show_adj_verdict(uint64_t word)
{
	if (FX_ADJ_KIND(word) == FX_ADJ_PASS)
		return FX_ADJ_VERDICT(word);
	if (FX_ADJ_KIND(word) != FX_ADJ_FORWARD)
		return FX_V_INTERNAL;
	return FX_ADJ_FLAGS(word) & FX_ADJ_F_TX ? FX_V_FORWARDED : FX_V_NO_XDP_TX;
}

static void show_way_adj(const struct fwd_maps *maps, const struct fx_addr *addr,
			 struct show_way *way)
{
	uint64_t word = bpfmap_load64(&maps->adjs, way->adj, 0);

	if (FX_ADJ_KIND(word) == FX_ADJ_GLEAN) {
		way->adj = show_way_neigh(maps, FX_ADJ_IFINDEX(word), addr);
		word = bpfmap_load64(&maps->adjs, way->adj, 0);
	}
	way->verdict = way->adj ? show_adj_verdict(word) : (uint32_t)FX_V_NEIGHBOR;
}

static void show_way_find(const struct fwd_maps *maps, const struct fx_addr *addr,
			  const struct show_flow *flow, struct show_way *way)
{
	uint64_t group;
	uint32_t bucket;

	way->verdict = show_way_addrs(addr, flow);
	if (way->verdict)
		return;
	way->gid = show_way_lookup(maps, addr);
	group = bpfmap_load64(&maps->groups, way->gid, 0);
	switch ((enum fx_group_kind)FX_GROUP_KIND(group)) {
	case FX_GROUP_NONE:
		way->verdict = FX_V_NO_ROUTE;
		return;
	case FX_GROUP_PASS:
	case FX_GROUP_DROP:
		way->verdict = FX_GROUP_VAL(group);
		return;
	case FX_GROUP_ADJ:
		way->adj = FX_GROUP_VAL(group);
		break;
	case FX_GROUP_HASH:
		way->open = !flow;
		if (!flow)
			return;
		bucket = show_way_hash(maps, addr, flow) & ((1u << FX_GROUP_LOG2(group)) - 1);
		way->adj = bpfmap_load32(&maps->buckets, FX_GROUP_VAL(group) + bucket, 0);
		break;
	}
	show_way_adj(maps, addr, way);
}

/* The adjacency as a nexthop: of the route's paths, or the neighbour itself. */
static json_object *show_way_nexthop(struct fpmd *fpmd, const struct fib_route_view *route,
				     uint32_t id)
{
	struct fib_adj_view adj;
	json_object *object;
	uint64_t cursor = 0;
	uint32_t i;

	for (i = 0; route && i < route->npaths; i++) {
		if (route->paths[i].adj != id)
			continue;
		object = show_nexthop(fpmd, &route->paths[i]);
		show_num(object, "member", i);
		return object;
	}
	while (fib_adj_next(fpmd->fib, &cursor, &adj)) {
		if (adj.id != id)
			continue;
		object = json_object_new_object();
		show_ifname(fpmd, object, "interface", adj.ifindex);
		if (adj.has_mac)
			show_mac(object, "mac", adj.mac);
		show_num(object, "member", 0);
		return object;
	}
	return NULL;
}

/* By interface, why a packet that comes in there would not be looked at: no reason, it is. */
static json_object *show_ingress(const struct fpmd *fpmd, uint8_t family)
{
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	json_object *object = json_object_new_object();
	json_object *reasons;

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex)) {
		if (!iface->wanted)
			continue;
		reasons = show_reasons(fpmd_iface_forwards(fpmd, iface, family)
					       ? 0
					       : fpmd_iface_why(fpmd, iface, family));
		if (!iface->attached)
			json_object_array_add(reasons, json_object_new_string("not-attached"));
		json_object_object_add(object, iface->link.name, reasons);
	}
	return object;
}

json_object *show_path(struct fpmd *fpmd, const struct fx_addr *addr, const struct show_flow *flow)
{
	json_object *object = json_object_new_object();
	struct show_way way = { .verdict = FX_V_FORWARDED };
	struct fib_route_view route;
	char text[FX_PREFIX_STRLEN];
	json_object *nexthop = NULL;
	bool found;

	show_way_find(fpmd->maps, addr, flow, &way);
	found = !fib_route_match(fpmd->fib, FX_VRF_DEFAULT, addr, &route);
	if (found && way.open)
		way.verdict = route.verdict;
	if (!fpmd->ready)
		way.verdict = FX_V_NOT_READY;
	show_addr(object, "address", addr);
	if (found) {
		show_str(object, "prefix", fx_prefix_str(&route.dst, text));
		show_num(object, "table", route.table);
		show_protocol(object, "protocol", route.protocol);
	}
	show_num(object, "group", way.gid);
	show_str(object, "verdict", verdict_kind_name(verdict_kind(way.verdict)));
	if (way.verdict != FX_V_FORWARDED)
		show_str(object, "reason", verdict_name(way.verdict));
	if (way.adj)
		nexthop = show_way_nexthop(fpmd, found ? &route : NULL, way.adj);
	if (nexthop)
		json_object_object_add(object, "nexthop", nexthop);
	json_object_object_add(object, "nexthops",
			       found ? show_nexthops(fpmd, route.paths, route.npaths)
				     : json_object_new_array());
	json_object_object_add(object, "ingress", show_ingress(fpmd, addr->family));
	return object;
}
