/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an IPv6 address to a group id, and to a neighbour. */
#ifndef FX_BPF_FWD_LOOKUP6_H
#define FX_BPF_FWD_LOOKUP6_H

#include "bpf/fwd_cache.h"
#include "bpf/fx_hash.h"
#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

static FX_INLINE __u32 fwd_trie6(__u32 vrf, const struct in6_addr *addr)
{
	struct fx_lpm6_key key = { .prefixlen = 160, .vrf = vrf };
	const __u32 *gid;

	__builtin_memcpy(key.addr, addr, sizeof(key.addr));
	gid = bpf_map_lookup_elem(&fx_lpm6, &key);
	return gid ? *gid : FX_GID_NONE;
}

static FX_INLINE struct fx_cached6 *fwd_cached6(const struct in6_addr *addr)
{
	__u32 i = fx_hash_end(fx_hash_addr6(0, addr)) >> (32 - FX_CACHE_BITS);

	return bpf_map_lookup_elem(&fx_cache6, &i);
}

static FX_INLINE int fwd_same_addr6(const struct in6_addr *a, const struct in6_addr *b)
{
	return a->s6_addr32[0] == b->s6_addr32[0] && a->s6_addr32[1] == b->s6_addr32[1] &&
	       a->s6_addr32[2] == b->s6_addr32[2] && a->s6_addr32[3] == b->s6_addr32[3];
}

/* The group of the longest prefix; FX_GID_NONE: no route. */
static FX_INLINE __u32 fwd_lookup6(__u32 vrf, const struct in6_addr *addr, __u64 epoch)
{
	struct fx_cached6 *cached = fwd_cached6(addr);
	__u32 gid;

	if (!cached)
		return FX_GID_NONE;
	if (cached->epoch == epoch && cached->vrf == vrf && fwd_same_addr6(&cached->addr, addr))
		return cached->gid;
	epoch = fwd_epoch_before(epoch);
	gid = fwd_trie6(vrf, addr);
	cached->epoch = epoch;
	cached->vrf = vrf;
	cached->addr = *addr;
	cached->gid = gid;
	return gid;
}

/* The adjacency of a neighbour on a connected network; 0: not resolved. */
static FX_INLINE __u32 fwd_neigh6(__u32 ifindex, const struct in6_addr *addr)
{
	struct fx_neigh6_key key = { .ifindex = ifindex };
	const __u32 *adj;

	__builtin_memcpy(key.addr, addr, sizeof(key.addr));
	adj = bpf_map_lookup_elem(&fx_neigh6, &key);
	return adj ? *adj : 0;
}

#endif
