/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What zebra sends, byte for byte (tests/vectors): each stream decodes to the lines beside it, and
 * gives the same frames wherever TCP may have split it.
 */
#include <glob.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/fpm_frame.h"
#include "fpm-xdp/fpm_origin.h"
#include "fpm-xdp/pb_decode.h"
#include "fpm-xdp/rtnl_decode.h"
#include "tests/lib/op_text.h"
#include "tests/lib/vector.h"

struct check {
	const struct vector *vector;
	size_t frame, message;
	struct fpm_origin origin;
};

static void expect_op(struct check *c, const struct rt_op *op)
{
	const struct vector *v = c->vector;
	char line[VECTOR_LINE];

	op_text(op, line, sizeof(line));
	if (c->message == v->nexpect)
		fail_msg("frame %zu: not expected: %s", c->frame, line);
	assert_int_equal(v->expect_frame[c->message], c->frame);
	assert_string_equal(line, v->expect[c->message]);
	c->message++;
}

static void decode_netlink(struct check *c, const struct fpm_frame *frame)
{
	enum rtnl_reject rtnl_why = RTNL_REJ_NONE;
	enum fpm_reject fpm_why = FPM_REJ_NONE;
	static struct rt_op op;
	struct fpm_msgs msgs;
	const uint8_t *msg;
	size_t len;

	fpm_msgs_init(&msgs, frame);
	while (fpm_msgs_next(&msgs, &msg, &len, &fpm_why) > 0) {
		enum rtnl_origin origin = fpm_origin_see(&c->origin, msg, len);

		rtnl_decode(msg, len, origin, &op, &rtnl_why);
		assert_string_equal(rtnl_reject_name(rtnl_why), "none");
		expect_op(c, &op);
	}
	assert_string_equal(fpm_reject_name(fpm_why), "none");
}

static void decode_protobuf(struct check *c, const struct fpm_frame *frame)
{
	enum pb_reject why = PB_REJ_NONE;
	static struct rt_op op;

	pb_decode(frame->payload, frame->len, &op, &why);
	assert_string_equal(pb_reject_name(why), "none");
	expect_op(c, &op);
}

static void decode_all(const struct vector *v)
{
	struct check c = { .vector = v };
	size_t at = 0;

	fpm_origin_init(&c.origin);
	while (at < v->len) {
		enum fpm_reject why = FPM_REJ_NONE;
		struct fpm_frame frame;
		int n = fpm_frame_next(v->stream + at, v->len - at, &frame, &why);

		assert_string_equal(fpm_reject_name(why), "none");
		assert_true(n > 0);
		at += (size_t)n;
		assert_int_equal(at, v->ends[c.frame]);
		if (frame.type == FPM_TYPE_NETLINK)
			decode_netlink(&c, &frame);
		else
			decode_protobuf(&c, &frame);
		c.frame++;
	}
	assert_int_equal(c.message, v->nexpect);
	if (!strcmp(v->origin, "old"))
		assert_int_equal(c.origin.origin, RTNL_FPM_OLD);
	else
		assert_int_equal(c.origin.origin, RTNL_FPM_DPLANE);
}

/* How many whole frames stand in the first `have` bytes, and where they end. */
static size_t frames_in(const struct vector *v, size_t have, size_t *ret_at)
{
	enum fpm_reject why = FPM_REJ_NONE;
	struct fpm_frame frame;
	size_t frames = 0, at = *ret_at;
	int n;

	while ((n = fpm_frame_next(v->stream + at, have - at, &frame, &why)) > 0) {
		at += (size_t)n;
		frames++;
	}
	assert_int_equal(n, 0);
	*ret_at = at;
	return frames;
}

static void split_everywhere(const struct vector *v)
{
	size_t split, k = 0;

	for (split = 0; split <= v->len; split++) {
		size_t at = 0, before, after;

		while (k < v->nframes && v->ends[k] <= split)
			k++;
		before = frames_in(v, split, &at);
		assert_int_equal(before, k);
		assert_int_equal(at, k ? v->ends[k - 1] : 0);
		after = frames_in(v, v->len, &at);
		assert_int_equal(before + after, v->nframes);
		assert_int_equal(at, v->len);
	}
}

static void vectors(void **state)
{
	char pattern[PATH_MAX];
	glob_t files;

	assert_int_equal(glob(vector_path("tests/vectors/*.txt", pattern), 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct vector v;

		print_message("%s\n", files.gl_pathv[i]);
		vector_read(files.gl_pathv[i], &v);
		assert_true(v.nframes > 0);
		decode_all(&v);
		split_everywhere(&v);
		vector_done(&v);
	}
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(vectors) };

	return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
