/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an IPv4 address to a group id, to a neighbour, and whether it is one of our own. */
#ifndef FX_BPF_FWD_LOOKUP4_H
#define FX_BPF_FWD_LOOKUP4_H

#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

/* The group of the longest prefix; FX_GID_NONE: no route. */
static FX_INLINE __u32 fwd_lookup4(__u32 vrf, __be32 addr)
{
	struct fx_lpm4_key key = { .prefixlen = 64, .vrf = vrf, .addr = addr };
	const __u32 *gid = bpf_map_lookup_elem(&fx_lpm4, &key);

	return gid ? *gid : FX_GID_NONE;
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
