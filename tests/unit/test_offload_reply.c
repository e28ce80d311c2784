/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offload status frames: whole bytes, and back through our own decoder. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/fpm_frame.h"
#include "fpm-xdp/offload_reply.h"
#include "fpm-xdp/rtnl_decode.h"
#include "tests/lib/nl_text.h"

struct reply_case {
	const char *what;
	const char *dst;
	uint32_t table;
	uint8_t protocol, rtm_type;
	enum fib_state state;
	const char *message; /* NULL: no frame */
};

static const struct reply_case cases[] = {
	{ "a static route is offloaded", "192.0.2.0/24", 254, 196, 1, FIB_ST_OFFLOADED,
	  "type=24 flags=1 02180000fec40001 00000000 1=192.0.2.0 @25=40" },
	{ "a BGP route is left to Linux", "2001:db8::/48", 254, 186, 1, FIB_ST_TRAPPED,
	  "type=24 flags=1 0a300000feba0001 00000000 1=2001:db8:: @25=80" },
	{ "a blackhole failed", "192.0.2.0/24", 254, 196, 6, FIB_ST_FAILED,
	  "type=24 flags=1 02180000fec40006 00000000 1=192.0.2.0 @27=20" },
	{ "unreachable keeps its type", "192.0.2.0/24", 254, 196, 7, FIB_ST_OFFLOADED,
	  "type=24 flags=1 02180000fec40007 00000000 1=192.0.2.0 @25=40" },
	{ "the default route", "0.0.0.0/0", 254, 188, 1, FIB_ST_OFFLOADED,
	  "type=24 flags=1 02000000febc0001 00000000 1=0.0.0.0 @25=40" },
	{ "the last table of 8 bits", "::/0", 255, 196, 1, FIB_ST_OFFLOADED,
	  "type=24 flags=1 0a000000ffc40001 00000000 1=:: @25=40" },
	{ "a table of more", "2001:db8::1/128", 256, 196, 1, FIB_ST_OFFLOADED,
	  "type=24 flags=1 0a80000000c40001 00000000 1=2001:db8::1 15=u32:256 @25=40" },
	{ "nothing to say yet", "192.0.2.0/24", 254, 196, 1, FIB_ST_PENDING, NULL },
	{ "zebra does not match kernel routes", "10.0.0.0/24", 254, 2, 1, FIB_ST_OFFLOADED, NULL },
	{ "zebra does not match its own", "10.0.0.0/24", 254, 11, 1, FIB_ST_OFFLOADED, NULL },
};

static struct fib_status status_of(const struct reply_case *c)
{
	struct fib_status status = {
		.table = c->table,
		.protocol = c->protocol,
		.rtm_type = c->rtm_type,
		.state = c->state,
	};

	assert_int_equal(fx_prefix_parse(c->dst, &status.dst), 0);
	return status;
}

static void encodes(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reply_case *c = &cases[i];
		struct fib_status status = status_of(c);
		uint8_t buf[OFFLOAD_REPLY_MAX], message[256];
		enum fpm_reject why = FPM_REJ_NONE;
		struct fpm_frame frame;
		size_t len;
		int n;

		print_message("%s\n", c->what);
		n = offload_reply(&status, buf, sizeof(buf));
		if (!c->message) {
			assert_int_equal(n, 0);
			continue;
		}
		len = nl_text(c->message, message, sizeof(message));
		assert_int_equal(n, len + FPM_HDR_LEN);
		assert_int_equal(fpm_frame_next(buf, (size_t)n, &frame, &why), n);
		assert_int_equal(frame.type, FPM_TYPE_NETLINK);
		assert_int_equal(frame.len, len);
		assert_memory_equal(frame.payload, message, len);
	}
}

static void our_own_decoder_reads_it(void **state)
{
	struct fib_status status = status_of(&cases[6]);
	enum rtnl_reject why = RTNL_REJ_NONE;
	uint8_t buf[OFFLOAD_REPLY_MAX];
	static struct rt_op op;
	int n = offload_reply(&status, buf, sizeof(buf));

	assert_int_equal(
		rtnl_decode(buf + FPM_HDR_LEN, (size_t)n - FPM_HDR_LEN, RTNL_FPM_DPLANE, &op, &why),
		1);
	assert_int_equal(op.verb, RT_ROUTE_ADD);
	assert_int_equal(op.table, status.table);
	assert_int_equal(op.protocol, status.protocol);
	assert_int_equal(op.rtm_type, status.rtm_type);
	assert_true(fx_prefix_equal(&op.dst, &status.dst));
}

static void bounds(void **state)
{
	struct fib_status status = status_of(&cases[6]); /* the longest there is */
	uint8_t buf[OFFLOAD_REPLY_MAX];
	int n = offload_reply(&status, buf, sizeof(buf));

	assert_in_range(n, 1, OFFLOAD_REPLY_MAX);
	assert_int_equal(offload_reply(&status, buf, (size_t)n), n);
	assert_int_equal(offload_reply(&status, buf, (size_t)n - 1), -ENOSPC);
	status.dst.family = 28;
	assert_int_equal(offload_reply(&status, buf, sizeof(buf)), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodes),
		cmocka_unit_test(our_own_decoder_reads_it),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests_name("offload_reply", tests, NULL, NULL);
}
