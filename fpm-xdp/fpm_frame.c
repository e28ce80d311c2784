/* SPDX-License-Identifier: GPL-2.0-or-later */
/* FPM framing: frames of the stream, netlink messages of a frame. */
#include <errno.h>
#include <string.h>
#include <linux/netlink.h>

#include "fpm-xdp/fpm_frame.h"

#define FPM_VERSION 1

#define FPM_REJECT_CASE(name, text)                                                                \
	case FPM_REJ_##name:                                                                       \
		return text;

const char *fpm_reject_name(enum fpm_reject reject)
{
	switch (reject) {
		FPM_REJECTS(FPM_REJECT_CASE)
	case FPM_REJ_NONE:
	case FPM_REJ_COUNT:
		break;
	}
	return "none";
}

size_t fpm_reject_offset(enum fpm_reject reject)
{
	if (reject == FPM_REJ_TYPE)
		return 1;
	return reject == FPM_REJ_LENGTH ? 2 : 0;
}

static int reject(enum fpm_reject why, enum fpm_reject *ret_reject)
{
	*ret_reject = why;
	return -EBADMSG;
}

int fpm_frame_next(const uint8_t *buf, size_t len, struct fpm_frame *ret,
		   enum fpm_reject *ret_reject)
{
	size_t frame_len;

	if (len > 0 && buf[0] != FPM_VERSION)
		return reject(FPM_REJ_VERSION, ret_reject);
	if (len > 1 && buf[1] != FPM_TYPE_NETLINK && buf[1] != FPM_TYPE_PROTOBUF)
		return reject(FPM_REJ_TYPE, ret_reject);
	if (len < FPM_HDR_LEN)
		return 0;
	frame_len = (size_t)buf[2] << 8 | buf[3];
	if (frame_len < FPM_HDR_LEN)
		return reject(FPM_REJ_LENGTH, ret_reject);
	if (len < frame_len)
		return 0;
	ret->type = (enum fpm_type)buf[1];
	ret->payload = buf + FPM_HDR_LEN;
	ret->len = frame_len - FPM_HDR_LEN;
	return (int)frame_len;
}

void fpm_msgs_init(struct fpm_msgs *msgs, const struct fpm_frame *frame)
{
	msgs->frame = frame;
	msgs->offset = FPM_HDR_LEN;
}

int fpm_msgs_next(struct fpm_msgs *msgs, const uint8_t **ret, size_t *ret_len,
		  enum fpm_reject *ret_reject)
{
	size_t at = msgs->offset - FPM_HDR_LEN, left = msgs->frame->len - at;
	const uint8_t *msg;
	uint32_t msg_len;

	if (!left)
		return 0;
	if (left < sizeof(struct nlmsghdr))
		return reject(FPM_REJ_MSG_SHORT, ret_reject);
	msg = msgs->frame->payload + at;
	memcpy(&msg_len, msg, sizeof(msg_len)); /* nlmsg_len is the first field */
	if (msg_len < sizeof(struct nlmsghdr))
		return reject(FPM_REJ_MSG_SHORT, ret_reject);
	if (msg_len > left)
		return reject(FPM_REJ_MSG_LONG, ret_reject);
	if (msg_len % NLMSG_ALIGNTO)
		return reject(FPM_REJ_MSG_ALIGN, ret_reject);
	*ret = msg;
	*ret_len = msg_len;
	msgs->offset += msg_len;
	return 1;
}
