/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of the control socket: words to answers. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"
#include "lib/ctl.h"

static const struct {
	const char *thing;
	show_fn show;
	int max_args;
} fpmd_shows[] = {
	{ "summary", show_summary, 0 },
	{ "route", show_route, 6 },
	{ "nexthop-group", show_nexthop_group, 0 },
	{ "neighbor", show_neighbor, 0 },
	{ "interface", show_interface, 0 },
	{ "counters", show_counters, 0 },
	{ "consistency", show_consistency, 0 },
};

static int fpmd_request(void *arg, int argc, char **argv, struct ctl_reply *reply,
			const char **ret_error)
{
	struct fpmd *fpmd = arg;
	size_t i;

	*ret_error = "unknown request";
	if (fpmd->detached)
		return -EINVAL;
	if (argc == 1 && !strcmp(argv[0], "detach"))
		return show_detach(fpmd, reply);
	if (argc == 2 && !strcmp(argv[0], "clear") && !strcmp(argv[1], "counters"))
		return show_clear_counters(fpmd, reply);
	if (argc < 2 || strcmp(argv[0], "show") != 0)
		return -EINVAL;
	for (i = 0; i < sizeof(fpmd_shows) / sizeof(fpmd_shows[0]); i++) {
		if (strcmp(argv[1], fpmd_shows[i].thing) != 0)
			continue;
		*ret_error = argc - 2 > fpmd_shows[i].max_args ? "too many words" : NULL;
		if (*ret_error)
			return -EINVAL;
		return fpmd_shows[i].show(fpmd, argc - 2, argv + 2, reply, ret_error);
	}
	return -EINVAL;
}

int fpmd_ctl_start(struct fpmd *fpmd)
{
	char path[DAEMON_PATH_SIZE];

	daemon_path(path, DAEMON_RUN_DIR, fpmd->options->pathspace, "fpm-xdp.sock");
	fpmd->ctl = ctl_new(fpmd->loop, path, fpmd_request, fpmd);
	return fpmd->ctl ? 0 : -errno;
}
