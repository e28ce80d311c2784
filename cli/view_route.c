/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "bpf/fx_abi.h"
#include "cli/field.h"
#include "cli/ingress.h"
#include "cli/view.h"

#define TABLE_LOCAL 255u

/* vtysh's letters. */
static const struct {
	const char *protocol;
	char letter;
} route_codes[] = {
	{ "", 'K' },	   { "kernel", 'K' },	  { "connected", 'C' }, { "local", 'L' },
	{ "static", 'S' }, { "rip", 'R' },	  { "ripng", 'R' },	{ "ospf", 'O' },
	{ "ospf6", 'O' },  { "isis", 'I' },	  { "bgp", 'B' },	{ "eigrp", 'E' },
	{ "nhrp", 'N' },   { "boot", 'K' },	  { "table", 'T' },	{ "babel", 'A' },
	{ "sharp", 'D' },  { "openfabric", 'f' }, { "srte", 'Z' },	{ "pbr", 'F' },
	{ "ldp", 'l' },	   { "zebra", 'z' },
};

void view_route_legend(FILE *out)
{
	fputs("Codes: K - kernel route, C - connected, L - local, S - static, R - RIP, O - OSPF,\n"
	      "       I - IS-IS, B - BGP, E - EIGRP, N - NHRP, A - Babel, D - SHARP, F - PBR,\n"
	      "       f - OpenFabric, Z - SR-TE, z - zebra, ? - other\n"
	      "       * - forwarded in XDP, t - trapped, q - pending, o - offload failure (all three\n"
	      "       are left to Linux), [metric]\n\n",
	      out);
}

void view_route_ingress(struct json_object *interfaces, FILE *out)
{
	static const char *const families[][2] = { { "ipv4", "IPv4" }, { "ipv6", "IPv6" } };
	struct ingress count;
	size_t i;

	for (i = 0; interfaces && i < 2; i++) {
		count = ingress_count(interfaces, families[i][0]);
		if (count.eligible)
			continue;
		fprintf(out, "%s packets are all left to Linux, since no interface is ",
			families[i][1]);
		fputs(count.attached ? "eligible: " : "attached", out);
		ingress_why(interfaces, families[i][0], out);
		fputs("\n\n", out);
	}
}

/* The kernel's own routes are of protocol kernel, connected or not. */
static char route_letter(struct json_object *route)
{
	const char *protocol = field_str(route, "protocol");
	struct json_object *nexthops = field_get(route, "nexthops");
	size_t i;

	if (strcmp(protocol, "kernel") == 0 && field_num(route, "table") == TABLE_LOCAL)
		return 'L';
	if (strcmp(protocol, "kernel") == 0 && field_len(nexthops) == 1 &&
	    !field_get(json_object_array_get_idx(nexthops, 0), "gateway"))
		return 'C';
	for (i = 0; i < sizeof(route_codes) / sizeof(route_codes[0]); i++) {
		if (strcmp(route_codes[i].protocol, protocol) == 0)
			return route_codes[i].letter;
	}
	return '?';
}

static char route_state(const char *state)
{
	if (strcmp(state, "offloaded") == 0)
		return '*';
	if (strcmp(state, "trapped") == 0)
		return 't';
	return strcmp(state, "failed") == 0 ? 'o' : 'q';
}

static void route_nexthop(struct json_object *nexthop, FILE *out)
{
	const char *gateway = field_str(nexthop, "gateway");
	const char *mac = field_str(nexthop, "mac");

	if (*gateway)
		fprintf(out, " via %s, %s", gateway, field_str(nexthop, "interface"));
	else
		fprintf(out, " is directly connected, %s", field_str(nexthop, "interface"));
	if (*mac)
		fprintf(out, ", %s", mac);
	if (field_num(nexthop, "weight") > 1)
		fprintf(out, ", weight %" PRIu64, field_num(nexthop, "weight"));
	if (!field_bool(nexthop, "active"))
		fputs(" inactive", out);
}

static void route_tail(struct json_object *route, FILE *out)
{
	uint64_t table = field_num(route, "table");

	/* table local is looked up before main, as one with it */
	if (table != FX_VRF_DEFAULT && table != TABLE_LOCAL)
		fprintf(out, ", table %" PRIu64, table);
	if (*field_str(route, "encap"))
		fprintf(out, ", encap %s", field_str(route, "encap"));
	if (*field_str(route, "reason"))
		fprintf(out, ", %s", field_str(route, "reason"));
	fputc('\n', out);
}

static void route_lines(const char *prefix, struct json_object *route, FILE *out)
{
	struct json_object *nexthops = field_get(route, "nexthops");
	size_t i, n = field_len(nexthops);
	int indent;

	indent = fprintf(out, "%c%c %s", route_letter(route),
			 route_state(field_str(route, "state")), prefix);
	indent += fprintf(out, " [%" PRIu64 "]", field_num(route, "metric"));
	for (i = 0; i < n; i++) {
		if (i)
			fprintf(out, "%*s", indent, "");
		route_nexthop(json_object_array_get_idx(nexthops, i), out);
		if (i + 1 < n)
			fputc('\n', out);
	}
	route_tail(route, out);
}

void view_route(const char *prefix, struct json_object *routes, FILE *out)
{
	size_t i, n = field_len(routes);

	for (i = 0; i < n; i++)
		route_lines(prefix, json_object_array_get_idx(routes, i), out);
}

/* What is said of the packet holds where it is eligible. */
static void lookup_ingress(struct json_object *doc, const char *done, FILE *out)
{
	const char *family = strchr(field_str(doc, "address"), ':') ? "ipv6" : "ipv4";
	struct json_object *interfaces = field_get(doc, VIEW_INTERFACES);
	struct ingress count = ingress_count(interfaces, family);

	if (!interfaces || (count.attached && count.eligible == count.attached)) {
		fprintf(out, "is %s in XDP", done);
		return;
	}
	if (!count.attached) {
		fprintf(out, "would be %s in XDP, but no interface is attached", done);
		return;
	}
	fprintf(out, "%s %s in XDP, but is left to Linux on ", count.eligible ? "is" : "would be",
		done);
	ingress_why(interfaces, family, out);
}

static void lookup_verdict(struct json_object *doc, FILE *out)
{
	const char *verdict = field_str(doc, "verdict");
	const char *reason = field_str(doc, "reason");

	fprintf(out, "A packet to %s ", field_str(doc, "address"));
	if (strcmp(verdict, "forwarded") == 0 || strcmp(verdict, "dropped") == 0)
		lookup_ingress(doc, verdict, out);
	else
		fprintf(out, "is left to Linux: %s", *reason ? reason : "no reason given");
	if (strcmp(verdict, "dropped") == 0)
		fprintf(out, " (%s)", reason);
	fputc('\n', out);
}

static void lookup_members(struct json_object *doc, FILE *out)
{
	struct json_object *nexthops = field_get(doc, "nexthops");
	struct json_object *chosen = field_get(doc, "nexthop");
	size_t i, n = field_len(nexthops);

	if (n > 1 && !chosen)
		fputs("  the flow decides which member: add `from SOURCE PROTOCOL SPORT DPORT`\n",
		      out);
	for (i = 0; i < n; i++) {
		fprintf(out, "  %c member %zu",
			chosen && field_num(chosen, "member") == i ? '>' : ' ', i);
		route_nexthop(json_object_array_get_idx(nexthops, i), out);
		fputc('\n', out);
	}
}

void view_lookup(struct json_object *doc, FILE *out)
{
	struct json_object *chosen = field_get(doc, "nexthop");

	lookup_verdict(doc, out);
	if (*field_str(doc, "prefix"))
		fprintf(out, "  prefix    %s, %s, table %" PRIu64 "\n", field_str(doc, "prefix"),
			field_str(doc, "protocol"), field_num(doc, "table"));
	if (field_num(doc, "group"))
		fprintf(out, "  group     %" PRIu64 "\n", field_num(doc, "group"));
	if (chosen) {
		fputs("  next hop ", out);
		fprintf(out, " %s, interface %s, MAC %s\n",
			*field_str(chosen, "gateway") ? field_str(chosen, "gateway") : "on link",
			field_str(chosen, "interface"),
			*field_str(chosen, "mac") ? field_str(chosen, "mac") : "not resolved");
	}
	lookup_members(doc, out);
}
