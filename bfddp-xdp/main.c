/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfddp-xdp: options, then the daemon (bfdxd.h). Exit status: 0, 1 for a failure, 2 for what the
 * operator asked wrongly. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/loop.h"

enum {
	OPT_DPLANEADDR = 256,
	OPT_GRACE,
	OPT_DEAD_MAN,
	OPT_MAX_SESSIONS,
	OPT_NO_XDP,
	OPT_LOG_LEVEL,
};

static const struct option long_options[] = {
	{ "dplaneaddr", required_argument, NULL, OPT_DPLANEADDR },
	{ "pathspace", required_argument, NULL, 'N' },
	{ "config_file", required_argument, NULL, 'f' },
	{ "daemon", no_argument, NULL, 'd' },
	{ "grace", required_argument, NULL, OPT_GRACE },
	{ "dead-man", required_argument, NULL, OPT_DEAD_MAN },
	{ "max-sessions", required_argument, NULL, OPT_MAX_SESSIONS },
	{ "no-xdp", no_argument, NULL, OPT_NO_XDP },
	{ "log-level", required_argument, NULL, OPT_LOG_LEVEL },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

static const char usage_text[] =
	"Usage: bfddp-xdp --dplaneaddr TYPE:ADDRESS [OPTION]...\n"
	"Runs the BFD sessions of FRRouting's bfdd in XDP: bfdd hands them over through its\n"
	"distributed BFD socket, the kernel answers the peers.\n"
	"\n"
	"      --dplaneaddr TYPE:ADDRESS\n"
	"                            as in bfdd's own option: unix:/PATH, ipv4:A[:PORT] or\n"
	"                            ipv6:[A][:PORT] where bfdd listens, ipv4c:A[:PORT] or\n"
	"                            ipv6c:[A][:PORT] where it connects (FRR 10.3 and newer)\n"
	"  -N, --pathspace NAME      another instance: its own sockets, pins and pid file\n"
	"  -f, --config_file FILE    instead of " DAEMON_CONF "\n"
	"  -d, --daemon              go to the background once the sockets are there\n"
	"      --grace SECONDS       sessions go on for so long without a bfdd (30)\n"
	"      --dead-man SECONDS    the kernel answers for so long without a bfddp-xdp (30)\n"
	"      --max-sessions N      at most so many sessions (8192)\n"
	"      --no-xdp              sockets alone\n"
	"      --log-level LEVEL     error, warning, info (default) or debug\n"
	"  -h, --help                this text\n"
	"  -v, --version             the version\n"
	"\n"
	"See bfddp-xdp(8), frr-xdp(8).\n";

struct arguments {
	struct bfdxd_options options;
	enum log_level level;
	char conf_path[DAEMON_PATH_SIZE]; /* unless -f says */
	bool background;
	bool has_dplane;
	bool stop; /* --help or --version: done */
};

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "bfddp-xdp: %s: \"%s\"\n", what, value);
	return -EINVAL;
}

static int take_number(const char *what, const char *value, uint32_t lo, uint32_t hi, uint32_t *ret)
{
	if (conf_parse_number(value, lo, hi, ret) < 0)
		return usage_error(what, value);
	return 0;
}

static int take_dplane(struct arguments *args, const char *value)
{
	const char *why;

	if (dp_addr_parse(value, &args->options.dplane, &why) < 0)
		return usage_error(why, value);
	args->has_dplane = true;
	return 0;
}

static int take_option(struct arguments *args, int option, char *value)
{
	struct bfdxd_options *options = &args->options;

	switch (option) {
	case OPT_DPLANEADDR:
		return take_dplane(args, value);
	case 'N':
		options->pathspace = value;
		if (!daemon_pathspace_valid(value))
			return usage_error("not a pathspace (letters, digits, - and _)", value);
		return 0;
	case 'f':
		options->conf_path = value;
		options->conf_named = true;
		return 0;
	case 'd':
		args->background = true;
		return 0;
	case OPT_GRACE:
		return take_number("not a number of seconds (0-86400)", value, 0, 86400,
				   &options->grace_s);
	case OPT_DEAD_MAN:
		return take_number("not a number of seconds (3-86400)", value, 3, 86400,
				   &options->dead_man_s);
	case OPT_MAX_SESSIONS:
		return take_number("not a number of sessions (1-8192)", value, 1,
				   FX_BFD_MAX_SESSIONS, &options->max_sessions);
	case OPT_NO_XDP:
		options->no_xdp = true;
		return 0;
	case OPT_LOG_LEVEL:
		if (log_level_parse(value, &args->level) < 0)
			return usage_error("not a log level", value);
		return 0;
	case 'h':
		fputs(usage_text, stdout);
		args->stop = true;
		return 0;
	case 'v':
		puts("bfddp-xdp " PACKAGE_VERSION);
		args->stop = true;
		return 0;
	}
	return -EINVAL; /* getopt has said why */
}

static int parse_arguments(int argc, char **argv, struct arguments *args)
{
	int option, rc = 0;

	while (!rc && !args->stop &&
	       (option = getopt_long(argc, argv, "N:f:dhv", long_options, NULL)) != -1)
		rc = take_option(args, option, optarg);
	if (!rc && !args->stop && optind < argc)
		rc = usage_error("unexpected argument", argv[optind]);
	if (!rc && !args->stop && !args->has_dplane)
		rc = usage_error("missing, the same as bfdd has", "--dplaneaddr");
	if (rc < 0)
		fputs("Try \"bfddp-xdp --help\".\n", stderr);
	return rc;
}

/* Up to the end of the daemon. */
static int run(const struct arguments *args)
{
	struct bfdxd *d = malloc(sizeof(*d));
	int background = -1;
	int rc;

	if (!d)
		return -ENOMEM;
	if (args->background) {
		background = daemon_background();
		if (background < 0) {
			free(d);
			return background;
		}
	}
	rc = bfdxd_init(d, &args->options);
	if (!rc) {
		if (args->background)
			log_open("bfddp-xdp", args->level, true);
		daemon_ready(background);
		rc = bfdxd_run(d);
		daemon_notify("STOPPING=1");
	}
	bfdxd_done(d);
	free(d);
	return rc;
}

int main(int argc, char **argv)
{
	struct arguments args = {
		.options = {
			.grace_s = 30,
			.dead_man_s = 30,
			.max_sessions = FX_BFD_MAX_SESSIONS,
		},
		.level = LOG_LEVEL_INFO,
	};
	int rc;

	rc = parse_arguments(argc, argv, &args);
	if (!rc && !args.stop) {
		if (!args.options.conf_path)
			args.options.conf_path = daemon_conf_path(args.conf_path,
								  args.options.pathspace);
		log_open("bfddp-xdp", args.level, false);
		rc = run(&args);
	}
	if (rc == -EINVAL)
		return 2;
	return rc < 0 ? 1 : 0;
}
