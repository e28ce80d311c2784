/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the model says to ordered map writes. Adjacencies first, then groups, then what points
 * at them; an entry whose group is new waits until the group's own steps are given. Each call looks
 * at as many entries as give `max` steps; the answers come back through fib_step_done().
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

struct plan {
	struct fib_step *steps;
	size_t n, max;
};

static struct fib_step *plan_step(struct plan *plan, enum fib_step_type type)
{
	struct fib_step *step = &plan->steps[plan->n++];

	*step = (struct fib_step){ .type = type };
	return step;
}

static void plan_adjs(struct fib *fib, struct plan *plan)
{
	struct fib_step *step;
	struct fib_adj *adj;

	while (plan->n < plan->max && !fx_list_empty(&fib->dirty_adjs)) {
		adj = fx_container_of(fib->dirty_adjs.next, struct fib_adj, dirty);
		fx_list_remove(&adj->dirty);
		step = plan_step(plan, FIB_STEP_ADJ);
		step->adj.id = adj->id;
		step->adj.value = adj->value;
		step->adj.fresh = adj->fresh;
		adj->fresh = false;
	}
}

static void plan_groups(struct fib *fib, struct plan *plan)
{
	struct fib_step *step;
	struct fib_nhg *nhg;

	while (plan->n + 2 <= plan->max && !fx_list_empty(&fib->dirty_nhgs)) {
		nhg = fx_container_of(fib->dirty_nhgs.next, struct fib_nhg, dirty);
		fx_list_remove(&nhg->dirty);
		if (nhg->buckets) {
			step = plan_step(plan, FIB_STEP_BUCKETS);
			step->buckets.base = nhg->base;
			step->buckets.n = 1u << nhg->log2;
			step->buckets.ids = nhg->buckets;
		}
		step = plan_step(plan, FIB_STEP_GROUP);
		step->group.gid = nhg->gid;
		step->group.word = fib_group_word(nhg);
	}
}

static void plan_neigh(struct fib *fib, struct plan *plan, struct fib_neigh_st *neigh)
{
	struct fib_step *step;

	fx_list_remove(&neigh->dirty);
	if (neigh->adopted && fib->adopting)
		return;
	if (neigh->valid && neigh->adj && neigh->in_map == neigh->adj->id)
		return;
	if (!neigh->valid && !neigh->in_map) {
		fib_neigh_release(fib, neigh);
		return;
	}
	if (neigh->valid && !neigh->adj)
		return; /* no id was free: Linux sends */
	step = plan_step(plan, neigh->valid ? FIB_STEP_NEIGH : FIB_STEP_NEIGH_DEL);
	step->neigh.ifindex = neigh->ifindex;
	step->neigh.addr = neigh->addr;
	step->neigh.adj = neigh->valid ? neigh->adj->id : neigh->in_map;
}

static void plan_neighs(struct fib *fib, struct plan *plan)
{
	while (plan->n < plan->max && !fx_list_empty(&fib->dirty_neighs))
		plan_neigh(fib, plan,
			   fx_container_of(fib->dirty_neighs.next, struct fib_neigh_st, dirty));
}

static void plan_wipes(struct fib *fib, struct plan *plan)
{
	struct fib_step *step;
	uint32_t id;

	while (plan->n < plan->max && fib_ids_wipe(&fib->adj_ids, &id)) {
		step = plan_step(plan, FIB_STEP_ADJ);
		step->adj.id = id;
	}
	while (plan->n < plan->max && fib_ids_wipe(&fib->group_ids, &id)) {
		step = plan_step(plan, FIB_STEP_GROUP);
		step->group.gid = id;
	}
	while (fib_ids_wipe(&fib->bucket_ids, &id))
		; /* nothing points at them, so nothing to clear */
}

/* Another VRF may have the same address of its own. */
static bool own4_elsewhere(const struct fib *fib, const struct fib_entry *entry)
{
	const struct fib_entry *other;
	unsigned int i;

	for (i = 0; i < fib->nvrfs; i++) {
		other = fib_entry_find(fib, fib->vrfs[i].table, &entry->dst);
		if (other && other != entry && (other->flags & FIB_E_OWN4))
			return true;
	}
	return false;
}

static void plan_own4(struct fib *fib, struct plan *plan, struct fib_entry *entry)
{
	bool want = fib_own4_wanted(entry), has = entry->flags & FIB_E_OWN4;
	struct fib_step *step;

	if (want)
		entry->flags &= (uint8_t)~FIB_E_OWN4_ADOPT;
	if (want == has || ((entry->flags & FIB_E_OWN4_ADOPT) && fib->adopting))
		return;
	entry->flags = (uint8_t)(want ? entry->flags | FIB_E_OWN4
				      : entry->flags & ~(FIB_E_OWN4 | FIB_E_OWN4_ADOPT));
	if (own4_elsewhere(fib, entry))
		return;
	step = plan_step(plan, want ? FIB_STEP_OWN4 : FIB_STEP_OWN4_DEL);
	step->own4.family = entry->dst.family;
	memcpy(step->own4.bytes, entry->dst.bytes, sizeof(step->own4.bytes));
}

/* The map holds what it should: is somebody waiting to hear of it? */
static void entry_settled(struct fib *fib, struct fib_entry *entry)
{
	struct fib_choice choice;

	if (!fib->status_on || !(entry->flags & FIB_E_FPM) || entry->f.protocol == 2)
		return;
	fib_select(fib, entry, &choice);
	if (choice.state == FIB_ST_PENDING || entry->reported == choice.state + 1)
		return;
	if (fx_list_is_idle(&entry->report))
		fx_list_append(&fib->reports, &entry->report);
}

static void entry_set_next(struct fib *fib, struct fib_entry *entry, struct fib_nhg *nhg)
{
	if (entry->next == nhg)
		return;
	if (entry->next)
		fib_group_unuse(fib, entry->next);
	entry->next = nhg;
	if (nhg) {
		nhg->uses++;
		nhg->refs++;
	}
}

/* false: the group's own steps come first, ask again. */
static bool entry_target(struct fib *fib, struct fib_entry *entry, struct fib_choice *choice)
{
	if (choice->nhg && fib_group_program(fib, choice->nhg) < 0) {
		choice->nhg = NULL;
		choice->gid = FX_GID_TRAPPED;
	}
	if (choice->nhg)
		choice->gid = choice->nhg->gid;
	entry_set_next(fib, entry, choice->nhg);
	return fx_list_empty(&fib->dirty_adjs) && fx_list_empty(&fib->dirty_nhgs);
}

static bool entry_keeps_adopted(const struct fib *fib, const struct fib_entry *entry,
				const struct fib_choice *choice)
{
	return fib->adopting && (entry->flags & FIB_E_ADOPTED) && choice->state == FIB_ST_PENDING;
}

static bool plan_entry(struct fib *fib, struct plan *plan, struct fib_entry *entry)
{
	struct fib_choice choice;
	struct fib_step *step;

	fib_select(fib, entry, &choice);
	if (entry_keeps_adopted(fib, entry, &choice)) {
		entry_set_next(fib, entry, NULL);
		fx_list_remove(&entry->dirty);
		return true;
	}
	if (!entry_target(fib, entry, &choice))
		return false;
	plan_own4(fib, plan, entry);
	fx_list_remove(&entry->dirty);
	if (choice.gid == entry->gid && !(entry->flags & FIB_E_ADOPTED)) {
		entry_set_next(fib, entry, NULL);
		entry_settled(fib, entry);
		fib_entry_drop_if_empty(fib, entry);
		return true;
	}
	step = plan_step(plan, choice.gid ? FIB_STEP_PREFIX : FIB_STEP_PREFIX_DEL);
	step->prefix.vrf = entry->table;
	step->prefix.prefix = entry->dst;
	step->prefix.gid = choice.gid;
	step->prefix.entry = entry;
	return true;
}

static void plan_entries(struct fib *fib, struct plan *plan)
{
	struct fib_entry *entry;

	while (plan->n + 2 <= plan->max && !fx_list_empty(&fib->dirty_entries)) {
		entry = fx_container_of(fib->dirty_entries.next, struct fib_entry, dirty);
		if (!plan_entry(fib, plan, entry))
			return;
	}
}

static void plan_release(struct fib *fib)
{
	fib->release_adopted = false;
	fib_ids_release(&fib->adj_ids);
	fib_ids_release(&fib->group_ids);
	fib_ids_release(&fib->bucket_ids);
}

static bool plan_is_idle(const struct fib *fib)
{
	return fx_list_empty(&fib->dirty_adjs) && fx_list_empty(&fib->dirty_nhgs) &&
	       fx_list_empty(&fib->dirty_neighs) && fx_list_empty(&fib->dirty_entries);
}

bool fib_dirty(const struct fib *fib)
{
	return !plan_is_idle(fib) || fib->release_adopted || fib_ids_wiping(&fib->adj_ids) ||
	       fib_ids_wiping(&fib->group_ids) || fib_ids_wiping(&fib->bucket_ids);
}

size_t fib_plan(struct fib *fib, struct fib_step *steps, size_t max)
{
	struct plan plan = { .steps = steps, .max = max };
	size_t before;

	if (fib->release_adopted && plan_is_idle(fib))
		plan_release(fib);
	do {
		before = plan.n;
		plan_adjs(fib, &plan);
		if (!fx_list_empty(&fib->dirty_adjs))
			break;
		plan_groups(fib, &plan);
		if (!fx_list_empty(&fib->dirty_nhgs))
			break;
		plan_neighs(fib, &plan);
		plan_entries(fib, &plan);
	} while (plan.n > before || (!plan_is_idle(fib) && plan.n + 2 <= plan.max));
	plan_wipes(fib, &plan);
	return plan.n;
}

static void prefix_count(struct fib *fib, const struct fib_entry *entry, int by)
{
	if (entry->dst.family == FX_AF_INET)
		fib->programmed4 += (uint32_t)by;
	else
		fib->programmed6 += (uint32_t)by;
}

static void prefix_done(struct fib *fib, struct fib_entry *entry, uint32_t gid)
{
	if (!entry->gid != !gid)
		prefix_count(fib, entry, gid ? 1 : -1);
	if (entry->cur)
		fib_group_unuse(fib, entry->cur);
	entry->cur = entry->next;
	entry->next = NULL;
	entry->gid = gid;
	entry->flags &= (uint8_t)~FIB_E_ADOPTED;
	entry_settled(fib, entry);
	fib_entry_drop_if_empty(fib, entry);
}

/* First a trap is tried in its place; where even that has no room the entry goes. Its cover must
 * not catch its packets either way until that is done. */
static void prefix_failed(struct fib *fib, struct fib_entry *entry)
{
	entry_set_next(fib, entry, NULL);
	if (entry->flags & FIB_E_FAILED) {
		entry->flags |= FIB_E_GIVEN_UP;
	} else {
		entry->flags |= FIB_E_FAILED;
		fib->failed++;
	}
	fib_entry_poison_cover(fib, entry->table, &entry->dst);
	fib_entry_dirty(fib, entry);
}

static void neigh_done(struct fib *fib, const struct fib_step *step, int err)
{
	struct fib_neigh_st *neigh = fib_neigh_find(fib, step->neigh.ifindex, &step->neigh.addr);

	if (!neigh)
		return;
	neigh->in_map = step->type == FIB_STEP_NEIGH && !err ? step->neigh.adj : 0;
	if (step->type == FIB_STEP_NEIGH_DEL && !neigh->valid)
		fib_neigh_release(fib, neigh);
}

void fib_step_done(struct fib *fib, const struct fib_step *step, int err)
{
	switch (step->type) {
	case FIB_STEP_ADJ:
	case FIB_STEP_BUCKETS:
	case FIB_STEP_GROUP:
	case FIB_STEP_OWN4:
	case FIB_STEP_OWN4_DEL:
		break; /* stores through mmap and writes to small sets: the writer logs what failed
			*/
	case FIB_STEP_PREFIX:
		if (err)
			prefix_failed(fib, step->prefix.entry);
		else
			prefix_done(fib, step->prefix.entry, step->prefix.gid);
		break;
	case FIB_STEP_PREFIX_DEL:
		prefix_done(fib, step->prefix.entry, 0);
		break;
	case FIB_STEP_NEIGH:
	case FIB_STEP_NEIGH_DEL:
		neigh_done(fib, step, err);
		break;
	}
}

/* Ids that a step still to be executed takes out of use must not be free before that. */
bool fib_grace_begin(struct fib *fib)
{
	bool adjs, groups, buckets;

	if (!plan_is_idle(fib))
		return false;
	adjs = fib_ids_grace_begin(&fib->adj_ids);
	groups = fib_ids_grace_begin(&fib->group_ids);
	buckets = fib_ids_grace_begin(&fib->bucket_ids);
	return adjs || groups || buckets;
}

void fib_grace_end(struct fib *fib)
{
	fib_ids_grace_end(&fib->adj_ids);
	fib_ids_grace_end(&fib->group_ids);
	fib_ids_grace_end(&fib->bucket_ids);
}

void fib_status_enable(struct fib *fib, bool on)
{
	struct fib_entry *entry;
	uint64_t at = 0;

	fib->status_on = on;
	while ((entry = fx_slab_next(&fib->entries, &at))) {
		fx_list_remove(&entry->report);
		entry->reported = 0;
		if (on && (entry->flags & FIB_E_FPM))
			fib_entry_dirty(fib, entry);
	}
}

bool fib_status_next(struct fib *fib, struct fib_status *ret)
{
	struct fib_choice choice;
	struct fib_entry *entry;

	while (!fx_list_empty(&fib->reports)) {
		entry = fx_container_of(fib->reports.next, struct fib_entry, report);
		fx_list_remove(&entry->report);
		fib_select(fib, entry, &choice);
		if (choice.state == FIB_ST_PENDING || entry->reported == choice.state + 1)
			continue;
		entry->reported = (uint8_t)(choice.state + 1);
		*ret = (struct fib_status){ .table = entry->table,
					    .dst = entry->dst,
					    .protocol = entry->f.protocol,
					    .rtm_type = entry->f.rtm_type,
					    .state = choice.state };
		return true;
	}
	return false;
}
