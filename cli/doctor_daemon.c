/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fpm-xdp as it says of itself: interfaces, eligibility, routes. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/advice.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/ingress.h"
#include "lib/xdp_attach.h"

#define AREA "fpm-xdp"

static void daemon_family(struct report *report, const char *ifname, struct json_object *iface,
			  const char *family)
{
	struct json_object *one = field_get(iface, family);
	struct json_object *reasons = field_get(one, "reasons");
	bool ipv6 = strcmp(family, "ipv6") == 0;
	const char *words;
	char type[ADVICE_TYPE_SIZE];
	size_t i;

	for (i = 0; !field_bool(one, "eligible") && i < field_len(reasons); i++) {
		advice_reason(field_item(reasons, i), ifname, ipv6, &words, type, sizeof(type));
		report_add(report, REPORT_WARN, AREA, ifname, *type ? type : NULL,
			   "%s packets stay with Linux: %s", ipv6 ? "IPv6" : "IPv4", words);
	}
}

/* Attached, and yet all for nothing? */
static void daemon_ingress(struct doctor *doctor, size_t attached)
{
	struct ingress ipv4 = ingress_count(doctor->interfaces, "ipv4");
	struct ingress ipv6 = ingress_count(doctor->interfaces, "ipv6");

	if (!attached)
		report_add(doctor->report, REPORT_FAIL, AREA, NULL,
			   "frr-xdp show interface\nname interfaces in frr-xdp.conf(5)",
			   "no interface is attached: nothing is forwarded in XDP");
	else if (!ipv4.eligible && !ipv6.eligible)
		report_add(doctor->report, REPORT_FAIL, AREA, NULL, "frr-xdp show interface",
			   "no interface is eligible: nothing is forwarded in XDP");
	else
		report_add(doctor->report, REPORT_OK, AREA, NULL, NULL,
			   "%zu interface%s attached; packets are forwarded in XDP from %zu (IPv4) "
			   "and %zu (IPv6) of them",
			   attached, attached == 1 ? "" : "s", ipv4.eligible, ipv6.eligible);
}

static void daemon_interfaces(struct doctor *doctor)
{
	size_t attached = 0;

	json_object_object_foreach(doctor->interfaces, ifname, iface)
	{
		/* one that was not asked for by name may well be unfit */
		if (*field_str(iface, "error"))
			report_add(doctor->report,
				   field_bool(iface, "named") ? REPORT_FAIL : REPORT_WARN, AREA,
				   ifname, NULL, "not attached: %s", field_str(iface, "error"));
		if (!field_bool(iface, "attached"))
			continue;
		attached++;
		daemon_family(doctor->report, ifname, iface, "ipv4");
		daemon_family(doctor->report, ifname, iface, "ipv6");
	}
	daemon_ingress(doctor, attached);
}

static void daemon_routes(struct doctor *doctor)
{
	struct json_object *routes = field_get(doctor->summary, "routes");
	char look[DOCTOR_TYPE_SIZE];

	snprintf(look, sizeof(look), "frr-xdp show route\n%s", doctor_log(doctor));
	if (field_num(routes, "failed"))
		report_add(doctor->report, REPORT_FAIL, AREA, NULL, look,
			   "%" PRIu64 " routes could not be written into the maps: they stay with "
			   "Linux",
			   field_num(routes, "failed"));
	if (field_num(routes, "refused"))
		report_add(doctor->report, REPORT_FAIL, AREA, NULL,
			   "raise `limit prefixes` in frr-xdp.conf(5)",
			   "%" PRIu64 " routes beyond the limit of %" PRIu64
			   " were refused: they stay with Linux",
			   field_num(routes, "refused"), field_num(routes, "limit"));
	if (field_num(routes, "trapped"))
		report_add(doctor->report, REPORT_INFO, AREA, NULL, "frr-xdp show route",
			   "%" PRIu64 " routes are of kinds that stay with Linux",
			   field_num(routes, "trapped"));
	if (field_num(routes, "pending"))
		report_add(doctor->report, REPORT_INFO, AREA, NULL, "frr-xdp show route",
			   "%" PRIu64 " routes wait for their next hop or for the kernel",
			   field_num(routes, "pending"));
	report_add(doctor->report, REPORT_OK, AREA, NULL, NULL, "%" PRIu64 " routes are offloaded",
		   field_num(routes, "offloaded"));
}

static void daemon_count_pin(void *arg, uint32_t ifindex)
{
	size_t *pins = arg;

	(*pins)++;
}

/* How many interfaces still have our program: they forward by what was known last. */
static size_t daemon_left_behind(const struct cli *cli)
{
	size_t pins = 0;

	return xdp_pinned(cli->bpf_dir, daemon_count_pin, &pins) < 0 ? 0 : pins;
}

static void daemon_unreachable(struct doctor *doctor)
{
	const char *pathspace = doctor->cli->pathspace;
	size_t pins = daemon_left_behind(doctor->cli);
	char start[DOCTOR_TYPE_SIZE], advice[2 * DOCTOR_TYPE_SIZE];
	int err = doctor->daemon_err;
	bool gone = err == -ENOENT || err == -ECONNREFUSED;

	doctor_start(doctor, start);
	snprintf(advice, sizeof(advice), "%s\nfrr-xdp%s%s detach, to leave it all to Linux", start,
		 pathspace ? " -N " : "", pathspace ? pathspace : "");
	if (gone && pins)
		report_add(doctor->report, REPORT_WARN, AREA, NULL, advice,
			   "not running, while %zu interface%s forward%s on by the routes of then",
			   pins, pins == 1 ? "" : "s", pins == 1 ? "s" : "");
	else if (gone)
		report_add(doctor->report, REPORT_FAIL, AREA, NULL, start,
			   "not running (%s): nothing is forwarded in XDP", doctor->cli->socket);
	else if (err == -EACCES)
		report_add(doctor->report, REPORT_WARN, AREA, NULL, "sudo frr-xdp doctor", "%s: %s",
			   doctor->cli->socket, strerror(-err));
	else
		report_add(doctor->report, REPORT_FAIL, AREA, NULL, doctor_log(doctor),
			   "does not answer on %s: %s", doctor->cli->socket, strerror(-err));
}

void doctor_daemon(struct doctor *doctor)
{
	if (!doctor->interfaces) {
		daemon_unreachable(doctor);
		return;
	}
	report_add(doctor->report, REPORT_OK, AREA, NULL, NULL, "version %s, pid %" PRIu64,
		   field_str(doctor->summary, "version"), field_num(doctor->summary, "pid"));
	daemon_interfaces(doctor);
	daemon_routes(doctor);
}
