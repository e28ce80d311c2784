/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Route and nexthop messages of rtnetlink, as a struct rt_op: the one parser for what zebra sends
 * by FPM and for what the kernel itself says. Pure.
 *
 * A reject of this file concerns one message whose end is known: it is counted and ignored, and the
 * connection goes on. (Rejects that end the connection: fpm_frame.h.) A message that is understood
 * but is none of ours is no reject: it is an RT_SKIP.
 *
 * Nests are entered only where we use what is in them (RTA_METRICS, RTA_MULTIPATH and the
 * attributes of its hops), so the depth is bounded by this code, not by the sender: two.
 */
#ifndef FX_FPM_RTNL_DECODE_H
#define FX_FPM_RTNL_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/rt_op.h"

/* Who wrote the message: the same bytes do not mean the same (doc/fpm-protocol.md). */
enum rtnl_origin {
	RTNL_KERNEL,
	RTNL_FPM_DPLANE, /* zebra -M dplane_fpm_nl */
	RTNL_FPM_OLD,	 /* zebra -M fpm: a hop's weight is sent as it is, not less one */
};

#define RTNL_REJECTS(X)                                                                            \
	X(SHORT, "short")	       /* ends within the header of its type */                    \
	X(LENGTH, "length")	       /* nlmsg_len is beyond the bytes given */                   \
	X(ATTR_SHORT, "attr-short")    /* an attribute shorter than its header */                  \
	X(ATTR_LONG, "attr-long")      /* an attribute that leads out of the message or nest */    \
	X(ATTR_SIZE, "attr-size")      /* not the size that this attribute has */                  \
	X(PREFIX_LEN, "prefix-length") /* longer than the family's addresses */                    \
	X(PREFIX_MISSING, "prefix-missing") /* a length, but no address */                         \
	X(VIA_FAMILY, "via-family")	    /* RTA_VIA that is neither IPv4 nor IPv6 */            \
	X(HOP_SHORT, "hop-short") /* an entry of RTA_MULTIPATH shorter than its header */          \
	X(HOP_LONG, "hop-long")	  /* ... that leads out of RTA_MULTIPATH */                        \
	X(PATHS, "paths")	  /* more than RT_MAX_PATHS paths or members */                    \
	X(NH_ID, "nexthop-id")	  /* a nexthop or a member of a group without id */

#define RTNL_REJECT_ENUM(name, text) RTNL_REJ_##name,

enum rtnl_reject { RTNL_REJ_NONE, RTNL_REJECTS(RTNL_REJECT_ENUM) RTNL_REJ_COUNT };

/* "attr-short", ...; "none"; never NULL. */
const char *rtnl_reject_name(enum rtnl_reject reject);

/*
 * msg: one message, struct nlmsghdr first; bytes behind nlmsg_len are not looked at. Alignment of
 * msg does not matter.
 * 1: *ret is set. -EBADMSG: *ret_reject says why, *ret holds nothing of use. The message is whole
 * by contract, so there is no "need more".
 *
 * Of *ret, paths[] is written up to npaths only.
 */
int rtnl_decode(const uint8_t *msg, size_t len, enum rtnl_origin origin, struct rt_op *ret,
		enum rtnl_reject *ret_reject);

#endif
