/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frr-xdp: the options, then one of the commands. */
#include "config.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/command.h"

enum {
	OPT_FRR_ETC = 256,
	OPT_RUN_DIR,
};

static const struct option options[] = {
	{ "pathspace", required_argument, NULL, 'N' },
	{ "frr-etc", required_argument, NULL, OPT_FRR_ETC },
	{ "run-dir", required_argument, NULL, OPT_RUN_DIR },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

static void usage(FILE *out)
{
	fputs("usage: frr-xdp [-N NAME] COMMAND\n"
	      "\n"
	      "  show summary [json]           the daemon, its peers and tables\n"
	      "  show route [PREFIX] [json]    routes, whether XDP forwards them, and why not\n"
	      "  show route ADDRESS [from SOURCE [PROTOCOL [SPORT DPORT]]] [json]\n"
	      "                                what becomes of a packet\n"
	      "  show nexthop-group [json]     groups, members, their packets and bytes\n"
	      "  show neighbor [json]          neighbors that XDP can send to\n"
	      "  show interface [json]         interfaces, and why one is not eligible\n"
	      "  show counters [json]          packets by interface and verdict\n"
	      "  show consistency [json]       differences between model, kernel and maps\n"
	      "  show bfd peers [brief] [json] BFD sessions, how they are sent, how well it went\n"
	      "  show bfd counters [json]      their packets\n"
	      "  show bfd summary [json]       bfddp-xdp, bfdd, interfaces\n"
	      "  clear counters [json]         sets packet counters to zero\n"
	      "  monitor [--count N]           a line of rates each second\n"
	      "  doctor [json]                 checks the whole set-up, says what to type\n"
	      "  detach [json]                 takes everything out of the kernel, ends both daemons\n"
	      "  help                          this text\n"
	      "\n"
	      "  -N, --pathspace NAME   the instance of fpm-xdp -N NAME\n"
	      "      --frr-etc DIR      FRR's configuration (/etc/frr)\n"
	      "      --run-dir DIR      where control sockets are (" DAEMON_RUN_DIR ")\n"
	      "  -h, --help; -v, --version\n"
	      "\n"
	      "Exit status: 0 done; 1 fpm-xdp not reachable, or differences or faults found;\n"
	      "2 usage. See frr-xdp(8).\n",
	      out);
}

static int run(const struct cli *cli, const struct command *command)
{
	switch (command->id) {
	case COMMAND_SHOW_SUMMARY:
	case COMMAND_SHOW_ROUTE:
	case COMMAND_SHOW_ROUTE_LOOKUP:
	case COMMAND_SHOW_GROUP:
	case COMMAND_SHOW_NEIGHBOR:
	case COMMAND_SHOW_INTERFACE:
	case COMMAND_SHOW_COUNTERS:
	case COMMAND_SHOW_CONSISTENCY:
	case COMMAND_SHOW_BFD_PEERS:
	case COMMAND_SHOW_BFD_COUNTERS:
	case COMMAND_SHOW_BFD_SUMMARY:
	case COMMAND_CLEAR_COUNTERS:
		return show(cli, command);
	case COMMAND_MONITOR:
		return monitor(cli, command);
	case COMMAND_DETACH:
		return detach(cli, command);
	case COMMAND_DOCTOR:
		return doctor(cli, command);
	}
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	struct cli cli = { .frr_etc = "/etc/frr" };
	const char *run_dir = DAEMON_RUN_DIR;
	struct command command;
	char error[256];
	int opt;

	while ((opt = getopt_long(argc, argv, "+N:hv", options, NULL)) != -1) {
		switch (opt) {
		case 'N':
			if (!daemon_pathspace_valid(optarg)) {
				fprintf(stderr, "frr-xdp: not a pathspace: %s\n", optarg);
				return CLI_USAGE;
			}
			cli.pathspace = optarg;
			break;
		case OPT_FRR_ETC:
			cli.frr_etc = optarg;
			break;
		case OPT_RUN_DIR:
			run_dir = optarg;
			break;
		case 'h':
			usage(stdout);
			return CLI_OK;
		case 'v':
			puts("frr-xdp " PACKAGE_VERSION);
			return CLI_OK;
		default:
			fputs("Try frr-xdp --help\n", stderr);
			return CLI_USAGE;
		}
	}
	if (argc - optind == 1 && strcmp(argv[optind], "help") == 0) {
		usage(stdout);
		return CLI_OK;
	}
	if (command_parse(argc - optind, argv + optind, &command, error, sizeof(error)) < 0) {
		fprintf(stderr, "frr-xdp: %s\nTry frr-xdp --help\n", error);
		return CLI_USAGE;
	}
	daemon_path(cli.socket, run_dir, cli.pathspace, "fpm-xdp.sock");
	daemon_path(cli.bfd_socket, run_dir, cli.pathspace, "bfddp-xdp.sock");
	daemon_path(cli.run_dir, run_dir, cli.pathspace, NULL);
	daemon_path(cli.bpf_dir, DAEMON_BPF_DIR, cli.pathspace, NULL);
	return run(&cli, &command);
}
