/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A walk over netlink attributes that trusts no length: struct rtattr and struct nlattr are the
 * same four bytes {u16 length with these four, u16 type} and the payload, padded to 4. Read by
 * memcpy: in a TCP stream nothing is aligned. Pure.
 */
#ifndef FX_FPM_RTNL_ATTR_H
#define FX_FPM_RTNL_ATTR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RTNL_ATTR_HDR	4u
#define RTNL_ATTR_TYPE	0x3fffu /* without NLA_F_NESTED and NLA_F_NET_BYTEORDER */
#define RTNL_ALIGN(len) (((len) + 3u) & ~(size_t)3u)

struct rtnl_attr {
	uint16_t type; /* flags masked away */
	size_t len;
	const uint8_t *data;
};

enum rtnl_attr_result {
	RTNL_ATTR_END,
	RTNL_ATTR_OK,
	RTNL_ATTR_SHORT, /* too few bytes for a header, or a length below 4 */
	RTNL_ATTR_LONG,	 /* the length leads out of the bytes given */
};

struct rtnl_attrs {
	const uint8_t *at;
	size_t left;
};

/* Each call takes at least 4 bytes off, or ends the walk. */
static inline enum rtnl_attr_result rtnl_attr_next(struct rtnl_attrs *attrs, struct rtnl_attr *ret)
{
	uint16_t len, type;
	size_t step;

	if (!attrs->left)
		return RTNL_ATTR_END;
	if (attrs->left < RTNL_ATTR_HDR)
		return RTNL_ATTR_SHORT;
	memcpy(&len, attrs->at, sizeof(len));
	memcpy(&type, attrs->at + 2, sizeof(type));
	if (len < RTNL_ATTR_HDR)
		return RTNL_ATTR_SHORT;
	if (len > attrs->left)
		return RTNL_ATTR_LONG;
	ret->type = type & RTNL_ATTR_TYPE;
	ret->len = len - RTNL_ATTR_HDR;
	ret->data = attrs->at + RTNL_ATTR_HDR;
	step = RTNL_ALIGN(len);
	if (step > attrs->left)
		step = attrs->left; /* the last one may come without its padding */
	attrs->at += step;
	attrs->left -= step;
	return RTNL_ATTR_OK;
}

static inline uint16_t rtnl_u16(const uint8_t *data)
{
	uint16_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

static inline uint32_t rtnl_u32(const uint8_t *data)
{
	uint32_t value;

	memcpy(&value, data, sizeof(value));
	return value;
}

#endif
