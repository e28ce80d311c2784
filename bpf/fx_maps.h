/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every map, defined once. Each object that includes this gets its own definition of the maps it
 * asks for; the loader makes them one by reusing the pinned map of the same name. What keys and
 * values mean: fx_abi.h. Inventory with sizes: README.md.
 *
 * FX_MAPS_FORWARDING or FX_MAPS_BFD before the include: the forwarding state or the BFD sessions
 * too, not only what all programs share.
 */
#ifndef FX_BPF_FX_MAPS_H
#define FX_BPF_FX_MAPS_H

#include <linux/bpf.h>
#include <linux/in6.h>
#include <bpf/bpf_helpers.h>

#include "bpf/fx_abi.h"

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, FX_SLOT_COUNT);
	__type(key, __u32);
	__type(value, __u32);
} fx_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_MAX_IFINDEX);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct fx_iface);
} fx_ifaces SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FX_MAX_SLOTS);
	__type(key, __u32);
	__type(value, struct fx_ifstat);
} fx_ifstats SEC(".maps");

#ifdef FX_MAPS_FORWARDING

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct fx_meta);
} fx_meta SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, FX_MAX_PREFIXES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct fx_lpm4_key);
	__type(value, __u32);
} fx_lpm4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, FX_MAX_PREFIXES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct fx_lpm6_key);
	__type(value, __u32);
} fx_lpm6 SEC(".maps");

/*
 * What the tries said of late, per CPU, one entry per hash of the address. The programs' own: the
 * daemon neither reads nor writes them.
 */
#define FX_CACHE_BITS 12u

struct fx_cached4 {
	__u64 epoch; /* fx_meta.fib_epoch before the trie was asked; good while it has not moved */
	__u32 vrf;
	__be32 addr;
	__u32 gid;
	__u32 pad;
};

struct fx_cached6 {
	__u64 epoch;
	__u32 vrf;
	__u32 gid;
	struct in6_addr addr;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1u << FX_CACHE_BITS);
	__type(key, __u32);
	__type(value, struct fx_cached4);
} fx_cache4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1u << FX_CACHE_BITS);
	__type(key, __u32);
	__type(value, struct fx_cached6);
} fx_cache6 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_MAX_GROUPS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u64);
} fx_groups SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_MAX_BUCKETS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u32);
} fx_buckets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_MAX_ADJS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct fx_adj);
} fx_adjs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FX_MAX_ADJS);
	__type(key, __u32);
	__type(value, struct fx_adjstat);
} fx_adjstats SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FX_MAX_NEIGHS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct fx_neigh4_key);
	__type(value, __u32);
} fx_neigh4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FX_MAX_NEIGHS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct fx_neigh6_key);
	__type(value, __u32);
} fx_neigh6 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FX_MAX_OWN4);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __be32);
	__type(value, __u32);
} fx_own4 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_OWN4_HINTS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, __u32);
} fx_own4_hint SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, FX_MAX_SLOTS);
	__type(key, __u32);
	__type(value, __u32);
} fx_ports SEC(".maps");

#endif

#ifdef FX_MAPS_BFD

#include "bpf/fx_bfd.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct fx_bfd_meta);
} fx_bfd_meta SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_BFD_MAX_SESSIONS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct fx_bfd_sess);
} fx_bfd_sess SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, FX_BFD_MAX_SESSIONS);
	__type(key, __u32);
	__type(value, struct fx_bfd_timer);
} fx_bfd_timers SEC(".maps");

/* Preallocated, unlike other hashes here: when a bfdd hands out all its sessions at once, elements
 * would be wanted faster than the kernel refills its caches of them (-ENOMEM, Linux 6.18). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FX_BFD_MAX_SESSIONS);
	__type(key, __u32);
	__type(value, __u32);
} fx_bfd_by_disc SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2 * FX_BFD_MAX_SESSIONS);
	__type(key, struct fx_bfd_addr_key);
	__type(value, __u32);
} fx_bfd_by_addr SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, FX_BFD_EVENTS_SIZE);
} fx_bfd_events SEC(".maps");

#endif
#endif
