/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Framing: every reject once, lengths at their bounds, messages of one frame. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/fpm_frame.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct frame_case {
	const char *what;
	uint8_t bytes[8];
	size_t len;
	int result;
	enum fpm_reject reject;
	size_t offset;
};

static const struct frame_case frame_cases[] = {
	{ "no byte is no frame yet", { 0 }, 0, 0, FPM_REJ_NONE, 0 },
	{ "one byte of the header", { 1 }, 1, 0, FPM_REJ_NONE, 0 },
	{ "two bytes of the header", { 1, 1 }, 2, 0, FPM_REJ_NONE, 0 },
	{ "three bytes of the header", { 1, 2, 0 }, 3, 0, FPM_REJ_NONE, 0 },
	{ "version 0, known from the first byte", { 0 }, 1, -EBADMSG, FPM_REJ_VERSION, 0 },
	{ "version 2", { 2, 1, 0, 4 }, 4, -EBADMSG, FPM_REJ_VERSION, 0 },
	{ "version 255", { 255, 1, 0, 4 }, 4, -EBADMSG, FPM_REJ_VERSION, 0 },
	{ "type 0, known from the second byte", { 1, 0 }, 2, -EBADMSG, FPM_REJ_TYPE, 1 },
	{ "type 3", { 1, 3, 0, 4 }, 4, -EBADMSG, FPM_REJ_TYPE, 1 },
	{ "length 0", { 1, 1, 0, 0 }, 4, -EBADMSG, FPM_REJ_LENGTH, 2 },
	{ "length 3", { 1, 1, 0, 3 }, 4, -EBADMSG, FPM_REJ_LENGTH, 2 },
	{ "length 4: a frame without payload", { 1, 1, 0, 4 }, 4, 4, FPM_REJ_NONE, 0 },
	{ "length 5, its payload missing", { 1, 2, 0, 5 }, 4, 0, FPM_REJ_NONE, 0 },
	{ "length 5, type protobuf", { 1, 2, 0, 5, 9 }, 5, 5, FPM_REJ_NONE, 0 },
	{ "the next frame's bytes are left alone", { 1, 1, 0, 4, 7, 7 }, 6, 4, FPM_REJ_NONE, 0 },
	{ "length 65535, nearly all missing", { 1, 1, 255, 255 }, 8, 0, FPM_REJ_NONE, 0 },
};

static void frames(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(frame_cases); i++) {
		const struct frame_case *c = &frame_cases[i];
		enum fpm_reject why = FPM_REJ_NONE;
		struct fpm_frame frame = { 0 };

		print_message("%s\n", c->what);
		assert_int_equal(fpm_frame_next(c->bytes, c->len, &frame, &why), c->result);
		assert_int_equal(why, c->reject);
		if (why != FPM_REJ_NONE)
			assert_int_equal(fpm_reject_offset(why), c->offset);
		if (c->result <= 0) {
			assert_null(frame.payload);
			continue;
		}
		assert_int_equal(frame.type, c->bytes[1]);
		assert_ptr_equal(frame.payload, c->bytes + 4);
		assert_int_equal(frame.len, c->result - 4);
	}
}

static void longest_frame(void **state)
{
	static uint8_t buf[FPM_FRAME_MAX] = { 1, 1, 0xff, 0xff };
	struct fpm_frame frame;
	enum fpm_reject why;

	assert_int_equal(fpm_frame_next(buf, sizeof(buf) - 1, &frame, &why), 0);
	assert_int_equal(fpm_frame_next(buf, sizeof(buf), &frame, &why), FPM_FRAME_MAX);
	assert_int_equal(frame.len, FPM_FRAME_MAX - 4);
}

struct msgs_case {
	const char *what;
	uint32_t lens[3]; /* nlmsg_len of messages one after the other; 0 ends */
	size_t payload;	  /* bytes of payload that are there */
	unsigned int good;
	enum fpm_reject reject;
	size_t offset;
};

static const struct msgs_case msgs_cases[] = {
	{ "a frame without message", { 0 }, 0, 0, FPM_REJ_NONE, 4 },
	{ "one message of a header only", { 16 }, 16, 1, FPM_REJ_NONE, 20 },
	{ "two messages", { 20, 36 }, 56, 2, FPM_REJ_NONE, 60 },
	{ "three messages", { 16, 16, 16 }, 48, 3, FPM_REJ_NONE, 52 },
	{ "nlmsg_len 0 would never end", { 0 }, 16, 0, FPM_REJ_MSG_SHORT, 4 },
	{ "nlmsg_len 15", { 15 }, 16, 0, FPM_REJ_MSG_SHORT, 4 },
	{ "less than a header in the frame", { 16 }, 15, 0, FPM_REJ_MSG_SHORT, 4 },
	{ "one byte longer than the frame", { 17 }, 16, 0, FPM_REJ_MSG_LONG, 4 },
	{ "4 GiB long", { UINT32_MAX }, 16, 0, FPM_REJ_MSG_LONG, 4 },
	{ "no multiple of 4", { 18 }, 20, 0, FPM_REJ_MSG_ALIGN, 4 },
	{ "garbage after a good message", { 20 }, 23, 1, FPM_REJ_MSG_SHORT, 24 },
	{ "zeroes after a good message", { 20 }, 40, 1, FPM_REJ_MSG_SHORT, 24 },
	{ "the second message is cut off", { 20, 36 }, 52, 1, FPM_REJ_MSG_LONG, 24 },
};

static void messages(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(msgs_cases); i++) {
		const struct msgs_case *c = &msgs_cases[i];
		enum fpm_reject why = FPM_REJ_NONE;
		uint8_t payload[64] = { 0 };
		struct fpm_frame frame = { FPM_TYPE_NETLINK, payload, c->payload };
		struct fpm_msgs msgs;
		const uint8_t *msg;
		unsigned int good = 0;
		size_t at = 0, len;

		print_message("%s\n", c->what);
		for (size_t k = 0; k < 3 && c->lens[k] && at + 4 <= sizeof(payload); k++) {
			memcpy(payload + at, &c->lens[k], 4);
			at += c->lens[k] < 64 ? c->lens[k] : 64;
		}
		fpm_msgs_init(&msgs, &frame);
		while (fpm_msgs_next(&msgs, &msg, &len, &why) > 0) {
			assert_int_equal(len, c->lens[good]);
			good++;
		}
		assert_int_equal(good, c->good);
		assert_int_equal(why, c->reject);
		assert_int_equal(msgs.offset, c->offset);
	}
}

static void names(void **state)
{
	assert_string_equal(fpm_reject_name(FPM_REJ_NONE), "none");
	assert_string_equal(fpm_reject_name(FPM_REJ_COUNT), "none");
	for (int r = FPM_REJ_NONE + 1; r < FPM_REJ_COUNT; r++)
		assert_string_not_equal(fpm_reject_name((enum fpm_reject)r), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(longest_frame),
		cmocka_unit_test(messages),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("fpm_frame", tests, NULL, NULL);
}
