// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The router, slot FX_SLOT_FWD. What it forwards leaves byte for byte as Linux would have sent it;
 * all else is passed to Linux and counted with its reason. Checks stand in the order in which Linux
 * makes them, since the first that fails is the one that is counted.
 */
#define FX_MAPS_FORWARDING
#include "bpf/fx_count.h"
#include "bpf/fx_csum.h"
#include "bpf/fx_hash.h"
#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"
#include "bpf/fwd_cache.h"
#include "bpf/fwd_lookup4.h"
#include "bpf/fwd_lookup6.h"
#include "bpf/fwd_choose.h"
#include "bpf/fwd_rewrite.h"

/* ip_rcv_core() (net/ipv4/ip_input.c) and the address checks of ip_route_input_slow()
 * (net/ipv4/route.c), Linux 6.1. */
static FX_INLINE __u32 check4(const struct iphdr *ip, struct fwd_pkt *pkt)
{
	__u32 verdict = fx_parse_ipv4_start(ip);

	if (verdict)
		return verdict;
	if (!fx_csum_ipv4_ok(ip))
		return FX_V_BAD_CHECKSUM;
	verdict = fx_parse_ipv4_len(ip, pkt->frame_len - ETH_HLEN);
	if (verdict)
		return verdict;
	pkt->ip_len = FX_BE16(ip->tot_len);
	return fx_parse_ipv4_addrs(ip->saddr, ip->daddr);
}

static FX_INLINE __u32 member4(__u64 group, const struct iphdr *ip, const struct fwd_pkt *pkt,
			       const void *end)
{
	__u32 ports;

	if (FX_GROUP_KIND(group) == FX_GROUP_ADJ)
		return FX_GROUP_VAL(group);
	ports = fx_parse_ports(ip->protocol, fx_ipv4_is_fragment(ip), ip + 1,
			       pkt->ip_len - FX_IPV4_HLEN, end);
	return fwd_bucket(group,
			  fx_hash_ipv4(pkt->seed, ip->saddr, ip->daddr, ip->protocol, ports));
}

/* The route's answer comes before source validation and TTL, as in ip_route_input_slow() and
 * ip_forward() (net/ipv4/ip_forward.c, Linux 6.1). */
static FX_INLINE __u32 forward4(struct xdp_md *ctx, struct fwd_pkt *pkt)
{
	const struct iphdr *ip = (void *)(long)ctx->data + ETH_HLEN;
	const void *end = (void *)(long)ctx->data_end;
	struct fx_adj adj;
	__u32 verdict, id;
	__u64 group;

	if ((const void *)(ip + 1) > end)
		return FX_V_MALFORMED;
	verdict = check4(ip, pkt);
	if (verdict)
		return verdict;
	group = fwd_group(fwd_lookup4(pkt->vrf, ip->daddr, pkt->epoch));
	verdict = fwd_group_verdict(group);
	if (verdict)
		return verdict;
	if (fwd_is_own4(ip->saddr))
		return FX_V_MARTIAN;
	if (ip->ttl <= 1)
		return FX_V_TTL;
	id = member4(group, ip, pkt, end);
	fwd_adj(id, &adj);
	if (FX_ADJ_KIND(adj.word0) == FX_ADJ_GLEAN) {
		id = fwd_neigh4(FX_ADJ_IFINDEX(adj.word0), ip->daddr);
		if (!id)
			return FX_V_NEIGHBOR;
		fwd_adj(id, &adj);
	}
	verdict = fwd_adj_verdict(&adj, pkt);
	return verdict ? verdict : fwd_send4(ctx, pkt, &adj, id);
}

static FX_INLINE __u32 member6(__u64 group, const struct ipv6hdr *ip, const struct fwd_pkt *pkt,
			       const void *end)
{
	__u32 ports;

	if (FX_GROUP_KIND(group) == FX_GROUP_ADJ)
		return FX_GROUP_VAL(group);
	ports = fx_parse_ports(ip->nexthdr, 0, ip + 1, pkt->ip_len - FX_IPV6_HLEN, end);
	return fwd_bucket(group,
			  fx_hash_ipv6(pkt->seed, &ip->saddr, &ip->daddr, ip->nexthdr, ports));
}

/* ip6_rcv_core() (net/ipv6/ip6_input.c), then ip6_forward() (net/ipv6/ip6_output.c), Linux 6.1,
 * which looks at the hop limit first and then refuses a link-local source. */
static FX_INLINE __u32 forward6(struct xdp_md *ctx, struct fwd_pkt *pkt)
{
	const struct ipv6hdr *ip = (void *)(long)ctx->data + ETH_HLEN;
	const void *end = (void *)(long)ctx->data_end;
	struct fx_adj adj;
	__u32 verdict, id;
	__u64 group;

	if ((const void *)(ip + 1) > end)
		return FX_V_MALFORMED;
	verdict = fx_parse_ipv6(ip, pkt->frame_len - ETH_HLEN);
	if (!verdict)
		verdict = fx_parse_ipv6_addrs(&ip->saddr, &ip->daddr);
	if (verdict)
		return verdict;
	pkt->ip_len = FX_BE16(ip->payload_len) + FX_IPV6_HLEN;
	group = fwd_group(fwd_lookup6(pkt->vrf, &ip->daddr, pkt->epoch));
	verdict = fwd_group_verdict(group);
	if (verdict)
		return verdict;
	if (ip->hop_limit <= 1)
		return FX_V_TTL;
	if (fx_ipv6_is_link_local(&ip->saddr))
		return FX_V_MARTIAN;
	id = member6(group, ip, pkt, end);
	fwd_adj(id, &adj);
	if (FX_ADJ_KIND(adj.word0) == FX_ADJ_GLEAN) {
		id = fwd_neigh6(FX_ADJ_IFINDEX(adj.word0), &ip->daddr);
		if (!id)
			return FX_V_NEIGHBOR;
		fwd_adj(id, &adj);
	}
	verdict = fwd_adj_verdict(&adj, pkt);
	return verdict ? verdict : fwd_send6(ctx, pkt, &adj, id);
}

static FX_INLINE int is_own_mac(const struct ethhdr *eth, __u64 mac)
{
	__u64 dest = 0;

	__builtin_memcpy(&dest, eth->h_dest, ETH_ALEN);
	return dest == mac;
}

/* Ethernet, then the family's own way. */
static FX_INLINE __u32 forward(struct xdp_md *ctx, __u64 word0, __u64 mac)
{
	const struct ethhdr *eth = (void *)(long)ctx->data;
	struct fwd_pkt pkt = { .ifindex = ctx->ingress_ifindex, .vrf = FX_IFACE_VRF(word0) };
	const struct fx_meta *meta;
	__u32 zero = 0, family, verdict;

	if ((const void *)(eth + 1) > (void *)(long)ctx->data_end)
		return FX_V_MALFORMED;
	verdict = fx_parse_ethertype(eth->h_proto);
	if (verdict)
		return verdict;
	family = eth->h_proto == FX_BE16(ETH_P_IP) ? FX_IF_FWD4 : FX_IF_FWD6;
	if (!(FX_IFACE_FLAGS(word0) & family))
		return FX_V_NOT_ELIGIBLE;
	if (!is_own_mac(eth, mac))
		return FX_V_OTHER_HOST;
	meta = bpf_map_lookup_elem(&fx_meta, &zero);
	if (!meta || meta->abi != FX_ABI_VERSION)
		return FX_V_NOT_READY;
	pkt.seed = meta->hash_seed;
	pkt.epoch = FWD_READ(meta->fib_epoch);
	pkt.frame_len = (__u32)bpf_xdp_get_buff_len(ctx);
	pkt.linear = ctx->data_end - ctx->data;
	return family == FX_IF_FWD4 ? forward4(ctx, &pkt) : forward6(ctx, &pkt);
}

SEC("xdp.frags")
int fx_fwd(struct xdp_md *ctx)
{
	__u32 ifindex = ctx->ingress_ifindex;
	const struct fx_iface *iface = bpf_map_lookup_elem(&fx_ifaces, &ifindex);
	__u64 word0 = iface ? FWD_READ(iface->word0) : 0;
	__u32 verdict;

	/* Without a slot there is nothing to count in. */
	if (!iface || !(FX_IFACE_FLAGS(word0) & FX_IF_ATTACHED))
		return XDP_PASS;
	verdict = forward(ctx, word0, FWD_READ(iface->mac));
	fx_count(FX_IFACE_SLOT(word0), verdict & ~FWD_DROP);
	if (verdict & FWD_DROP)
		return XDP_DROP;
	return verdict == FX_V_FORWARDED ? XDP_REDIRECT : XDP_PASS;
}

char _license[] SEC("license") = "GPL";
