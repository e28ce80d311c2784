/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protobuf form of FPM messages (frame type 2), as a struct rt_op. Pure; protobuf-c allocates
 * and frees while decoding (a frame's size bounds it), nothing is kept.
 *
 * A reject concerns one message: it is counted and ignored, the connection goes on.
 *
 * What this form does not say: weights (all 1), tables (rt_op.vrf), nexthop ids, onlink, encap.
 * What it says wrongly: prohibit is sent as blackhole, and the gateway of an IPv4 route over an
 * IPv6 nexthop is the first four bytes of the IPv6 address (doc/fpm-protocol.md).
 */
#ifndef FX_FPM_PB_DECODE_H
#define FX_FPM_PB_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/rt_op.h"

#define PB_REJECTS(X)                                                                              \
	X(MALFORMED, "malformed")      /* no message of the schema, or a required field missing */ \
	X(BODY, "body")		       /* the part that the message's type announces is missing */ \
	X(PREFIX, "prefix")	       /* no prefix in the key */                                  \
	X(PREFIX_LEN, "prefix-length") /* longer than the family's addresses */                    \
	X(PREFIX_BYTES, "prefix-bytes") /* fewer bytes than its length needs, or too many */       \
	X(GATEWAY, "gateway")		/* an IPv6 address that has not 16 bytes */                \
	X(PATHS, "paths")		/* more than RT_MAX_PATHS nexthops */

#define PB_REJECT_ENUM(name, text) PB_REJ_##name,

enum pb_reject { PB_REJ_NONE, PB_REJECTS(PB_REJECT_ENUM) PB_REJ_COUNT };

/* "malformed", ...; "none"; never NULL. */
const char *pb_reject_name(enum pb_reject reject);

/*
 * payload: of one frame, whole. 1: *ret is set, paths[] up to npaths only. -EBADMSG: *ret_reject
 * says why, *ret holds nothing of use.
 */
int pb_decode(const uint8_t *payload, size_t len, struct rt_op *ret, enum pb_reject *ret_reject);

#endif
