/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an IPv6 address to a group id, and to a neighbour. */
#ifndef FX_BPF_FWD_LOOKUP6_H
#define FX_BPF_FWD_LOOKUP6_H

#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

/* The group of the longest prefix; FX_GID_NONE: no route. */
static FX_INLINE __u32 fwd_lookup6(__u32 vrf, const struct in6_addr *addr)
{
	struct fx_lpm6_key key = { .prefixlen = 160, .vrf = vrf };
	const __u32 *gid;

	__builtin_memcpy(key.addr, addr, sizeof(key.addr));
	gid = bpf_map_lookup_elem(&fx_lpm6, &key);
	return gid ? *gid : FX_GID_NONE;
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
