/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of frr-xdp share: where the daemon is, how a command ends, one function each. */
#ifndef FX_CLI_CLI_H
#define FX_CLI_CLI_H

#include "lib/daemon.h"

struct command;
struct json_object;

/* Exit codes: part of the interface (frr-xdp(8)). */
enum cli_exit {
	CLI_OK,
	CLI_FAULT, /* daemon not reachable, it refused, or differences or faults were found */
	CLI_USAGE,
};

struct cli {
	const char *pathspace;		   /* NULL: none */
	const char *frr_etc;		   /* FRR's configuration folder */
	char socket[DAEMON_PATH_SIZE];	   /* fpm-xdp's control socket */
	char bfd_socket[DAEMON_PATH_SIZE]; /* bfddp-xdp's */
	char run_dir[DAEMON_PATH_SIZE];	   /* the folder of both */
	char bpf_dir[DAEMON_PATH_SIZE];
};

/* One line on stderr that says why err (negative errno) came of asking the daemon at socket. */
void cli_complain(const struct cli *cli, const char *socket, int err);
/* The document as FRR prints JSON. */
void cli_print_json(struct json_object *doc);
/* Whether the daemon refused, {"error":"..."}: said on stderr then. */
bool cli_refused(struct json_object *doc);

/* All give enum cli_exit. */
int show(const struct cli *cli, const struct command *command);
int monitor(const struct cli *cli, const struct command *command);
int detach(const struct cli *cli, const struct command *command);
int doctor(const struct cli *cli, const struct command *command);

#endif
