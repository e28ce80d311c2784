/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/holder.h"
#include "lib/daemon.h"
#include "lib/xdp_attach.h"

#define ROOT_PROGRAM "fx_root" /* bpf/xdp_root.bpf.c */

static bool holder_is(const char *name, uint32_t ifindex)
{
	char dir[DAEMON_PATH_SIZE];
	struct xdp_state state;

	daemon_path(dir, DAEMON_BPF_DIR, *name ? name : NULL, NULL);
	return xdp_state(dir, ifindex, &state) == 0 && state.ours;
}

enum holder holder_find(uint32_t ifindex, char name[HOLDER_NAME_SIZE])
{
	enum holder holder = HOLDER_ELSEWHERE;
	struct xdp_state state;
	struct dirent *entry;
	DIR *stream;

	name[0] = '\0';
	if (xdp_state(DAEMON_BPF_DIR, ifindex, &state) < 0 ||
	    strcmp(state.prog_name, ROOT_PROGRAM) != 0)
		return HOLDER_NONE;
	if (state.ours)
		return HOLDER_INSTANCE;
	stream = opendir(DAEMON_BPF_DIR);
	while (stream && holder != HOLDER_INSTANCE && (entry = readdir(stream))) {
		if (!daemon_pathspace_valid(entry->d_name) || !holder_is(entry->d_name, ifindex))
			continue;
		snprintf(name, HOLDER_NAME_SIZE, "%.32s", entry->d_name);
		holder = HOLDER_INSTANCE;
	}
	if (stream)
		closedir(stream);
	return holder;
}
