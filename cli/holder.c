/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "cli/holder.h"
#include "lib/daemon.h"
#include "lib/xdp_attach.h"

enum holder holder_find(uint32_t ifindex, char name[HOLDER_NAME_SIZE])
{
	struct xdp_state state;

	name[0] = '\0';
	if (xdp_state(DAEMON_BPF_DIR, ifindex, &state) < 0 ||
	    strcmp(state.prog_name, XDP_ROOT_NAME) != 0)
		return HOLDER_NONE;
	return xdp_owner(ifindex, state.prog_id, name) ? HOLDER_INSTANCE : HOLDER_ELSEWHERE;
}
