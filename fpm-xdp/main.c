/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fpm-xdp: options, then the daemon (fpmd.h). Exit status: 0, 1 for a failure, 2 for what the
 * operator asked wrongly. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "lib/loop.h"

enum {
	OPT_FPM = 256,
	OPT_OFFLOAD_STATUS,
	OPT_GENERIC,
	OPT_MAX_PREFIXES,
	OPT_QUIET_PERIOD,
	OPT_LOG_LEVEL,
};

static const struct option long_options[] = {
	{ "interface", required_argument, NULL, 'i' },
	{ "fpm", required_argument, NULL, OPT_FPM },
	{ "pathspace", required_argument, NULL, 'N' },
	{ "config_file", required_argument, NULL, 'f' },
	{ "daemon", no_argument, NULL, 'd' },
	{ "offload-status", no_argument, NULL, OPT_OFFLOAD_STATUS },
	{ "generic", no_argument, NULL, OPT_GENERIC },
	{ "max-prefixes", required_argument, NULL, OPT_MAX_PREFIXES },
	{ "quiet-period", required_argument, NULL, OPT_QUIET_PERIOD },
	{ "log-level", required_argument, NULL, OPT_LOG_LEVEL },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

static const char usage_text[] =
	"Usage: fpm-xdp [OPTION]...\n"
	"Forwards in XDP what FRRouting routes: takes zebra's FPM stream and the kernel's\n"
	"own tables, fills the maps of the forwarding program.\n"
	"\n"
	"  -i, --interface IFACE     forward on this interface (may be repeated); without\n"
	"                            any: on every Ethernet interface with native XDP\n"
	"      --fpm ADDRESS:PORT    listen for zebra here (127.0.0.1:2620)\n"
	"  -N, --pathspace NAME      another instance: its own sockets, pins and pid file\n"
	"  -f, --config_file FILE    instead of " DAEMON_CONF "\n"
	"  -d, --daemon              go to the background once the sockets are there\n"
	"      --offload-status      tell zebra what became of each route (FRR 8.5 to 10.2,\n"
	"                            10.4 and newer)\n"
	"      --generic             generic XDP: slow, for drivers without native XDP\n"
	"      --max-prefixes N      at most so many prefixes (4194304)\n"
	"      --quiet-period SECS   zebra's replay is over after such a silence (5)\n"
	"      --log-level LEVEL     error, warning, info (default) or debug\n"
	"  -h, --help                this text\n"
	"  -v, --version             the version\n"
	"\n"
	"The kernel goes on forwarding when fpm-xdp ends: `frr-xdp detach` stops that.\n"
	"See fpm-xdp(8), frr-xdp(8), frr-xdp.conf(5).\n";

struct arguments {
	struct fpmd_options options;
	enum log_level level;
	char conf_path[DAEMON_PATH_SIZE]; /* unless -f says */
	bool background;
	bool stop; /* --help or --version: done */
};

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "fpm-xdp: %s: \"%s\"\n", what, value);
	return -EINVAL;
}

static int take_number(const char *what, const char *value, uint32_t lo, uint32_t hi, uint32_t *ret)
{
	if (conf_parse_number(value, lo, hi, ret) < 0)
		return usage_error(what, value);
	return 0;
}

static int take_quiet_period(struct fpmd_options *options, const char *value)
{
	uint32_t seconds;
	int rc = take_number("not a number of seconds (1-3600)", value, 1, 3600, &seconds);

	if (!rc)
		options->quiet_ms = seconds * 1000;
	return rc;
}

static int take_option(struct arguments *args, int option, char *value)
{
	struct fpmd_options *options = &args->options;
	struct conf *over = &options->overrides;

	switch (option) {
	case 'i':
		if (conf_interface(over, value, true, 0) < 0)
			return usage_error("not an interface name", value);
		return 0;
	case OPT_FPM:
		options->given.fpm = true;
		if (conf_parse_endpoint(value, &over->fpm_addr, &over->fpm_port) < 0)
			return usage_error("not ADDRESS:PORT", value);
		return 0;
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
	case OPT_OFFLOAD_STATUS:
		options->given.offload_status = over->offload_status = true;
		return 0;
	case OPT_GENERIC:
		options->given.generic = over->generic = true;
		return 0;
	case OPT_MAX_PREFIXES:
		options->given.max_prefixes = true;
		return take_number("not a number of prefixes (1-4194304)", value, 1,
				   CONF_MAX_PREFIXES, &over->max_prefixes);
	case OPT_QUIET_PERIOD:
		return take_quiet_period(options, value);
	case OPT_LOG_LEVEL:
		if (log_level_parse(value, &args->level) < 0)
			return usage_error("not a log level", value);
		return 0;
	case 'h':
		fputs(usage_text, stdout);
		args->stop = true;
		return 0;
	case 'v':
		puts("fpm-xdp " PACKAGE_VERSION);
		args->stop = true;
		return 0;
	}
	return -EINVAL; /* getopt has said why */
}

static int parse_arguments(int argc, char **argv, struct arguments *args)
{
	int option, rc = 0;

	while (!rc && !args->stop &&
	       (option = getopt_long(argc, argv, "i:N:f:dhv", long_options, NULL)) != -1)
		rc = take_option(args, option, optarg);
	if (!rc && !args->stop && optind < argc)
		rc = usage_error("unexpected argument", argv[optind]);
	if (rc < 0)
		fputs("Try \"fpm-xdp --help\".\n", stderr);
	return rc;
}

/* Up to the end of the daemon. */
static int run(const struct arguments *args)
{
	struct fpmd *fpmd = malloc(sizeof(*fpmd));
	int background = -1;
	int rc;

	if (!fpmd)
		return -ENOMEM;
	if (args->background) {
		background = daemon_background();
		if (background < 0) {
			free(fpmd);
			return background;
		}
	}
	rc = fpmd_init(fpmd, &args->options);
	if (!rc) {
		if (args->background)
			log_open("fpm-xdp", args->level, true);
		daemon_ready(background);
		rc = fpmd_run(fpmd);
		daemon_notify("STOPPING=1");
	}
	fpmd_done(fpmd);
	free(fpmd);
	return rc;
}

int main(int argc, char **argv)
{
	struct arguments args = {
		.options = { .quiet_ms = 5000 },
		.level = LOG_LEVEL_INFO,
	};
	int rc;

	conf_init(&args.options.overrides);
	rc = parse_arguments(argc, argv, &args);
	if (!rc && !args.stop) {
		if (!args.options.conf_path)
			args.options.conf_path = daemon_conf_path(args.conf_path,
								  args.options.pathspace);
		log_open("fpm-xdp", args.level, false);
		rc = run(&args);
	}
	conf_done(&args.options.overrides);
	if (rc == -EINVAL)
		return 2;
	return rc < 0 ? 1 : 0;
}
