/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BFD: what bfdd was told, whether anyone takes its sessions, and what carries them. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/frr_bfd.h"
#include "cli/frr_options.h"
#include "cli/process.h"
#include "cli/run.h"

#define AREA	 "BFD"
#define BFDD	 "/usr/lib/frr/bfdd"
#define FILE_MAX (1u << 20)

struct bfd_walk {
	struct doctor *doctor;
	bool hands_out;
};

static bool bfd_version(struct version *ret)
{
	char binary[] = BFDD, option[] = "--version", text[512];
	char *const argv[] = { binary, option, NULL };

	return !run_read(argv, 3000, text, sizeof(text)) && !version_parse(text, ret);
}

static void bfd_options(struct doctor *doctor, const char *dplane, const char *subject)
{
	struct version version;

	frr_bfd_report(dplane, bfd_version(&version) ? &version : NULL, subject, doctor->report);
}

static void bfd_process(void *arg, int pid)
{
	char dplane[FRR_BFD_DPLANE_SIZE], subject[32];
	struct process_words words;
	struct bfd_walk *walk = arg;

	if (!process_read_words(pid, &words))
		return;
	snprintf(subject, sizeof(subject), "bfdd (pid %d)", pid);
	if (frr_bfd_dplane(words.words, words.n, dplane)) {
		walk->hands_out = true;
		bfd_options(walk->doctor, dplane, subject);
		return;
	}
	report_add(walk->doctor->report, REPORT_INFO, AREA, subject,
		   "add --dplaneaddr unix:/run/frr/bfdd-dplane.sock to bfdd_options in "
		   "FRR's daemons file\nsystemctl restart frr",
		   "runs its sessions itself");
}

/* The daemons file of a bfdd that does not run. */
static void bfd_file(struct doctor *doctor)
{
	char path[512], line[1024] = "", enabled[16] = "", dplane[FRR_BFD_DPLANE_SIZE];
	char *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/daemons", doctor->cli->frr_etc);
	if (daemon_read_file(path, FILE_MAX, &text, &len) < 0)
		return;
	frr_options_variable(text, "bfdd", enabled, sizeof(enabled));
	frr_options_variable(text, "bfdd_options", line, sizeof(line));
	free(text);
	if (frr_bfd_dplane_line(line, dplane))
		bfd_options(doctor, dplane, path);
	if (doctor->bfd)
		report_add(doctor->report, REPORT_WARN, AREA, path,
			   strcmp(enabled, "yes") ? "bfdd=yes" : "systemctl start frr",
			   "no bfdd runs in this network namespace");
}

static void bfd_interfaces(struct doctor *doctor)
{
	struct json_object *ifaces = field_get(doctor->bfd, "interfaces");
	size_t i;

	for (i = 0; i < field_len(ifaces); i++) {
		struct json_object *iface = json_object_array_get_idx(ifaces, i);

		if (strcmp(field_str(iface, "by"), "xdp") != 0)
			report_add(doctor->report, REPORT_WARN, AREA, field_str(iface, "interface"),
				   NULL, "BFD by sockets, not by XDP: %s",
				   field_str(iface, "by-why"));
	}
}

static void bfd_daemon(struct doctor *doctor, bool hands_out)
{
	struct json_object *bfdd = field_get(doctor->bfd, "bfdd");
	uint64_t refused = field_num(bfdd, "refused");
	bool connected = strcmp(field_str(bfdd, "state"), "not-connected") != 0;

	if (!doctor->bfd) {
		if (hands_out)
			report_add(doctor->report, REPORT_FAIL, AREA, "bfddp-xdp",
				   "systemctl start bfddp-xdp",
				   "does not run: with --dplaneaddr bfdd itself hears no peer");
		return;
	}
	if (connected)
		report_add(doctor->report, REPORT_OK, AREA, "bfddp-xdp", NULL,
			   "has bfdd's sessions: %" PRIu64 ", of which %" PRIu64 " are up",
			   field_num(doctor->bfd, "sessions"), field_num(doctor->bfd, "up"));
	else
		report_add(doctor->report, REPORT_FAIL, AREA, "bfddp-xdp",
			   "give both the same --dplaneaddr", "is not connected to bfdd");
	if (refused)
		report_add(doctor->report, REPORT_WARN, AREA, "bfddp-xdp",
			   "journalctl -u bfddp-xdp", "%" PRIu64 " sessions were refused", refused);
	bfd_interfaces(doctor);
}

/* Nothing at all is said where nobody uses BFD. */
void doctor_bfd(struct doctor *doctor)
{
	struct bfd_walk walk = { .doctor = doctor };

	if (!process_each("bfdd", bfd_process, &walk))
		bfd_file(doctor);
	bfd_daemon(doctor, walk.hands_out);
}
