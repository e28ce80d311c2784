// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux is the oracle: whatever the forwarding program forwards, a real Linux router with the same
 * routes sends out too, of the same port, byte for byte. What it passes is not looked at here,
 * since then it is Linux that acts. Frames are made at random from fixed seeds, with a bias to the
 * fields that decide.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "tests/bpf/bed.h"
#include "tests/bpf/linux_router.h"

enum { IP = 14, FRAMES = 1500 };

static struct linux_router *router;

/* splitmix64, public domain by its author: a few lines, same numbers everywhere. */
static uint64_t seed;

static uint64_t random_number(void)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(random_number() % n);
}

static int random_length(int hlen)
{
	static const int edges[] = { 1, 3, 4, 8, 26, 46, 100, 1399 };

	switch (below(4)) {
	case 0:
		return edges[below(8)];
	case 1:
		return 1500 - hlen + (int)below(3) - 1; /* about the MTU of port 1 */
	case 2:
		return 1 + (int)below(1600);
	}
	return 1 + (int)below(8900);
}

static void random_spec(struct frame_spec *spec, const char **dsts, size_t ndsts, int hlen)
{
	static const uint8_t protos[] = { 1, 6, 17, 43, 44, 50, 51, 58, 59, 60, 132, 255 };

	memset(spec, 0, sizeof(*spec));
	spec->dst = dsts[below((uint32_t)ndsts)];
	spec->ttl = below(4) ? 64 : 1 + (int)below(255);
	spec->proto = below(2) ? 17 : protos[below(sizeof(protos))];
	spec->l4_len = random_length(hlen);
	spec->id = (uint16_t)random_number();
	spec->sport = (uint16_t)random_number();
	spec->dport = (uint16_t)random_number();
	if (!below(4))
		spec->frag = (uint16_t)random_number();
	if (!below(3))
		spec->padding = (int)below(60);
	if (!below(8))
		spec->len_off_by = -(int)below((uint32_t)spec->l4_len);
}

/* Up to three bytes of the headers at random. */
static void disturb(struct frame *frame, unsigned int hlen)
{
	uint32_t n = below(4);

	while (n--)
		frame->bytes[IP + below(hlen)] = (uint8_t)random_number();
}

static void compare(struct bed *bed, const struct frame *in, uint32_t *forwarded)
{
	static struct bed_result ours;
	static struct frame theirs;

	bed_run(bed, bed_fd_fwd(bed), in, &ours);
	if (ours.action != XDP_REDIRECT || ours.adj > BED_ADJ_JUMBO)
		return;
	++*forwarded;
	if (!linux_router_pass(router, in, ours.adj, &theirs))
		fail_msg("Linux does not forward what we do");
	assert_int_equal(ours.out.len, theirs.len);
	assert_memory_equal(ours.out.bytes, theirs.bytes, theirs.len);
}

static void test_ipv4(void **state)
{
	static const char *dsts[] = { "10.0.1.1", "10.0.1.0", "10.0.1.255", "10.0.2.77" };
	static struct frame frame;
	struct frame_spec spec;
	uint32_t i, forwarded = 0;

	seed = 4;
	for (i = 0; i < FRAMES; i++) {
		random_spec(&spec, dsts, 4, 20);
		frame_build(&frame, &spec);
		disturb(&frame, 20);
		if (below(4))
			frame_fix_csum(&frame);
		compare(*state, &frame, &forwarded);
	}
	assert_in_range(forwarded, FRAMES / 5, FRAMES);
}

static void test_ipv6(void **state)
{
	static const char *dsts[] = { "2001:db8:1::1", "2001:db8:1::", "2001:db8:2:ffff::2" };
	static struct frame frame;
	struct frame_spec spec;
	uint32_t i, forwarded = 0;

	seed = 6;
	for (i = 0; i < FRAMES; i++) {
		random_spec(&spec, dsts, 3, 40);
		frame_build(&frame, &spec);
		disturb(&frame, 40);
		compare(*state, &frame, &forwarded);
	}
	assert_in_range(forwarded, FRAMES / 5, FRAMES);
}

/* The checksum of the spec's packet with this identification. */
static unsigned int csum_of(struct frame *frame, struct frame_spec *spec, uint32_t id)
{
	spec->id = (uint16_t)id;
	frame_build(frame, spec);
	return (unsigned int)frame->bytes[IP + 10] << 8 | frame->bytes[IP + 11];
}

/* Every checksum near a carry, and 0xffff where 0x0000 is due: what does ip_decrease_ttl() write?
 */
static void test_checksum_edges(void **state)
{
	struct frame_spec spec = { .dst = "10.0.1.1", .l4_len = 8 };
	static struct frame frame;
	uint32_t id, forwarded = 0, sent = 0;
	unsigned int csum;

	for (id = 0; id < 65536; id++) {
		csum = csum_of(&frame, &spec, id);
		if (csum > 0x0002 && (csum < 0xfefc || csum > 0xff02) && csum < 0xfffd)
			continue;
		sent++;
		compare(*state, &frame, &forwarded);
		if (csum)
			continue;
		frame.bytes[IP + 10] = frame.bytes[IP + 11] = 0xff;
		sent++;
		compare(*state, &frame, &forwarded);
	}
	assert_in_range(sent, 12, 20);
	assert_int_equal(forwarded, sent);
}

/* Sources that a random byte would hardly ever hit. */
static void test_sources(void **state)
{
	static const char *srcs[] = {
		"0.0.0.0",    "0.0.0.1",      "1.0.0.0",	 "10.0.1.1",	"10.255.0.1",
		"10.255.0.2", "10.255.0.255", "10.255.1.1",	 "10.255.1.2",	"10.255.2.255",
		"127.0.0.1",  "128.0.0.0",    "169.254.0.1",	 "192.0.2.255", "223.255.255.255",
		"224.0.0.1",  "240.0.0.1",    "255.255.255.255",
	};
	static struct frame frame;
	uint32_t i, forwarded = 0;

	for (i = 0; i < sizeof(srcs) / sizeof(srcs[0]); i++) {
		frame_build(&frame, &(struct frame_spec){ .dst = "10.0.1.1", .src = srcs[i] });
		compare(*state, &frame, &forwarded);
	}
	assert_int_equal(forwarded, 8);
}

static void test_sources_ipv6(void **state)
{
	static const char *srcs[] = {
		"::",
		"::1",
		"::2",
		"::ffff:192.0.2.1",
		"64:ff9b::1",
		"2001:db8:ff0::1",
		"fe80::1",
		"fec0::1",
		"fd00::1",
		"ff02::1",
		"2001:db8:1::1",
		"::1.2.3.4",
	};
	static struct frame frame;
	uint32_t i, forwarded = 0;

	for (i = 0; i < sizeof(srcs) / sizeof(srcs[0]); i++) {
		frame_build(&frame, &(struct frame_spec){ .dst = "2001:db8:1::1", .src = srcs[i] });
		compare(*state, &frame, &forwarded);
	}
	assert_int_equal(forwarded, 7);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),	       cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_checksum_edges), cmocka_unit_test(test_sources),
		cmocka_unit_test(test_sources_ipv6),
	};
	struct bed *bed = bed_new();
	int status;
	size_t i;

	router = linux_router_new();
	for (i = 0; linux_router_own4[i]; i++)
		bed_own4(bed, linux_router_own4[i]);
	status = bed_main(bed, NULL, 0, tests, sizeof(tests) / sizeof(tests[0]));
	linux_router_free(router);
	bed_free(bed);
	return status;
}
