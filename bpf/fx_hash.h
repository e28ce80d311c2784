/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flow hash that chooses a member of a group. Compiled for BPF and for the host, so that `show`
 * and the tests can foretell the choice. Not secret, but seeded: two routers in a row must not
 * choose alike, or the second one would use a part of its paths only.
 */
#ifndef FX_BPF_FX_HASH_H
#define FX_BPF_FX_HASH_H

#include <linux/types.h>

#include "bpf/fx_parse.h"

/* One multiply-xorshift round: each input bit reaches the upper half, which then is folded down. */
static FX_INLINE __u64 fx_hash_round(__u64 h, __u64 word)
{
	h = (h ^ word) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 32;
}

static FX_INLINE __u32 fx_hash_end(__u64 h)
{
	h *= 0xd6e8feb86659fd93ull;
	return (__u32)(h >> 32);
}

static FX_INLINE __u64 fx_hash_tail(__u32 ports, __u8 proto)
{
	return (__u64)ports << 8 | proto;
}

static FX_INLINE __u32 fx_hash_ipv4(__u32 seed, __be32 src, __be32 dst, __u8 proto, __u32 ports)
{
	__u64 h = fx_hash_round(seed, (__u64)src << 32 | dst);

	return fx_hash_end(fx_hash_round(h, fx_hash_tail(ports, proto)));
}

static FX_INLINE __u64 fx_hash_addr6(__u64 h, const struct in6_addr *addr)
{
	h = fx_hash_round(h, (__u64)addr->s6_addr32[0] << 32 | addr->s6_addr32[1]);
	return fx_hash_round(h, (__u64)addr->s6_addr32[2] << 32 | addr->s6_addr32[3]);
}

static FX_INLINE __u32 fx_hash_ipv6(__u32 seed, const struct in6_addr *src,
				    const struct in6_addr *dst, __u8 proto, __u32 ports)
{
	__u64 h = fx_hash_addr6(fx_hash_addr6(seed, src), dst);

	return fx_hash_end(fx_hash_round(h, fx_hash_tail(ports, proto)));
}

#endif
