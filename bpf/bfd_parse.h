/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is it BFD? Nearly every packet is not, and most of those say so in their first bytes. Tagged
 * frames, IPv4 options, IPv6 extension headers and fragments are not ours: Linux takes them apart.
 */
#ifndef FX_BPF_BFD_PARSE_H
#define FX_BPF_BFD_PARSE_H

#include <linux/bpf.h>
#include <linux/udp.h>

#include "bpf/fx_bfd.h"
#include "bpf/fx_csum.h"
#include "bpf/fx_parse.h"

#define BFD_READ(x)	(*(const volatile __typeof__(x) *)&(x))
#define BFD_WRITE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

#define BFD_UDP_HLEN	8u
#define BFD_L4_INET	(ETH_HLEN + FX_IPV4_HLEN)
#define BFD_L4_INET6	(ETH_HLEN + FX_IPV6_HLEN)

struct bfd_pkt {
	__u32 ifindex;
	__u16 family; /* FX_BFD_INET* */
	__u16 kind;   /* enum fx_bfd_kind, by the destination port */
	__u32 ip_len; /* with its header */
	__u32 ttl;
	__u32 peer[4]; /* source address; IPv4: the first word, the rest zero */
	__u32 local[4];
};

/* Where the UDP header is. Computed, not kept: the verifier forgets the range of what is stored. */
static FX_INLINE __u32 bfd_l4(const struct bfd_pkt *pkt)
{
	return pkt->family == FX_BFD_INET ? BFD_L4_INET : BFD_L4_INET6;
}

/* What a destination port makes of a packet; negative: not BFD. */
static FX_INLINE int bfd_kind(__be16 dport)
{
	switch (dport) {
	case FX_BE16(FX_BFD_PORT):
		return FX_BFD_SINGLE_HOP;
	case FX_BE16(FX_BFD_PORT_MH):
		return FX_BFD_MULTI_HOP;
	case FX_BE16(FX_BFD_PORT_ECHO):
		return FX_BFD_ECHO;
	}
	return -1;
}

static FX_INLINE int bfd_parse_ipv4(const struct iphdr *ip, const void *end, struct bfd_pkt *pkt)
{
	const struct udphdr *udp = (const void *)(ip + 1);
	int kind;

	if ((const void *)(udp + 1) > end || ip->protocol != IPPROTO_UDP)
		return 0;
	kind = bfd_kind(udp->dest);
	if (kind < 0 || ip->version != 4 || ip->ihl != 5 || fx_ipv4_is_fragment(ip) ||
	    !fx_csum_ipv4_ok(ip))
		return 0;
	pkt->family = FX_BFD_INET;
	pkt->kind = (__u16)kind;
	pkt->ip_len = FX_BE16(ip->tot_len);
	pkt->ttl = ip->ttl;
	pkt->peer[0] = ip->saddr;
	pkt->local[0] = ip->daddr;
	return 1;
}

static FX_INLINE int bfd_parse_ipv6(const struct ipv6hdr *ip, const void *end, struct bfd_pkt *pkt)
{
	const struct udphdr *udp = (const void *)(ip + 1);
	int kind;

	if ((const void *)(udp + 1) > end || ip->nexthdr != IPPROTO_UDP)
		return 0;
	kind = bfd_kind(udp->dest);
	if (kind < 0 || ip->version != 6)
		return 0;
	pkt->family = FX_BFD_INET6;
	pkt->kind = (__u16)kind;
	pkt->ip_len = FX_BE16(ip->payload_len) + FX_IPV6_HLEN;
	pkt->ttl = ip->hop_limit;
	__builtin_memcpy(pkt->peer, &ip->saddr, 16);
	__builtin_memcpy(pkt->local, &ip->daddr, 16);
	return 1;
}

/* Whether the frame holds all of the IP packet, in its first buffer. */
static FX_INLINE int bfd_is_whole(const struct xdp_md *ctx, const struct bfd_pkt *pkt)
{
	return pkt->ip_len + ETH_HLEN <= (__u32)(ctx->data_end - ctx->data);
}

/* Whether it is BFD for somebody; *pkt (zeroed by the caller) is filled only then. A group address
 * as destination MAC is never BFD's. */
static FX_INLINE int bfd_parse(struct xdp_md *ctx, struct bfd_pkt *pkt)
{
	const struct ethhdr *eth = (void *)(long)ctx->data;
	const void *end = (void *)(long)ctx->data_end;

	if ((const void *)(eth + 1) > end)
		return 0;
	switch (eth->h_proto) {
	case FX_BE16(ETH_P_IP):
		if (!bfd_parse_ipv4((const void *)(eth + 1), end, pkt))
			return 0;
		break;
	case FX_BE16(ETH_P_IPV6):
		if (!bfd_parse_ipv6((const void *)(eth + 1), end, pkt))
			return 0;
		break;
	default:
		return 0;
	}
	pkt->ifindex = ctx->ingress_ifindex;
	return !(eth->h_dest[0] & 1);
}

#endif
