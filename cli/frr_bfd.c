/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/frr_bfd.h"

#include <stdio.h>
#include <string.h>

#define AREA	   "BFD"
#define OPTION	   "--dplaneaddr"
#define PATH_LIMIT 63u /* bytes that bfdd keeps of a path */

bool frr_bfd_dplane(const char *const *words, size_t n, char buf[FRR_BFD_DPLANE_SIZE])
{
	size_t i, len = strlen(OPTION);
	bool found = false;

	for (i = 0; i < n; i++) {
		const char *value = NULL;

		if (strncmp(words[i], OPTION, len) != 0)
			continue;
		if (words[i][len] == '=')
			value = words[i] + len + 1;
		else if (!words[i][len] && i + 1 < n)
			value = words[++i];
		if (!value)
			continue;
		snprintf(buf, FRR_BFD_DPLANE_SIZE, "%s", value);
		found = true;
	}
	return found;
}

bool frr_bfd_dplane_line(const char *line, char buf[FRR_BFD_DPLANE_SIZE])
{
	const char *words[64];
	char text[1024];
	char *word, *rest = text;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", line);
	while (n < 64 && (word = strsep(&rest, " \t\"'")))
		if (*word)
			words[n++] = word;
	return frr_bfd_dplane(words, n, buf);
}

static bool bfd_is_before(const struct version *version, unsigned int major, unsigned int minor)
{
	const struct version other = { .major = major, .minor = minor };

	return version && version_compare(version, &other) < 0;
}

static void bfd_client(const char *dplane, const struct version *version, const char *subject,
		       struct report *report)
{
	if (!strncmp(dplane, "unixc:", 6)) {
		report_add(report, REPORT_FAIL, AREA, subject, "unix: or ipv4c: instead",
			   "bfdd up to 10.7 cannot connect to a unix socket");
	} else if (bfd_is_before(version, 10, 3)) {
		report_add(report, REPORT_FAIL, AREA, subject,
			   "unix:/run/frr/bfdd-dplane.sock instead",
			   "bfdd before 10.3 closes its own connection at once: no session comes");
	} else {
		report_add(report, REPORT_INFO, AREA, subject, NULL,
			   "as the client bfdd up to 10.7 hands out no more than 58 sessions at "
			   "once; a restart of bfddp-xdp is not seen by BGP and others");
	}
}

void frr_bfd_report(const char *dplane, const struct version *version, const char *subject,
		    struct report *report)
{
	const char *colon = strchr(dplane, ':');

	if (!colon) {
		report_add(report, REPORT_FAIL, AREA, subject, "unix:/run/frr/bfdd-dplane.sock",
			   "--dplaneaddr %s is no address", dplane);
		return;
	}
	report_add(report, REPORT_OK, AREA, subject, NULL, "hands its sessions out at %s", dplane);
	if (!strncmp(dplane, "unix", 4) && strlen(colon + 1) > PATH_LIMIT)
		report_add(report, REPORT_FAIL, AREA, subject, "a shorter path",
			   "bfdd cuts the path to %u bytes", PATH_LIMIT);
	if (colon > dplane && colon[-1] == 'c')
		bfd_client(dplane, version, subject, report);
	else
		report_add(report, REPORT_INFO, AREA, subject,
			   bfd_is_before(version, 10, 3) ? NULL : "ipv4c:127.0.0.1:50700 instead",
			   "when bfddp-xdp restarts, sessions stay up for their peers, but bfdd "
			   "tells BGP and others that they went down");
	if (version && !bfd_is_before(version, 10, 7))
		report_add(report, REPORT_INFO, AREA, subject, NULL,
			   "bfdd does not hand out keys: a session that is configured with "
			   "authentication runs without, and does not come up");
}
