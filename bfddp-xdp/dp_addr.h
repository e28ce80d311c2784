/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --dplaneaddr, in bfdd's words (bfdd(8)) and seen from the other end: where bfdd listens we
 * connect, where bfdd connects ("c") we listen. Pure.
 *
 *	unix:/PATH		unixc:/PATH
 *	ipv4:A[:PORT]		ipv4c:A[:PORT]
 *	ipv6:[A][:PORT]		ipv6c:[A][:PORT]
 */
#ifndef FX_BFDDP_DP_ADDR_H
#define FX_BFDDP_DP_ADDR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/addr.h"

#define DP_ADDR_PATH_SIZE 64 /* bfdd cuts what is longer, without a word (FRR 8.4 to 10.7) */

struct dp_addr {
	bool listen; /* we do */
	bool is_unix;
	char path[DP_ADDR_PATH_SIZE];
	struct fx_addr addr;
	uint16_t port;
};

/* 0; -EINVAL: *ret_why says what is wrong, *ret is untouched. */
int dp_addr_parse(const char *text, struct dp_addr *ret, const char **ret_why);

#endif
