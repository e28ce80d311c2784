/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "bpf/fx_abi.h"
#include "cli/field.h"
#include "cli/ingress.h"
#include "cli/table.h"
#include "cli/view.h"

/* {"REASON":N,...} in one line; nothing when all are 0. */
static void summary_reasons(const char *what, struct json_object *reasons, FILE *out)
{
	bool first = true;

	if (!reasons)
		return;
	json_object_object_foreach(reasons, reason, count)
	{
		if (!json_object_get_uint64(count))
			continue;
		fprintf(out, "%s %s %" PRIu64, first ? what : ",", reason,
			json_object_get_uint64(count));
		first = false;
	}
	if (!first)
		fputc('\n', out);
}

static void summary_fpm(struct json_object *fpm, FILE *out)
{
	fprintf(out, "FPM      %s", field_bool(fpm, "connected") ? "connected" : "not connected");
	if (*field_str(fpm, "peer"))
		fprintf(out, ", peer %s", field_str(fpm, "peer"));
	if (field_bool(fpm, "connected"))
		fprintf(out, ", module %s, replay %s", field_str(fpm, "module"),
			field_bool(fpm, "replayed") ? "complete" : "under way");
	fprintf(out, ", listening on %s\n", field_str(fpm, "listen"));
	fprintf(out,
		"         frames: %" PRIu64 ", messages: %" PRIu64 ", connections: %" PRIu64
		"; kernel-first %s\n",
		field_num(fpm, "frames"), field_num(fpm, "messages"), field_num(fpm, "connections"),
		field_bool(fpm, "kernelFirst") ? "on" : "off");
	summary_reasons("         rejected:", field_object(fpm, "rejects"), out);
	summary_reasons("         ignored:", field_object(fpm, "ignored"), out);
}

/* "forwarding", or that packets of a family come in nowhere for XDP to forward, and why. */
static void summary_state(struct json_object *doc, FILE *out)
{
	static const char *const families[][2] = { { "ipv4", "IPv4" }, { "ipv6", "IPv6" } };
	struct json_object *interfaces = field_get(doc, VIEW_INTERFACES);
	struct ingress count[2];
	size_t i;

	for (i = 0; i < 2; i++)
		count[i] = ingress_count(interfaces, families[i][0]);
	if (!field_bool(doc, "ready"))
		fputs("starting", out);
	else if (interfaces && !count[0].attached)
		fputs("forwards nothing: no interface is attached", out);
	else if (interfaces && !count[0].eligible && !count[1].eligible)
		fputs("forwards nothing: no interface is eligible", out);
	else
		fputs("forwarding", out);
	fprintf(out, "%s\n",
		field_bool(doc, "adopting") ? ", taking over what a predecessor left" : "");
	for (i = 0; i < 2; i++) {
		if (count[i].eligible == count[i].attached)
			continue;
		fprintf(out, "         %s left to Linux: ", families[i][1]);
		ingress_why(interfaces, families[i][0], out);
		fputc('\n', out);
	}
}

static void summary_routes(struct json_object *routes, FILE *out)
{
	fprintf(out,
		"Routes   %" PRIu64 " IPv4, %" PRIu64 " IPv6: %" PRIu64 " offloaded, %" PRIu64
		" pending, %" PRIu64 " trapped, %" PRIu64 " failed\n",
		field_num(routes, "ipv4"), field_num(routes, "ipv6"),
		field_num(routes, "offloaded"), field_num(routes, "pending"),
		field_num(routes, "trapped"), field_num(routes, "failed"));
	fprintf(out, "         %" PRIu64 " refused, limit %" PRIu64 "\n",
		field_num(routes, "refused"), field_num(routes, "limit"));
}

void view_summary(struct json_object *doc, FILE *out)
{
	struct json_object *kernel = field_get(doc, "kernel");
	uint64_t up = field_num(doc, "uptime");

	fprintf(out, "fpm-xdp %s, pid %" PRIu64 ", up %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
		field_str(doc, "version"), field_num(doc, "pid"), up / 3600, up / 60 % 60, up % 60);
	if (*field_str(doc, "pathspace"))
		fprintf(out, ", pathspace %s", field_str(doc, "pathspace"));
	fprintf(out, ", ABI %" PRIu64 "\n", field_num(doc, "abi"));
	fputs("State    ", out);
	summary_state(doc, out);
	summary_fpm(field_get(doc, "fpm"), out);
	fprintf(out,
		"Kernel   %s; messages: %" PRIu64 ", overruns: %" PRIu64 ", resyncs: %" PRIu64 "\n",
		field_bool(kernel, "synced") ? "in step" : "being read",
		field_num(kernel, "messages"), field_num(kernel, "overruns"),
		field_num(kernel, "resyncs"));
	summary_routes(field_get(doc, "routes"), out);
	fprintf(out,
		"Tables   nexthop groups: %" PRIu64 ", adjacencies: %" PRIu64
		", neighbors: %" PRIu64 ", interfaces attached: %" PRIu64 "\n",
		field_num(doc, "nexthopGroups"), field_num(doc, "adjacencies"),
		field_num(doc, "neighbors"), field_num(doc, "interfaces"));
	fprintf(out, "Offload status to zebra is %s\n",
		field_bool(doc, "offloadStatus") ? "on" : "off");
}

/* "yes", or why not; where nothing of ours is attached the question does not arise. */
static void interface_eligible(struct json_object *iface, const char *name, struct table *table)
{
	struct json_object *family = field_get(iface, name);
	char text[256];

	ingress_reasons(family, text, sizeof(text));
	if (!field_bool(iface, "attached"))
		table_text(table, "");
	else if (field_bool(family, "eligible"))
		table_text(table, "yes");
	else
		table_text(table, *text ? text : "no");
}

static const char *interface_xdp(struct json_object *iface)
{
	if (field_bool(iface, "attached"))
		return field_str(iface, "mode");
	return field_get(iface, "foreignProgram") ? "foreign" : "off";
}

static void interface_vrf(uint64_t vrf, struct table *table)
{
	if (vrf == FX_VRF_DEFAULT)
		table_text(table, "default");
	else
		table_num(table, vrf);
}

void view_interface(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { "Interface", "Status",   "VRF",  ">MTU",
					     "XDP",	  "Transmit", "IPv4", "IPv6" };
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));

	if (!table || !json_object_is_type(doc, json_type_object)) {
		table_free(table);
		return;
	}
	json_object_object_foreach(doc, name, one)
	{
		table_text(table, name);
		table_text(table, field_bool(one, "up") ? "up" : "down");
		interface_vrf(field_num(one, "vrf"), table);
		table_num(table, field_num(one, "mtu"));
		table_text(table, interface_xdp(one));
		table_text(table, field_bool(one, "xdpTransmit") ? "yes" : "no");
		interface_eligible(one, "ipv4", table);
		interface_eligible(one, "ipv6", table);
	}
	table_print(table, out);
	table_free(table);
	json_object_object_foreach(doc, ifname, iface)
	{
		if (*field_str(iface, "error"))
			fprintf(out, "%s: not attached: %s\n", ifname, field_str(iface, "error"));
	}
}

#define COUNTERS_WIDTH 15 /* IFNAMSIZ - 1 */
#define COUNTERS_BLOCK 8  /* interfaces side by side */

struct counters_block {
	const char *names[COUNTERS_BLOCK];
	struct json_object *ifaces[COUNTERS_BLOCK];
	size_t n;
};

/* kind: "passed" or "dropped"; NULL: the member of the interface itself. */
static void counters_row(const struct counters_block *block, const char *kind, const char *reason,
			 FILE *out)
{
	struct json_object *counts;
	size_t i;

	if (kind)
		fprintf(out, "%-8s %-20s", kind, reason);
	else
		fprintf(out, "%-29s", reason);
	for (i = 0; i < block->n; i++) {
		counts = kind ? field_get(block->ifaces[i], kind) : block->ifaces[i];
		fprintf(out, " %*" PRIu64, COUNTERS_WIDTH, field_num(counts, reason));
	}
	fputc('\n', out);
}

/* Whether an interface left of this one has the reason too: it has its row then. */
static bool counters_seen(const struct counters_block *block, size_t i, const char *kind,
			  const char *reason)
{
	while (i > 0) {
		if (field_get(field_get(block->ifaces[--i], kind), reason))
			return true;
	}
	return false;
}

static void counters_rows(const struct counters_block *block, const char *kind, FILE *out)
{
	struct json_object *counts;
	size_t i;

	for (i = 0; i < block->n; i++) {
		counts = field_object(block->ifaces[i], kind);
		if (!counts)
			continue;
		json_object_object_foreach(counts, reason, count)
		{
			if (json_object_get_uint64(count) && !counters_seen(block, i, kind, reason))
				counters_row(block, kind, reason, out);
		}
	}
}

static void counters_print(struct counters_block *block, FILE *out)
{
	size_t i;

	if (!block->n)
		return;
	fprintf(out, "%-29s", "Packets in on");
	for (i = 0; i < block->n; i++)
		fprintf(out, " %*s", COUNTERS_WIDTH, block->names[i]);
	fputc('\n', out);
	counters_row(block, NULL, "forwarded", out);
	counters_rows(block, "passed", out);
	counters_rows(block, "dropped", out);
	block->n = 0;
}

void view_counters(struct json_object *doc, FILE *out)
{
	struct json_object *ifaces = field_object(doc, "interfaces");
	struct counters_block block = { .n = 0 };
	bool first = true;

	if (!ifaces)
		return;
	json_object_object_foreach(ifaces, name, one)
	{
		if (block.n == COUNTERS_BLOCK) {
			counters_print(&block, out);
			fputc('\n', out);
		}
		block.names[block.n] = name;
		block.ifaces[block.n++] = one;
		first = false;
	}
	counters_print(&block, out);
	if (first)
		fputs("No interface is attached\n", out);
}

void view_consistency(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { "What", "Where", "Expected", "Found" };
	struct json_object *one, *differences = field_get(doc, "differences");
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));
	size_t i, n = field_len(differences);

	if (!table)
		return;
	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(differences, i);
		table_text(table, field_str(one, "what"));
		table_text(table, field_str(one, "where"));
		table_text(table, field_text(one, "expected"));
		table_text(table, field_text(one, "found"));
	}
	table_print(table, out);
	table_free(table);
	if (n)
		fprintf(out, "%zu difference%s\n", n, n == 1 ? "" : "s");
	else
		fputs("Model, kernel and maps agree\n", out);
}
