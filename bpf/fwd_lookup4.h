/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an IPv4 address to a group id, to a neighbour, and whether it is one of our own. */
#ifndef FX_BPF_FWD_LOOKUP4_H
#define FX_BPF_FWD_LOOKUP4_H

#include "bpf/fwd_cache.h"
#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

static FX_INLINE __u32 fwd_trie4(__u32 vrf, __be32 addr)
{
	struct fx_lpm4_key key = { .prefixlen = 64, .vrf = vrf, .addr = addr };
	const __u32 *gid = bpf_map_lookup_elem(&fx_lpm4, &key);

	return gid ? *gid : FX_GID_NONE;
}

static FX_INLINE struct fx_cached4 *fwd_cached4(__be32 addr)
{
	__u32 i = (addr * 2654435761u) >> (32 - FX_CACHE_BITS);

	return bpf_map_lookup_elem(&fx_cache4, &i);
}

/* The group of the longest prefix; FX_GID_NONE: no route. */
static FX_INLINE __u32 fwd_lookup4(__u32 vrf, __be32 addr, __u64 epoch)
{
	struct fx_cached4 *cached = fwd_cached4(addr);
	__u32 gid;

	if (!cached)
		return FX_GID_NONE;
	if (cached->epoch == epoch && cached->addr == addr && cached->vrf == vrf)
		return cached->gid;
	epoch = fwd_epoch_before(epoch);
	gid = fwd_trie4(vrf, addr);
	cached->epoch = epoch;
	cached->vrf = vrf;
	cached->addr = addr;
	cached->gid = gid;
	return gid;
}

/* The adjacency of a neighbour on a connected network; 0: not resolved. */
static FX_INLINE __u32 fwd_neigh4(__u32 ifindex, __be32 addr)
{
	struct fx_neigh4_key key = { .ifindex = ifindex, .addr = addr };
	const __u32 *adj = bpf_map_lookup_elem(&fx_neigh4, &key);

	return adj ? *adj : 0;
}

/* fib_validate_source() (net/ipv4/fib_frontend.c, Linux 6.1) lets no packet in that claims to come
 * from this router or from a broadcast address, with rp_filter off too. */
static FX_INLINE int fwd_is_own4(__be32 addr)
{
	__u32 slot = fx_own4_slot(FX_BE32(addr));
	const __u32 *hint = bpf_map_lookup_elem(&fx_own4_hint, &slot);

	return (!hint || *hint) && bpf_map_lookup_elem(&fx_own4, &addr);
}

#endif
