/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of paths: nexthop objects and groups by id, and routes' own paths, shared by content.
 *
 * An id may be named before it is announced (groups before their members, FRR's walk goes in hash
 * order; FRR 10.2 to 10.6 leave ids of connected routes unannounced), may change its kind and its
 * content under the routes that use it, and may go while they stay. So a name alone makes an
 * undefined set; whatever defines it later reaches all that lean on it through `dependents`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

static void nhg_resolve(struct fib *fib, struct fib_nhg *nhg, bool renamed);

static struct fib_nhg *nhg_new(struct fib *fib)
{
	struct fib_nhg *nhg;

	if (fib->nhgs.count >= FX_MAX_GROUPS)
		return NULL;
	nhg = fx_slab_alloc(&fib->nhgs);
	if (!nhg)
		return NULL;
	fx_list_init(&nhg->dirty);
	fx_list_init(&nhg->routes);
	fx_list_init(&nhg->dependents);
	nhg->refs = 1;
	return nhg;
}

static struct fib_nhg *nhg_find(const struct fib *fib, enum fib_source source, uint32_t id)
{
	struct fx_hnode *node = fx_htable_first(&fib->nhg_by_id[source], id);

	return node ? fx_container_of(node, struct fib_nhg, hnode) : NULL;
}

/* A reference for the caller. */
static struct fib_nhg *nhg_get(struct fib *fib, enum fib_source source, uint32_t id)
{
	struct fib_nhg *nhg = nhg_find(fib, source, id);

	if (nhg) {
		nhg->refs++;
		return nhg;
	}
	nhg = nhg_new(fib);
	if (!nhg)
		return NULL;
	nhg->id = id;
	nhg->source = (uint8_t)source;
	if (fx_htable_add(&fib->nhg_by_id[source], &nhg->hnode, id) < 0) {
		fx_slab_free(&fib->nhgs, nhg);
		return NULL;
	}
	return nhg;
}

static void nhg_undefine(struct fib *fib, struct fib_nhg *nhg)
{
	uint16_t i;

	for (i = 0; i < nhg->ndefs; i++) {
		if (!nhg->deps[i].target)
			continue;
		fx_list_remove(&nhg->deps[i].on_target);
		fib_nhg_put(fib, nhg->deps[i].target);
	}
	fib->path_count -= nhg->ndefs;
	free(nhg->deps);
	free(nhg->defs);
	nhg->deps = NULL;
	nhg->defs = NULL;
	nhg->ndefs = 0;
	nhg->flags = 0;
	nhg->defined = false;
}

void fib_nhg_put(struct fib *fib, struct fib_nhg *nhg)
{
	if (--nhg->refs)
		return;
	nhg_undefine(fib, nhg);
	free(nhg->members);
	free(nhg->buckets);
	fx_list_remove(&nhg->dirty);
	fx_htable_remove(nhg->id ? &fib->nhg_by_id[nhg->source] : &fib->nhg_by_content,
			 &nhg->hnode);
	fx_slab_free(&fib->nhgs, nhg);
}

/* Only what tells paths apart, so that equal ones are equal bytes. A path's own link and dead flags
 * are not kept: the link's state decides. */
static struct rt_path *paths_copy(const struct rt_path *paths, uint16_t npaths)
{
	struct rt_path *copy = calloc(npaths ? npaths : 1, sizeof(*copy));
	uint16_t i;

	for (i = 0; copy && i < npaths; i++) {
		copy[i].ifindex = paths[i].ifindex;
		copy[i].nh_id = paths[i].nh_id;
		copy[i].weight = paths[i].weight ? paths[i].weight : 1;
		copy[i].encap = paths[i].encap;
		copy[i].gw.family = paths[i].gw.family;
		memcpy(copy[i].gw.bytes, paths[i].gw.bytes, sizeof(copy[i].gw.bytes));
	}
	return copy;
}

static int nhg_define(struct fib *fib, struct fib_nhg *nhg, struct rt_path *defs, uint16_t ndefs,
		      enum fib_source source)
{
	struct fib_dep *deps;
	uint16_t i;

	if (fib->path_count + ndefs > FIB_MAX_PATHS)
		return -ENOSPC;
	deps = calloc(ndefs ? ndefs : 1, sizeof(*deps));
	if (!deps)
		return -ENOMEM;
	for (i = 0; i < ndefs; i++) {
		fx_list_init(&deps[i].on_target);
		deps[i].owner = nhg;
		if (!defs[i].nh_id)
			continue;
		deps[i].target = nhg_get(fib, source, defs[i].nh_id);
		if (deps[i].target)
			fx_list_append(&deps[i].target->dependents, &deps[i].on_target);
	}
	nhg_undefine(fib, nhg);
	nhg->deps = deps;
	nhg->defs = defs;
	nhg->ndefs = ndefs;
	nhg->defined = true;
	fib->path_count += ndefs;
	return 0;
}

static bool defs_equal(const struct fib_nhg *nhg, const struct rt_path *defs, uint16_t ndefs)
{
	return nhg->ndefs == ndefs && !memcmp(nhg->defs, defs, ndefs * sizeof(*defs));
}

struct fib_nhg *fib_nhg_of_paths(struct fib *fib, const struct rt_path *paths, uint16_t npaths,
				 uint32_t mtu, uint8_t source)
{
	struct rt_path *defs = paths_copy(paths, npaths);
	uint32_t hash;
	struct fx_hnode *node;
	struct fib_nhg *nhg;

	if (!defs)
		return NULL;
	if (!npaths || !defs[0].nh_id)
		source = FIB_FPM; /* content alone tells */
	hash = fx_hash(defs, npaths * sizeof(*defs), mtu);
	for (node = fx_htable_first(&fib->nhg_by_content, hash); node;
	     node = fx_htable_next(node)) {
		nhg = fx_container_of(node, struct fib_nhg, hnode);
		if (nhg->mtu != mtu || nhg->source != source || !defs_equal(nhg, defs, npaths))
			continue;
		free(defs);
		nhg->refs++;
		return nhg;
	}
	nhg = nhg_new(fib);
	if (!nhg) {
		free(defs);
		return NULL;
	}
	nhg->mtu = mtu;
	nhg->source = source;
	if (fx_htable_add(&fib->nhg_by_content, &nhg->hnode, hash) < 0 ||
	    nhg_define(fib, nhg, defs, npaths, source) < 0) {
		free(defs);
		fib_nhg_put(fib, nhg);
		return NULL;
	}
	nhg_resolve(fib, nhg, false);
	return nhg;
}

struct fib_nhg *fib_nhg_of_route(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	struct rt_path by_id = { .nh_id = op->nh_id, .weight = 1 };

	if (!op->nh_id)
		return fib_nhg_of_paths(fib, op->paths, op->npaths, op->mtu, (uint8_t)source);
	if (!op->mtu)
		return nhg_get(fib, source, op->nh_id);
	return fib_nhg_of_paths(fib, &by_id, 1, op->mtu, (uint8_t)source);
}

struct resolution {
	struct fib_member *members;
	uint16_t n;
	uint16_t blackholes;
	bool trapped;
	uint8_t encap;
};

static void resolution_add(struct resolution *res, const struct rt_path *path, uint32_t weight,
			   uint32_t nh_id)
{
	struct rt_path *seen;
	uint16_t i;

	for (i = 0; i < res->n; i++) {
		seen = &res->members[i].path;
		if (seen->ifindex != path->ifindex || !fx_addr_equal(&seen->gw, &path->gw))
			continue;
		weight += seen->weight;
		seen->weight = (uint16_t)(weight < UINT16_MAX ? weight : UINT16_MAX);
		return;
	}
	if (res->n == RT_MAX_PATHS)
		return;
	seen = &res->members[res->n++].path;
	*seen = *path;
	seen->weight = (uint16_t)(weight < UINT16_MAX ? weight : UINT16_MAX);
	seen->nh_id = nh_id;
}

static void resolution_add_target(struct resolution *res, const struct rt_path *def,
				  const struct fib_nhg *target)
{
	uint16_t i;

	switch ((enum fib_nhg_state)target->state) {
	case FIB_NHG_UNRESOLVED:
		break; /* the members that are known serve meanwhile */
	case FIB_NHG_BLACKHOLE:
		res->blackholes++;
		break;
	case FIB_NHG_TRAPPED:
		res->trapped = true;
		res->encap = target->encap;
		break;
	case FIB_NHG_PATHS:
		for (i = 0; i < target->nmembers; i++)
			resolution_add(res, &target->members[i].path,
				       target->nmembers == 1
					       ? def->weight
					       : (uint32_t)def->weight *
							 target->members[i].path.weight,
				       def->nh_id);
		break;
	}
}

static enum fib_nhg_state nhg_collect(const struct fib_nhg *nhg, struct resolution *res)
{
	const struct rt_path *def;
	uint16_t i;

	if (!nhg->defined)
		return FIB_NHG_UNRESOLVED;
	if (nhg->flags & RT_F_BLACKHOLE)
		return FIB_NHG_BLACKHOLE;
	if (nhg->flags & RT_F_FDB)
		return FIB_NHG_TRAPPED;
	for (i = 0; i < nhg->ndefs; i++) {
		def = &nhg->defs[i];
		if (nhg->deps[i].target && nhg->id && (nhg->deps[i].target->flags & RT_F_GROUP)) {
			/* neither Linux nor zebra nests groups; bounds the depth of all this */
			res->trapped = true;
			res->encap = RT_ENCAP_OTHER;
		} else if (nhg->deps[i].target) {
			resolution_add_target(res, def, nhg->deps[i].target);
		} else if (def->encap) {
			res->trapped = true;
			res->encap = def->encap;
		} else if (def->ifindex) {
			resolution_add(res, def, def->weight, nhg->id);
		}
	}
	if (res->trapped || (res->blackholes && res->n))
		return FIB_NHG_TRAPPED;
	if (res->blackholes)
		return FIB_NHG_BLACKHOLE;
	return res->n ? FIB_NHG_PATHS : FIB_NHG_UNRESOLVED;
}

static void nhg_routes_dirty(struct fib *fib, struct fib_nhg *nhg)
{
	struct fx_list *pos, *tmp;

	fx_list_for_each(pos, tmp, &nhg->routes)
		fib_entry_dirty(fib, fx_container_of(pos, struct fib_use, on_nhg)->entry);
}

/* The programmed members keep their adjacencies until the new ones have theirs. */
static void nhg_replace_members(struct fib *fib, struct fib_nhg *nhg, const struct resolution *res)
{
	struct fib_member *old = nhg->members;
	uint16_t nold = nhg->nmembers, i;

	nhg->members = res->n ? res->members : NULL;
	nhg->nmembers = res->n;
	if (!res->n)
		free(res->members);
	if (nhg->gid)
		fib_group_refresh(fib, nhg);
	for (i = 0; i < nold; i++) {
		if (!old[i].adj)
			continue;
		old[i].adj->gateways--;
		fib_adj_put(fib, old[i].adj);
	}
	free(old);
}

/* How many members there may be: at least one, so that there is something to allocate. */
static size_t nhg_capacity(const struct fib_nhg *nhg)
{
	size_t n = 1;
	uint16_t i;

	for (i = 0; i < nhg->ndefs; i++)
		n += nhg->deps[i].target ? nhg->deps[i].target->nmembers : 1;
	return n < RT_MAX_PATHS ? n : RT_MAX_PATHS;
}

static bool members_equal(const struct fib_nhg *nhg, const struct resolution *res)
{
	uint16_t i;

	if (nhg->nmembers != res->n)
		return false;
	for (i = 0; i < res->n; i++) {
		if (memcmp(&nhg->members[i].path, &res->members[i].path, sizeof(struct rt_path)) !=
		    0)
			return false;
	}
	return true;
}

/* renamed: what it is to its dependents (a group or not) changed, whatever it resolves to */
static void nhg_resolve(struct fib *fib, struct fib_nhg *nhg, bool renamed)
{
	struct resolution res = { 0 };
	enum fib_nhg_state state;
	struct fx_list *pos, *tmp;
	bool moved;

	if (nhg->resolving)
		return; /* a loop of groups: the kernel refuses them, a peer might not */
	res.members = calloc(nhg_capacity(nhg), sizeof(*res.members));
	if (!res.members)
		return; /* the old members stay until the next change */
	state = nhg_collect(nhg, &res);
	if (state != FIB_NHG_PATHS)
		res.n = 0;
	moved = nhg->state != state || nhg->encap != res.encap;
	nhg->state = (uint8_t)state;
	nhg->encap = res.encap;
	if (!moved && members_equal(nhg, &res)) {
		free(res.members);
		if (!renamed)
			return;
	} else {
		nhg_replace_members(fib, nhg, &res);
	}
	if (moved)
		nhg_routes_dirty(fib, nhg);
	nhg->resolving = true;
	fx_list_for_each(pos, tmp, &nhg->dependents)
		nhg_resolve(fib, fx_container_of(pos, struct fib_dep, on_target)->owner, false);
	nhg->resolving = false;
}

/* A part of the kernel's dump may be older than a notice that came before it: see fib_tomb.c. */
static bool nhg_is_told(const struct fib *fib, struct fib_nhg *nhg, const struct rt_op *op)
{
	if (nhg->source != FIB_KERNEL || !fib->kernel_dump)
		return false;
	if (op->flags & RT_F_DUMP)
		return nhg->told == fib->gen[FIB_KERNEL];
	nhg->told = fib->gen[FIB_KERNEL];
	return false;
}

static int nhg_add(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	uint32_t flags = op->flags & (RT_F_BLACKHOLE | RT_F_FDB | RT_F_GROUP | RT_F_RESILIENT);
	struct fib_nhg *nhg = nhg_get(fib, source, op->nh_id);
	bool was_defined, renamed;
	struct rt_path *defs;
	uint8_t was_flags;
	int err;

	if (!nhg)
		return -ENOMEM;
	if (nhg_is_told(fib, nhg, op)) {
		fib_nhg_put(fib, nhg);
		return 0;
	}
	nhg->gen = fib->gen[source];
	was_defined = nhg->defined;
	was_flags = nhg->flags;
	defs = paths_copy(op->paths, op->npaths);
	if (!defs) {
		fib_nhg_put(fib, nhg);
		return -ENOMEM;
	}
	if (was_defined && nhg->flags == (uint8_t)flags && defs_equal(nhg, defs, op->npaths)) {
		free(defs);
		fib_nhg_put(fib, nhg);
		return 0;
	}
	err = nhg_define(fib, nhg, defs, op->npaths, source);
	if (err < 0) {
		free(defs);
		fib_nhg_put(fib, nhg);
		return err;
	}
	renamed = (was_flags ^ flags) & RT_F_GROUP;
	nhg->flags = (uint8_t)flags;
	nhg_resolve(fib, nhg, renamed);
	if (was_defined)
		fib_nhg_put(fib, nhg); /* the definition holds one reference */
	return 0;
}

static void nhg_del(struct fib *fib, struct fib_nhg *nhg)
{
	bool renamed = nhg->flags & RT_F_GROUP;

	if (!nhg->defined)
		return;
	nhg_undefine(fib, nhg);
	nhg_resolve(fib, nhg, renamed);
	fib_nhg_put(fib, nhg);
}

int fib_nhg_apply(struct fib *fib, enum fib_source source, const struct rt_op *op)
{
	struct fib_nhg *nhg;

	if (!op->nh_id || op->npaths > RT_MAX_PATHS)
		return -EINVAL;
	if (op->verb == RT_NH_ADD)
		return nhg_add(fib, source, op);
	nhg = nhg_find(fib, source, op->nh_id);
	if (nhg) {
		nhg->told = fib->gen[source];
		if (source == FIB_KERNEL)
			fib_kroute_doubt(fib, nhg);
		nhg_del(fib, nhg);
	}
	return 0;
}

void fib_nhg_sweep(struct fib *fib, enum fib_source source)
{
	struct fib_nhg *nhg;
	uint64_t at = 0;

	while ((nhg = fx_slab_next(&fib->nhgs, &at))) {
		if (nhg->id && nhg->source == source && nhg->gen != fib->gen[source])
			nhg_del(fib, nhg);
	}
}

/* The end of the model: nobody is told anything any more. */
void fib_nhg_free_all(struct fib *fib)
{
	struct fib_nhg *nhg;
	uint64_t at = 0;

	while ((nhg = fx_slab_next(&fib->nhgs, &at))) {
		free(nhg->deps);
		free(nhg->defs);
		free(nhg->members);
		free(nhg->buckets);
	}
	fx_slab_done(&fib->nhgs);
	fx_htable_done(&fib->nhg_by_id[FIB_FPM]);
	fx_htable_done(&fib->nhg_by_id[FIB_KERNEL]);
	fx_htable_done(&fib->nhg_by_content);
}
