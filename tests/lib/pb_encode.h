/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protobuf by hand: fields one after the other into a buffer, so that tests can also make what no
 * encoder makes. Independent of protobuf-c, which the decoder under test uses.
 * tests/lib/fpm_send.py has the same for a live daemon.
 */
#ifndef FX_TESTS_PB_ENCODE_H
#define FX_TESTS_PB_ENCODE_H

#include <stddef.h>
#include <stdint.h>

struct pb {
	uint8_t buf[65536];
	size_t len;
};

void pb_varint(struct pb *pb, unsigned int field, uint64_t value);
void pb_fixed32(struct pb *pb, unsigned int field, uint32_t value);
void pb_bytes(struct pb *pb, unsigned int field, const void *data, size_t len);
void pb_message(struct pb *pb, unsigned int field, const struct pb *message);

#endif
