/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Linux router beside the bed: same routes, same MAC addresses, no BPF. In the bed's network
 * namespace, with its neighbours' ends in another one.
 *
 *	host0 --- in0  router  out1 --- host1	10.0.1.0/24, 2001:db8:1::/48, MTU 1500
 *			       out2 --- host2	10.0.2.0/24, 2001:db8:2::/48, MTU 9000
 */
#ifndef FX_TESTS_BPF_LINUX_ROUTER_H
#define FX_TESTS_BPF_LINUX_ROUTER_H

#include <stdbool.h>

#include "tests/bpf/bed.h"

/* The router's addresses, which are nobody's source. Ends with NULL. */
extern const char *const linux_router_own4[];

struct linux_router;

/* After bed_new(). Exits with 1 on failure, as the bed does. */
struct linux_router *linux_router_new(void);
void linux_router_free(struct linux_router *router);

/* Sends in to the router; *ret is what comes out of port n (1 or 2) to that port's neighbour.
 * false: nothing within a second. */
bool linux_router_pass(struct linux_router *router, const struct frame *in, unsigned int n,
		       struct frame *ret);

#endif
