/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each version of zebra gets wrong on the FPM; see doc/fpm-protocol.md for the wire. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "cli/frr_version.h"

int version_parse(const char *text, struct version *ret)
{
	struct version version = { 0 };

	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			continue;
		if (sscanf(text, "%5u.%5u.%5u", &version.major, &version.minor, &version.patch) >=
		    2) {
			*ret = version;
			return 0;
		}
		while (text[1] >= '0' && text[1] <= '9')
			text++;
	}
	return -EINVAL;
}

int version_compare(const struct version *a, const struct version *b)
{
	if (a->major != b->major)
		return a->major < b->major ? -1 : 1;
	if (a->minor != b->minor)
		return a->minor < b->minor ? -1 : 1;
	if (a->patch != b->patch)
		return a->patch < b->patch ? -1 : 1;
	return 0;
}

/* When a fault matters: with which of zebra's options. */
enum fault_when {
	FAULT_ALWAYS,
	FAULT_DPLANE,  /* -M dplane_fpm_nl */
	FAULT_OFFLOAD, /* --asic-offload */
};

static const struct fault {
	struct version first, fixed; /* in versions from first on and before fixed */
	enum fault_when when;
	enum report_level level;
	const char *text, *advice;
} faults[] = {
	{ { 0, 0, 0 },
	  { 8, 4, 0 },
	  FAULT_ALWAYS,
	  REPORT_WARN,
	  "older than 8.4, the oldest version that is tested",
	  "install FRR 8.4 or newer" },
	{ { 10, 8, 0 },
	  { 1000, 0, 0 },
	  FAULT_ALWAYS,
	  REPORT_INFO,
	  "newer than 10.7, the newest version that is tested",
	  NULL },
	{ { 0, 0, 0 },
	  { 8, 5, 0 },
	  FAULT_OFFLOAD,
	  REPORT_FAIL,
	  "zebra does not read offload status, so with --asic-offload routes stay queued for ever",
	  "take --asic-offload out of zebra_options, restart FRR" },
	{ { 10, 3, 0 },
	  { 10, 4, 0 },
	  FAULT_OFFLOAD,
	  REPORT_FAIL,
	  "zebra looks up offload status in the wrong table: with --asic-offload routes stay queued",
	  "take --asic-offload out of zebra_options, restart FRR" },
	{ { 0, 0, 0 },
	  { 8, 5, 0 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "zebra does not read offload status: --offload-status of fpm-xdp has no effect",
	  NULL },
	{ { 10, 3, 0 },
	  { 10, 4, 0 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "offload status cannot reach its routes: leave --offload-status of fpm-xdp off",
	  NULL },
	{ { 8, 5, 0 },
	  { 10, 3, 0 },
	  FAULT_OFFLOAD,
	  REPORT_WARN,
	  "offload status is handled in a thread that races with zebra's own",
	  NULL },
	{ { 8, 4, 0 },
	  { 9, 0, 0 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "EVPN with an L3 VNI can crash zebra when the FPM connects (fixed in FRR 9)",
	  "no EVPN L3 VNI beside the FPM, or FRR 9 or newer" },
	{ { 10, 3, 0 },
	  { 10, 3, 3 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "deleted connected and local routes are not withdrawn on the FPM; fpm-xdp takes them from "
	  "the kernel",
	  NULL },
	{ { 10, 4, 0 },
	  { 10, 4, 2 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "deleted connected and local routes are not withdrawn on the FPM; fpm-xdp takes them from "
	  "the kernel",
	  NULL },
	{ { 10, 2, 0 },
	  { 10, 7, 0 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "routes may name nexthop groups that were never announced: they show as pending and follow "
	  "the kernel's route; `no fpm use-next-hop-groups` avoids them",
	  NULL },
	{ { 0, 0, 0 },
	  { 10, 4, 0 },
	  FAULT_DPLANE,
	  REPORT_INFO,
	  "routes whose message is longer than 8 KiB (some 250 paths and more) are not sent",
	  NULL },
};

static int fault_matters(const struct fault *fault, const struct version *version,
			 const struct frr_options *options)
{
	if (version_compare(version, &fault->first) < 0 ||
	    version_compare(version, &fault->fixed) >= 0)
		return 0;
	switch (fault->when) {
	case FAULT_ALWAYS:
		return 1;
	case FAULT_DPLANE:
		return options->dplane_fpm;
	case FAULT_OFFLOAD:
		return options->asic_offload;
	}
	return 0;
}

void frr_version_report(const struct version *version, const struct frr_options *options,
			const char *subject, struct report *report)
{
	const struct fault *fault;
	size_t i, found = 0;

	for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		fault = &faults[i];
		if (!fault_matters(fault, version, options))
			continue;
		report_add(report, fault->level, "FRR", subject, fault->advice,
			   "version %u.%u.%u: %s", version->major, version->minor, version->patch,
			   fault->text);
		found++;
	}
	if (!found)
		report_add(report, REPORT_OK, "FRR", subject, NULL,
			   "version %u.%u.%u: no fault known that matters here", version->major,
			   version->minor, version->patch);
}
