// SPDX-License-Identifier: GPL-2.0-or-later
/* IPv6 packets through the loaded forwarding program: every verdict and every boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <string.h>

#include "tests/bpf/bed.h"

enum { IP = 14 };

static void version_4(struct frame *f)
{
	f->bytes[IP] = 0x40;
}

static void version_7(struct frame *f)
{
	f->bytes[IP] = 0x7f;
}

static void class_and_label(struct frame *f)
{
	f->bytes[IP] = 0x6b;
	f->bytes[IP + 1] = 0x9a;
	f->bytes[IP + 2] = 0xbc;
	f->bytes[IP + 3] = 0xde;
}

/* Extension headers by RFC 8200 4: next header UDP, 8 bytes. */
static void ext_to_udp(struct frame *f)
{
	f->bytes[IP + 40] = 17;
	f->bytes[IP + 41] = 0;
}

static void hop_by_hop(struct frame *f)
{
	f->bytes[IP + 6] = 0;
	ext_to_udp(f);
}

#define PLAIN	   "2001:db8:1::7"
#define MIN_MTU	   "2001:db8:9::1"
#define GO	   FX_V_FORWARDED, BED_ADJ_PLAIN
#define STAY(name) FX_V_##name, 0

static const struct bed_row rows[] = {
	{ "a plain UDP packet is forwarded", { .dst = PLAIN }, NULL, GO },
	{ "a TCP packet is forwarded", { .dst = PLAIN, .proto = 6 }, NULL, GO },
	{ "an ICMPv6 packet is forwarded", { .dst = PLAIN, .proto = 58 }, NULL, GO },
	{ "a packet of an unknown protocol is forwarded",
	  { .dst = PLAIN, .proto = 253 },
	  NULL,
	  GO },
	{ "traffic class and flow label stay as they are", { .dst = PLAIN }, class_and_label, GO },
	{ "one byte of payload", { .dst = PLAIN, .l4_len = 1 }, NULL, GO },

	/* header */
	{ "version 4", { .dst = PLAIN }, version_4, STAY(MALFORMED) },
	{ "version 7", { .dst = PLAIN }, version_7, STAY(MALFORMED) },
	{ "no payload: left to Linux",
	  { .dst = PLAIN, .l4_len = -1, .proto = 59 },
	  NULL,
	  STAY(MALFORMED) },
	{ "payload length 0 with bytes behind it",
	  { .dst = PLAIN, .len_off_by = -100 },
	  NULL,
	  STAY(MALFORMED) },
	{ "payload length one beyond the frame",
	  { .dst = PLAIN, .len_off_by = 1 },
	  NULL,
	  STAY(MALFORMED) },
	{ "payload length 65535", { .dst = PLAIN, .len_off_by = 65435 }, NULL, STAY(MALFORMED) },
	{ "payload length one less than the frame", { .dst = PLAIN, .len_off_by = -1 }, NULL, GO },
	{ "padding is cut off", { .dst = PLAIN, .l4_len = 1, .padding = 5 }, NULL, GO },
	{ "a padded packet that is passed keeps its padding",
	  { .dst = PLAIN, .padding = 9, .ttl = 1 },
	  NULL,
	  STAY(TTL) },

	/* extension headers */
	{ "hop-by-hop options", { .dst = PLAIN }, hop_by_hop, STAY(HOP_BY_HOP) },
	{ "hop-by-hop options and no payload: a jumbogram",
	  { .dst = PLAIN, .l4_len = 8, .len_off_by = -8 },
	  hop_by_hop,
	  STAY(HOP_BY_HOP) },
	{ "a routing header is the destination's business",
	  { .dst = PLAIN, .proto = 43 },
	  ext_to_udp,
	  GO },
	{ "a fragment header", { .dst = PLAIN, .proto = 44 }, ext_to_udp, GO },
	{ "destination options", { .dst = PLAIN, .proto = 60 }, ext_to_udp, GO },
	{ "authentication header", { .dst = PLAIN, .proto = 51 }, ext_to_udp, GO },
	{ "no next header, with payload", { .dst = PLAIN, .proto = 59 }, NULL, GO },

	/* hop limit */
	{ "hop limit 0", { .dst = PLAIN, .ttl = -1 }, NULL, STAY(TTL) },
	{ "hop limit 1", { .dst = PLAIN, .ttl = 1 }, NULL, STAY(TTL) },
	{ "hop limit 2 leaves as 1", { .dst = PLAIN, .ttl = 2 }, NULL, GO },
	{ "hop limit 255 leaves as 254", { .dst = PLAIN, .ttl = 255 }, NULL, GO },
	{ "hop limit 1 for the router itself is local",
	  { .dst = "2001:db8:300::1", .ttl = 1 },
	  NULL,
	  STAY(LOCAL) },
	{ "hop limit 1 without a route is no route",
	  { .dst = "2001:db9::1", .ttl = 1 },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "hop limit 1 into a blackhole is dropped",
	  { .dst = "2001:db8:300::4", .ttl = 1 },
	  NULL,
	  STAY(BLACKHOLE) },
	{ "hop limit 1 with a link-local source",
	  { .dst = PLAIN, .src = "fe80::1", .ttl = 1 },
	  NULL,
	  STAY(TTL) },

	/* MTU: 128 on this way */
	{ "IP length one below the MTU",
	  { .dst = MIN_MTU, .l4_len = 87 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },
	{ "IP length of just the MTU",
	  { .dst = MIN_MTU, .l4_len = 88 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },
	{ "IP length one above the MTU", { .dst = MIN_MTU, .l4_len = 89 }, NULL, STAY(TOO_BIG) },
	{ "padding does not count against the MTU",
	  { .dst = MIN_MTU, .l4_len = 88, .padding = 4 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },

	/* addresses */
	{ "destination ::", { .dst = "::" }, NULL, STAY(MARTIAN) },
	{ "destination ::1", { .dst = "::1" }, NULL, STAY(MARTIAN) },
	{ "destination ::2 is looked up", { .dst = "::2" }, NULL, STAY(NO_ROUTE) },
	{ "destination v4-mapped", { .dst = "::ffff:10.0.1.7" }, NULL, STAY(MARTIAN) },
	{ "destination ::fffe:0:0/96 is looked up",
	  { .dst = "::fffe:10.0.1.7" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "destination 64:ff9b::/96 is looked up",
	  { .dst = "64:ff9b::a00:107" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "destination fe80::1", { .dst = "fe80::1", .src = "fe80::2" }, NULL, STAY(LOCAL) },
	{ "destination febf::1", { .dst = "febf::1" }, NULL, STAY(LOCAL) },
	{ "destination fec0::1 is looked up", { .dst = "fec0::1" }, NULL, STAY(NO_ROUTE) },
	{ "destination fd00::1 is looked up", { .dst = "fd00::1" }, NULL, STAY(NO_ROUTE) },
	{ "destination ff02::5",
	  { .dst = "ff02::5", .src = "fe80::2", .ttl = 1 },
	  NULL,
	  STAY(NOT_UNICAST) },
	{ "destination ff0e::1", { .dst = "ff0e::1" }, NULL, STAY(NOT_UNICAST) },
	{ "source ::", { .dst = PLAIN, .src = "::" }, NULL, STAY(MARTIAN) },
	{ "source ::1", { .dst = PLAIN, .src = "::1" }, NULL, STAY(MARTIAN) },
	{ "source ::2", { .dst = PLAIN, .src = "::2" }, NULL, GO },
	{ "source v4-mapped", { .dst = PLAIN, .src = "::ffff:192.0.2.1" }, NULL, STAY(MARTIAN) },
	{ "source fe80::1", { .dst = PLAIN, .src = "fe80::1" }, NULL, STAY(MARTIAN) },
	{ "source febf::1", { .dst = PLAIN, .src = "febf::1" }, NULL, STAY(MARTIAN) },
	{ "source fec0::1", { .dst = PLAIN, .src = "fec0::1" }, NULL, GO },
	{ "source ff02::1", { .dst = PLAIN, .src = "ff02::1" }, NULL, STAY(MARTIAN) },
	{ "a link-local source to the router itself is local",
	  { .dst = "2001:db8:300::1", .src = "fe80::1" },
	  NULL,
	  STAY(LOCAL) },

	/* what routes say */
	{ "for the router itself", { .dst = "2001:db8:300::1" }, NULL, STAY(LOCAL) },
	{ "an anycast address of ours", { .dst = "2001:db8:300::2" }, NULL, STAY(NOT_UNICAST) },
	{ "an unreachable route", { .dst = "2001:db8:300::3" }, NULL, STAY(UNREACHABLE) },
	{ "a blackhole route", { .dst = "2001:db8:300::4" }, NULL, STAY(BLACKHOLE) },
	{ "a trapped route", { .dst = "2001:db8:300::5" }, NULL, STAY(TRAPPED) },
	{ "a pending route", { .dst = "2001:db8:300::6" }, NULL, STAY(PENDING) },
	{ "no route", { .dst = "2001:db9::1" }, NULL, STAY(NO_ROUTE) },
	{ "a route of another table does not count",
	  { .dst = "2001:dba::1" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "the longest prefix wins",
	  { .dst = "2001:db8:1::200" },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },

	/* what adjacencies say */
	{ "an adjacency whose link is down", { .dst = "2001:db8:7::1" }, NULL, STAY(LINK_DOWN) },
	{ "an adjacency that cannot send for XDP",
	  { .dst = "2001:db8:4::1" },
	  NULL,
	  STAY(NO_XDP_TX) },
	{ "out where it came in", { .dst = "2001:db8:5::1" }, NULL, STAY(SAME_INTERFACE) },
	{ "a device that has just gone",
	  { .dst = "2001:db8:6::1", .padding = 3 },
	  NULL,
	  STAY(LINK_DOWN) },
	{ "a neighbour on a connected network",
	  { .dst = "2001:db8:8::1" },
	  NULL,
	  FX_V_FORWARDED,
	  20 },
	{ "an unresolved neighbour", { .dst = "2001:db8:8::2" }, NULL, STAY(NEIGHBOR) },
	{ "a neighbour of the same address elsewhere",
	  { .dst = "2001:db8:8::3" },
	  NULL,
	  STAY(NEIGHBOR) },
	{ "a neighbour whose adjacency passes", { .dst = "2001:db8:8::4" }, NULL, STAY(LINK_DOWN) },

	/* several buffers */
	{ "a jumbo frame over a device that takes it",
	  { .dst = "2001:db8:2::1", .l4_len = 8960 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },
	{ "a jumbo frame one above the MTU of 9000",
	  { .dst = "2001:db8:2::1", .l4_len = 8961 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "a jumbo frame over a device of single buffers",
	  { .dst = "2001:db8:3::1", .l4_len = 8000 },
	  NULL,
	  STAY(NO_XDP_TX) },
	{ "a jumbo frame with padding",
	  { .dst = "2001:db8:2::1", .l4_len = 8000, .padding = 100 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },
};

static void setup(struct bed *bed)
{
	bed_route(bed, "2001:db8:300::1/128", FX_GID_LOCAL);
	bed_route(bed, "2001:db8:300::2/128", FX_GID_NOT_UNICAST);
	bed_route(bed, "2001:db8:300::3/128", FX_GID_UNREACHABLE);
	bed_route(bed, "2001:db8:300::4/128", FX_GID_BLACKHOLE);
	bed_route(bed, "2001:db8:300::5/128", FX_GID_TRAPPED);
	bed_route(bed, "2001:db8:300::6/128", FX_GID_PENDING);
	bed_route(bed, "2001:db8:1::200/128", FX_GID_FIRST + BED_ADJ_JUMBO);
	bed_route_vrf(bed, 100, "2001:dba::/32", FX_GID_FIRST + BED_ADJ_PLAIN);
	bed_adj(bed, 20, FX_ADJ_FORWARD, FX_ADJ_F_TX, 0, bed_port(bed, 0), 1500);
	bed_neigh(bed, bed_port(bed, 0), "2001:db8:8::1", 20);
	bed_neigh(bed, bed_port(bed, 1), "2001:db8:8::3", 20);
	bed_neigh(bed, bed_port(bed, 0), "2001:db8:8::4", BED_ADJ_DOWN);
}

static void test_truncated(void **state)
{
	static struct frame frame;
	size_t len, whole;

	frame_build(&frame, &(struct frame_spec){ .dst = PLAIN, .l4_len = 26 });
	whole = frame.len;
	for (len = 14; len < whole; len++) {
		frame.len = len;
		bed_expect(*state, &frame, FX_V_MALFORMED, 0);
	}
	frame.len = whole;
	bed_expect(*state, &frame, FX_V_FORWARDED, BED_ADJ_PLAIN);
}

static void test_every_hop_limit(void **state)
{
	static struct frame frame;
	int ttl;

	for (ttl = 0; ttl < 256; ttl++) {
		frame_build(&frame, &(struct frame_spec){ .dst = PLAIN, .ttl = ttl ? ttl : -1 });
		bed_expect(*state, &frame, ttl > 1 ? FX_V_FORWARDED : FX_V_TTL, BED_ADJ_PLAIN);
	}
}

static void test_every_next_header(void **state)
{
	static struct frame frame;
	int next;

	for (next = 1; next < 256; next++) {
		frame_build(&frame, &(struct frame_spec){ .dst = PLAIN, .proto = (uint8_t)next });
		bed_expect(*state, &frame, FX_V_FORWARDED, BED_ADJ_PLAIN);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_every_hop_limit),
		cmocka_unit_test(test_every_next_header),
	};
	struct bed *bed = bed_new();
	int status;

	setup(bed);
	status = bed_main(bed, rows, sizeof(rows) / sizeof(rows[0]), others,
			  sizeof(others) / sizeof(others[0]));
	bed_free(bed);
	return status;
}
