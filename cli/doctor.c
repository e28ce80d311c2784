/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <json-c/json.h>

#include "cli/ask.h"
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/field.h"
#include "cli/process.h"

int doctor_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	if (n && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return 0;
}

long doctor_sysctl(const char *path)
{
	char text[32];

	if (doctor_read(path, text, sizeof(text)) < 0)
		return -1;
	return strtol(text, NULL, 10);
}

/* The unit runs the instance without a name alone. */
const char *doctor_start(const struct doctor *doctor, char buf[DOCTOR_TYPE_SIZE])
{
	const char *pathspace = doctor->cli->pathspace;

	if (pathspace)
		snprintf(buf, DOCTOR_TYPE_SIZE, "fpm-xdp -d -N %s", pathspace);
	else
		snprintf(buf, DOCTOR_TYPE_SIZE, "systemctl start fpm-xdp");
	return buf;
}

const char *doctor_log(const struct doctor *doctor)
{
	return doctor->cli->pathspace ? "journalctl -t fpm-xdp" : "journalctl -u fpm-xdp";
}

/* NULL: no daemon, or not the answer of one; *ret_err says why. */
static struct json_object *doctor_ask(const char *socket, const char *request, int *ret_err)
{
	struct json_object *doc = NULL;
	int err = ask_document(socket, request, &doc);

	if (!err && (!json_object_is_type(doc, json_type_object) || field_get(doc, "error"))) {
		json_object_put(doc);
		doc = NULL;
		err = -EPROTO;
	}
	*ret_err = err;
	return doc;
}

/* Interfaces and FRR are looked at here, and the daemon does not live here: said, with what to type
 * instead. */
static bool doctor_is_abroad(struct doctor *doctor)
{
	const char *pathspace = doctor->cli->pathspace;
	int pid = (int)field_num(doctor->summary, "pid");
	char advice[128];

	if (!pid || !process_is_abroad(pid, "fpm-xdp"))
		return false;
	snprintf(advice, sizeof(advice), "nsenter -t %d -n frr-xdp%s%s doctor", pid,
		 pathspace ? " -N " : "", pathspace ? pathspace : "");
	report_add(doctor->report, REPORT_FAIL, "fpm-xdp", NULL, advice,
		   "lives in another network namespace (pid %d), where its interfaces and zebra "
		   "are: they cannot be looked at from here",
		   pid);
	return true;
}

static void doctor_run(struct doctor *doctor)
{
	const char *socket = doctor->cli->socket;
	int err;

	doctor->summary = doctor_ask(socket, "show summary", &doctor->daemon_err);
	if (doctor->summary)
		doctor->interfaces = doctor_ask(socket, "show interface", &doctor->daemon_err);
	doctor->bfd = doctor_ask(doctor->cli->bfd_socket, "show bfd summary", &err);
	doctor_kernel(doctor);
	if (!doctor_is_abroad(doctor)) {
		doctor_interface(doctor);
		doctor_frr(doctor);
		doctor_daemon(doctor);
		doctor_conf(doctor);
		doctor_bfd(doctor);
	}
	json_object_put(doctor->bfd);
	json_object_put(doctor->summary);
	json_object_put(doctor->interfaces);
}

int doctor(const struct cli *cli, const struct command *command)
{
	struct doctor doctor = { .cli = cli, .report = report_new() };
	struct json_object *doc;
	int code;

	if (!doctor.report) {
		fprintf(stderr, "frr-xdp: out of memory\n");
		return CLI_FAULT;
	}
	doctor_run(&doctor);
	if (command->json) {
		doc = report_json(doctor.report);
		cli_print_json(doc);
		json_object_put(doc);
	} else {
		report_print(doctor.report, stdout);
	}
	code = report_count(doctor.report, REPORT_FAIL) ? CLI_FAULT : CLI_OK;
	report_free(doctor.report);
	return code;
}
