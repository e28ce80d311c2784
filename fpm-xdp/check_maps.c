/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the maps hold against what the model says they should hold. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/check.h"
#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/lpm.h"
#include "lib/xdp_attach.h"

struct check_maps {
	struct fpmd *fpmd;
	json_object *differences;
	struct lpm_entry *prefixes; /* what the tries hold, sorted */
	size_t nprefixes, size;
	uint32_t nneighs;
};

static void check_numbers(struct check_maps *check, const char *what, const char *where,
			  uint64_t expected, uint64_t found)
{
	char expected_text[24], found_text[24];

	if (expected == found)
		return;
	snprintf(expected_text, sizeof(expected_text), "0x%llx", (unsigned long long)expected);
	snprintf(found_text, sizeof(found_text), "0x%llx", (unsigned long long)found);
	check_differs(check->differences, what, where, expected_text, found_text);
}

/* ---- prefixes ---- */

static int check_prefix_compare(const void *a, const void *b)
{
	const struct lpm_entry *x = a, *y = b;

	if (x->vrf != y->vrf)
		return x->vrf < y->vrf ? -1 : 1;
	return memcmp(&x->prefix, &y->prefix, sizeof(x->prefix));
}

static int check_collect_prefix(void *arg, const struct lpm_entry *entry)
{
	struct check_maps *check = arg;
	struct lpm_entry *grown;

	if (check->nprefixes == check->size) {
		grown = realloc(check->prefixes, (check->size * 2 + 1024) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		check->prefixes = grown;
		check->size = check->size * 2 + 1024;
	}
	check->prefixes[check->nprefixes++] = *entry;
	return 0;
}

static void check_prefix(struct check_maps *check, uint32_t vrf, const struct fx_prefix *prefix,
			 uint32_t expected, uint32_t found)
{
	char where[FX_PREFIX_STRLEN + 24];
	char text[FX_PREFIX_STRLEN];

	snprintf(where, sizeof(where), "table %u %s", vrf, fx_prefix_str(prefix, text));
	check_numbers(check, "prefix", where, expected, found);
}

static int check_prefixes(struct check_maps *check)
{
	struct lpm_entry want = { 0 };
	struct fib_route_view route;
	uint64_t cursor = 0;
	size_t i;
	int rc;

	rc = lpm_walk(check->fpmd->maps, check_collect_prefix, check);
	if (rc < 0)
		return rc;
	for (i = 0; i < check->nprefixes; i++)
		check_prefix(check, check->prefixes[i].vrf, &check->prefixes[i].prefix,
			     fib_expect_prefix(check->fpmd->fib, check->prefixes[i].vrf,
					       &check->prefixes[i].prefix),
			     check->prefixes[i].gid);
	if (!check->nprefixes)
		check->prefixes = calloc(1, sizeof(*check->prefixes));
	if (!check->prefixes)
		return -ENOMEM;
	qsort(check->prefixes, check->nprefixes, sizeof(want), check_prefix_compare);
	while (fib_route_next(check->fpmd->fib, &cursor, &route)) {
		want.vrf = route.table == 255 ? FX_VRF_DEFAULT : route.table;
		want.prefix = route.dst;
		if (route.gid && !bsearch(&want, check->prefixes, check->nprefixes, sizeof(want),
					  check_prefix_compare))
			check_prefix(check, want.vrf, &want.prefix, route.gid, 0);
	}
	return 0;
}

/* ---- groups, buckets, adjacencies ---- */

static void check_buckets(struct check_maps *check, const struct fib_group_view *group)
{
	uint64_t word = bpfmap_load64(&check->fpmd->maps->groups, group->gid, 0);
	struct fib_path_view path;
	char where[48];
	uint32_t i, found;

	if (FX_GROUP_KIND(word) != FX_GROUP_HASH)
		return;
	for (i = 0; i < group->buckets; i++) {
		found = bpfmap_load32(&check->fpmd->maps->buckets, FX_GROUP_VAL(word) + i, 0);
		snprintf(where, sizeof(where), "group %u bucket %u", group->gid, i);
		if (!fib_group_choose(check->fpmd->fib, group->gid, i, &path))
			check_numbers(check, "bucket", where, path.adj, found);
	}
}

static void check_groups(struct check_maps *check)
{
	struct fib_group_view group;
	uint64_t cursor = 0;
	char where[24];
	uint64_t found;
	uint32_t gid;

	for (gid = FX_GID_FIRST; gid < FX_MAX_GROUPS; gid++) {
		found = bpfmap_load64(&check->fpmd->maps->groups, gid, 0);
		snprintf(where, sizeof(where), "group %u", gid);
		/* A predecessor's groups are known by their prefixes until adoption is over. */
		if (found && (!check->fpmd->adopting || fib_expect_group(check->fpmd->fib, gid)))
			check_numbers(check, "group", where,
				      fib_expect_group(check->fpmd->fib, gid), found);
	}
	while (fib_group_next(check->fpmd->fib, &cursor, &group)) {
		if (!group.gid)
			continue;
		found = bpfmap_load64(&check->fpmd->maps->groups, group.gid, 0);
		snprintf(where, sizeof(where), "group %u", group.gid);
		if (!found)
			check_numbers(check, "group", where,
				      fib_expect_group(check->fpmd->fib, group.gid), found);
		if (group.buckets)
			check_buckets(check, &group);
	}
}

static void check_adjacency(struct check_maps *check, const struct fib_adj_view *adj)
{
	const struct fwd_maps *maps = check->fpmd->maps;
	char where[FX_ADDR_STRLEN + 48];
	char text[FX_ADDR_STRLEN];

	snprintf(where, sizeof(where), "adjacency %u interface %u %s", adj->id, adj->ifindex,
		 fx_addr_str(&adj->addr, text));
	check_numbers(check, "adjacency", where, adj->value.word0,
		      bpfmap_load64(&maps->adjs, adj->id, 0));
	if (FX_ADJ_KIND(adj->value.word0) != FX_ADJ_FORWARD)
		return;
	check_numbers(check, "adjacency-destination", where, adj->value.dst,
		      bpfmap_load64(&maps->adjs, adj->id, 1));
	check_numbers(check, "adjacency-source", where, adj->value.src,
		      bpfmap_load64(&maps->adjs, adj->id, 2));
}

/* ---- neighbours, own addresses, interfaces ---- */

static void check_neighbor(struct check_maps *check, const struct fib_adj_view *adj)
{
	struct fx_neigh4_key key4 = { .ifindex = adj->ifindex };
	struct fx_neigh6_key key6 = { .ifindex = adj->ifindex };
	const struct fwd_maps *maps = check->fpmd->maps;
	char text[FX_ADDR_STRLEN], where[FX_ADDR_STRLEN + 32];
	uint32_t found = 0;
	int rc;

	memcpy(&key4.addr, adj->addr.bytes, sizeof(key4.addr));
	memcpy(key6.addr, adj->addr.bytes, sizeof(key6.addr));
	rc = adj->addr.family == FX_AF_INET ? bpfmap_lookup(&maps->neigh4, &key4, &found)
					    : bpfmap_lookup(&maps->neigh6, &key6, &found);
	snprintf(where, sizeof(where), "interface %u %s", adj->ifindex,
		 fx_addr_str(&adj->addr, text));
	check_numbers(check, "neighbor", where, adj->id, rc ? 0 : found);
}

static void check_adjacencies(struct check_maps *check)
{
	struct fib_adj_view adj;
	uint64_t cursor = 0;

	while (fib_adj_next(check->fpmd->fib, &cursor, &adj)) {
		check_adjacency(check, &adj);
		if (adj.addr.family && adj.has_mac && !adj.gateway)
			check_neighbor(check, &adj);
	}
}

static bool check_is_own(struct fib *fib, const struct fx_addr *addr)
{
	struct fx_prefix host = { .family = FX_AF_INET, .len = 32 };
	struct fib_route_view route;

	memcpy(host.bytes, addr->bytes, 4);
	return !fib_route_get(fib, FX_VRF_DEFAULT, &host, &route) && route.in_kernel &&
	       (route.kind == RT_KIND_LOCAL || route.kind == RT_KIND_BROADCAST);
}

static int check_own4_found(void *arg, const void *key, const void *value)
{
	struct fx_addr addr = { .family = FX_AF_INET };
	struct check_maps *check = arg;
	char text[FX_ADDR_STRLEN];

	memcpy(addr.bytes, key, 4);
	if (!check_is_own(check->fpmd->fib, &addr))
		check_differs(check->differences, "own-address", fx_addr_str(&addr, text), "absent",
			      "present");
	return 0;
}

static int check_own4(struct check_maps *check)
{
	const struct fwd_maps *maps = check->fpmd->maps;
	struct fib_route_view route;
	struct fx_addr addr;
	char text[FX_PREFIX_STRLEN];
	uint64_t cursor = 0;
	uint32_t count, hint;

	while (fib_route_next(check->fpmd->fib, &cursor, &route)) {
		if (route.dst.family != FX_AF_INET || route.dst.len != 32 || !route.in_kernel ||
		    (route.kind != RT_KIND_LOCAL && route.kind != RT_KIND_BROADCAST))
			continue;
		addr = (struct fx_addr){ .family = FX_AF_INET };
		memcpy(addr.bytes, route.dst.bytes, 4);
		hint = fx_own4_slot((uint32_t)addr.bytes[0] << 24 | (uint32_t)addr.bytes[1] << 16 |
				    (uint32_t)addr.bytes[2] << 8 | addr.bytes[3]);
		if (bpfmap_lookup(&maps->own4, addr.bytes, &count) ||
		    !bpfmap_load32(&maps->own4_hint, hint, 0))
			check_differs(check->differences, "own-address",
				      fx_prefix_str(&route.dst, text), "present", "absent");
	}
	return bpfmap_walk(&maps->own4, check_own4_found, check);
}

static void check_interfaces(struct check_maps *check)
{
	struct fpmd *fpmd = check->fpmd;
	const struct iface *iface = iface_next(fpmd->ifaces, 0);
	struct xdp_state state;
	uint64_t expected;

	for (; iface; iface = iface_next(fpmd->ifaces, iface->link.ifindex)) {
		expected = fpmd_iface_word0(fpmd, iface);
		check_numbers(check, "interface", iface->link.name, expected,
			      map_writer_iface_word0(fpmd->maps, iface->link.ifindex));
		if (iface->attached &&
		    (xdp_state(fpmd->bpf_dir, iface->link.ifindex, &state) < 0 || !state.ours))
			check_differs(check->differences, "attachment", iface->link.name,
				      "attached", "not attached");
	}
}

int check_maps(struct fpmd *fpmd, json_object *differences)
{
	struct check_maps check = { .fpmd = fpmd, .differences = differences };
	int rc;

	rc = check_prefixes(&check);
	free(check.prefixes);
	if (rc < 0)
		return rc;
	check_groups(&check);
	check_adjacencies(&check);
	check_interfaces(&check);
	return check_own4(&check);
}
