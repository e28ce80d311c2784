/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of zebra's two FPM modules is at the other end of a connection: dplane_fpm_nl or the older
 * zebra_fpm. Nothing in the protocol says it, and the weights of multipath routes do not mean the
 * same. Pure; one struct per connection.
 *
 * What settles it, for the rest of the connection (FRR 8.4 to 10.7, doc/fpm-protocol.md):
 *
 *	nexthop message, AF_MPLS route, RTA_NH_ID	 dplane_fpm_nl: the old module has none
 *	NEWROUTE with NLM_F_REPLACE			 dplane_fpm_nl: the old one never sets it
 *	IPv4 NEWROUTE without NLM_F_REPLACE		 old: dplane_fpm_nl always sets it
 *	NEWROUTE whose RTA_PRIORITY is not 20		 old: dplane_fpm_nl sends 20 for any route
 *	DELROUTE with or without RTA_PRIORITY		 dplane_fpm_nl or old
 *	a multipath hop of weight byte 0		 dplane_fpm_nl: the old one sends 1 and more
 *
 * So the message that is to be decoded nearly always settles it itself. Left open is an IPv6
 * NEWROUTE without NLM_F_REPLACE and of priority 20 (dplane_fpm_nl of 8.4, or an old module's route
 * whose metric is 20) before any other message. It is read as dplane_fpm_nl's; if that is wrong,
 *its paths are right and the weights of this one route are too large by one.
 */
#ifndef FX_FPM_FPM_ORIGIN_H
#define FX_FPM_FPM_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/rtnl_decode.h"

struct fpm_origin {
	enum rtnl_origin origin; /* zero-initialised is not valid: fpm_origin_init() */
	bool settled;
};

void fpm_origin_init(struct fpm_origin *origin);

/* Looks at one message (fpm_msgs_next()) before it is decoded, and says as whose. Never fails: a
 * malformed message settles nothing. */
enum rtnl_origin fpm_origin_see(struct fpm_origin *origin, const uint8_t *msg, size_t len);

#endif
