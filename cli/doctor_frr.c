/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FRR: the zebra of this network namespace, its version, its module, and whether it found us. When
 * none runs, what is installed and configured is looked at instead.
 */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/frr_version.h"
#include "cli/process.h"
#include "cli/run.h"
#include "lib/addr.h"
#include "lib/conf.h"

#define AREA	   "FRR"
#define CONFIG_MAX (1u << 20)

/* Whether nobody but root can put something else there: anybody may name a process "zebra", and the
 * doctor runs as root. path: absolute, of a file. */
static bool root_alone_writes(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	char *slash;

	if (strlen(path) >= sizeof(part))
		return false;
	strcpy(part, path);
	for (;;) {
		if (stat(*part ? part : "/", &st) < 0 || st.st_uid != 0 ||
		    st.st_mode & (S_IWGRP | S_IWOTH))
			return false;
		slash = strrchr(part, '/');
		if (!slash)
			return true;
		*slash = '\0';
	}
}

static void frr_version(struct doctor *doctor, char *binary, const struct frr_options *options,
			const char *subject)
{
	char *const argv[] = { binary, (char[]){ "--version" }, NULL };
	struct version version;
	char text[512];

	if (run_read(argv, 3000, text, sizeof(text)) == 0 && version_parse(text, &version) == 0)
		frr_version_report(&version, options, subject, doctor->report);
	else
		report_add(doctor->report, REPORT_INFO, AREA, subject, NULL,
			   "%s does not tell its version", binary);
}

/* The whole file; the caller's to free. NULL: not there or not to be read. */
static char *frr_file(const struct cli *cli, const char *pathspace, const char *name)
{
	char path[512], *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/%s%s%s", cli->frr_etc, pathspace, *pathspace ? "/" : "",
		 name);
	if (daemon_read_file(path, CONFIG_MAX, &text, &len) < 0)
		return NULL;
	return text;
}

/* What the daemons file starts zebra with. false: there is none. */
static bool frr_daemons_file(const struct cli *cli, struct frr_options *ret)
{
	char *text = frr_file(cli, "", "daemons");
	char line[1024] = "";

	if (!text)
		return false;
	frr_options_variable(text, "zebra_options", line, sizeof(line));
	frr_options_parse_line(line, ret);
	free(text);
	return true;
}

static void frr_module_missing(struct doctor *doctor, const struct frr_options *options,
			       const char *subject)
{
	const char *etc = doctor->cli->frr_etc;
	struct frr_options file;
	char advice[512];

	if (*options->pathspace) {
		report_add(doctor->report, REPORT_FAIL, AREA, subject,
			   "start it anew with -M dplane_fpm_nl",
			   "loads no FPM module: its routes do not reach fpm-xdp");
		return;
	}
	if (frr_daemons_file(doctor->cli, &file) && file.dplane_fpm) {
		report_add(doctor->report, REPORT_FAIL, AREA, subject, "systemctl restart frr",
			   "was started without the FPM module that %s/daemons names", etc);
		return;
	}
	snprintf(advice, sizeof(advice),
		 "add -M dplane_fpm_nl to zebra_options in %s/daemons\nsystemctl restart frr", etc);
	report_add(doctor->report, REPORT_FAIL, AREA, subject, advice,
		   "loads no FPM module: its routes do not reach fpm-xdp");
}

static void frr_module(struct doctor *doctor, const struct frr_options *options,
		       const char *subject)
{
	if (options->dplane_fpm)
		report_add(doctor->report, REPORT_OK, AREA, subject, NULL,
			   "loads the module dplane_fpm_nl");
	else if (options->old_fpm_protobuf)
		report_add(
			doctor->report, REPORT_WARN, AREA, subject, "-M dplane_fpm_nl instead",
			"loads the older module with protobuf, which Debian's builds connect with "
			"and never send");
	else if (options->old_fpm)
		report_add(doctor->report, REPORT_INFO, AREA, subject, "-M dplane_fpm_nl instead",
			   "loads the older module fpm: works, without nexthop groups and offload "
			   "status");
	else
		frr_module_missing(doctor, options, subject);
	if (options->netns_vrf)
		report_add(doctor->report, REPORT_WARN, AREA, subject, NULL,
			   "VRFs as network namespaces cannot be told apart on the FPM: only the "
			   "default VRF is right if no prefix is in two of them");
}

/* 1, 0, or -1: nothing to read. */
static int frr_address_in_files(const struct cli *cli, const char *pathspace, char *line,
				size_t size)
{
	static const char *const names[] = { "frr.conf", "zebra.conf" };
	int found = -1;
	size_t i;

	for (i = 0; i < 2 && found < 1; i++) {
		char *text = frr_file(cli, pathspace, names[i]);

		if (text)
			found = frr_options_fpm_address(text, line, size);
		free(text);
	}
	return found;
}

static int frr_address_in_vtysh(const char *pathspace, char *line, size_t size)
{
	char vtysh[] = "vtysh", n_opt[] = "-N", c_opt[] = "-c", show[] = "show running-config";
	char space[64];
	char *const with[] = { vtysh, n_opt, space, c_opt, show, NULL };
	char *const without[] = { vtysh, c_opt, show, NULL };
	char *text = malloc(CONFIG_MAX);
	int found = -1;

	if (!text)
		return -1;
	snprintf(space, sizeof(space), "%s", pathspace);
	if (run_read(*space ? with : without, 5000, text, CONFIG_MAX) == 0)
		found = frr_options_fpm_address(text, line, size);
	free(text);
	return found;
}

/* The commands that lead this zebra to us, wherever we listen. */
static void frr_address_advice(struct doctor *doctor, const char *pathspace, char *buf, size_t size)
{
	const char *listen = field_str(field_get(doctor->summary, "fpm"), "listen");
	char address[FX_ADDR_STRLEN] = "127.0.0.1", port[16] = "";
	struct fx_addr addr;
	uint16_t number;

	if (*listen && conf_parse_endpoint(listen, &addr, &number) == 0) {
		fx_addr_str(&addr, address);
		if (number != CONF_FPM_PORT)
			snprintf(port, sizeof(port), " port %u", number);
	}
	snprintf(buf, size,
		 "vtysh%s%s -c 'configure terminal' -c 'fpm address %s%s' -c 'end' -c 'write'",
		 *pathspace ? " -N " : "", pathspace, address, port);
}

static void frr_address(struct doctor *doctor, const struct frr_options *options, bool running,
			const char *subject)
{
	const char *listen = field_str(field_get(doctor->summary, "fpm"), "listen");
	char line[128], advice[256];
	int found = -1;

	if (!options->dplane_fpm)
		return; /* the older module connects unasked */
	if (running)
		found = frr_address_in_vtysh(options->pathspace, line, sizeof(line));
	if (found < 0)
		found = frr_address_in_files(doctor->cli, options->pathspace, line, sizeof(line));
	frr_address_advice(doctor, options->pathspace, advice, sizeof(advice));
	if (found > 0 && !frr_options_fpm_reaches(line, listen))
		report_add(doctor->report, REPORT_FAIL, AREA, subject, advice,
			   "`%s` is configured, and fpm-xdp listens on %s", line, listen);
	else if (found > 0)
		report_add(doctor->report, REPORT_OK, AREA, subject, NULL, "`%s` is configured",
			   line);
	else if (found == 0)
		report_add(doctor->report, REPORT_FAIL, AREA, subject, advice,
			   "no `fpm address`: zebra does not connect without it");
	else
		report_add(doctor->report, REPORT_INFO, AREA, subject, NULL,
			   "its configuration could not be read: it needs `fpm address 127.0.0.1`");
}

struct frr_walk {
	struct doctor *doctor;
	size_t speakers;    /* zebras with an FPM module */
	char pathspace[64]; /* of the last */
};

/* One running zebra. */
static void frr_process(void *arg, int pid)
{
	struct frr_walk *walk = arg;
	struct doctor *doctor = walk->doctor;
	char path[64], exe[PATH_MAX], subject[32];
	struct frr_options options;
	struct process_words words;
	ssize_t len;

	if (!process_read_words(pid, &words))
		return;
	frr_options_parse(words.words, words.n, &options);
	walk->speakers += options.dplane_fpm || options.old_fpm;
	snprintf(walk->pathspace, sizeof(walk->pathspace), "%s", options.pathspace);
	snprintf(subject, sizeof(subject), "zebra (pid %d)", pid);

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	len = readlink(path, exe, sizeof(exe) - 1);
	exe[len > 0 ? len : 0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	/* a zebra of a container needs its own libraries to run */
	if (process_same_file(path, "/") && root_alone_writes(exe))
		frr_version(doctor, exe, &options, subject);
	else
		report_add(doctor->report, REPORT_INFO, AREA, subject, NULL,
			   "its version is not looked at: it runs in a root of its own, or is "
			   "another user's");
	frr_module(doctor, &options, subject);
	if (!field_bool(field_get(doctor->summary, "fpm"), "connected"))
		frr_address(doctor, &options, true, subject);
}

static void frr_installed(struct doctor *doctor)
{
	static const char *const places[] = { "/usr/lib/frr/zebra", "/usr/libexec/frr/zebra",
					      "/usr/sbin/zebra", "/usr/local/sbin/zebra" };
	struct frr_options options = { .dplane_fpm = false };
	char where[512], binary[64];
	bool file = frr_daemons_file(doctor->cli, &options);
	size_t i;

	snprintf(where, sizeof(where), "%s/daemons", doctor->cli->frr_etc);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (access(places[i], X_OK) == 0)
			break;
	}
	if (i < sizeof(places) / sizeof(places[0])) {
		snprintf(binary, sizeof(binary), "%s", places[i]);
		frr_version(doctor, binary, &options, binary);
	}
	if (file) {
		frr_module(doctor, &options, where);
		frr_address(doctor, &options, false, doctor->cli->frr_etc);
	} else if (access(where, R_OK) < 0 && errno == EACCES) {
		report_add(doctor->report, REPORT_WARN, AREA, NULL, "sudo frr-xdp doctor",
			   "%s is not for this user to read", where);
	} else {
		report_add(doctor->report, REPORT_WARN, AREA, NULL, "apt install frr",
			   "%s is not there: no FRR?", where);
	}
}

static void frr_connection(struct doctor *doctor, size_t zebras, const char *pathspace)
{
	struct json_object *fpm = field_get(doctor->summary, "fpm");
	char look[128];

	snprintf(look, sizeof(look), "vtysh%s%s -c 'show fpm counters'", *pathspace ? " -N " : "",
		 pathspace);
	if (field_bool(fpm, "connected"))
		report_add(doctor->report, REPORT_OK, AREA, NULL, NULL,
			   "zebra is connected to fpm-xdp from %s", field_str(fpm, "peer"));
	else if (fpm && zebras)
		report_add(doctor->report, REPORT_FAIL, AREA, NULL, look,
			   "zebra is not connected to fpm-xdp, which listens on %s",
			   field_str(fpm, "listen"));
	else if (fpm)
		report_add(doctor->report, REPORT_WARN, AREA, NULL, "systemctl start frr",
			   "no zebra is connected to fpm-xdp, which listens on %s",
			   field_str(fpm, "listen"));
}

void doctor_frr(struct doctor *doctor)
{
	struct frr_walk walk = { .doctor = doctor };
	size_t zebras = process_each("zebra", frr_process, &walk);

	if (!zebras) {
		report_add(doctor->report, REPORT_WARN, AREA, NULL, "systemctl start frr",
			   "zebra does not run in this network namespace");
		frr_installed(doctor);
	}
	if (walk.speakers > 1)
		report_add(
			doctor->report, REPORT_WARN, AREA, NULL,
			"load the FPM module into one, or run a fpm-xdp -N NAME for each",
			"%zu zebras speak FPM here: fpm-xdp serves one, the others wait until it "
			"ends",
			walk.speakers);
	frr_connection(doctor, zebras, walk.pathspace);
}
