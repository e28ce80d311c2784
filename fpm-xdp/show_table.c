/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The long answers: routes, nexthop groups, neighbours, made while they are read. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"
#include "lib/ctl.h"
#include "lib/verdict.h"

#define SHOW_STEP   200u /* entries in one step of a walk */
#define TABLE_LOCAL 255u

struct show_walk {
	struct fpmd *fpmd;
	uint64_t cursor;
	bool begun;
	bool some; /* at least one element is out */
	bool collected;
	/* Routes: the tables that there are. A prefix that several have is one key. */
	uint32_t *tables;
	size_t ntables;
};

static void show_walk_free(void *state)
{
	struct show_walk *walk = state;

	free(walk->tables);
	free(walk);
}

static int show_walk_reply(struct fpmd *fpmd, struct ctl_reply *reply,
			   enum ctl_next (*next)(void *state, struct strbuf *out))
{
	struct show_walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return -ENOMEM;
	walk->fpmd = fpmd;
	*reply = (struct ctl_reply){ next, show_walk_free, walk };
	return 0;
}

/* What stands before the next element. */
static void show_walk_comma(struct show_walk *walk, struct strbuf *out)
{
	if (walk->some)
		strbuf_puts(out, ",");
	walk->some = true;
}

/* ---- routes ---- */

static const char *show_state_name(enum fib_state state)
{
	switch (state) {
	case FIB_ST_PENDING:
		return "pending";
	case FIB_ST_OFFLOADED:
		return "offloaded";
	case FIB_ST_TRAPPED:
		return "trapped";
	case FIB_ST_FAILED:
		break;
	}
	return "failed";
}

static const char *show_encap_name(uint8_t encap)
{
	switch ((enum rt_encap)encap) {
	case RT_ENCAP_NONE:
		return NULL;
	case RT_ENCAP_MPLS:
		return "mpls";
	case RT_ENCAP_SRV6:
		return "srv6";
	case RT_ENCAP_VXLAN:
		return "vxlan";
	case RT_ENCAP_OTHER:
		break;
	}
	return "other";
}

static json_object *show_one_route(const struct fpmd *fpmd, const struct fib_route_view *route)
{
	json_object *object = json_object_new_object();
	const char *encap = show_encap_name(route->encap);

	show_num(object, "table", route->table);
	show_protocol(object, "protocol", route->protocol);
	show_str(object, "source", show_source_name(route->source));
	show_str(object, "state", show_state_name(route->state));
	if (route->verdict != FX_V_FORWARDED)
		show_str(object, "reason", verdict_name(route->verdict));
	if (encap)
		show_str(object, "encap", encap);
	show_num(object, "metric", route->metric);
	show_num(object, "group", route->gid);
	show_num(object, "nexthopGroupId", route->nh_id);
	json_object_object_add(object, "nexthops",
			       show_nexthops(fpmd, route->paths, route->npaths));
	return object;
}

/* As the model does: local and main are one. */
static uint32_t show_table_key(uint32_t table)
{
	return table == TABLE_LOCAL ? FX_VRF_DEFAULT : table;
}

static void show_collect_table(struct show_walk *walk, uint32_t table)
{
	uint32_t *grown;
	size_t i;

	for (i = 0; i < walk->ntables; i++)
		if (walk->tables[i] == table)
			return;
	grown = realloc(walk->tables, (walk->ntables + 1) * sizeof(*grown));
	if (!grown)
		return;
	walk->tables = grown;
	walk->tables[walk->ntables++] = table;
}

/* A step of the walk that only looks at the tables. */
static void show_collect(struct show_walk *walk)
{
	struct fib_route_view route;
	unsigned int i;

	for (i = 0; i < SHOW_STEP * 8; i++) {
		if (!fib_route_next(walk->fpmd->fib, &walk->cursor, &route)) {
			walk->collected = true;
			walk->cursor = 0;
			return;
		}
		show_collect_table(walk, show_table_key(route.table));
	}
}

/* All routes of a prefix, over the tables from the i-th on, as one array. */
static json_object *show_prefix_routes(struct show_walk *walk, const struct fx_prefix *prefix,
				       size_t i)
{
	json_object *array = json_object_new_array();
	struct fib_route_view route;

	for (; i < walk->ntables; i++)
		if (!fib_route_get(walk->fpmd->fib, walk->tables[i], prefix, &route))
			json_object_array_add(array, show_one_route(walk->fpmd, &route));
	return array;
}

/* Whether this is the first table that has the prefix: its index, else -1. */
static int show_first_table(struct show_walk *walk, const struct fib_route_view *route)
{
	struct fib_route_view other;
	struct fx_prefix dst = route->dst;
	uint32_t table = show_table_key(route->table);
	size_t i;

	for (i = 0; i < walk->ntables; i++) {
		if (walk->tables[i] == table)
			return (int)i;
		if (!fib_route_get(walk->fpmd->fib, walk->tables[i], &dst, &other))
			return -1;
	}
	return -1; /* a table that appeared meanwhile */
}

static enum ctl_next show_routes_next(void *state, struct strbuf *out)
{
	struct show_walk *walk = state;
	struct fib_route_view route;
	char text[FX_PREFIX_STRLEN];
	struct fx_prefix dst;
	unsigned int i;
	int first;

	if (!walk->collected) {
		show_collect(walk);
		return CTL_MORE;
	}
	if (!walk->begun)
		strbuf_puts(out, "{");
	walk->begun = true;
	for (i = 0; i < SHOW_STEP; i++) {
		if (!fib_route_next(walk->fpmd->fib, &walk->cursor, &route)) {
			strbuf_puts(out, "}\n");
			return CTL_DONE;
		}
		dst = route.dst;
		first = show_first_table(walk, &route);
		if (first < 0)
			continue;
		show_walk_comma(walk, out);
		strbuf_printf(out, "\"%s\":", fx_prefix_str(&dst, text));
		show_put(out, show_prefix_routes(walk, &dst, (size_t)first));
	}
	return CTL_MORE;
}

/* One prefix: the same form as the whole table, with one key or none. */
static int show_route_prefix(struct fpmd *fpmd, const struct fx_prefix *prefix,
			     struct ctl_reply *reply)
{
	struct show_walk walk = { .fpmd = fpmd };
	json_object *object = json_object_new_object();
	char text[FX_PREFIX_STRLEN];
	json_object *array;

	while (!walk.collected)
		show_collect(&walk);
	array = show_prefix_routes(&walk, prefix, 0);
	free(walk.tables);
	if (json_object_array_length(array))
		json_object_object_add(object, fx_prefix_str(prefix, text), array);
	else
		json_object_put(array);
	return show_reply(reply, object);
}

static int show_parse_proto(const char *text, uint8_t *ret)
{
	static const struct {
		const char *name;
		uint8_t proto;
	} known[] = {
		{ "icmp", 1 }, { "tcp", 6 }, { "udp", 17 }, { "icmp6", 58 }, { "sctp", 132 }
	};
	uint32_t number;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(text, known[i].name)) {
			*ret = known[i].proto;
			return 0;
		}
	}
	if (conf_parse_number(text, 0, 255, &number) < 0)
		return -EINVAL;
	*ret = (uint8_t)number;
	return 0;
}

/* from SRC [PROTO SPORT DPORT] */
static int show_parse_flow(int argc, char **argv, const struct fx_addr *dst, struct show_flow *ret)
{
	uint32_t sport = 0, dport = 0;

	if ((argc != 2 && argc != 5) || strcmp(argv[0], "from") != 0 ||
	    fx_addr_parse(argv[1], &ret->src) < 0 || ret->src.family != dst->family)
		return -EINVAL;
	ret->proto = dst->family == FX_AF_INET ? 1 : 58; /* a ping, if nothing is said */
	if (argc == 5 && (show_parse_proto(argv[2], &ret->proto) < 0 ||
			  conf_parse_number(argv[3], 0, 65535, &sport) < 0 ||
			  conf_parse_number(argv[4], 0, 65535, &dport) < 0))
		return -EINVAL;
	ret->sport = (uint16_t)sport;
	ret->dport = (uint16_t)dport;
	return 0;
}

int show_route(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
	       const char **ret_error)
{
	struct show_flow flow = { 0 };
	struct fx_prefix prefix;
	struct fx_addr addr;

	if (argc == 0)
		return show_walk_reply(fpmd, reply, show_routes_next);
	if (strchr(argv[0], '/')) {
		if (argc == 1 && !fx_prefix_parse(argv[0], &prefix))
			return show_route_prefix(fpmd, &prefix, reply);
		*ret_error = "not a prefix (host bits must be zero)";
		return -EINVAL;
	}
	*ret_error = "expected: show route ADDRESS [from SOURCE [PROTOCOL SPORT DPORT]]";
	if (fx_addr_parse(argv[0], &addr) < 0)
		return -EINVAL;
	if (argc == 1)
		return show_reply(reply, show_path(fpmd, &addr, NULL));
	if (show_parse_flow(argc - 1, argv + 1, &addr, &flow) < 0)
		return -EINVAL;
	return show_reply(reply, show_path(fpmd, &addr, &flow));
}

/* ---- nexthop groups ---- */

static json_object *show_one_group(const struct fpmd *fpmd, const struct fib_group_view *group)
{
	json_object *object = json_object_new_object();
	json_object *array = json_object_new_array();
	json_object *nexthop;
	uint32_t i;

	show_num(object, "group", group->gid);
	show_num(object, "id", group->nh_id);
	/* Without an id: a route's own paths, of whichever source. */
	show_str(object, "source", group->nh_id ? show_source_name(group->source) : "route");
	show_bool(object, "resolved", group->resolved);
	show_num(object, "routes", group->routes);
	show_num(object, "buckets", group->buckets);
	for (i = 0; i < group->npaths; i++) {
		nexthop = show_nexthop(fpmd, &group->paths[i]);
		show_adjstat(fpmd, nexthop, group->paths[i].adj);
		json_object_array_add(array, nexthop);
	}
	json_object_object_add(object, "nexthops", array);
	return object;
}

static enum ctl_next show_groups_next(void *state, struct strbuf *out)
{
	struct show_walk *walk = state;
	struct fib_group_view group;
	unsigned int i;

	if (!walk->begun)
		strbuf_puts(out, "{\"groups\":[");
	walk->begun = true;
	for (i = 0; i < SHOW_STEP; i++) {
		if (!fib_group_next(walk->fpmd->fib, &walk->cursor, &group)) {
			strbuf_puts(out, "]}\n");
			return CTL_DONE;
		}
		show_walk_comma(walk, out);
		show_put(out, show_one_group(walk->fpmd, &group));
	}
	return CTL_MORE;
}

int show_nexthop_group(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		       const char **ret_error)
{
	return show_walk_reply(fpmd, reply, show_groups_next);
}

/* ---- neighbours ---- */

static json_object *show_one_neighbor(const struct fpmd *fpmd, const struct fib_adj_view *adj)
{
	json_object *object = json_object_new_object();
	uint64_t word = adj->value.word0;
	uint32_t verdict = FX_ADJ_KIND(word) == FX_ADJ_PASS ? FX_ADJ_VERDICT(word) : FX_V_FORWARDED;

	if (FX_ADJ_KIND(word) == FX_ADJ_FORWARD && !(FX_ADJ_FLAGS(word) & FX_ADJ_F_TX))
		verdict = FX_V_NO_XDP_TX;
	show_ifname(fpmd, object, "interface", adj->ifindex);
	show_addr(object, "address", &adj->addr);
	if (adj->has_mac)
		show_mac(object, "mac", adj->mac);
	show_num(object, "adjacency", adj->id);
	show_str(object, "verdict", verdict_name(verdict));
	show_num(object, "mtu", adj->mtu);
	show_bool(object, "gateway", adj->gateway);
	show_adjstat(fpmd, object, adj->id);
	return object;
}

static enum ctl_next show_neighbors_next(void *state, struct strbuf *out)
{
	struct show_walk *walk = state;
	struct fib_adj_view adj;
	unsigned int i;

	if (!walk->begun)
		strbuf_puts(out, "{\"neighbors\":[");
	walk->begun = true;
	for (i = 0; i < SHOW_STEP; i++) {
		if (!fib_adj_next(walk->fpmd->fib, &walk->cursor, &adj)) {
			strbuf_puts(out, "]}\n");
			return CTL_DONE;
		}
		if (!adj.addr.family)
			continue; /* a connected network, not a neighbour */
		show_walk_comma(walk, out);
		show_put(out, show_one_neighbor(walk->fpmd, &adj));
	}
	return CTL_MORE;
}

int show_neighbor(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		  const char **ret_error)
{
	return show_walk_reply(fpmd, reply, show_neighbors_next);
}
