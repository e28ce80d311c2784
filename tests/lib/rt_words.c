/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *	add PROTO PREFIX [KIND] [from PREFIX] [nhid N] [via A] [dev N] [weight N] [encap mpls] ...
 *	    [metric N] [table N] [tos N] [mtu N] [append] [replace] [dump]
 *	del PREFIX ...			nh ID [blackhole] [via A] [dev N] [encap mpls]
 *	group ID MEMBER[*WEIGHT] ...	nhdel ID
 * Each `via` or bare `dev` begins a path.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/rt_words.h"

static struct rt_op op;
static char text[512];
static char *rest;
static bool path_open;

static char *word(void)
{
	char *found = strtok_r(NULL, " ", &rest);

	if (!found) {
		fprintf(stderr, "rt_words: words are missing\n");
		exit(99);
	}
	return found;
}

static uint32_t number(void)
{
	return (uint32_t)strtoul(word(), NULL, 0);
}

static struct rt_path *path_begin(void)
{
	path_open = true;
	op.paths[op.npaths].weight = 1;
	return &op.paths[op.npaths++];
}

static struct rt_path *path_last(void)
{
	return &op.paths[op.npaths - 1];
}

static uint8_t protocol(const char *name)
{
	static const struct {
		const char *name;
		uint8_t value;
	} names[] = { { "kernel", 2 }, { "static", 4 }, { "ra", 9 },
		      { "zebra", 11 }, { "bgp", 186 },	{ "ospf", 188 } };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i].name, name))
			return names[i].value;
	}
	exit(99);
}

static bool kind(const char *name)
{
	static const struct {
		const char *name;
		enum rt_kind kind;
		uint8_t type;
	} kinds[] = {
		{ "local", RT_KIND_LOCAL, 2 },	       { "broadcast", RT_KIND_BROADCAST, 3 },
		{ "blackhole", RT_KIND_BLACKHOLE, 6 }, { "unreachable", RT_KIND_UNREACHABLE, 7 },
		{ "prohibit", RT_KIND_PROHIBIT, 8 },   { "throw", RT_KIND_THROW, 9 }
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) != 0)
			continue;
		op.kind = kinds[i].kind;
		op.rtm_type = kinds[i].type;
		if (op.verb == RT_NH_ADD)
			op.flags |= RT_F_BLACKHOLE;
		return true;
	}
	return false;
}

static bool path_word(const char *w)
{
	if (!strcmp(w, "via")) {
		if (fx_addr_parse(word(), &path_begin()->gw) < 0)
			exit(99);
	} else if (!strcmp(w, "dev")) {
		if (!path_open)
			path_begin();
		path_last()->ifindex = number();
		path_open = false;
	} else if (!strcmp(w, "weight")) {
		path_last()->weight = (uint16_t)number();
	} else if (!strcmp(w, "encap")) {
		word();
		path_last()->encap = op.encap = RT_ENCAP_MPLS;
	} else {
		return false;
	}
	return true;
}

static bool route_word(const char *w)
{
	if (!strcmp(w, "metric"))
		op.metric = number();
	else if (!strcmp(w, "table"))
		op.table = number();
	else if (!strcmp(w, "tos"))
		op.tos = (uint8_t)number();
	else if (!strcmp(w, "mtu"))
		op.mtu = number();
	else if (!strcmp(w, "nhid"))
		op.nh_id = number();
	else if (!strcmp(w, "append"))
		op.flags |= RT_F_APPEND;
	else if (!strcmp(w, "dump"))
		op.flags |= RT_F_DUMP;
	else if (!strcmp(w, "expires"))
		op.flags |= RT_F_EXPIRES;
	else if (!strcmp(w, "replace"))
		op.flags |= RT_F_REPLACE;
	else if (!strcmp(w, "from"))
		return fx_prefix_parse(word(), &op.src) == 0;
	else
		return false;
	return true;
}

static void members(void)
{
	char *w, *star;

	op.flags |= RT_F_GROUP;
	while ((w = strtok_r(NULL, " ", &rest))) {
		star = strchr(w, '*');
		op.paths[op.npaths].nh_id = (uint32_t)strtoul(w, NULL, 0);
		op.paths[op.npaths++].weight = star ? (uint16_t)strtoul(star + 1, NULL, 0) : 1;
	}
}

struct rt_op *rt_words(const char *words)
{
	char *w;

	memset(&op, 0, sizeof(op));
	op.table = 254;
	op.kind = RT_KIND_UNICAST;
	op.rtm_type = 1;
	path_open = false;
	snprintf(text, sizeof(text), "%s", words);
	w = strtok_r(text, " ", &rest);
	if (!strcmp(w, "add") || !strcmp(w, "del")) {
		op.verb = *w == 'a' ? RT_ROUTE_ADD : RT_ROUTE_DEL;
		if (op.verb == RT_ROUTE_ADD)
			op.protocol = protocol(word());
		if (fx_prefix_parse(word(), &op.dst) < 0)
			exit(99);
	} else {
		op.verb = !strcmp(w, "nhdel") ? RT_NH_DEL : RT_NH_ADD;
		op.nh_id = number();
		if (!strcmp(w, "group"))
			members();
	}
	while ((w = strtok_r(NULL, " ", &rest))) {
		if (!path_word(w) && !route_word(w) && !kind(w)) {
			fprintf(stderr, "rt_words: %s in \"%s\"?\n", w, words);
			exit(99);
		}
	}
	return &op;
}
