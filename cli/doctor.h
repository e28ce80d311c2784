/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `doctor`: looks at everything that forwarding in XDP needs, and says what to type. It changes
 * nothing. Each part adds its findings to the report, in this order; what the daemon answers is
 * asked first, since other parts judge by it.
 */
#ifndef FX_CLI_DOCTOR_H
#define FX_CLI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/report.h"

struct cli;
struct json_object;

struct doctor {
	const struct cli *cli;
	struct report *report;
	struct json_object *summary;	/* NULL: the daemon does not answer */
	struct json_object *interfaces; /* `show interface`; NULL as above */
	int daemon_err;			/* why not */
	struct json_object *bfd;	/* `show bfd summary`; NULL: bfddp-xdp does not answer */
};

void doctor_kernel(struct doctor *doctor);    /* version, BPF, BTF, JIT, bpffs */
void doctor_interface(struct doctor *doctor); /* drivers, offloads, foreign programs, sysctls */
void doctor_frr(struct doctor *doctor);	      /* module, version, configuration, connection */
void doctor_daemon(struct doctor *doctor);    /* fpm-xdp: attached, eligible, routes */
void doctor_conf(struct doctor *doctor);      /* interfaces that fpm-xdp was told and are gone */
void doctor_bfd(struct doctor *doctor);	      /* bfdd's options, bfddp-xdp, its sessions */

/* What to type to start fpm-xdp, or to look into its log, as this instance. buf is returned. */
#define DOCTOR_TYPE_SIZE 128
const char *doctor_start(const struct doctor *doctor, char buf[DOCTOR_TYPE_SIZE]);
const char *doctor_log(const struct doctor *doctor);

/* A small file's text without the newline at its end; 0 or negative errno. */
int doctor_read(const char *path, char *buf, size_t size);
/* A number from a file under /proc/sys; -1: not to be read. */
long doctor_sysctl(const char *path);

#endif
