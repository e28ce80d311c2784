/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UDP checksum, always over the whole datagram: what comes in is not trusted, what goes out is
 * made anew. All sums are of words as they lie in memory (RFC 1071 2.B).
 */
#ifndef FX_BPF_BFD_CSUM_H
#define FX_BPF_BFD_CSUM_H

#include "bpf/bfd_parse.h"

/* A control packet's length is one byte (RFC 5880 4.1), so longer datagrams are nobody's. */
#define BFD_UDP_MAX (BFD_UDP_HLEN + 256u)

/* Addresses, protocol, length: RFC 768, RFC 8200 8.1. */
static FX_INLINE __u64 bfd_csum_pseudo(const struct bfd_pkt *pkt, __u32 udp_len)
{
	__u64 sum = FX_BE16(IPPROTO_UDP) + (__u64)FX_BE16(udp_len);
	__u32 i;

	for (i = 0; i < 4; i++)
		sum += (__u64)pkt->peer[i] + pkt->local[i];
	return sum;
}

/* Hides from the compiler what it knows of a pointer (V-5). */
#define BFD_OPAQUE(p) __asm__ volatile("" : "+r"(p))

/* The bytes [from, len) behind l4, from even. Negative: they do not lie within the frame. */
static FX_INLINE int bfd_csum_bytes(const __u8 *l4, const void *end, __u32 from, __u32 len,
				    __u64 *sum)
{
	const __u8 *at = l4 + from;
	__u32 i;

	for (i = from; i < BFD_UDP_MAX && i + 1 < len; i += 2) {
		BFD_OPAQUE(at);
		if ((const void *)(at + 2) > end)
			return -1;
		*sum += *(const __u16 *)at;
		at += 2;
	}
	if (i >= len)
		return 0;
	BFD_OPAQUE(at);
	if (i >= BFD_UDP_MAX || (const void *)(at + 1) > end)
		return -1;
	*sum += FX_BE16(*at << 8);
	return 0;
}

/*
 * A sender on a virtual link (veth, virtio) that leaves checksums to a device which never comes has
 * put the pseudo header's sum there (CHECKSUM_PARTIAL in Linux). Linux takes such a packet for
 * right, and so is it taken here.
 */
static FX_INLINE int bfd_csum_is_partial(const struct bfd_pkt *pkt, const struct udphdr *udp)
{
	return udp->check == fx_csum_fold(bfd_csum_pseudo(pkt, FX_BE16(udp->len)));
}

/* Whether a datagram's checksum is right. sum: of all its bytes. */
static FX_INLINE int bfd_csum_ok(const struct bfd_pkt *pkt, const struct udphdr *udp, __u64 sum)
{
	if (!udp->check) /* none sent: RFC 768, and RFC 8200 8.1 forbids it */
		return pkt->family == FX_BFD_INET;
	if (fx_csum_fold(sum + bfd_csum_pseudo(pkt, FX_BE16(udp->len))) == 0xffff)
		return 1;
	return bfd_csum_is_partial(pkt, udp);
}

/* The field for a sum that was made with the field zero; never 0, which would say "none". */
static FX_INLINE __be16 bfd_csum_field(__u64 sum)
{
	__u16 check = (__u16)~fx_csum_fold(sum);

	return check ? check : 0xffff;
}

#endif
