/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an adjacency to the wire. Until the last step that can fail nothing in the packet is
 * touched, because a packet that is passed must reach Linux as it came.
 */
#ifndef FX_BPF_FWD_REWRITE_H
#define FX_BPF_FWD_REWRITE_H

#include "bpf/fwd_choose.h"
#include "bpf/fx_csum.h"
#include "bpf/fx_maps.h"

/* Cuts off what lies behind the IP packet, Ethernet padding mostly, as pskb_trim_rcsum() does in
 * ip_rcv_core() and ip6_rcv_core() (Linux 6.1). Invalidates pointers into the packet. */
static FX_INLINE int fwd_trim(struct xdp_md *ctx, const struct fwd_pkt *pkt)
{
	__u32 excess = pkt->frame_len - ETH_HLEN - pkt->ip_len;

	return excess ? (int)bpf_xdp_adjust_tail(ctx, -(int)excess) : 0;
}

static FX_INLINE void fwd_count_adj(__u32 id, __u32 bytes)
{
	struct fx_adjstat *stat = bpf_map_lookup_elem(&fx_adjstats, &id);

	if (!stat)
		return;
	stat->packets++;
	stat->bytes += bytes;
}

static FX_INLINE void fwd_rewrite_macs(struct ethhdr *eth, const struct fx_adj *adj)
{
	__builtin_memcpy(eth->h_dest, &adj->dst, ETH_ALEN);
	__builtin_memcpy(eth->h_source, &adj->src, ETH_ALEN);
}

/* Names the way out and cuts the tail. The helper only notes the device; the packet goes when
 * XDP_REDIRECT is returned. A device that is no more has left the map before the daemon can know.
 */
static FX_INLINE __u32 fwd_ready(struct xdp_md *ctx, const struct fwd_pkt *pkt,
				 const struct fx_adj *adj)
{
	if (bpf_redirect_map(&fx_ports, FX_ADJ_IFINDEX(adj->word0), XDP_PASS) != XDP_REDIRECT)
		return FX_V_LINK_DOWN;
	return fwd_trim(ctx, pkt) ? FX_V_INTERNAL : FX_V_FORWARDED;
}

static FX_INLINE __u32 fwd_send4(struct xdp_md *ctx, const struct fwd_pkt *pkt,
				 const struct fx_adj *adj, __u32 id)
{
	__u32 verdict = fwd_ready(ctx, pkt, adj);
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);

	if (verdict)
		return verdict;
	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return FX_V_INTERNAL;
	fwd_rewrite_macs(eth, adj);
	ip->check = fx_csum_ttl_down(ip->check);
	ip->ttl--;
	fwd_count_adj(id, pkt->ip_len + ETH_HLEN);
	return FX_V_FORWARDED;
}

static FX_INLINE __u32 fwd_send6(struct xdp_md *ctx, const struct fwd_pkt *pkt,
				 const struct fx_adj *adj, __u32 id)
{
	__u32 verdict = fwd_ready(ctx, pkt, adj);
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct ipv6hdr *ip = (void *)(eth + 1);

	if (verdict)
		return verdict;
	if ((void *)(ip + 1) > (void *)(long)ctx->data_end)
		return FX_V_INTERNAL;
	fwd_rewrite_macs(eth, adj);
	ip->hop_limit--;
	fwd_count_adj(id, pkt->ip_len + ETH_HLEN);
	return FX_V_FORWARDED;
}

#endif
