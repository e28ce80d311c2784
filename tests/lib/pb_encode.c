/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protobuf wire format: varints, fixed32, and what has a length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/pb_encode.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

static void put(struct pb *pb, const void *data, size_t len)
{
	assert_true(pb->len + len <= sizeof(pb->buf));
	if (len)
		memcpy(pb->buf + pb->len, data, len);
	pb->len += len;
}

static void put_varint(struct pb *pb, uint64_t value)
{
	uint8_t byte;

	do {
		byte = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		put(pb, &byte, 1);
		value >>= 7;
	} while (value);
}

static void put_tag(struct pb *pb, unsigned int field, enum wire_type type)
{
	put_varint(pb, field << 3 | type);
}

void pb_varint(struct pb *pb, unsigned int field, uint64_t value)
{
	put_tag(pb, field, WIRE_VARINT);
	put_varint(pb, value);
}

void pb_fixed32(struct pb *pb, unsigned int field, uint32_t value)
{
	uint8_t le[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
			  (uint8_t)(value >> 24) };

	put_tag(pb, field, WIRE_FIXED32);
	put(pb, le, sizeof(le));
}

void pb_bytes(struct pb *pb, unsigned int field, const void *data, size_t len)
{
	put_tag(pb, field, WIRE_BYTES);
	put_varint(pb, len);
	put(pb, data, len);
}

void pb_message(struct pb *pb, unsigned int field, const struct pb *message)
{
	pb_bytes(pb, field, message->buf, message->len);
}
