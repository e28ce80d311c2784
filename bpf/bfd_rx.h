/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control packet comes in: whose it is, whether it is valid (RFC 5880 6.8.6, RFC 5881 5, RFC 5883
 * 5), and whether it says anything new.
 *
 * The session is looked for first and the checks follow in the RFC's order: only then is it known
 * whether a packet that fails one is a forgery to be dropped or somebody else's to be passed on.
 */
#ifndef FX_BPF_BFD_RX_H
#define FX_BPF_BFD_RX_H

#include "bpf/bfd_wire.h"
#include "bpf/bfd_count.h"
#include "bpf/bfd_csum.h"
#include "bpf/bfd_event.h"
#include "bpf/bfd_reflect.h"

#define BFD_NEXT (-1) /* not ours: to the next slot */

/* The session in a slot, if it is one, for this kind of packet. */
static FX_INLINE struct fx_bfd_sess *bfd_sess(const __u32 *slot, __u32 kind)
{
	struct fx_bfd_sess *s = slot ? bpf_map_lookup_elem(&fx_bfd_sess, slot) : 0;
	__u32 flags;

	if (!s)
		return 0;
	flags = BFD_READ(s->flags);
	if (!(flags & FX_BFD_F_ACTIVE))
		return 0;
	return !(flags & FX_BFD_F_MULTIHOP) == (kind != FX_BFD_MULTI_HOP) ? s : 0;
}

static FX_INLINE const __u32 *bfd_find_addr(const struct bfd_pkt *pkt)
{
	struct fx_bfd_addr_key key = { .family = pkt->family, .kind = pkt->kind };
	const __u32 *slot;

	key.ifindex = pkt->kind == FX_BFD_MULTI_HOP ? 0 : pkt->ifindex;
	__builtin_memcpy(key.peer, pkt->peer, 16);
	__builtin_memcpy(key.local, pkt->local, 16);
	slot = bpf_map_lookup_elem(&fx_bfd_by_addr, &key);
	if (slot)
		return slot;
	__builtin_memset(key.local, 0, 16);
	return bpf_map_lookup_elem(&fx_bfd_by_addr, &key);
}

/* A discriminator that is no longer the session's may still lead to it, until the peer has learned
 * the new one. */
static FX_INLINE struct fx_bfd_sess *bfd_find(const struct bfd_pkt *pkt, __u32 your_disc,
					      __u32 *ret_slot)
{
	const __u32 *slot = your_disc ? bpf_map_lookup_elem(&fx_bfd_by_disc, &your_disc)
				      : bfd_find_addr(pkt);
	struct fx_bfd_sess *s = bfd_sess(slot, pkt->kind);

	if (s)
		*ret_slot = *slot;
	return s;
}

static FX_INLINE int bfd_is_addr(const __u8 *mine, const __u32 *theirs)
{
	const __u32 *word = (const __u32 *)mine;

	return BFD_READ(word[0]) == theirs[0] && BFD_READ(word[1]) == theirs[1] &&
	       BFD_READ(word[2]) == theirs[2] && BFD_READ(word[3]) == theirs[3];
}

static FX_INLINE int bfd_is_zero(const __u8 *addr)
{
	const __u32 *word = (const __u32 *)addr;

	return !(BFD_READ(word[0]) | BFD_READ(word[1]) | BFD_READ(word[2]) | BFD_READ(word[3]));
}

/* From the session's peer to its address. */
static FX_INLINE int bfd_is_ours(const struct fx_bfd_sess *s, const struct bfd_pkt *pkt)
{
	__u32 family = BFD_READ(s->flags) & FX_BFD_F_IPV6 ? FX_BFD_INET6 : FX_BFD_INET;

	return family == pkt->family && bfd_is_addr(s->peer, pkt->peer) &&
	       (bfd_is_zero(s->local) || bfd_is_addr(s->local, pkt->local));
}

static FX_INLINE int bfd_ttl_ok(const struct fx_bfd_sess *s, const struct bfd_pkt *pkt)
{
	if (pkt->kind == FX_BFD_SINGLE_HOP)
		return pkt->ttl == BFD_TTL;
	return !s || pkt->ttl >= BFD_READ(s->min_ttl);
}

/* The checks that need the session. */
static FX_INLINE __u32 bfd_check_sess(const struct fx_bfd_sess *s, const struct bfd_pkt *pkt,
				      const __u8 *control)
{
	__u32 ifindex, rej;

	if (!s)
		return bfd_wire_your_disc(control) ? FX_BFD_REJ_YOUR_DISC : FX_BFD_REJ_NO_SESSION;
	rej = bfd_wire_check_auth(control);
	if (rej)
		return rej;
	if (!bfd_is_ours(s, pkt))
		return FX_BFD_REJ_ADDRESS;
	ifindex = BFD_READ(s->ifindex);
	if (ifindex && ifindex != pkt->ifindex)
		return FX_BFD_REJ_INTERFACE;
	return BFD_READ(s->flags) & FX_BFD_F_ADMIN_DOWN ? FX_BFD_REJ_ADMIN_DOWN : FX_BFD_REJ_NONE;
}

/* RFC 5881 5 and RFC 5883 5 first, then RFC 5880 6.8.6 in its order. control: 24 bytes behind udp
 * that lie within the frame. */
static FX_INLINE __u32 bfd_check(const struct fx_bfd_sess *s, const struct bfd_pkt *pkt,
				 const struct udphdr *udp, const void *end)
{
	const __u8 *control = (const __u8 *)(udp + 1);
	const __u32 *word = (const __u32 *)udp;
	__u32 len = FX_BE16(udp->len), i, rej;
	__u64 sum = 0;

	if (!bfd_ttl_ok(s, pkt))
		return FX_BFD_REJ_TTL;
	if (len < BFD_UDP_LEN || len + bfd_l4(pkt) - ETH_HLEN > pkt->ip_len)
		return FX_BFD_REJ_SHORT;
	for (i = 0; i < BFD_UDP_LEN / 4; i++)
		sum += word[i];
	if (bfd_csum_bytes((const __u8 *)udp, end, BFD_UDP_LEN, len, &sum) ||
	    !bfd_csum_ok(pkt, udp, sum))
		return FX_BFD_REJ_CHECKSUM;
	rej = bfd_wire_check(control, len - BFD_UDP_HLEN);
	return rej ? rej : bfd_check_sess(s, pkt, control);
}

/* Counts a reject; the action. */
static FX_INLINE int bfd_reject(struct fx_bfd_sess *s, const struct bfd_pkt *pkt, __u32 rej)
{
	struct fx_bfd_meta *meta;

	if (rej >= FX_BFD_REJ_SLOTS)
		return BFD_NEXT;
	if (!s) {
		meta = bfd_meta();
		if (meta)
			BFD_ADD(meta->rejects[rej], 1);
		return BFD_NEXT;
	}
	BFD_ADD(s->rejects[rej], 1);
	return bfd_is_ours(s, pkt) ? XDP_DROP : BFD_NEXT;
}

static FX_INLINE int bfd_is_expected(const struct fx_bfd_sess *s, const __u8 *control)
{
	const __u32 *word = (const __u32 *)control;
	__u32 diff = 0, i;

	for (i = 0; i < FX_BFD_WORDS; i++)
		diff |= word[i] ^ BFD_READ(s->expect[i]);
	return !diff;
}

/* A read of seq that later reads do not pass, nor earlier ones. */
static FX_INLINE __u32 bfd_seq(struct fx_bfd_sess *s)
{
	return __sync_fetch_and_add(&s->seq, 0);
}

/* A valid packet of this session; the action. */
static FX_INLINE int bfd_accept(struct xdp_md *ctx, __u32 slot, struct fx_bfd_sess *s,
				const struct bfd_pkt *pkt, const __u8 *control)
{
	__u64 now = bpf_ktime_get_ns(), rx_gap;
	__u32 seq = bfd_seq(s), state = bfd_wire_state(control);
	int expected = bfd_is_expected(s, control), same_state, at_rest;
	struct bfd_turn turn;

	same_state = state == BFD_READ(*((const __u8 *)s->expect + 1)) >> 6;
	bfd_turn_read(&turn, s);
	at_rest = !(seq & 1) && bfd_seq(s) == seq;
	expected &= at_rest;

	if (expected || state >= BFD_STATE_INIT)
		BFD_WRITE(s->last_rx, now);
	rx_gap = bfd_gap(&s->rx_gaps, now);
	BFD_ADD(s->rx_pkts, 1);
	BFD_ADD(s->rx_bytes, pkt->ip_len);
	if (!expected && bfd_event_packet(slot, s, pkt, control, now))
		return XDP_PASS; /* the ring is full: the daemon's socket gets it */
	if (!at_rest || !same_state)
		return XDP_DROP;
	return bfd_reflect(ctx, s, pkt, &turn, rx_gap, now);
}

/* The action for a control packet, or BFD_NEXT. */
static FX_INLINE int bfd_rx(struct xdp_md *ctx, const struct bfd_pkt *pkt)
{
	const void *end = (void *)(long)ctx->data_end;
	const struct udphdr *udp = (void *)(long)ctx->data + bfd_l4(pkt);
	const __u8 *control = (const __u8 *)(udp + 1);
	struct fx_bfd_sess *s;
	__u32 slot, rej;

	if (control + FX_BFD_CONTROL_LEN > (const __u8 *)end || !bfd_is_whole(ctx, pkt))
		return bfd_reject(0, pkt, FX_BFD_REJ_SHORT);
	s = bfd_find(pkt, bfd_wire_your_disc(control), &slot);
	rej = bfd_check(s, pkt, udp, end);
	if (rej || !s)
		return bfd_reject(s, pkt, rej);
	return bfd_accept(ctx, slot, s, pkt, control);
}

#endif
