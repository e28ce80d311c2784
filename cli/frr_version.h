/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Versions of FRR (and of Linux): reading, comparing, and what is known to be wrong with which.
 * Pure. */
#ifndef FX_CLI_FRR_VERSION_H
#define FX_CLI_FRR_VERSION_H

#include <stddef.h>

#include "cli/frr_options.h"
#include "cli/report.h"

struct version {
	unsigned int major, minor, patch;
};

/* The first "N.N[.N]" of a text: "zebra version 10.3.1", "6.1.0-57-amd64". 0, -EINVAL. */
int version_parse(const char *text, struct version *ret);
/* As strcmp(). */
int version_compare(const struct version *a, const struct version *b);

/*
 * Adds what is known of zebra of this version with these options. subject: whose version it is.
 * Nothing known: one OK line.
 */
void frr_version_report(const struct version *version, const struct frr_options *options,
			const char *subject, struct report *report);

#endif
