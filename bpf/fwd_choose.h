/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a group id to an adjacency: verdicts of groups, ECMP, and whether the adjacency can send. */
#ifndef FX_BPF_FWD_CHOOSE_H
#define FX_BPF_FWD_CHOOSE_H

#include "bpf/fwd_cache.h"
#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

/* What is known of a packet besides its bytes. */
struct fwd_pkt {
	__u32 ifindex; /* where it came in */
	__u32 vrf;
	__u64 epoch;	 /* of the tries, when the packet came */
	__u32 seed;	 /* of the flow hash */
	__u32 frame_len; /* all buffers together */
	__u32 ip_len;	 /* by the IP header */
	__u32 linear;	 /* bytes in the first buffer */
};

/* Beside a verdict: drop, do not pass. */
#define FWD_DROP (1u << 31)

/* A verdict that comes out of a map. 0 would say forwarded, and none may be beyond the counters. */
static FX_INLINE __u32 fwd_map_verdict(__u32 verdict)
{
	return verdict && verdict < FX_V_COUNT ? verdict : FX_V_INTERNAL;
}

static FX_INLINE __u64 fwd_group(__u32 gid)
{
	const __u64 *word = bpf_map_lookup_elem(&fx_groups, &gid);

	return word ? FWD_READ(*word) : 0;
}

/* FX_V_FORWARDED: the group leads to an adjacency. */
static FX_INLINE __u32 fwd_group_verdict(__u64 word)
{
	switch (FX_GROUP_KIND(word)) {
	case FX_GROUP_NONE:
		return FX_V_NO_ROUTE;
	case FX_GROUP_ADJ:
	case FX_GROUP_HASH:
		return FX_V_FORWARDED;
	case FX_GROUP_PASS:
		return fwd_map_verdict(FX_GROUP_VAL(word));
	case FX_GROUP_DROP:
		return fwd_map_verdict(FX_GROUP_VAL(word)) | FWD_DROP;
	}
	return FX_V_INTERNAL;
}

/* The adjacency id behind the bucket that the hash selects; 0: none. */
static FX_INLINE __u32 fwd_bucket(__u64 word, __u32 hash)
{
	__u32 i = FX_GROUP_VAL(word) + (hash & ((1u << (FX_GROUP_LOG2(word) & 31)) - 1));
	const __u32 *id = bpf_map_lookup_elem(&fx_buckets, &i);

	return id ? FWD_READ(*id) : 0;
}

/* Gives a copy of the adjacency, whose words fit together whatever the daemon does meanwhile. */
static FX_INLINE void fwd_adj(__u32 id, struct fx_adj *ret)
{
	const struct fx_adj *adj = bpf_map_lookup_elem(&fx_adjs, &id);

	ret->word0 = adj ? FWD_READ(adj->word0) : 0;
	ret->dst = adj ? FWD_READ(adj->dst) : 0;
	ret->src = adj ? FWD_READ(adj->src) : 0;
}

static FX_INLINE __u32 fwd_adj_mtu(const struct fx_adj *adj)
{
	__u16 mtu;

	__builtin_memcpy(&mtu, (const char *)&adj->dst + ETH_ALEN, sizeof(mtu));
	return mtu;
}

/* Whether the packet can leave through this adjacency, which is no GLEAN any more. */
static FX_INLINE __u32 fwd_adj_verdict(const struct fx_adj *adj, const struct fwd_pkt *pkt)
{
	__u32 need = FX_ADJ_F_TX | (pkt->frame_len > pkt->linear ? FX_ADJ_F_SG : 0);

	if (FX_ADJ_KIND(adj->word0) == FX_ADJ_PASS)
		return fwd_map_verdict(FX_ADJ_VERDICT(adj->word0));
	if (FX_ADJ_KIND(adj->word0) != FX_ADJ_FORWARD)
		return FX_V_INTERNAL;
	if ((FX_ADJ_FLAGS(adj->word0) & need) != need)
		return FX_V_NO_XDP_TX;
	if (pkt->ip_len > fwd_adj_mtu(adj))
		return FX_V_TOO_BIG;
	if (FX_ADJ_IFINDEX(adj->word0) == pkt->ifindex)
		return FX_V_SAME_INTERFACE;
	return FX_V_FORWARDED;
}

#endif
