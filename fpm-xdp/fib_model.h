/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of the forwarding model: what the fib_*.c files share and nobody else includes.
 *
 *	fib_entry   one prefix of one table: FPM's route, the kernel's routes, what the map holds
 *	fib_kroute  one route of the kernel (or a source-specific one of FPM's) on an entry
 *	fib_nhg	    a set of paths: a nexthop object by id, or a route's own paths, shared by
 *content fib_adj	    a neighbour to send to, or "the destination itself" (glean), on one link
 *	fib_link_st a link;  fib_neigh_st a neighbour's MAC address
 *
 * Who counts: routes and groups that name a fib_nhg hold `refs` on it; entries whose map value is
 * its gid hold `uses`. A fib_adj lives while a programmed nhg or a neighbour holds it.
 */
#ifndef FX_FPM_FIB_MODEL_H
#define FX_FPM_FIB_MODEL_H

#include "fpm-xdp/fib.h"
#include "fpm-xdp/fib_ids.h"
#include "lib/list.h"
#include "lib/slab.h"

struct fib_link_st {
	struct fx_hnode hnode;
	struct fib_link info;
	struct fx_list adjs;	/* fib_adj.on_link */
	struct fx_list doubted; /* fib.doubted_links */
	uint32_t sure_gen;	/* the kernel's dump that ends the doubt */
	bool known;		/* false: only a place for adjacencies that name the index */
};

struct fib_neigh_st {
	struct fx_hnode hnode;
	struct fx_list dirty; /* fib.dirty_neighs */
	struct fib_adj *adj;  /* NULL: no id was free, or going away */
	uint32_t ifindex;
	struct fx_addr addr;
	uint8_t mac[6];
	bool valid;	 /* false: to be removed from the map, then freed */
	bool adopted;	 /* a predecessor's entry, not confirmed yet */
	uint32_t in_map; /* adjacency id that the map holds; 0: none */
};

struct fib_adj {
	struct fx_hnode hnode;
	struct fx_list on_link;
	struct fx_list dirty;
	struct fib_link_st *link;
	struct fx_addr addr; /* family 0: glean */
	uint32_t mtu;	     /* of the route; 0: the link's alone */
	uint32_t id;
	uint32_t refs;
	uint32_t gateways;   /* how many of refs are groups' */
	struct fx_adj value; /* as last planned */
	bool fresh;
};

struct fib_member {
	struct rt_path path; /* weight as resolved, nh_id where it came from */
	struct fib_adj *adj; /* NULL while the nhg is not programmed */
};

enum fib_nhg_state {
	FIB_NHG_UNRESOLVED,
	FIB_NHG_PATHS,
	FIB_NHG_BLACKHOLE,
	FIB_NHG_TRAPPED,
};

struct fib_nhg {
	struct fx_hnode hnode;	   /* by id, or by content */
	struct fx_list dirty;	   /* fib.dirty_nhgs: group or buckets to be written */
	struct fx_list routes;	   /* fib_entry.f.on_nhg, fib_kroute.on_nhg */
	struct fx_list dependents; /* fib_dep.on_target: groups that have it as a member */
	struct fib_dep *deps; /* own members by id: ndefs of them, target NULL for plain paths */
	struct rt_path *defs; /* the definition as it came */
	struct fib_member *members; /* what it resolves to */
	uint32_t *buckets;	    /* adjacency ids, 1 << log2 of them; NULL: none */
	uint32_t id;		    /* nexthop id; 0: by content */
	uint32_t mtu;
	uint32_t gid;  /* 0: not programmed */
	uint32_t base; /* of its buckets */
	uint32_t refs;
	uint32_t uses;
	uint32_t nroutes;
	uint32_t gen;
	uint32_t told; /* gen of the dump during which a notice told of it */
	uint16_t ndefs;
	uint16_t nmembers;
	uint8_t log2;
	uint8_t source; /* enum fib_source of ids; contents belong to both */
	uint8_t state;	/* enum fib_nhg_state */
	uint8_t encap;
	uint8_t flags; /* RT_F_* of the definition */
	bool defined;
	bool resolving; /* guards against loops of groups */
};

struct fib_dep {
	struct fx_list on_target;
	struct fib_nhg *owner;
	struct fib_nhg *target;
};

/* Stands in the nhg's list of routes: which entry to look at again. */
struct fib_use {
	struct fx_list on_nhg;
	struct fib_entry *entry;
	struct fib_nhg *nhg;
};

/* What tells the kernel's routes apart. No padding: compared and hashed as bytes. */
struct fib_kroute_key {
	uint32_t table;
	uint32_t metric;
	uint32_t device; /* IPv6 without a gateway: the interface; else 0 */
	uint8_t tos;
	uint8_t source; /* FIB_FPM: a source-specific route of FPM's */
	struct fx_prefix dst, src;
	uint8_t zero[2];
};

_Static_assert(sizeof(struct fib_kroute_key) == 52, "fib_kroute_key has padding");

struct fib_kroute {
	struct fib_kroute *next; /* by metric, lowest first */
	struct fib_use use;	 /* nhg NULL: kind says all */
	uint32_t metric;
	uint32_t gen;
	uint32_t told; /* gen of the dump during which a notice told of it */
	uint32_t dups; /* kernel routes that are alike in all that tells them apart */
	struct fx_prefix src;
	uint32_t table;
	uint32_t device; /* IPv6 without a gateway: the interface; else 0 */
	uint8_t protocol;
	uint8_t tos;
	uint8_t kind;
	uint8_t encap;
	uint8_t source; /* FIB_FPM: a source-specific route of FPM's */
	bool unsure;	/* one of several went, nobody said which; or its nexthop object did */
	bool again;	/* told twice alike: once more, or of a second one that looks the same? */
	bool expires;
	bool replaced; /* the last notice was of a replacement: it stands alone */
};

#define FIB_E_FPM	 (1u << 0) /* f is a route */
#define FIB_E_ADOPTED	 (1u << 1) /* gid is a predecessor's */
#define FIB_E_POISONED	 (1u << 2) /* covers a prefix that has no place in the map */
#define FIB_E_FAILED	 (1u << 3) /* its own map write failed */
#define FIB_E_REPORT	 (1u << 4) /* FPM waits for its status */
#define FIB_E_OWN4	 (1u << 5) /* in fx_own4 */
#define FIB_E_OWN4_ADOPT (1u << 6) /* ... by a predecessor */
#define FIB_E_GIVEN_UP	 (1u << 7) /* not even a trap could be written */

struct fib_entry {
	struct fx_hnode hnode;
	struct fx_list dirty;
	struct fx_list report; /* fib.reports */
	struct fib_kroute *k;
	struct {
		struct fib_use use;
		uint32_t gen;
		uint32_t metric;
		uint8_t protocol;
		uint8_t kind;
		uint8_t encap;
		uint8_t rtm_type;
	} f;
	struct fib_nhg *cur;  /* whose gid the map holds; NULL: a fixed one, none, or adopted */
	struct fib_nhg *next; /* of the PREFIX step that is planned: holds a use */
	uint32_t gid;	      /* in the map; 0: no entry */
	uint32_t table;
	struct fx_prefix dst;
	uint8_t flags;	  /* FIB_E_* */
	uint8_t reported; /* enum fib_state + 1, as last given to FPM */
};

struct fib_vrf_st {
	uint32_t table;
	bool refused[FIB_SOURCES]; /* since its last resync: new entries are poisoned */
};

#define FIB_MAX_VRFS 64

struct fib {
	struct fib_limits limits;
	struct fib_vrf_st vrfs[FIB_MAX_VRFS];
	unsigned int nvrfs;
	bool kernel_first;
	bool status_on;
	bool resync_wanted;
	bool kernel_dump;     /* between fib_resync_begin() and _sweep() of the kernel's */
	bool adopting;	      /* between the first fib_adopt_*() and fib_adopt_end() */
	bool release_adopted; /* once all is planned: the predecessor's ids go */
	uint32_t gen[FIB_SOURCES];

	struct fx_slab entries; /* struct fib_entry */
	struct fx_slab kroutes;
	struct fx_htable by_prefix;
	struct fx_htable nhg_by_id[FIB_SOURCES];
	struct fx_htable nhg_by_content;
	struct fx_htable links;
	struct fx_htable neighs;
	struct fx_htable adjs;
	struct fx_htable tombs;	 /* fib_tomb.c */
	struct fx_slab nhgs;	 /* struct fib_nhg, at most FX_MAX_GROUPS */
	struct fx_slab adj_slab; /* struct fib_adj */
	struct fib_nhg **by_gid;
	uint32_t path_count; /* at most FIB_MAX_PATHS */

	struct fx_list dirty_adjs;
	struct fx_list dirty_nhgs;
	struct fx_list dirty_neighs;
	struct fx_list dirty_entries;
	struct fx_list reports;
	struct fx_list doubted_links; /* fib_link_doubt() */

	struct fib_ids adj_ids;
	struct fib_ids group_ids;
	struct fib_ids bucket_ids; /* in units of FIB_BUCKET_UNIT */

	/* prefixes of the local table that are no hosts: what they cover in main is never looked at
	 */
	struct fx_prefix *local_nets;
	uint32_t nlocal_nets;

	uint32_t fpm_routes;
	uint32_t kernel_routes;
	uint32_t routes4, routes6;
	uint32_t programmed4, programmed6;
	uint32_t failed;
	uint64_t refused;

	struct fib_path_view *views; /* scratch of fib_view.c */
	uint32_t nviews;
};

#define FIB_TABLE_LOCAL 255u /* RT_TABLE_LOCAL: looked up before main */

#define FIB_BUCKET_UNIT 1024u
#define FIB_MAX_KROUTES 256u	   /* of one prefix: each is looked for among all of them */
#define FIB_MAX_PATHS	(1u << 20) /* over all sets: a peer cannot make us eat all memory */

/* fib_table.c: entries */
struct fib_entry *fib_entry_find(const struct fib *fib, uint32_t table,
				 const struct fx_prefix *dst);
struct fib_entry *fib_entry_get(struct fib *fib, uint32_t table, const struct fx_prefix *dst);
/* Longest prefix in the model that covers dst and is shorter than `below` bits; NULL: none. */
struct fib_entry *fib_entry_cover(const struct fib *fib, uint32_t table,
				  const struct fx_prefix *dst, int below,
				  bool (*want)(const struct fib_entry *entry));
void fib_entry_dirty(struct fib *fib, struct fib_entry *entry);
void fib_entry_drop_if_empty(struct fib *fib, struct fib_entry *entry);
void fib_entry_dirty_all(struct fib *fib);
void fib_entry_retry(struct fib *fib, struct fib_entry *entry); /* forget that a write failed */
/* dst has no place: what covers it must go to Linux too. */
void fib_entry_poison_cover(struct fib *fib, uint32_t table, const struct fx_prefix *dst);
void fib_entry_unpoison(struct fib *fib);
uint32_t fib_table_key(uint32_t table); /* local and unspecified stand under main */
struct fib_vrf_st *fib_vrf_find(struct fib *fib, uint32_t table);
bool fib_vrf_is(const struct fib *fib, uint32_t table);
static inline bool fib_entry_has_route(const struct fib_entry *entry)
{
	return entry->k || (entry->flags & FIB_E_FPM);
}

/* fib_kroute.c: the kernel's routes of a prefix */
int fib_kroute_apply(struct fib *fib, enum fib_source source, const struct rt_op *op);
size_t fib_kroute_sweep(struct fib *fib, struct fib_entry *entry, enum fib_source source);
void fib_use_set(struct fib_use *use, struct fib_entry *entry, struct fib_nhg *nhg);
void fib_use_clear(struct fib *fib, struct fib_use *use);
/* The kernel has dropped this nexthop object: do its routes still exist? */
void fib_kroute_doubt(struct fib *fib, struct fib_nhg *nhg);

/* fib_tomb.c: routes that went during a dump */
void fib_tomb_set(struct fib *fib, const struct fib_kroute_key *key);
void fib_tomb_unset(struct fib *fib, const struct fib_kroute_key *key);
bool fib_tomb_is(const struct fib *fib, const struct fib_kroute_key *key);
void fib_tomb_clear(struct fib *fib);

/* fib_nhg.c: sets of paths */
int fib_nhg_apply(struct fib *fib, enum fib_source source, const struct rt_op *op);
/* The set that a route names: by id, or its own paths. A reference for the caller; NULL: no memory.
 */
struct fib_nhg *fib_nhg_of_route(struct fib *fib, enum fib_source source, const struct rt_op *op);
struct fib_nhg *fib_nhg_of_paths(struct fib *fib, const struct rt_path *paths, uint16_t npaths,
				 uint32_t mtu, uint8_t source);
void fib_nhg_put(struct fib *fib, struct fib_nhg *nhg);
void fib_nhg_sweep(struct fib *fib, enum fib_source source);
void fib_nhg_free_all(struct fib *fib);

/* fib_group.c: a set of paths as map entries */
/* Gives it a gid, adjacencies and buckets; marks what is to be written. -ENOSPC: no ids. */
int fib_group_program(struct fib *fib, struct fib_nhg *nhg);
void fib_group_unuse(struct fib *fib, struct fib_nhg *nhg);
void fib_group_refresh(struct fib *fib, struct fib_nhg *nhg); /* members or links changed */
uint64_t fib_group_word(const struct fib_nhg *nhg);
void fib_group_link_changed(struct fib *fib, uint32_t ifindex);

/* fib_adj.c: links, neighbours, adjacencies */
struct fib_link_st *fib_link_find(const struct fib *fib, uint32_t ifindex);
struct fib_neigh_st *fib_neigh_find(const struct fib *fib, uint32_t ifindex,
				    const struct fx_addr *addr);
struct fib_adj *fib_adj_get(struct fib *fib, uint32_t ifindex, const struct fx_addr *addr,
			    uint32_t mtu);
void fib_adj_put(struct fib *fib, struct fib_adj *adj);
void fib_neigh_dirty(struct fib *fib, struct fib_neigh_st *neigh);
void fib_neigh_release(struct fib *fib, struct fib_neigh_st *neigh);
void fib_link_trust(struct fib *fib); /* a dump of the kernel's has ended */
void fib_adj_free_all(struct fib *fib);

/* fib_choose.c: which member a bucket leads to (pure arithmetic) */
void fib_choose(const struct fib_member *members, const bool *alive, uint16_t nmembers,
		uint32_t *buckets, unsigned int log2);
unsigned int fib_choose_log2(uint16_t nmembers);

/* fib_select.c: what a prefix leads to */
struct fib_choice {
	uint32_t gid;		/* a fixed one; FX_GID_NONE with nhg NULL: no entry in the map */
	struct fib_nhg *nhg;	/* else its group */
	enum fib_source source; /* whose route it is */
	const struct fib_kroute *k; /* the kernel's route that leads; NULL: FPM's does */
	enum fib_state state;
	uint8_t encap;
};

void fib_select(const struct fib *fib, const struct fib_entry *entry, struct fib_choice *ret);
bool fib_own4_wanted(const struct fib_entry *entry);
void fib_local_net(struct fib *fib, const struct fx_prefix *dst, bool on);

#endif
