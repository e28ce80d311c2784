/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfddp: a captured message byte by byte, each reject once, every split point, both directions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bfddp-xdp/bfddp_codec.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What FRR 8.4 sends for `peer 10.0.0.2 interface d0` with all defaults. */
static const uint8_t add_8_4[140] = {
	0x01, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x8c,				/* header */
	0,    0,    0,	  0,							/* flags */
	0,    0,    0,	  0,	0,    0,    0,	  0,	0, 0, 0, 0, 0, 0, 0, 0, /* local */
	0x0a, 0,    0,	  2,	0,    0,    0,	  0,	0, 0, 0, 0, 0, 0, 0, 0, /* peer */
	0xfa, 0x47, 0xe1, 0x81,							/* lid */
	0x00, 0x04, 0x93, 0xe0, 0x00, 0x04, 0x93, 0xe0,				/* 300 ms */
	0x00, 0x00, 0xc3, 0x50, 0x00, 0x00, 0xc3, 0x50,				/* 50 ms */
	0,    0,    0,	  0,							/* hold time */
	0xff, 0x03, 0x00, 0x00, /* TTL, multiplier */
	0x00, 0x00, 0x00, 0x06, /* ifindex */
	'd',  '0',		/* ifname */
};

static void captured(void **state)
{
	struct dp_msg msg = { 0 };
	enum dp_reject why = DP_REJ_NONE;
	char text[FX_ADDR_STRLEN];
	uint8_t out[BFDDP_ENCODED_MAX];

	assert_int_equal(bfddp_decode(add_8_4, sizeof(add_8_4), &msg, &why), sizeof(add_8_4));
	assert_int_equal(msg.version, 1);
	assert_int_equal(msg.type, DP_MSG_ADD);
	assert_int_equal(msg.id, 0);
	assert_int_equal(msg.session.flags, 0);
	assert_true(fx_addr_is_zero(&msg.session.local));
	assert_int_equal(msg.session.local.family, FX_AF_INET);
	assert_string_equal(fx_addr_str(&msg.session.peer, text), "10.0.0.2");
	assert_int_equal(msg.session.lid, 0xfa47e181);
	assert_int_equal(msg.session.min_tx_us, 300000);
	assert_int_equal(msg.session.min_rx_us, 300000);
	assert_int_equal(msg.session.min_echo_tx_us, 50000);
	assert_int_equal(msg.session.min_echo_rx_us, 50000);
	assert_int_equal(msg.session.hold_time, 0);
	assert_int_equal(msg.session.min_ttl, 255);
	assert_int_equal(msg.session.mult, 3);
	assert_int_equal(msg.session.ifindex, 6);
	assert_string_equal(msg.session.ifname, "d0");
	assert_int_equal(bfddp_encode(&msg, out, sizeof(out)), sizeof(add_8_4));
	assert_memory_equal(out, add_8_4, sizeof(add_8_4));
}

/* What bfdd sends to a data plane that has just connected; from 10.3 on without interface, until
 * that connection is closed and the next one gets the sessions. Also in the fuzzer's corpus. */
static const struct {
	const char *file;
	uint32_t ifindex; /* of sessions that have an interface */
} captures[] = {
	{ "bfdd-8.4.4", 3 },	    { "bfdd-10.3-first", 0 },	 { "bfdd-10.3-second", 3 },
	{ "bfdd-10.7.1-first", 0 }, { "bfdd-10.7.1-second", 3 },
};

static const struct {
	const char *peer, *local;
	uint32_t flags;
	uint8_t min_ttl, mult;
} burst[] = {
	{ "10.0.0.2", "0.0.0.0", 0, 255, 3 },
	{ "10.0.0.3", "0.0.0.0", DP_F_SHUTDOWN, 255, 3 },
	{ "fe80::2", "fe80::1", DP_F_IPV6 | DP_F_ECHO, 255, 5 },
	{ "10.9.0.2", "10.0.0.1", DP_F_MULTIHOP | DP_F_PASSIVE, 250, 3 },
};

static void check_burst(const uint8_t *stream, size_t len, uint32_t ifindex)
{
	enum dp_reject why = DP_REJ_NONE;
	char text[FX_ADDR_STRLEN];
	struct dp_msg msg;
	size_t at = 0;

	for (size_t i = 0; i < ARRAY_SIZE(burst); i++) {
		uint32_t at_if = burst[i].flags & DP_F_MULTIHOP ? 0 : ifindex;
		int n = bfddp_decode(stream + at, len - at, &msg, &why);

		assert_int_equal(n, 140);
		assert_int_equal(msg.type, DP_MSG_ADD);
		assert_string_equal(fx_addr_str(&msg.session.peer, text), burst[i].peer);
		assert_string_equal(fx_addr_str(&msg.session.local, text), burst[i].local);
		assert_int_equal(msg.session.flags, burst[i].flags);
		assert_int_equal(msg.session.ifindex, at_if);
		assert_string_equal(msg.session.ifname, at_if ? "d0" : "");
		assert_int_equal(msg.session.min_ttl, burst[i].min_ttl);
		assert_int_equal(msg.session.mult, burst[i].mult);
		at += (size_t)n;
	}
	assert_int_equal(at, len);
}

static void captured_bursts(void **state)
{
	const char *srcdir = getenv("srcdir");
	uint8_t stream[1024];
	char path[4096];
	FILE *file;

	for (size_t i = 0; i < ARRAY_SIZE(captures); i++) {
		print_message("%s\n", captures[i].file);
		snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/bfddp/%s", srcdir ? srcdir : ".",
			 captures[i].file);
		file = fopen(path, "rb");
		assert_non_null(file);
		check_burst(stream, fread(stream, 1, sizeof(stream), file), captures[i].ifindex);
		fclose(file);
	}
}

struct head_case {
	const char *what;
	uint8_t bytes[24];
	size_t len;
	int result;
	enum dp_reject reject;
	size_t offset;
};

static const struct head_case heads[] = {
	{ "no byte yet", { 0 }, 0, 0, DP_REJ_NONE, 0 },
	{ "seven bytes of the header", { 1, 0, 0, 5, 0, 1, 0 }, 7, 0, DP_REJ_NONE, 0 },
	{ "version 0, from its first byte", { 0 }, 1, -EBADMSG, DP_REJ_VERSION, 0 },
	{ "version 16", { 16 }, 1, -EBADMSG, DP_REJ_VERSION, 0 },
	{ "text", { 'G', 'E', 'T', ' ' }, 4, -EBADMSG, DP_REJ_VERSION, 0 },
	{ "length 0 would never end", { 1, 0, 0, 2, 0, 0, 0, 0 }, 8, -EBADMSG, DP_REJ_LENGTH, 6 },
	{ "length 7", { 1, 0, 0, 2, 0, 0, 0, 7 }, 8, -EBADMSG, DP_REJ_LENGTH, 6 },
	{ "length 8193", { 1, 0, 0, 2, 0, 0, 0x20, 1 }, 8, -EBADMSG, DP_REJ_LENGTH, 6 },
	{ "ADD one byte short", { 1, 0, 0, 2, 0, 0, 0, 139 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "DELETE empty", { 1, 0, 0, 3, 0, 0, 0, 8 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "request without lid", { 1, 0, 0, 5, 0, 0, 0, 11 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "ECHO_REPLY short", { 1, 0, 0, 1, 0, 0, 0, 23 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "STATE short", { 1, 0, 0, 4, 0, 0, 0, 35 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "COUNTERS short", { 1, 0, 0, 6, 0, 0, 0, 79 }, 8, -EBADMSG, DP_REJ_PAYLOAD, 6 },
	{ "a request", { 1, 0, 0, 5, 0, 1, 0, 12, 1, 2, 3, 4 }, 12, 12, DP_REJ_NONE, 0 },
	{ "a longer one of version 2",
	  { 2, 0, 0, 5, 0, 1, 0, 16, 1, 2, 3, 4, 9, 9, 9, 9 },
	  16,
	  16,
	  DP_REJ_NONE,
	  0 },
	{ "unknown type, no payload", { 1, 0, 0, 7, 0, 0, 0, 8 }, 8, 8, DP_REJ_NONE, 0 },
	{ "unknown type 65535", { 1, 0, 255, 255, 0, 0, 0, 9, 7 }, 9, 9, DP_REJ_NONE, 0 },
};

static void headers(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		const struct head_case *c = &heads[i];
		enum dp_reject why = DP_REJ_NONE;
		struct dp_msg msg = { 0 };

		print_message("%s\n", c->what);
		assert_int_equal(bfddp_decode(c->bytes, c->len, &msg, &why), c->result);
		assert_int_equal(why, c->reject);
		if (why != DP_REJ_NONE)
			assert_int_equal(dp_reject_offset(why), c->offset);
		assert_int_equal(msg.version, c->result > 0 ? c->bytes[0] : 0);
	}
	assert_string_equal(dp_reject_name(DP_REJ_LENGTH), "message-length");
	assert_string_equal(dp_reject_name(DP_REJ_NONE), "none");
}

static void ifname_without_nul(void **state)
{
	uint8_t bytes[sizeof(add_8_4)];
	enum dp_reject why;
	struct dp_msg msg;

	memcpy(bytes, add_8_4, sizeof(bytes));
	memset(bytes + 76, 'x', 64);
	assert_int_equal(bfddp_decode(bytes, sizeof(bytes), &msg, &why), sizeof(bytes));
	assert_int_equal(strlen(msg.session.ifname), BFDDP_IFNAME_LEN - 1);
}

/* One message of each type, with no two fields alike. */
static struct dp_msg sample(enum dp_type type)
{
	struct dp_msg msg = { .version = 1, .type = type, .id = 0x1234 };

	switch (type) {
	case DP_MSG_ECHO_REQUEST:
	case DP_MSG_ECHO_REPLY:
		msg.echo = (struct dp_echo){ 0x0102030405060708, 0x1112131415161718 };
		break;
	case DP_MSG_ADD:
	case DP_MSG_DELETE:
		msg.session = (struct dp_session){ .flags = 0x8000007f,
						   .lid = 1,
						   .min_tx_us = 2,
						   .min_rx_us = 3,
						   .min_echo_tx_us = 4,
						   .min_echo_rx_us = 5,
						   .hold_time = 6,
						   .min_ttl = 7,
						   .mult = 8,
						   .ifindex = 9,
						   .ifname = "eth0" };
		fx_addr_parse("fe80::1", &msg.session.local);
		fx_addr_parse("fe80::2", &msg.session.peer);
		break;
	case DP_MSG_STATE:
		msg.state = (struct dp_state){ 1, 2, 3, 4, 5, 6, 3, 8, 9 };
		break;
	case DP_MSG_COUNTERS_REQUEST:
		msg.lid = 0xa1a2a3a4;
		break;
	case DP_MSG_COUNTERS:
		msg.counters = (struct dp_counters){ 1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX };
		break;
	case DP_MSG_OTHER:
		break;
	}
	return msg;
}

static void assert_session_equal(const struct dp_session *a, const struct dp_session *b)
{
	assert_int_equal(a->flags, b->flags);
	assert_true(fx_addr_equal(&a->local, &b->local));
	assert_true(fx_addr_equal(&a->peer, &b->peer));
	assert_int_equal(a->lid, b->lid);
	assert_int_equal(a->min_tx_us, b->min_tx_us);
	assert_int_equal(a->min_rx_us, b->min_rx_us);
	assert_int_equal(a->min_echo_tx_us, b->min_echo_tx_us);
	assert_int_equal(a->min_echo_rx_us, b->min_echo_rx_us);
	assert_int_equal(a->hold_time, b->hold_time);
	assert_int_equal(a->min_ttl, b->min_ttl);
	assert_int_equal(a->mult, b->mult);
	assert_int_equal(a->ifindex, b->ifindex);
	assert_string_equal(a->ifname, b->ifname);
}

static void assert_msg_equal(const struct dp_msg *a, const struct dp_msg *b)
{
	assert_int_equal(a->version, b->version);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->id, b->id);
	switch (a->type) {
	case DP_MSG_ECHO_REQUEST:
	case DP_MSG_ECHO_REPLY:
		assert_memory_equal(&a->echo, &b->echo, sizeof(a->echo));
		break;
	case DP_MSG_ADD:
	case DP_MSG_DELETE:
		assert_session_equal(&a->session, &b->session);
		break;
	case DP_MSG_STATE:
		assert_memory_equal(&a->state, &b->state, 27);
		break;
	case DP_MSG_COUNTERS_REQUEST:
		assert_int_equal(a->lid, b->lid);
		break;
	case DP_MSG_COUNTERS:
		assert_memory_equal(&a->counters, &b->counters, sizeof(a->counters));
		break;
	case DP_MSG_OTHER:
		break;
	}
}

static const int totals[] = { 24, 24, 140, 140, 36, 12, 24 + 24 + 80 };

static void round_trips(void **state)
{
	for (int type = 0; type < DP_MSG_OTHER; type++) {
		struct dp_msg in = sample((enum dp_type)type), out;
		enum dp_reject why;
		uint8_t buf[BFDDP_ENCODED_MAX];
		size_t at = 0;
		int n = bfddp_encode(&in, buf, sizeof(buf));

		assert_int_equal(n, totals[type]);
		assert_int_equal(bfddp_encode(&in, buf, (size_t)n - 1), -ENOSPC);
		assert_int_equal(bfddp_encode(&in, buf, (size_t)n), n);
		while (type == DP_MSG_COUNTERS && at < 48) {
			assert_int_equal(bfddp_decode(buf + at, (size_t)n - at, &out, &why), 24);
			assert_int_equal(out.type, DP_MSG_ECHO_REPLY);
			assert_int_equal(out.id, 0);
			at += 24;
		}
		assert_int_equal(bfddp_decode(buf + at, (size_t)n - at, &out, &why), n - (int)at);
		assert_msg_equal(&in, &out);
	}
}

static void never_sent(void **state)
{
	struct dp_msg msg = sample(DP_MSG_STATE);
	uint8_t buf[BFDDP_ENCODED_MAX];

	msg.version = 0;
	assert_int_equal(bfddp_encode(&msg, buf, sizeof(buf)), -EINVAL);
	msg = (struct dp_msg){ .version = 1, .type = DP_MSG_OTHER };
	assert_int_equal(bfddp_encode(&msg, buf, sizeof(buf)), -EINVAL);
	msg = sample(DP_MSG_STATE);
	msg.version = 2;
	assert_int_equal(bfddp_encode(&msg, buf, sizeof(buf)), 36);
	assert_int_equal(buf[0], 2);
}

/* The counters message of a 64-bit bfdd: 4 bytes of padding behind lid. */
static void counters_layout(void **state)
{
	struct dp_msg msg = sample(DP_MSG_COUNTERS);
	uint8_t buf[BFDDP_ENCODED_MAX];

	assert_int_equal(bfddp_encode(&msg, buf, sizeof(buf)), 128);
	assert_int_equal(buf[48 + 3], DP_MSG_COUNTERS);
	assert_int_equal(buf[48 + 4], 0x12);
	assert_int_equal(buf[48 + 5], 0x34);
	assert_int_equal(buf[48 + 7], 80);
	for (int i = 0; i < 7; i++)
		assert_int_equal(buf[48 + 8 + 8 + 7 + 8 * i], i + 2);
}

/* All messages in one stream, cut at every byte: what is there is decoded, the rest awaited. */
static void every_split(void **state)
{
	uint8_t stream[1024];
	size_t len = 0, ends[16], n = 0;

	for (int type = 0; type < DP_MSG_OTHER; type++) {
		struct dp_msg msg = sample((enum dp_type)type);

		len += (size_t)bfddp_encode(&msg, stream + len, sizeof(stream) - len);
	}
	for (size_t at = 0; at < len; n++) {
		at += (size_t)(stream[at + 6] << 8 | stream[at + 7]);
		ends[n] = at;
	}
	assert_int_equal(n, 9);
	for (size_t cut = 0; cut <= len; cut++) {
		size_t at = 0, decoded = 0;
		enum dp_reject why;
		struct dp_msg msg;
		int got;

		while ((got = bfddp_decode(stream + at, cut - at, &msg, &why)) > 0) {
			at += (size_t)got;
			assert_int_equal(at, ends[decoded++]);
		}
		assert_int_equal(got, 0);
		assert_true(decoded == n || cut < ends[decoded]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captured),	   cmocka_unit_test(captured_bursts),
		cmocka_unit_test(headers),	   cmocka_unit_test(ifname_without_nul),
		cmocka_unit_test(round_trips),	   cmocka_unit_test(never_sent),
		cmocka_unit_test(counters_layout), cmocka_unit_test(every_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
