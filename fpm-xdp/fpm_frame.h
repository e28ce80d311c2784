/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FPM framing: where a frame ends in the byte stream from zebra, and where a netlink message ends
 * in a frame. Pure; looks at no byte but lengths, version and type (doc/fpm-protocol.md).
 *
 * A frame is {u8 version = 1, u8 type, u16 length big-endian, header included} and its payload: one
 * protobuf message, or netlink messages in host byte order, each padded to 4 bytes. The messages of
 * one frame are one change: zebra puts the delete and the add of a replaced route together.
 *
 * Every reject of this file ends the connection: a peer that gets its lengths wrong cannot be
 * followed any further. (Bad contents of a well delimited message do not: rtnl_decode.h,
 * pb_decode.h.)
 */
#ifndef FX_FPM_FPM_FRAME_H
#define FX_FPM_FPM_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FPM_HDR_LEN   4u
#define FPM_FRAME_MAX 65535u /* the length has 16 bits: a buffer of this size is enough */
#define FPM_PORT      2620u

enum fpm_type {
	FPM_TYPE_NETLINK = 1,
	FPM_TYPE_PROTOBUF = 2,
};

/* name, stable text, which `show` and the log use */
#define FPM_REJECTS(X)                                                                             \
	X(VERSION, "frame-version")   /* version is not 1 */                                       \
	X(TYPE, "frame-type")	      /* neither netlink nor protobuf */                           \
	X(LENGTH, "frame-length")     /* shorter than its own header */                            \
	X(MSG_SHORT, "message-short") /* nlmsg_len, or what is left of the frame, is below 16 */   \
	X(MSG_LONG, "message-long")   /* nlmsg_len leads out of the frame */                       \
	X(MSG_ALIGN, "message-align") /* nlmsg_len is no multiple of 4 */

#define FPM_REJECT_ENUM(name, text) FPM_REJ_##name,

enum fpm_reject { FPM_REJ_NONE, FPM_REJECTS(FPM_REJECT_ENUM) FPM_REJ_COUNT };

/* "frame-version", ...; "none"; never NULL. */
const char *fpm_reject_name(enum fpm_reject reject);

/* Points into the caller's buffer. */
struct fpm_frame {
	enum fpm_type type;
	const uint8_t *payload;
	size_t len; /* of the payload, 0..65531 */
};

/*
 * The frame at the head of buf, which may hold less than a frame or several.
 * >0: bytes consumed, *ret set. 0: more bytes are needed (at most FPM_FRAME_MAX in all). -EBADMSG:
 * *ret_reject says why, its field stands at fpm_reject_offset(); known as soon as the field is
 * there. Outputs are untouched otherwise.
 */
int fpm_frame_next(const uint8_t *buf, size_t len, struct fpm_frame *ret,
		   enum fpm_reject *ret_reject);

/* Where in the frame header the field of a FRAME reject stands. */
size_t fpm_reject_offset(enum fpm_reject reject);

/* A walk over the netlink messages of one frame. offset: of the next message, or of the one that
 * was rejected, counted from the first byte of the frame. */
struct fpm_msgs {
	const struct fpm_frame *frame;
	size_t offset;
};

void fpm_msgs_init(struct fpm_msgs *msgs, const struct fpm_frame *frame);

/*
 * 1: *ret, *ret_len are the next message, nlmsghdr included, at least 16 bytes. 0: no more.
 * -EBADMSG: *ret_reject says why. Messages before it were good.
 */
int fpm_msgs_next(struct fpm_msgs *msgs, const uint8_t **ret, size_t *ret_len,
		  enum fpm_reject *ret_reject);

#endif
