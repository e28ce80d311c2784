/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The peer's packet turned round with ours in it, when ours is due. Everything that the peer wrote
 * is written anew: addresses swapped, TTL 255 (RFC 5881 5), our source port, DSCP CS6 as FRR's bfdd
 * marks BFD, IPv4 without identification and not to be fragmented (RFC 6864 4.1), whole checksums.
 */
#ifndef FX_BPF_BFD_REFLECT_H
#define FX_BPF_BFD_REFLECT_H

#include "bpf/bfd_count.h"
#include "bpf/bfd_csum.h"
#include "bpf/bfd_event.h"

#define BFD_TTL	    255u
#define BFD_TOS	    0xc0u /* CS6 */
#define BFD_UDP_LEN (BFD_UDP_HLEN + FX_BFD_CONTROL_LEN)
#define BFD_DF	    0x4000u

/* What the daemon wants sent; read while its part was at rest (bfd_rx.h). */
struct bfd_turn {
	__u32 send[FX_BFD_WORDS];
	__u32 flags;
	__u32 sport;
	__u64 interval;
	__u32 jitter_min;
	__u32 jitter_span;
};

static FX_INLINE void bfd_turn_read(struct bfd_turn *ret, const struct fx_bfd_sess *s)
{
	__u32 i;

	for (i = 0; i < FX_BFD_WORDS; i++)
		ret->send[i] = BFD_READ(s->send[i]);
	ret->flags = BFD_READ(s->flags);
	ret->sport = BFD_READ(s->sport);
	ret->interval = BFD_READ(s->tx_interval_ns);
	ret->jitter_min = BFD_READ(s->jitter_min);
	ret->jitter_span = BFD_READ(s->jitter_span);
}

/* The daemon gives a sign of life and we speak for it; without one we fall silent, and the peer
 * learns that nobody is there. */
static FX_INLINE int bfd_daemon_lives(__u64 now)
{
	const struct fx_bfd_meta *meta = bfd_meta();
	__s64 since;

	if (!meta)
		return 0;
	since = (__s64)(now - BFD_READ(meta->heartbeat_ns));
	return since < (__s64)BFD_READ(meta->dead_man_ns);
}

/* Whether our packet is due, and ours to send: of all who find it due one wins. */
static FX_INLINE int bfd_claim(struct fx_bfd_sess *s, const struct bfd_turn *turn, __u64 rx_gap,
			       __u64 now)
{
	__u64 due = BFD_READ(s->next_due);
	__u64 delay;

	if (!(turn->flags & FX_BFD_F_REFLECT) || !due || (__s64)(now - due) < 0 ||
	    BFD_READ(s->expired) || !bfd_daemon_lives(now))
		return 0;
	delay = fx_bfd_delay(turn->interval, turn->jitter_min, turn->jitter_span, rx_gap,
			     bpf_get_prandom_u32());
	return __sync_val_compare_and_swap(&s->next_due, due, now + delay) == due;
}

static FX_INLINE void bfd_swap_macs(struct ethhdr *eth)
{
	__u8 mac[ETH_ALEN];

	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
}

static FX_INLINE void bfd_write_ipv4(struct iphdr *ip, const struct bfd_pkt *pkt)
{
	ip->tos = BFD_TOS;
	ip->tot_len = FX_BE16(FX_IPV4_HLEN + BFD_UDP_LEN);
	ip->id = 0;
	ip->frag_off = FX_BE16(BFD_DF);
	ip->ttl = BFD_TTL;
	ip->saddr = pkt->local[0];
	ip->daddr = pkt->peer[0];
	ip->check = 0;
	ip->check = (__u16)~fx_csum_ipv4_sum(ip);
}

static FX_INLINE void bfd_write_ipv6(struct ipv6hdr *ip, const struct bfd_pkt *pkt)
{
	*(__be32 *)ip = FX_BE32(6u << 28 | BFD_TOS << 20);
	ip->payload_len = FX_BE16(BFD_UDP_LEN);
	ip->hop_limit = BFD_TTL;
	__builtin_memcpy(&ip->saddr, pkt->local, 16);
	__builtin_memcpy(&ip->daddr, pkt->peer, 16);
}

static FX_INLINE void bfd_write_udp(struct udphdr *udp, const struct bfd_pkt *pkt,
				    const struct bfd_turn *turn)
{
	__u32 *word = (__u32 *)(udp + 1);
	__u64 sum = bfd_csum_pseudo(pkt, BFD_UDP_LEN);
	__u32 i;

	udp->source = FX_BE16(turn->sport);
	udp->len = FX_BE16(BFD_UDP_LEN);
	sum += (__u64)udp->source + udp->dest + udp->len;
	for (i = 0; i < FX_BFD_WORDS; i++) {
		word[i] = turn->send[i];
		sum += turn->send[i];
	}
	udp->check = bfd_csum_field(sum);
}

/* Turns the frame round. 0, or negative when it cannot be cut to length: nothing has been touched
 * then. Pointers into the packet are void after it. */
static FX_INLINE int bfd_write(struct xdp_md *ctx, const struct bfd_pkt *pkt,
			       const struct bfd_turn *turn)
{
	__u32 l4 = bfd_l4(pkt);
	__u32 len = (__u32)(ctx->data_end - ctx->data);
	struct ethhdr *eth;
	struct udphdr *udp;

	if (len > l4 + BFD_UDP_LEN && bpf_xdp_adjust_tail(ctx, (int)(l4 + BFD_UDP_LEN - len)))
		return -1;
	eth = (void *)(long)ctx->data;
	udp = (void *)eth + l4;
	if ((void *)udp + BFD_UDP_LEN > (void *)(long)ctx->data_end)
		return -1;
	bfd_swap_macs(eth);
	if (pkt->family == FX_BFD_INET)
		bfd_write_ipv4((void *)(eth + 1), pkt);
	else
		bfd_write_ipv6((void *)(eth + 1), pkt);
	bfd_write_udp(udp, pkt, turn);
	return 0;
}

/* Sends our packet if it is due. The action: XDP_TX, else XDP_DROP, as the peer's is consumed. */
static FX_INLINE int bfd_reflect(struct xdp_md *ctx, struct fx_bfd_sess *s,
				 const struct bfd_pkt *pkt, const struct bfd_turn *turn,
				 __u64 rx_gap, __u64 now)
{
	if (!bfd_claim(s, turn, rx_gap, now) || bfd_write(ctx, pkt, turn))
		return XDP_DROP;
	bfd_gap(&s->tx_gaps, now);
	BFD_ADD(s->tx_pkts[FX_BFD_BY_REFLECTOR], 1);
	BFD_ADD(s->tx_bytes, bfd_l4(pkt) - ETH_HLEN + BFD_UDP_LEN);
	return XDP_TX;
}

#endif
