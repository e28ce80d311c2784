/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a prefix leads to: the rules of fib.h in one place. Reads the model, changes nothing.
 * Whatever is not sure is a group that passes to Linux; no entry at all only where Linux has none.
 */
#include <string.h>

#include "fpm-xdp/fib_model.h"

#define PROTOCOL_KERNEL 2u

/* rtm_protocol of FRR's daemons (zebra/rt_netlink.h); 11 is zebra's own and 8.4's old FPM module's
 */
static const struct {
	uint8_t protocol;
	bool frr;
	const char *name;
} protocols[] = {
	{ 2, false, "kernel" }, { 3, false, "boot" },	     { 4, false, "static" },
	{ 9, false, "ra" },	{ 11, true, "zebra" },	     { 12, false, "bird" },
	{ 16, false, "dhcp" },	{ 18, false, "keepalived" }, { 42, true, "babel" },
	{ 186, true, "bgp" },	{ 187, true, "isis" },	     { 188, true, "ospf" },
	{ 189, true, "rip" },	{ 190, true, "ripng" },	     { 191, true, "nhrp" },
	{ 192, true, "eigrp" }, { 193, true, "ldp" },	     { 194, true, "sharp" },
	{ 195, true, "pbr" },	{ 196, true, "static" },     { 197, true, "openfabric" },
	{ 198, true, "srte" },
};

bool fib_protocol_is_frr(uint8_t protocol)
{
	size_t i;

	for (i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		if (protocols[i].protocol == protocol)
			return protocols[i].frr;
	}
	return false;
}

const char *fib_protocol_name(uint8_t protocol)
{
	size_t i;

	for (i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		if (protocols[i].protocol == protocol)
			return protocols[i].name;
	}
	return NULL;
}

static void choose_fixed(struct fib_choice *ret, uint32_t gid, enum fib_state state)
{
	ret->gid = gid;
	ret->nhg = NULL;
	ret->state = state;
}

static void choose_nhg(struct fib_choice *ret, struct fib_nhg *nhg)
{
	switch ((enum fib_nhg_state)nhg->state) {
	case FIB_NHG_UNRESOLVED:
		choose_fixed(ret, FX_GID_PENDING, FIB_ST_PENDING);
		break;
	case FIB_NHG_BLACKHOLE:
		choose_fixed(ret, FX_GID_BLACKHOLE, FIB_ST_OFFLOADED);
		break;
	case FIB_NHG_TRAPPED:
		ret->encap = nhg->encap;
		choose_fixed(ret, FX_GID_TRAPPED, FIB_ST_TRAPPED);
		break;
	case FIB_NHG_PATHS:
		ret->nhg = nhg;
		ret->state = FIB_ST_OFFLOADED;
		break;
	}
}

static void choose_kind(struct fib_choice *ret, enum rt_kind kind, struct fib_nhg *nhg)
{
	switch (kind) {
	case RT_KIND_UNICAST:
		if (nhg)
			choose_nhg(ret, nhg);
		else
			choose_fixed(ret, FX_GID_PENDING, FIB_ST_PENDING);
		break;
	case RT_KIND_LOCAL:
		choose_fixed(ret, FX_GID_LOCAL, FIB_ST_TRAPPED);
		break;
	case RT_KIND_BROADCAST:
	case RT_KIND_ANYCAST:
	case RT_KIND_MULTICAST:
		choose_fixed(ret, FX_GID_NOT_UNICAST, FIB_ST_TRAPPED);
		break;
	case RT_KIND_BLACKHOLE:
		choose_fixed(ret, FX_GID_BLACKHOLE, FIB_ST_OFFLOADED);
		break;
	case RT_KIND_UNREACHABLE:
	case RT_KIND_PROHIBIT:
		choose_fixed(ret, FX_GID_UNREACHABLE, FIB_ST_TRAPPED);
		break;
	case RT_KIND_THROW:
		choose_fixed(ret, FX_GID_NO_ROUTE, FIB_ST_TRAPPED);
		break;
	case RT_KIND_OTHER:
		choose_fixed(ret, FX_GID_TRAPPED, FIB_ST_TRAPPED);
		break;
	}
}

/* Routes that only some packets to the prefix take: by TOS, by source, or nobody knows which. */
static bool kroutes_are_plain(const struct fib_entry *entry, const struct fib_kroute *best)
{
	const struct fib_kroute *k;

	for (k = entry->k; k; k = k->next) {
		if (k->tos || k->src.len)
			return false;
		if (k != best && k->table == best->table && k->metric == best->metric)
			return false;
	}
	return best->dups == 1 && !best->unsure && !best->expires;
}

static bool kroutes_have_source_specific(const struct fib_entry *entry)
{
	const struct fib_kroute *k;

	for (k = entry->k; k; k = k->next) {
		if (k->src.len)
			return true;
	}
	return false;
}

static const struct fib_kroute *kroute_best(const struct fib_entry *entry, bool local)
{
	const struct fib_kroute *k;

	for (k = entry->k; k; k = k->next) {
		if (k->source == FIB_KERNEL && (k->table == FIB_TABLE_LOCAL) == local)
			return k;
	}
	return NULL;
}

static bool covered_by_local(const struct fib *fib, const struct fib_entry *entry)
{
	struct fx_addr addr = { .family = entry->dst.family };
	uint32_t i;

	if (!fib->nlocal_nets || entry->table != FX_VRF_DEFAULT)
		return false;
	memcpy(addr.bytes, entry->dst.bytes, sizeof(addr.bytes));
	for (i = 0; i < fib->nlocal_nets; i++) {
		if (fib->local_nets[i].len <= entry->dst.len &&
		    fx_prefix_contains(&fib->local_nets[i], &addr))
			return true;
	}
	return false;
}

static void select_kernel(const struct fib_entry *entry, const struct fib_kroute *k,
			  struct fib_choice *ret)
{
	ret->source = FIB_KERNEL;
	ret->k = k;
	ret->encap = k->encap;
	if (!kroutes_are_plain(entry, k))
		choose_fixed(ret, FX_GID_TRAPPED, FIB_ST_TRAPPED);
	else
		choose_kind(ret, (enum rt_kind)k->kind, k->use.nhg);
}

static void select_fpm(const struct fib_entry *entry, struct fib_choice *ret)
{
	ret->source = FIB_FPM;
	ret->k = NULL;
	ret->encap = entry->f.encap;
	choose_kind(ret, (enum rt_kind)entry->f.kind, entry->f.use.nhg);
}

/* Where only FPM has a route the kernel's notice may still be on its way, or was lost in an
 * overrun: whatever Linux has for these packets, it has. */
static void select_kernel_first(const struct fib_kroute *k, bool fpm,
				const struct fib_choice *kernel, struct fib_choice *ret)
{
	if (k) {
		*ret = *kernel;
		ret->source = fpm && fib_protocol_is_frr(k->protocol) ? FIB_FPM : FIB_KERNEL;
	} else if (fpm) {
		ret->source = FIB_FPM;
		choose_fixed(ret, FX_GID_PENDING, FIB_ST_PENDING);
	}
}

static void select_route(const struct fib *fib, const struct fib_entry *entry,
			 struct fib_choice *ret)
{
	const struct fib_kroute *local = kroute_best(entry, true), *k = kroute_best(entry, false);
	bool fpm = (entry->flags & FIB_E_FPM) && entry->f.protocol != PROTOCOL_KERNEL;
	struct fib_choice kernel = { 0 };

	if (local || covered_by_local(fib, entry)) {
		ret->source = FIB_KERNEL;
		ret->k = local ? local : k;
		choose_kind(ret,
			    local && local->kind != RT_KIND_UNICAST ? (enum rt_kind)local->kind
								    : RT_KIND_LOCAL,
			    NULL);
		return;
	}
	if (kroutes_have_source_specific(entry)) {
		ret->source = k ? FIB_KERNEL : FIB_FPM;
		ret->k = k;
		choose_fixed(ret, FX_GID_TRAPPED, FIB_ST_TRAPPED);
		return;
	}
	if (k)
		select_kernel(entry, k, &kernel);
	if (fib->kernel_first) {
		select_kernel_first(k, fpm, &kernel, ret);
		return;
	}
	if (!fpm || (k && (!fib_protocol_is_frr(k->protocol) || !kroutes_are_plain(entry, k)))) {
		if (k)
			*ret = kernel;
		return;
	}
	select_fpm(entry, ret);
	if (ret->state == FIB_ST_PENDING && k)
		*ret = kernel;
}

void fib_select(const struct fib *fib, const struct fib_entry *entry, struct fib_choice *ret)
{
	*ret = (struct fib_choice){ .gid = FX_GID_NONE, .state = FIB_ST_PENDING };
	if (!fib_entry_has_route(entry))
		return;
	select_route(fib, entry, ret);
	if (!fib_vrf_is(fib, entry->table)) {
		/* a table that only policy rules lead to */
		choose_fixed(ret, FX_GID_NONE, FIB_ST_TRAPPED);
		return;
	}
	if ((entry->flags & FIB_E_POISONED) && (ret->nhg || ret->gid == FX_GID_BLACKHOLE))
		choose_fixed(ret, FX_GID_TRAPPED, FIB_ST_TRAPPED);
	if (entry->flags & FIB_E_GIVEN_UP)
		choose_fixed(ret, FX_GID_NONE, FIB_ST_FAILED);
	else if (entry->flags & FIB_E_FAILED)
		choose_fixed(ret, ret->gid || ret->nhg ? FX_GID_TRAPPED : FX_GID_NONE,
			     FIB_ST_FAILED);
}

/* fib_validate_source() (Linux 6.1 to 6.18) takes no packet whose source is one of ours. */
bool fib_own4_wanted(const struct fib_entry *entry)
{
	const struct fib_kroute *k;

	if (entry->dst.family != FX_AF_INET || entry->dst.len != 32)
		return false;
	for (k = entry->k; k; k = k->next) {
		if (k->source == FIB_KERNEL &&
		    (k->kind == RT_KIND_LOCAL || k->kind == RT_KIND_BROADCAST))
			return true;
	}
	return false;
}
