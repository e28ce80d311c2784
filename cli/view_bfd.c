/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BFD sessions in vtysh's words, and what vtysh does not know below them. */
#include "config.h"

#include <inttypes.h>

#include <json-c/json.h>

#include "cli/field.h"
#include "cli/table.h"
#include "cli/view.h"

static void bfd_head(struct json_object *peer, FILE *out)
{
	fprintf(out, "\tpeer %s", field_str(peer, "peer"));
	if (field_bool(peer, "multihop"))
		fputs(" multihop", out);
	if (*field_str(peer, "local"))
		fprintf(out, " local-address %s", field_str(peer, "local"));
	if (*field_str(peer, "interface"))
		fprintf(out, " interface %s", field_str(peer, "interface"));
	fputc('\n', out);
}

static void bfd_status(struct json_object *peer, FILE *out)
{
	fprintf(out, "\t\tID: %" PRIu64 "\n", field_num(peer, "id"));
	fprintf(out, "\t\tRemote ID: %" PRIu64 "\n", field_num(peer, "remote-id"));
	fprintf(out, "\t\t%s mode\n", field_bool(peer, "passive-mode") ? "Passive" : "Active");
	fprintf(out, "\t\tStatus: %s\n", field_str(peer, "status"));
	if (field_get(peer, "uptime"))
		fprintf(out, "\t\tUptime: %" PRIu64 " second(s)\n", field_num(peer, "uptime"));
	if (field_get(peer, "downtime"))
		fprintf(out, "\t\tDowntime: %" PRIu64 " second(s)\n", field_num(peer, "downtime"));
	fprintf(out, "\t\tDiagnostics: %s\n", field_str(peer, "diagnostic"));
	fprintf(out, "\t\tRemote diagnostics: %s\n", field_str(peer, "remote-diagnostic"));
}

static void bfd_interval(struct json_object *peer, const char *label, const char *key, FILE *out)
{
	uint64_t ms = field_num(peer, key);

	if (ms)
		fprintf(out, "\t\t\t%s: %" PRIu64 "ms\n", label, ms);
	else
		fprintf(out, "\t\t\t%s: disabled\n", label);
}

static void bfd_timers(struct json_object *peer, FILE *out)
{
	fputs("\t\tLocal timers:\n", out);
	fprintf(out, "\t\t\tDetect-multiplier: %" PRIu64 "\n",
		field_num(peer, "detect-multiplier"));
	bfd_interval(peer, "Receive interval", "receive-interval", out);
	bfd_interval(peer, "Transmission interval", "transmit-interval", out);
	bfd_interval(peer, "Echo receive interval", "echo-receive-interval", out);
	bfd_interval(peer, "Echo transmission interval", "echo-transmit-interval", out);
	fputs("\t\tRemote timers:\n", out);
	fprintf(out, "\t\t\tDetect-multiplier: %" PRIu64 "\n",
		field_num(peer, "remote-detect-multiplier"));
	bfd_interval(peer, "Receive interval", "remote-receive-interval", out);
	bfd_interval(peer, "Transmission interval", "remote-transmit-interval", out);
	bfd_interval(peer, "Echo receive interval", "remote-echo-receive-interval", out);
	fprintf(out, "\t\tDetection time: %.1fms\n",
		(double)field_num(peer, "detection-time-us") / 1000);
}

/* "reason n, reason n" */
static void bfd_counts(struct json_object *counts, FILE *out)
{
	const char *comma = "";

	if (!field_object(counts, "rejects")) {
		fputs("-\n", out);
		return;
	}
	json_object_object_foreach(field_get(counts, "rejects"), reason, n)
	{
		fprintf(out, "%s%s %" PRIu64, comma, reason, json_object_get_uint64(n));
		comma = ", ";
	}
	fputs(*comma ? "\n" : "none\n", out);
}

static void bfd_senders(struct json_object *peer, FILE *out)
{
	struct json_object *by = field_get(peer, "sent-by");

	fprintf(out, "\t\tSent by: reflector %" PRIu64 ", daemon %" PRIu64 ", tick %" PRIu64 "\n",
		field_num(by, "reflector"), field_num(by, "daemon"), field_num(by, "tick"));
}

static void bfd_gaps(struct json_object *peer, const char *label, const char *max, const char *key,
		     FILE *out)
{
	struct json_object *gaps = field_get(peer, key);
	size_t i, n = field_len(gaps);

	fprintf(out, "\t\t%s: largest %.1fms", label, (double)field_num(peer, max) / 1000);
	for (i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(gaps, i);

		fprintf(out, ", <%.1fms %" PRIu64, (double)field_num(one, "below-us") / 1000,
			field_num(one, "gaps"));
	}
	fputc('\n', out);
}

static void bfd_changes(struct json_object *peer, FILE *out)
{
	struct json_object *changes = field_get(peer, "changes");
	size_t i, n = field_len(changes);

	fprintf(out, "\t\tFlaps: %" PRIu64 "\n", field_num(peer, "flaps"));
	for (i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(changes, i);

		fprintf(out, "\t\t\t%.1fs ago: %s -> %s, %s\n",
			(double)field_num(one, "ago-ms") / 1000, field_str(one, "from"),
			field_str(one, "to"), field_str(one, "cause"));
	}
}

static void bfd_path(struct json_object *peer, FILE *out)
{
	fprintf(out, "\t\tPath: %s\n", field_str(peer, "path"));
	fprintf(out, "\t\tCarried by: %s", field_str(peer, "by"));
	if (*field_str(peer, "by-why"))
		fprintf(out, " (%s)", field_str(peer, "by-why"));
	fputc('\n', out);
	if (field_bool(peer, "orphan"))
		fputs("\t\tbfdd has not claimed it (yet)\n", out);
}

void view_bfd_peers(struct json_object *doc, FILE *out)
{
	size_t i, n = field_len(doc);

	fputs("BFD Peers:\n", out);
	for (i = 0; i < n; i++) {
		struct json_object *peer = json_object_array_get_idx(doc, i);

		bfd_head(peer, out);
		bfd_status(peer, out);
		bfd_timers(peer, out);
		bfd_path(peer, out);
		bfd_senders(peer, out);
		bfd_gaps(peer, "Gaps between packets sent", "max-tx-gap-us", "tx-gaps", out);
		bfd_gaps(peer, "Gaps between packets received", "max-rx-gap-us", "rx-gaps", out);
		fputs("\t\tRejected: ", out);
		bfd_counts(peer, out);
		bfd_changes(peer, out);
		fputc('\n', out);
	}
}

void view_bfd_brief(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { ">Session id", "LocalAddress", "PeerAddress",
					     "Interface",   "Status",	    "By",
					     ">Flaps" };
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));
	size_t i, n = field_len(doc);

	fprintf(out, "Session count: %zu\n", n);
	for (i = 0; i < n; i++) {
		struct json_object *peer = json_object_array_get_idx(doc, i);

		table_num(table, field_num(peer, "id"));
		table_text(table, field_str(peer, "local"));
		table_text(table, field_str(peer, "peer"));
		table_text(table, field_str(peer, "interface"));
		table_text(table, field_str(peer, "status"));
		table_text(table, field_str(peer, "by"));
		table_num(table, field_num(peer, "flaps"));
	}
	table_print(table, out);
	table_free(table);
}

static void bfd_packets(struct json_object *peer, const char *label, const char *key, FILE *out)
{
	fprintf(out, "\t\t%s: %" PRIu64 " packets\n", label, field_num(peer, key));
}

void view_bfd_counters(struct json_object *doc, FILE *out)
{
	size_t i, n = field_len(doc);

	fputs("BFD Peers:\n", out);
	for (i = 0; i < n; i++) {
		struct json_object *peer = json_object_array_get_idx(doc, i);

		bfd_head(peer, out);
		bfd_packets(peer, "Control packet input", "control-packet-input", out);
		bfd_packets(peer, "Control packet output", "control-packet-output", out);
		bfd_packets(peer, "Echo packet input", "echo-packet-input", out);
		bfd_packets(peer, "Echo packet output", "echo-packet-output", out);
		bfd_packets(peer, "Echo packet of the peer, sent back", "echo-packet-looped", out);
		fprintf(out, "\t\tSession up events: %" PRIu64 "\n", field_num(peer, "session-up"));
		fprintf(out, "\t\tSession down events: %" PRIu64 "\n",
			field_num(peer, "session-down"));
		bfd_senders(peer, out);
		fputs("\t\tRejected: ", out);
		bfd_counts(peer, out);
		fputc('\n', out);
	}
}

void view_bfd_summary(struct json_object *doc, FILE *out)
{
	static const char *const heads[] = { "Interface", ">Sessions", "By", "Why" };
	struct table *table = table_new(heads, sizeof(heads) / sizeof(heads[0]));
	struct json_object *bfdd = field_get(doc, "bfdd"), *ifaces = field_get(doc, "interfaces");
	size_t i, n = field_len(ifaces);

	fprintf(out, "bfddp-xdp %s, up %" PRIu64 " second(s)\n", field_str(doc, "version"),
		field_num(doc, "uptime"));
	fprintf(out, "bfdd: %s, %" PRIu64 " connection(s), %" PRIu64 " refused session(s)\n",
		field_str(bfdd, "state"), field_num(bfdd, "connections"),
		field_num(bfdd, "refused"));
	fprintf(out, "Sessions: %" PRIu64 ", up %" PRIu64 ", carried by XDP %" PRIu64 "\n",
		field_num(doc, "sessions"), field_num(doc, "up"), field_num(doc, "byXdp"));
	fputs("Rejected, of no session: ", out);
	bfd_counts(doc, out);
	for (i = 0; i < n; i++) {
		struct json_object *iface = json_object_array_get_idx(ifaces, i);

		table_text(table, field_str(iface, "interface"));
		table_num(table, field_num(iface, "sessions"));
		table_text(table, field_str(iface, "by"));
		table_text(table, field_str(iface, "by-why"));
	}
	table_print(table, out);
	table_free(table);
}
