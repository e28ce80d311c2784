/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Echo packets (RFC 5880 6.4, RFC 5881 4): the peer's go back as a router would have looped them,
 * ours have come back. Nothing in the peer's is looked at: what is in them is its own affair.
 */
#ifndef FX_BPF_BFD_ECHO_H
#define FX_BPF_BFD_ECHO_H

#include "bpf/bfd_rx.h"

/*
 * Ours: routed back once by the peer, or sent back by its BFD (FRR's answers with TTL 254), so a
 * TTL below 254 is a forgery from afar.
 */
static FX_INLINE int bfd_echo_is_own(const struct bfd_pkt *pkt, const __u8 *payload,
				     const void *end)
{
	struct fx_bfd_sess *s;
	const __u32 *slot;
	__u32 disc;

	if ((const void *)(payload + FX_BFD_ECHO_LEN) > end ||
	    bfd_wire_u32(payload + FX_BFD_ECHO_AT_MAGIC) != FX_BFD_ECHO_MAGIC ||
	    pkt->ttl < BFD_TTL - 1)
		return 0;
	disc = bfd_wire_u32(payload + FX_BFD_ECHO_AT_DISC);
	slot = bpf_map_lookup_elem(&fx_bfd_by_disc, &disc);
	s = bfd_sess(slot, pkt->kind);
	if (!s || BFD_READ(s->ifindex) != pkt->ifindex)
		return 0;
	BFD_WRITE(s->echo_last_rx, bpf_ktime_get_ns());
	BFD_ADD(s->echo_rx, 1);
	return 1;
}

/* The session that this packet is the echo of: the peer's address is given, ours may be anything.
 */
static FX_INLINE struct fx_bfd_sess *bfd_echo_sess(const struct bfd_pkt *pkt, const __u32 *peer)
{
	struct fx_bfd_addr_key key = {
		.ifindex = pkt->ifindex,
		.family = pkt->family,
		.kind = FX_BFD_ECHO,
	};
	struct fx_bfd_sess *s;

	__builtin_memcpy(key.peer, peer, 16);
	s = bfd_sess(bpf_map_lookup_elem(&fx_bfd_by_addr, &key), pkt->kind);
	return s && BFD_READ(s->flags) & FX_BFD_F_ECHO_RX ? s : 0;
}

/* TTL by one down, as forwarding does. */
static FX_INLINE void bfd_echo_ttl(struct ethhdr *eth, const struct bfd_pkt *pkt)
{
	struct iphdr *ip = (void *)(eth + 1);
	struct ipv6hdr *ip6 = (void *)(eth + 1);

	if (pkt->family == FX_BFD_INET) {
		ip->check = fx_csum_ttl_down(ip->check);
		ip->ttl--;
	} else {
		ip6->hop_limit--;
	}
}

/* What was sent to us goes back to the sender; no checksum feels a swap. */
static FX_INLINE void bfd_echo_swap(struct ethhdr *eth, const struct bfd_pkt *pkt)
{
	struct iphdr *ip = (void *)(eth + 1);
	struct ipv6hdr *ip6 = (void *)(eth + 1);
	struct udphdr *udp = (void *)eth + bfd_l4(pkt);
	__be16 port = udp->source;

	udp->source = udp->dest;
	udp->dest = port;
	if (pkt->family == FX_BFD_INET) {
		ip->saddr = pkt->local[0];
		ip->daddr = pkt->peer[0];
	} else {
		__builtin_memcpy(&ip6->saddr, pkt->local, 16);
		__builtin_memcpy(&ip6->daddr, pkt->peer, 16);
	}
}

/* A checksum that was left to a device (bfd_csum.h) is made here, since nobody does it later. 0, or
 * negative: the datagram does not lie within the frame. */
static FX_INLINE int bfd_echo_csum(struct udphdr *udp, const void *end, const struct bfd_pkt *pkt)
{
	__u32 len = FX_BE16(udp->len);
	__u64 sum = 0;

	if (!udp->check || !bfd_csum_is_partial(pkt, udp))
		return 0;
	/* the pseudo header's sum is in the field already */
	if (bfd_csum_bytes((const __u8 *)udp, end, 0, len, &sum))
		return -1;
	udp->check = bfd_csum_field(sum);
	return 0;
}

/* The action for an echo packet, or BFD_NEXT. */
static FX_INLINE int bfd_echo(struct xdp_md *ctx, const struct bfd_pkt *pkt)
{
	const void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct udphdr *udp = (void *)eth + bfd_l4(pkt);
	struct fx_bfd_sess *s;
	int to_us;

	if ((const void *)(udp + 1) > end || !bfd_is_whole(ctx, pkt))
		return BFD_NEXT;
	if (bfd_echo_is_own(pkt, (const __u8 *)(udp + 1), end))
		return XDP_DROP;
	s = bfd_echo_sess(pkt, pkt->local); /* addressed to the peer itself: routed back */
	to_us = !s;
	if (to_us)
		s = bfd_echo_sess(pkt, pkt->peer);
	/* What is addressed to us and has been sent back before would go to and fro. */
	if (!s || pkt->ttl <= 1 || (to_us && (pkt->ttl != BFD_TTL || !bfd_is_ours(s, pkt))))
		return BFD_NEXT;
	if (bfd_echo_csum(udp, end, pkt))
		return BFD_NEXT;
	bfd_swap_macs(eth);
	bfd_echo_ttl(eth, pkt);
	if (to_us)
		bfd_echo_swap(eth, pkt);
	BFD_ADD(s->echo_looped, 1);
	return XDP_TX;
}

#endif
