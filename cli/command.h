/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command line: what is asked for, and the request that the daemon understands. */
#ifndef FX_CLI_COMMAND_H
#define FX_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum command_id {
	COMMAND_SHOW_SUMMARY,
	COMMAND_SHOW_ROUTE,	   /* all of them, or one prefix */
	COMMAND_SHOW_ROUTE_LOOKUP, /* an address */
	COMMAND_SHOW_GROUP,
	COMMAND_SHOW_NEIGHBOR,
	COMMAND_SHOW_INTERFACE,
	COMMAND_SHOW_COUNTERS,
	COMMAND_SHOW_CONSISTENCY,
	COMMAND_SHOW_BFD_PEERS, /* of bfddp-xdp, as the next two */
	COMMAND_SHOW_BFD_COUNTERS,
	COMMAND_SHOW_BFD_SUMMARY,
	COMMAND_CLEAR_COUNTERS,
	COMMAND_MONITOR,
	COMMAND_DETACH,
	COMMAND_DOCTOR,
};

struct command {
	enum command_id id;
	bool json;
	bool brief;
	unsigned long count; /* monitor: lines to print, 0: no end */
	char request[256];   /* one line for the daemon's control socket, without the newline */
};

/*
 * argv: the words behind the options. As in vtysh a word may be cut short while it stays unique.
 * 0, or -EINVAL with the reason, in words for the user, in error.
 */
int command_parse(int argc, char *const *argv, struct command *ret, char *error, size_t size);

#endif
