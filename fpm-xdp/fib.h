/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forwarding model: what is known of routes, nexthops, links and neighbours, and what the maps
 * should hold because of it. Pure: no map, no socket, no clock.
 *
 * Facts go in (fib_route(), fib_link(), fib_neigh()); they only mark what they touch. fib_plan()
 * then gives the map writes that lead from what the maps hold to what they should hold, in an order
 * in which no packet ever meets a half-made path: what an entry points at is written before it, and
 * an id is used again only after a grace period.
 *
 * Each prefix may be known from two sources, the kernel and FPM. A zebra of this machine installs
 * each route in the kernel before it tells FPM (FRR 8.4 to 10.7), so Linux has the last word
 * (kernel-first mode):
 *
 *	kernel local/broadcast/...		-> Linux
 *	kernel route				-> where the kernel's leads
 *	FPM route only				-> Linux, until the kernel has it (pending)
 *
 * A zebra that programs another kernel, or none, is trusted:
 *
 *	kernel local/broadcast/...		-> Linux
 *	kernel route of no FRR daemon		-> the kernel's
 *	FPM route, nexthop known		-> FPM's
 *	kernel route				-> the kernel's
 *	FPM route, nexthop not known		-> Linux (pending)
 *
 * FPM's copies of connected and kernel routes (protocol 2) are never used: FRR 10.3 to 10.7 do not
 * withdraw them all (doc/fpm-protocol.md).
 */
#ifndef FX_FPM_FIB_H
#define FX_FPM_FIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/fx_abi.h"
#include "fpm-xdp/rt_op.h"
#include "lib/addr.h"

enum fib_source {
	FIB_FPM,
	FIB_KERNEL,
	FIB_SOURCES,
};

struct fib_limits {
	uint32_t prefixes; /* over both families and sources' union; a new one beyond it is refused
			    */
	uint32_t adjs;	   /* ids below this are used: at most FX_MAX_ADJS */
	uint32_t groups;
	uint32_t buckets;
};

struct fib;

struct fib *fib_new(const struct fib_limits *limits); /* NULL: no memory. Limits of 0: the ABI's */
void fib_free(struct fib *fib);			      /* NULL ok */

/* ---- facts ---- */

/*
 * One route or nexthop change. RT_SKIP is ignored.
 * 0, -ENOSPC (table full: the route is remembered nowhere, the prefix must stay with Linux and the
 * caller reports OFFLOAD_FAILED), -ENOMEM, -EINVAL (an op that no decoder gives).
 * In FPM's stream a NEWROUTE replaces; in the kernel's, routes of one prefix live side by side with
 * their metrics (fib_kroute.c).
 */
int fib_route(struct fib *fib, enum fib_source source, const struct rt_op *op);

struct fib_link {
	uint32_t ifindex;
	char name[16];
	uint8_t mac[6];
	bool up;     /* IFF_UP and carrier */
	bool xdp_tx; /* the device sends for XDP, our program is attached to it */
	bool xdp_sg; /* ... also frames of several buffers */
	bool ether;  /* ARPHRD_ETHER: MAC addresses are what the neighbour entry holds */
	uint32_t mtu;
};

int fib_link(struct fib *fib, const struct fib_link *link); /* new or changed; 0, -ENOMEM */
void fib_link_del(struct fib *fib, uint32_t ifindex);
/* The kernel may have dropped routes through this link without a word: what leads there goes to
 * Linux until a dump that begins after this has ended. Links that go down or away are doubted by
 * themselves. */
void fib_link_doubt(struct fib *fib, uint32_t ifindex);

/* A neighbour with a valid link-layer address (NUD_VALID); otherwise fib_neigh_del(). */
int fib_neigh(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6]);
void fib_neigh_del(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr);

/*
 * table `id` is looked up on its own for interfaces of that VRF. FX_VRF_DEFAULT (main and local) is
 * always there. Routes of other tables are kept, shown and not programmed.
 */
int fib_vrf(struct fib *fib, uint32_t table, bool on);

/* Kernel-first mode: see above. */
void fib_kernel_first(struct fib *fib, bool on);

/* Mark and sweep: what is not seen again between the two is dropped. The FPM sweep leaves tables
 * alone that are no VRF's: zebra does not replay them (FRR 8.4 to 10.7). */
void fib_resync_begin(struct fib *fib, enum fib_source source);
size_t fib_resync_sweep(struct fib *fib, enum fib_source source); /* how many routes went */

/* One of several routes that only the kernel can tell apart went: a kernel resync would show which.
 * Reads and clears. */
bool fib_resync_wanted(struct fib *fib);

/* ---- what the maps held before us (adoption) ---- */

/* An id that a predecessor's entries may still use: not given out until fib_adopt_end(). */
void fib_adopt_group(struct fib *fib, uint32_t gid, uint64_t word);
void fib_adopt_adj(struct fib *fib, uint32_t id);
/* A predecessor's prefix: kept as it is until the model has its own answer, or fib_adopt_end(). */
int fib_adopt_prefix(struct fib *fib, uint32_t vrf, const struct fx_prefix *prefix, uint32_t gid);
int fib_adopt_neigh(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr, uint32_t adj);
int fib_adopt_own4(struct fib *fib, const struct fx_addr *addr);
/* Everything adopted and not confirmed is planned for removal, ids become free after it. */
void fib_adopt_end(struct fib *fib);

/* ---- plan ---- */

enum fib_step_type {
	FIB_STEP_ADJ,	  /* write adj.id */
	FIB_STEP_BUCKETS, /* write buckets.n words at buckets.base */
	FIB_STEP_GROUP,	  /* write group.gid */
	FIB_STEP_PREFIX,  /* add or change */
	FIB_STEP_PREFIX_DEL,
	FIB_STEP_NEIGH,
	FIB_STEP_NEIGH_DEL,
	FIB_STEP_OWN4,
	FIB_STEP_OWN4_DEL,
};

struct fib_step {
	enum fib_step_type type;
	union {
		struct {
			uint32_t id;
			struct fx_adj value;
			bool fresh; /* a new owner of the id: its counters start at zero */
		} adj;
		struct {
			uint32_t base;
			uint32_t n;
			const uint32_t *ids; /* the model's; valid until the next call into it */
		} buckets;
		struct {
			uint32_t gid;
			uint64_t word;
		} group;
		struct {
			uint32_t vrf;
			struct fx_prefix prefix;
			uint32_t gid;
			void *entry; /* for fib_step_done() */
		} prefix;
		struct {
			uint32_t ifindex;
			struct fx_addr addr;
			uint32_t adj;
		} neigh;
		struct fx_addr own4;
	};
};

/*
 * The next steps, at most max (16 or more); 0: nothing to do. They must be executed in this order
 * and each be answered by fib_step_done() before the next call. Steps of one call are of one
 * dependency chain: runs of equal type may be batched.
 */
size_t fib_plan(struct fib *fib, struct fib_step *steps, size_t max);

/* err: 0 or negative errno. A failed prefix write leaves the prefix to Linux: the plan then removes
 * it, tries a trap in its place, and its route shows as failed. */
void fib_step_done(struct fib *fib, const struct fib_step *step, int err);

bool fib_dirty(const struct fib *fib); /* fib_plan() would give steps */

/* Ids that were freed wait for a grace period: true: some do. The caller waits until every packet
 * that was under way has left (membarrier) between _begin and _end. */
bool fib_grace_begin(struct fib *fib);
void fib_grace_end(struct fib *fib);

/* ---- offload status for zebra ---- */

enum fib_state {
	FIB_ST_PENDING,	  /* nexthop not known, or not in the kernel yet */
	FIB_ST_OFFLOADED, /* forwarded (or dropped: blackhole) in XDP */
	FIB_ST_TRAPPED,	  /* parsed, and left to Linux */
	FIB_ST_FAILED,	  /* the map write failed: left to Linux */
};

#define FIB_STATES (FIB_ST_FAILED + 1)

struct fib_status {
	uint32_t table;
	struct fx_prefix dst;
	uint8_t protocol;
	uint8_t rtm_type;
	enum fib_state state;
};

void fib_status_enable(struct fib *fib, bool on); /* on: every FPM route is reported once anew */
/* The next changed state of an FPM route; false: none. PENDING is never reported. */
bool fib_status_next(struct fib *fib, struct fib_status *ret);

/* ---- questions ---- */

struct fib_path_view {
	uint32_t ifindex;
	struct fx_addr gw; /* family 0: none */
	uint16_t weight;
	bool active; /* link up: packets may take it */
	bool has_mac;
	uint8_t mac[6];
	uint32_t adj; /* adjacency id, 0: none */
	uint32_t nh_id;
};

struct fib_route_view {
	uint32_t table;
	struct fx_prefix dst;
	enum fib_source
		source; /* FIB_FPM: zebra announced it; kernel-first: and the kernel has it */
	bool in_kernel;
	bool in_fpm;
	uint8_t protocol;
	enum rt_kind kind;
	enum fib_state state;
	enum fx_verdict verdict; /* why not forwarded; FX_V_FORWARDED when it is */
	uint8_t encap;		 /* enum rt_encap, when trapped for it */
	uint32_t metric;
	uint32_t nh_id;
	uint32_t gid; /* as planned; 0: not programmed */
	uint32_t npaths;
	const struct fib_path_view *paths; /* the model's; valid until the next call into it */
};

/* Walks every prefix that has a route; *cursor starts at 0. false: no more. The table may change
 * between calls: entries that stay are given exactly once. */
bool fib_route_next(struct fib *fib, uint64_t *cursor, struct fib_route_view *ret);
/* This very prefix, and longest match. -ENOENT. */
int fib_route_get(struct fib *fib, uint32_t table, const struct fx_prefix *dst,
		  struct fib_route_view *ret);
int fib_route_match(struct fib *fib, uint32_t vrf, const struct fx_addr *addr,
		    struct fib_route_view *ret);

struct fib_group_view {
	uint32_t gid; /* 0: not programmed */
	enum fib_source source;
	uint32_t nh_id; /* 0: made from a route's own paths */
	uint32_t routes;
	bool resolved;
	uint32_t buckets; /* 0: no hashing */
	uint32_t npaths;
	const struct fib_path_view *paths;
};

bool fib_group_next(struct fib *fib, uint64_t *cursor, struct fib_group_view *ret);
/* The path that bucket (hash) leads to in group gid; -ENOENT. */
int fib_group_choose(struct fib *fib, uint32_t gid, uint32_t hash, struct fib_path_view *ret);

/* One adjacency that is planned. */
struct fib_adj_view {
	uint32_t id;
	uint32_t ifindex;
	struct fx_addr addr; /* gateway or neighbour; family 0: glean */
	bool has_mac;
	uint8_t mac[6];
	uint32_t mtu;
	struct fx_adj value; /* as planned */
	bool gateway;	     /* a route's next hop, not just a neighbour */
};

bool fib_adj_next(struct fib *fib, uint64_t *cursor, struct fib_adj_view *ret);

/* What the maps should hold, for `show consistency`: 0 = no entry. */
uint32_t fib_expect_prefix(const struct fib *fib, uint32_t vrf, const struct fx_prefix *prefix);
uint64_t fib_expect_group(const struct fib *fib, uint32_t gid);

/* IPv4 addresses beyond single ones are local (ip route add local NET): Linux then validates every
 * source (fib_has_custom_local_routes), the forwarding program does not. No IPv4 forwarding then.
 */
bool fib_has_own_nets(const struct fib *fib);

struct fib_counts {
	uint32_t routes4, routes6; /* prefixes with a route, in any table */
	uint32_t programmed4, programmed6;
	uint32_t fpm, kernel;	       /* routes by source */
	uint32_t groups, adjs, neighs; /* in use */
	uint32_t states[FIB_STATES];   /* prefixes by state, as fib_route_next() gives it */
	uint64_t refused;	       /* -ENOSPC given, ever */
	uint32_t quarantined;	       /* ids that wait for a grace period */
};

void fib_counts(const struct fib *fib, struct fib_counts *ret);

/* Whether FRR (8.4 to 10.7) uses this rtm_protocol for its daemons' routes. */
bool fib_protocol_is_frr(uint8_t protocol);
/* "bgp", "static", ...; NULL: no name. */
const char *fib_protocol_name(uint8_t protocol);

#endif
