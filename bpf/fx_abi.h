/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract between the daemons and the kernel half: map keys, values, limits, verdicts.
 *
 * Compiled for BPF and for userspace alike, so: fixed-width kernel types only, no bool, no implicit
 * padding, sizes asserted. Whoever changes a layout or a meaning raises FX_ABI_VERSION: a daemon
 * refuses the pinned maps of another version.
 *
 * The way of a lookup:
 *
 *	fx_lpm4/fx_lpm6 {vrf, prefix} -> group id -> fx_groups[gid]
 *		FX_GROUP_ADJ   -> fx_adjs[val]
 *		FX_GROUP_HASH  -> fx_adjs[fx_buckets[val + (hash & mask)]]
 *		FX_GROUP_PASS, FX_GROUP_DROP -> the verdict itself
 *	fx_adjs[id]
 *		FX_ADJ_FORWARD -> rewrite and redirect
 *		FX_ADJ_GLEAN   -> fx_neigh4/fx_neigh6 {ifindex, destination} -> fx_adjs[id]
 *		FX_ADJ_PASS    -> Linux
 *
 * Array values that change under traffic are written word by word with atomic 64-bit (buckets:
 * 32-bit) stores through mmap, never by bpf_map_update_elem(), whose memcpy a reader may see half
 * done. Each word is valid beside each older or newer neighbour word of the same id, because an id
 * keeps its ifindex for life and is used again only after a grace period.
 */
#ifndef FX_BPF_FX_ABI_H
#define FX_BPF_FX_ABI_H

#include <linux/types.h>

#define FX_ABI_VERSION	1

#define FX_MAX_IFINDEX	(1u << 16) /* interfaces with a higher index stay with Linux */
#define FX_MAX_SLOTS	1024u	   /* interfaces with counters at one time */
#define FX_MAX_ADJS	(1u << 16)
#define FX_MAX_GROUPS	(1u << 18)
#define FX_MAX_BUCKETS	(1u << 22)
#define FX_MAX_NEIGHS	(1u << 17) /* per family */
#define FX_MAX_PREFIXES (1u << 22) /* per family; the maps' limit, the daemon's default limit */
#define FX_MAX_OWN4	(1u << 16)

/* The table that stands for "main, with local before it": the id that rtnetlink uses. */
#define FX_VRF_DEFAULT	254u

/*
 * Verdicts. FX_PASS(reason, text): to Linux. FX_DROP: as Linux drops without a word. The text is
 * the JSON key and stays as it is for ever; new ones go to the end of their list.
 */
#define FX_VERDICTS(FX_OK, FX_PASS, FX_DROP)                                                       \
	FX_OK(FORWARDED, "forwarded")                                                              \
	FX_PASS(NOT_IP, "not-ip")	      /* another ethertype: ARP, LLDP, ... */              \
	FX_PASS(VLAN, "vlan-tag")	      /* tagged frame on an interface of ours */           \
	FX_PASS(OTHER_HOST, "not-our-mac")    /* destination MAC not this interface's */           \
	FX_PASS(MALFORMED, "malformed")	      /* lengths or versions that do not add up */         \
	FX_PASS(BAD_CHECKSUM, "bad-checksum") /* IPv4 header */                                    \
	FX_PASS(OPTIONS, "ip-options")	      /* IPv4 header longer than 20 bytes */               \
	FX_PASS(HOP_BY_HOP, "hop-by-hop")     /* IPv6 hop-by-hop options */                        \
	FX_PASS(TTL, "ttl-expired")	      /* TTL or hop limit of 1 or 0 */                     \
	FX_PASS(LOCAL, "local")		      /* for this router itself */                         \
	FX_PASS(NOT_UNICAST, "not-unicast")   /* broadcast, multicast, anycast */                  \
	FX_PASS(MARTIAN, "martian")	      /* an address that must not be forwarded */          \
	FX_PASS(NO_ROUTE, "no-route")                                                              \
	FX_PASS(UNREACHABLE, "unreachable") /* unreachable or prohibit route */                    \
	FX_PASS(TRAPPED, "route-trapped")   /* a route of a kind that we leave to Linux */         \
	FX_PASS(PENDING, "route-pending")   /* next hop not known yet */                           \
	FX_PASS(NEIGHBOR, "neighbor-unresolved")                                                   \
	FX_PASS(LINK_DOWN, "link-down")		  /* the egress link is down */                    \
	FX_PASS(TOO_BIG, "too-big")		  /* longer than the egress or route MTU */        \
	FX_PASS(NO_XDP_TX, "no-xdp-transmit")	  /* the egress device cannot send for XDP */      \
	FX_PASS(SAME_INTERFACE, "same-interface") /* out where it came in: a redirect is due */    \
	FX_PASS(NOT_ELIGIBLE, "not-eligible") /* the ingress interface: show interface says why */ \
	FX_PASS(NOT_READY, "not-ready")	      /* no forwarding state yet, or not attached */       \
	FX_PASS(INTERNAL, "internal")	      /* a map or helper that failed: our fault */         \
	FX_DROP(BLACKHOLE, "blackhole")

enum fx_verdict {
#define FX_V(name, text) FX_V_##name,
	FX_VERDICTS(FX_V, FX_V, FX_V)
#undef FX_V
		FX_V_COUNT,
};

#define FX_V_SLOTS 32u /* room for growth in struct fx_ifstat */

/* fx_meta: one entry, mmapable. */
struct fx_meta {
	__u32 abi;	 /* FX_ABI_VERSION */
	__u32 hash_seed; /* of the ECMP hash; random at creation, kept over restarts */
	__u64 fib_epoch; /* raised after each change of fx_lpm4/6: caches compare it */
	__u32 flags;	 /* FX_META_* */
	__u32 pad;
	__u64 netns; /* cookie of the network namespace that these interfaces and routes are of */
	__u64 reserved[4];
};

#define FX_META_KERNEL_FIRST (1u << 0) /* only routes that this kernel has are forwarded */

/*
 * fx_ifaces[ifindex]: array, mmapable. All zero: not ours. fpm-xdp's, but for the flag FX_IF_BFD,
 * which is bfddp-xdp's: each changes its own part by compare-and-swap, and takes the root off an
 * interface only if the other does not want it there.
 */
struct fx_iface {
	__u64 word0; /* FX_IFACE_* : flags:16 slot:16 vrf:32 */
	__u64 mac; /* own address, the 6 bytes as on the wire in the low end of memory, then 2 zero
		    */
};

#define FX_IF_ATTACHED (1u << 0) /* fpm-xdp wants the root on it, and it is */
#define FX_IF_FWD4     (1u << 1) /* IPv4 packets that come in here may be forwarded */
#define FX_IF_FWD6     (1u << 2)
#define FX_IF_BFD      (1u << 3) /* BFD sessions are here: bfddp-xdp wants the root on it */

static inline __u64 fx_iface_word0(__u32 flags, __u32 slot, __u32 vrf)
{
	return (__u64)(flags & 0xffff) | (__u64)(slot & 0xffff) << 16 | (__u64)vrf << 32;
}

#define FX_IFACE_FLAGS(w) ((__u32)((w)&0xffff))
#define FX_IFACE_SLOT(w)  ((__u32)((w) >> 16 & 0xffff))
#define FX_IFACE_VRF(w)	  ((__u32)((w) >> 32))

/* fx_ifstats[slot]: per-CPU array. Packets by verdict, of packets that came in on the interface. */
struct fx_ifstat {
	__u64 packets[FX_V_SLOTS];
};

/* fx_lpm4, fx_lpm6: LPM tries, value: __u32 group id. prefixlen counts the vrf's 32 bits too. */
struct fx_lpm4_key {
	__u32 prefixlen; /* 32 + prefix length */
	__u32 vrf;
	__be32 addr;
};

struct fx_lpm6_key {
	__u32 prefixlen;
	__u32 vrf;
	__u8 addr[16];
};

/* fx_groups[gid]: array of __u64, mmapable. 0 = FX_GROUP_NONE, read as no route. */
enum fx_group_kind {
	FX_GROUP_NONE,
	FX_GROUP_PASS, /* val = verdict */
	FX_GROUP_DROP, /* val = verdict */
	FX_GROUP_ADJ,  /* val = adjacency id */
	FX_GROUP_HASH, /* val = first bucket; log2 = number of buckets */
};

static inline __u64 fx_group_word(__u32 kind, __u32 log2, __u32 val)
{
	return (__u64)(kind & 0xff) | (__u64)(log2 & 0xff) << 8 | (__u64)val << 32;
}

#define FX_GROUP_KIND(w) ((__u32)((w)&0xff))
#define FX_GROUP_LOG2(w) ((__u32)((w) >> 8 & 0xff))
#define FX_GROUP_VAL(w)	 ((__u32)((w) >> 32))

/* Group ids with a meaning of their own, written once at start. Free ids begin at FX_GID_FIRST. */
enum fx_gid {
	FX_GID_NONE,
	FX_GID_LOCAL,
	FX_GID_NOT_UNICAST,
	FX_GID_BLACKHOLE,
	FX_GID_UNREACHABLE,
	FX_GID_TRAPPED,
	FX_GID_PENDING,
	FX_GID_NO_ROUTE, /* a throw route: the next table is Linux's to look at */
	FX_GID_FIRST = 16,
};

/* fx_buckets[i]: array of __u32 adjacency ids, mmapable. */

/* fx_adjs[id]: array, mmapable. Id 0 stays all zero: pass, internal. */
enum fx_adj_kind {
	FX_ADJ_NONE,
	FX_ADJ_PASS,	/* verdict says why */
	FX_ADJ_FORWARD, /* to this neighbour */
	FX_ADJ_GLEAN,	/* the destination itself is the neighbour: look it up */
};

struct fx_adj {
	__u64 word0; /* kind:8 flags:8 verdict:16 ifindex:32 */
	__u64 dst;   /* dmac: 6 bytes as on the wire, then mtu: 16 bits, the largest IP packet */
	__u64 src;   /* smac: 6 bytes as on the wire, then 16 bits of zero */
	__u64 reserved;
};

#define FX_ADJ_F_TX (1u << 0) /* the device sends for XDP (ndo_xdp_xmit works) */
#define FX_ADJ_F_SG (1u << 1) /* and takes frames of several buffers */

static inline __u64 fx_adj_word0(__u32 kind, __u32 flags, __u32 verdict, __u32 ifindex)
{
	return (__u64)(kind & 0xff) | (__u64)(flags & 0xff) << 8 | (__u64)(verdict & 0xffff) << 16 |
	       (__u64)ifindex << 32;
}

#define FX_ADJ_KIND(w)	  ((__u32)((w)&0xff))
#define FX_ADJ_FLAGS(w)	  ((__u32)((w) >> 8 & 0xff))
#define FX_ADJ_VERDICT(w) ((__u32)((w) >> 16 & 0xffff))
#define FX_ADJ_IFINDEX(w) ((__u32)((w) >> 32))

/* fx_adjstats[id]: per-CPU array; bytes are those of the whole Ethernet frame as sent. */
struct fx_adjstat {
	__u64 packets;
	__u64 bytes;
};

/* fx_neigh4, fx_neigh6: hash, value: __u32 adjacency id. */
struct fx_neigh4_key {
	__u32 ifindex;
	__be32 addr;
};

struct fx_neigh6_key {
	__u32 ifindex;
	__u8 addr[16];
};

/*
 * fx_own4: hash set, key __be32, value __u32 count: addresses that are this router's (or a
 * broadcast address of one of its networks) and thus never a packet's source (fib_validate_source()
 * in Linux 6.1 net/ipv4/fib_frontend.c). fx_own4_hint, array of __u32 counts, mmapable, indexed by
 * fx_own4_slot(): 0 means surely not in the set, so most packets need no hash lookup.
 */
#define FX_OWN4_HINTS 4096u

static inline __u32 fx_own4_slot(__u32 addr_host)
{
	return (addr_host * 2654435761u) >> 20;
}

/* fx_slots: program array of the root. fx_ports: devmap hash, key and value the ifindex. */
enum fx_slot {
	FX_SLOT_BFD,
	FX_SLOT_FILTER,
	FX_SLOT_FWD,
	FX_SLOT_COUNT = 8,
};

_Static_assert(FX_V_COUNT <= FX_V_SLOTS, "verdicts outgrow fx_ifstat");
_Static_assert(sizeof(struct fx_meta) == 64, "fx_meta");
_Static_assert(sizeof(struct fx_iface) == 16, "fx_iface");
_Static_assert(sizeof(struct fx_ifstat) == 256, "fx_ifstat");
_Static_assert(sizeof(struct fx_lpm4_key) == 12, "fx_lpm4_key");
_Static_assert(sizeof(struct fx_lpm6_key) == 24, "fx_lpm6_key");
_Static_assert(sizeof(struct fx_adj) == 32, "fx_adj");
_Static_assert(sizeof(struct fx_adjstat) == 16, "fx_adjstat");
_Static_assert(sizeof(struct fx_neigh4_key) == 8, "fx_neigh4_key");
_Static_assert(sizeof(struct fx_neigh6_key) == 20, "fx_neigh6_key");

#endif
