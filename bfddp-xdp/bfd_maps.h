/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel half as the daemon holds it: maps that are open, programs that are loaded. */
#ifndef FX_BFDDP_BFD_MAPS_H
#define FX_BFDDP_BFD_MAPS_H

#include <stdbool.h>

#include "lib/bpfmap.h"

struct bfd_maps {
	bool kernel;  /* false: --no-xdp; meta and sess are memory of ours, there is nothing else */
	bool adopted; /* they were a predecessor's */
	struct bpfmap slots, ifaces, meta, sess, by_disc, by_addr, events;
	int timer_prog; /* runs struct fx_bfd_timer_cmd */
};

#endif
