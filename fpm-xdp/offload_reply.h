/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of a route, told to zebra: the frame that dplane_fpm_nl reads on the connection on
 * which it sends (FRR 8.5 to 10.2, and 10.4 and newer; 8.4 throws it away and 10.3 looks into the
 * wrong table, doc/fpm-protocol.md). Pure.
 */
#ifndef FX_FPM_OFFLOAD_REPLY_H
#define FX_FPM_OFFLOAD_REPLY_H

#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/fib.h"

#define OFFLOAD_REPLY_MAX 72 /* FPM and netlink headers, struct rtmsg, RTA_DST, RTA_TABLE */

/*
 * One frame that holds one message: zebra reads only the first. Type, table and protocol are those
 * with which the route came, else zebra does not find it; so status->rtm_type and status->protocol
 * are to be as received.
 * >0: bytes written to buf. 0: no frame, because zebra cannot match such a status (protocols kernel
 * and zebra) or because there is nothing to say (FIB_ST_PENDING). -ENOSPC: size is too small;
 * OFFLOAD_REPLY_MAX never is. -EINVAL: neither IPv4 nor IPv6.
 */
int offload_reply(const struct fib_status *status, uint8_t *buf, size_t size);

#endif
