/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>

#include <json-c/json.h>

#include "cli/field.h"
#include "cli/table.h"
#include "cli/view.h"

static void group_member(struct json_object *nexthop, struct table *table)
{
	table_text(table, field_str(nexthop, "interface"));
	table_text(table, field_str(nexthop, "gateway"));
	table_text(table, field_str(nexthop, "mac"));
	table_num(table, field_num(nexthop, "weight"));
	table_text(table, field_bool(nexthop, "active") ? "yes" : "no");
	table_num(table, field_num(nexthop, "packets"));
	table_num(table, field_num(nexthop, "bytes"));
}

static void group_head(struct json_object *group, struct table *table)
{
	table_num(table, field_num(group, "group"));
	table_num(table, field_num(group, "id"));
	table_text(table, field_str(group, "source"));
	table_num(table, field_num(group, "routes"));
	table_num(table, field_num(group, "buckets"));
}

static void group_rows(struct json_object *group, struct table *table)
{
	struct json_object *nexthops = field_get(group, "nexthops");
	size_t i, k, n = field_len(nexthops);

	group_head(group, table);
	if (!n) {
		table_text(table, field_bool(group, "resolved") ? "" : "not known yet");
		for (k = 0; k < 6; k++)
			table_text(table, "");
		return;
	}
	for (i = 0; i < n; i++) {
		for (k = 0; i && k < 5; k++)
			table_text(table, " ");
		group_member(json_object_array_get_idx(nexthops, i), table);
	}
}

static int group_order(const void *a, const void *b)
{
	struct json_object *one = *(struct json_object *const *)a;
	struct json_object *two = *(struct json_object *const *)b;
	uint64_t x = field_num(one, "group"), y = field_num(two, "group");

	if (x == y) {
		x = field_num(one, "id");
		y = field_num(two, "id");
	}
	return (x > y) - (x < y);
}

/* Known, and nothing in XDP uses it: an id of zebra's beside the kernel's own, say. */
static bool group_is_idle(struct json_object *group)
{
	return !field_num(group, "group") && field_bool(group, "resolved");
}

void view_group(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { ">Group",	 ">Id",	      "Source",	  ">Routes",
					     ">Buckets", "Interface", "Gateway",  "MAC",
					     ">Weight",	 "Active",    ">Packets", ">Bytes" };
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));
	struct json_object *groups = field_get(doc, "groups");
	size_t i, idle = 0, n = field_len(groups);

	if (!table)
		return;
	if (n)
		json_object_array_sort(groups, group_order);
	for (i = 0; i < n; i++) {
		if (group_is_idle(json_object_array_get_idx(groups, i)))
			idle++;
		else
			group_rows(json_object_array_get_idx(groups, i), table);
	}
	table_print(table, out);
	table_free(table);
	if (idle)
		fprintf(out,
			"Nexthop ids that are known and not used in XDP: %zu (json lists them)\n",
			idle);
}

void view_neighbor(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { "Interface",  "Address",  "MAC",
					     ">Adjacency", "Gateway",  "Verdict",
					     ">MTU",	   ">Packets", ">Bytes" };
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));
	struct json_object *one, *neighbors = field_get(doc, "neighbors");
	size_t i, n = field_len(neighbors);

	if (!table)
		return;
	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(neighbors, i);
		table_text(table, field_str(one, "interface"));
		table_text(table, field_str(one, "address"));
		table_text(table, field_str(one, "mac"));
		table_num(table, field_num(one, "adjacency"));
		table_text(table, field_bool(one, "gateway") ? "yes" : "no");
		table_text(table, field_str(one, "verdict"));
		table_num(table, field_num(one, "mtu"));
		table_num(table, field_num(one, "packets"));
		table_num(table, field_num(one, "bytes"));
	}
	table_print(table, out);
	table_free(table);
}
