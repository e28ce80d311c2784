/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one parser: Ethernet, IPv4, IPv6, L4 ports, fragments. Compiled for BPF and for the host.
 *
 * Checks give an enum fx_verdict; FX_V_FORWARDED, which is 0, says that nothing speaks against
 * forwarding so far. They stand in the order of Linux's receive path, since the first one that
 * fails is what gets counted. Callers have checked that the fixed header lies within the frame.
 */
#ifndef FX_BPF_FX_PARSE_H
#define FX_BPF_FX_PARSE_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/types.h>

#include "bpf/fx_abi.h"

#define FX_INLINE inline __attribute__((always_inline))

/* Network byte order to host byte order and back; good for constants too. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FX_BE16(x) ((__u16)__builtin_bswap16((__u16)(x)))
#define FX_BE32(x) ((__u32)__builtin_bswap32((__u32)(x)))
#else
#define FX_BE16(x) ((__u16)(x))
#define FX_BE32(x) ((__u32)(x))
#endif

#define FX_IPV4_HLEN	 20u
#define FX_IPV6_HLEN	 40u
#define FX_IPV4_FRAGMENT 0x3fffu /* more fragments, or an offset: RFC 791 3.1 */

/* The ethertype decides first: ARP and LLDP come to group addresses and are no IP either way. */
static FX_INLINE __u32 fx_parse_ethertype(__be16 proto)
{
	switch (proto) {
	case FX_BE16(ETH_P_IP):
	case FX_BE16(ETH_P_IPV6):
		return FX_V_FORWARDED;
	case FX_BE16(ETH_P_8021Q):
	case FX_BE16(ETH_P_8021AD):
		return FX_V_VLAN;
	}
	return FX_V_NOT_IP;
}

/* What ip_rcv_core() (net/ipv4/ip_input.c, Linux 6.1) checks before the checksum. Options are
 * Linux's business. */
static FX_INLINE __u32 fx_parse_ipv4_start(const struct iphdr *ip)
{
	if (ip->version != 4 || ip->ihl < 5)
		return FX_V_MALFORMED;
	return ip->ihl > 5 ? FX_V_OPTIONS : FX_V_FORWARDED;
}

/* What it checks behind the checksum. room: bytes in the frame from the IP header on. */
static FX_INLINE __u32 fx_parse_ipv4_len(const struct iphdr *ip, __u32 room)
{
	__u32 len = FX_BE16(ip->tot_len);

	return len < FX_IPV4_HLEN || len > room ? FX_V_MALFORMED : FX_V_FORWARDED;
}

static FX_INLINE int fx_ipv4_is_zero_or_loop_net(__u32 addr)
{
	return addr >> 24 == 0 || addr >> 24 == 127;
}

/*
 * Addresses that no route is asked for: ip_route_input_slow() (net/ipv4/route.c, Linux 6.1). Class
 * E Linux does forward, if a route says so; it is rare enough to be left to it.
 */
static FX_INLINE __u32 fx_parse_ipv4_addrs(__be32 saddr, __be32 daddr)
{
	__u32 src = FX_BE32(saddr);
	__u32 dst = FX_BE32(daddr);

	if (dst >> 28 >= 14)
		return FX_V_NOT_UNICAST;
	if (src >> 28 >= 14 || fx_ipv4_is_zero_or_loop_net(src) || fx_ipv4_is_zero_or_loop_net(dst))
		return FX_V_MARTIAN;
	return FX_V_FORWARDED;
}

/*
 * ip6_rcv_core() (net/ipv6/ip6_input.c, Linux 6.1). A payload length of 0 is either a jumbogram
 * (RFC 2675), which has hop-by-hop options, or a header alone: both are left to Linux. room: bytes
 * in the frame from the IP header on.
 */
static FX_INLINE __u32 fx_parse_ipv6(const struct ipv6hdr *ip, __u32 room)
{
	__u32 len = FX_BE16(ip->payload_len);

	if (ip->version != 6)
		return FX_V_MALFORMED;
	if (ip->nexthdr == 0)
		return FX_V_HOP_BY_HOP;
	return len == 0 || len + FX_IPV6_HLEN > room ? FX_V_MALFORMED : FX_V_FORWARDED;
}

static FX_INLINE int fx_ipv6_is_link_local(const struct in6_addr *addr)
{
	return (addr->s6_addr32[0] & FX_BE32(0xffc00000)) == FX_BE32(0xfe800000);
}

/* Unspecified, loopback and IPv4-mapped: RFC 4291 2.5.2, 2.5.3, 2.5.5.2. */
static FX_INLINE int fx_ipv6_is_special(const struct in6_addr *addr)
{
	if (addr->s6_addr32[0] | addr->s6_addr32[1])
		return 0;
	if (addr->s6_addr32[2] == FX_BE32(0x0000ffff))
		return 1;
	return addr->s6_addr32[2] == 0 && FX_BE32(addr->s6_addr32[3]) <= 1;
}

/*
 * Before the lookup. A link-local destination is never forwarded (RFC 4291 2.5.6) and mostly means
 * this router: neighbour discovery and routing protocols.
 */
static FX_INLINE __u32 fx_parse_ipv6_addrs(const struct in6_addr *src, const struct in6_addr *dst)
{
	if (dst->s6_addr[0] == 0xff)
		return FX_V_NOT_UNICAST;
	if (fx_ipv6_is_link_local(dst))
		return FX_V_LOCAL;
	if (src->s6_addr[0] == 0xff || fx_ipv6_is_special(src) || fx_ipv6_is_special(dst))
		return FX_V_MARTIAN;
	return FX_V_FORWARDED;
}

/* Whether the first four bytes behind the IP header are a source and a destination port. */
static FX_INLINE int fx_proto_has_ports(__u8 proto)
{
	switch (proto) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
	case IPPROTO_UDPLITE:
		return 1;
	}
	return 0;
}

/*
 * Both ports as one word, or 0 where a flow is told by addresses and protocol alone: other
 * protocols, every fragment (the first one too, or a datagram would be torn apart over two paths),
 * ports that are cut off. l4: what follows the IP header, l4_len: its length by the IP header.
 */
static FX_INLINE __u32 fx_parse_ports(__u8 proto, int fragment, const void *l4, __u32 l4_len,
				      const void *end)
{
	const __u32 *ports = l4;

	if (fragment || !fx_proto_has_ports(proto) || l4_len < sizeof(*ports))
		return 0;
	return (const void *)(ports + 1) > end ? 0 : *ports;
}

static FX_INLINE int fx_ipv4_is_fragment(const struct iphdr *ip)
{
	return (ip->frag_off & FX_BE16(FX_IPV4_FRAGMENT)) != 0;
}

#endif
