// SPDX-License-Identifier: GPL-2.0-or-later
/* IPv4 packets through the loaded forwarding program: every verdict and every boundary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <string.h>

#include "tests/bpf/bed.h"

enum { IP = 14, L4 = 34 };

static void version_5(struct frame *f)
{
	f->bytes[IP] = 0x55;
	frame_fix_csum(f);
}

static void ihl_4(struct frame *f)
{
	f->bytes[IP] = 0x44;
	frame_fix_csum(f);
}

static void ihl_6(struct frame *f)
{
	f->bytes[IP] = 0x46;
	frame_fix_csum(f);
}

static void ihl_15(struct frame *f)
{
	f->bytes[IP] = 0x4f;
	frame_fix_csum(f);
}

static void csum_low_bit(struct frame *f)
{
	f->bytes[IP + 11] ^= 1;
}

static void csum_high_bit(struct frame *f)
{
	f->bytes[IP + 10] ^= 0x80;
}

static void csum_zero(struct frame *f)
{
	f->bytes[IP + 10] = f->bytes[IP + 11] = 0;
}

/* The identification that makes the checksum field come out as wanted. */
static void csum_becomes(struct frame *f, unsigned int want)
{
	uint32_t sum;

	f->bytes[IP + 4] = f->bytes[IP + 5] = 0;
	sum = (0xffff - want) + 0xffff - (0xffffu & ~frame_ipv4_csum(f->bytes + IP));
	sum = (sum & 0xffff) + (sum >> 16);
	f->bytes[IP + 4] = sum >> 8 & 0xff;
	f->bytes[IP + 5] = sum & 0xff;
	frame_fix_csum(f);
	assert_int_equal(f->bytes[IP + 10] << 8 | f->bytes[IP + 11], want);
}

static void csum_0000(struct frame *f)
{
	csum_becomes(f, 0x0000);
}

static void csum_ffff_for_0000(struct frame *f)
{
	csum_becomes(f, 0x0000);
	f->bytes[IP + 10] = f->bytes[IP + 11] = 0xff;
}

static void csum_fefe(struct frame *f)
{
	csum_becomes(f, 0xfefe);
}

static void csum_feff(struct frame *f)
{
	csum_becomes(f, 0xfeff);
}

static void csum_ff00(struct frame *f)
{
	csum_becomes(f, 0xff00);
}

static void csum_fffe(struct frame *f)
{
	csum_becomes(f, 0xfffe);
}

static void csum_0001(struct frame *f)
{
	csum_becomes(f, 0x0001);
}

static void tos_and_id(struct frame *f)
{
	f->bytes[IP + 1] = 0xb9;
	f->bytes[IP + 4] = 0xbe;
	f->bytes[IP + 5] = 0xef;
	frame_fix_csum(f);
}

static void udp_csum_wrong(struct frame *f)
{
	f->bytes[L4 + 6] ^= 0xff;
}

#define PLAIN	   "10.0.1.7"
#define GO	   FX_V_FORWARDED, BED_ADJ_PLAIN
#define STAY(name) FX_V_##name, 0

static const struct bed_row rows[] = {
	{ "a plain UDP packet is forwarded", { .dst = PLAIN }, NULL, GO },
	{ "a TCP packet is forwarded", { .dst = PLAIN, .proto = 6 }, NULL, GO },
	{ "an ICMP packet is forwarded", { .dst = PLAIN, .proto = 1 }, NULL, GO },
	{ "a packet of an unknown protocol is forwarded",
	  { .dst = PLAIN, .proto = 253 },
	  NULL,
	  GO },
	{ "TOS, ECN and identification stay as they are", { .dst = PLAIN }, tos_and_id, GO },
	{ "the L4 checksum is none of a router's business", { .dst = PLAIN }, udp_csum_wrong, GO },
	{ "a header alone, no payload", { .dst = PLAIN, .l4_len = -1 }, NULL, GO },
	{ "one byte of payload", { .dst = PLAIN, .l4_len = 1 }, NULL, GO },
	{ "TCP with three bytes of payload: no ports",
	  { .dst = PLAIN, .proto = 6, .l4_len = 3 },
	  NULL,
	  GO },

	/* version and header length */
	{ "version 5", { .dst = PLAIN }, version_5, STAY(MALFORMED) },
	{ "header length 4", { .dst = PLAIN }, ihl_4, STAY(MALFORMED) },
	{ "header length 6: options", { .dst = PLAIN }, ihl_6, STAY(OPTIONS) },
	{ "header length 15: options", { .dst = PLAIN }, ihl_15, STAY(OPTIONS) },

	/* checksum */
	{ "checksum wrong in its lowest bit", { .dst = PLAIN }, csum_low_bit, STAY(BAD_CHECKSUM) },
	{ "checksum wrong in its highest bit",
	  { .dst = PLAIN },
	  csum_high_bit,
	  STAY(BAD_CHECKSUM) },
	{ "checksum field of zero where it is not due",
	  { .dst = PLAIN },
	  csum_zero,
	  STAY(BAD_CHECKSUM) },
	{ "checksum 0x0000 is right where it is due", { .dst = PLAIN }, csum_0000, GO },
	{ "checksum 0xffff for 0x0000 is right too", { .dst = PLAIN }, csum_ffff_for_0000, GO },
	{ "checksum 0xfefe becomes 0xfffe", { .dst = PLAIN }, csum_fefe, GO },
	{ "checksum 0xfeff becomes 0x0000, not 0xffff", { .dst = PLAIN }, csum_feff, GO },
	{ "checksum 0xff00 carries round to 0x0001", { .dst = PLAIN }, csum_ff00, GO },
	{ "checksum 0xfffe carries round to 0x00ff", { .dst = PLAIN }, csum_fffe, GO },
	{ "checksum 0x0001", { .dst = PLAIN }, csum_0001, GO },

	/* total length against the frame */
	{ "total length 19",
	  { .dst = PLAIN, .l4_len = 10, .len_off_by = -11 },
	  NULL,
	  STAY(MALFORMED) },
	{ "total length 0",
	  { .dst = PLAIN, .l4_len = 10, .len_off_by = -30 },
	  NULL,
	  STAY(MALFORMED) },
	{ "total length 20 with more in the frame",
	  { .dst = PLAIN, .l4_len = 10, .len_off_by = -10 },
	  NULL,
	  GO },
	{ "total length one beyond the frame",
	  { .dst = PLAIN, .len_off_by = 1 },
	  NULL,
	  STAY(MALFORMED) },
	{ "total length one less than the frame", { .dst = PLAIN, .len_off_by = -1 }, NULL, GO },
	{ "Ethernet padding is cut off", { .dst = PLAIN, .l4_len = 8, .padding = 18 }, NULL, GO },
	{ "one byte of padding is cut off", { .dst = PLAIN, .padding = 1 }, NULL, GO },
	{ "padding on a header alone", { .dst = PLAIN, .l4_len = -1, .padding = 26 }, NULL, GO },
	{ "a padded packet that is passed keeps its padding",
	  { .dst = PLAIN, .padding = 9, .ttl = 1 },
	  NULL,
	  STAY(TTL) },

	/* TTL */
	{ "TTL 0", { .dst = PLAIN, .ttl = -1 }, NULL, STAY(TTL) },
	{ "TTL 1", { .dst = PLAIN, .ttl = 1 }, NULL, STAY(TTL) },
	{ "TTL 2 leaves as 1", { .dst = PLAIN, .ttl = 2 }, NULL, GO },
	{ "TTL 255 leaves as 254", { .dst = PLAIN, .ttl = 255 }, NULL, GO },
	{ "TTL 1 for the router itself is local",
	  { .dst = "10.3.0.1", .ttl = 1 },
	  NULL,
	  STAY(LOCAL) },
	{ "TTL 1 without a route is no route",
	  { .dst = "203.0.113.1", .ttl = 1 },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "TTL 1 into a blackhole is dropped",
	  { .dst = "10.3.0.4", .ttl = 1 },
	  NULL,
	  STAY(BLACKHOLE) },
	{ "TTL 1 comes before an unresolved neighbour",
	  { .dst = "10.0.8.9", .ttl = 1 },
	  NULL,
	  STAY(TTL) },

	/* MTU: 128 on this way */
	{ "IP length one below the MTU",
	  { .dst = "10.0.9.1", .l4_len = 107 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },
	{ "IP length of just the MTU",
	  { .dst = "10.0.9.1", .l4_len = 108 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },
	{ "IP length one above the MTU",
	  { .dst = "10.0.9.1", .l4_len = 109 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "too big without don't-fragment is Linux's to fragment",
	  { .dst = "10.0.9.1", .l4_len = 109, .frag = 0 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "too big with don't-fragment is Linux's to answer",
	  { .dst = "10.0.9.1", .l4_len = 109, .frag = 0x4000 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "padding does not count against the MTU",
	  { .dst = "10.0.9.1", .l4_len = 108, .padding = 4 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_MIN_MTU },
	{ "MTU 1500, IP length 1500", { .dst = PLAIN, .l4_len = 1480 }, NULL, GO },
	{ "MTU 1500, IP length 1501", { .dst = PLAIN, .l4_len = 1481 }, NULL, STAY(TOO_BIG) },

	/* fragments */
	{ "don't-fragment is forwarded", { .dst = PLAIN, .frag = 0x4000 }, NULL, GO },
	{ "the reserved flag is forwarded", { .dst = PLAIN, .frag = 0x8000 }, NULL, GO },
	{ "a first fragment", { .dst = PLAIN, .frag = 0x2000 }, NULL, GO },
	{ "a middle fragment", { .dst = PLAIN, .frag = 0x2010 }, NULL, GO },
	{ "a last fragment", { .dst = PLAIN, .frag = 0x0020 }, NULL, GO },
	{ "a last fragment at the largest offset", { .dst = PLAIN, .frag = 0x1fff }, NULL, GO },

	/* addresses */
	{ "destination 0.0.0.0", { .dst = "0.0.0.0" }, NULL, STAY(MARTIAN) },
	{ "destination 0.255.255.255", { .dst = "0.255.255.255" }, NULL, STAY(MARTIAN) },
	{ "destination 1.0.0.0 is looked up", { .dst = "1.0.0.0" }, NULL, STAY(NO_ROUTE) },
	{ "destination 126.255.255.255 is looked up",
	  { .dst = "126.255.255.255" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "destination 127.0.0.1", { .dst = "127.0.0.1" }, NULL, STAY(MARTIAN) },
	{ "destination 127.255.255.255", { .dst = "127.255.255.255" }, NULL, STAY(MARTIAN) },
	{ "destination 128.0.0.0 is looked up", { .dst = "128.0.0.0" }, NULL, STAY(NO_ROUTE) },
	{ "destination 223.255.255.255 is looked up",
	  { .dst = "223.255.255.255" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "destination 224.0.0.5", { .dst = "224.0.0.5", .ttl = 1 }, NULL, STAY(NOT_UNICAST) },
	{ "destination 239.255.255.255", { .dst = "239.255.255.255" }, NULL, STAY(NOT_UNICAST) },
	{ "destination 240.0.0.1", { .dst = "240.0.0.1" }, NULL, STAY(NOT_UNICAST) },
	{ "destination 255.255.255.255", { .dst = "255.255.255.255" }, NULL, STAY(NOT_UNICAST) },
	{ "source 0.0.0.0", { .dst = PLAIN, .src = "0.0.0.0" }, NULL, STAY(MARTIAN) },
	{ "source 0.1.2.3", { .dst = PLAIN, .src = "0.1.2.3" }, NULL, STAY(MARTIAN) },
	{ "source 1.0.0.0", { .dst = PLAIN, .src = "1.0.0.0" }, NULL, GO },
	{ "source 127.0.0.1", { .dst = PLAIN, .src = "127.0.0.1" }, NULL, STAY(MARTIAN) },
	{ "source 128.0.0.0", { .dst = PLAIN, .src = "128.0.0.0" }, NULL, GO },
	{ "source 223.255.255.255", { .dst = PLAIN, .src = "223.255.255.255" }, NULL, GO },
	{ "source 224.0.0.1", { .dst = PLAIN, .src = "224.0.0.1" }, NULL, STAY(MARTIAN) },
	{ "source 240.0.0.1", { .dst = PLAIN, .src = "240.0.0.1" }, NULL, STAY(MARTIAN) },
	{ "source 255.255.255.255",
	  { .dst = PLAIN, .src = "255.255.255.255" },
	  NULL,
	  STAY(MARTIAN) },
	{ "source that is our own", { .dst = PLAIN, .src = "10.3.0.1" }, NULL, STAY(MARTIAN) },
	{ "source that shares the hint of an own address",
	  { .dst = PLAIN, .src = "10.3.26.110" },
	  NULL,
	  GO },
	{ "our own source without a route is no route",
	  { .dst = "203.0.113.1", .src = "10.3.0.1" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "our own source with TTL 1 is a martian first",
	  { .dst = PLAIN, .src = "10.3.0.1", .ttl = 1 },
	  NULL,
	  STAY(MARTIAN) },
	{ "source equal to destination", { .dst = PLAIN, .src = PLAIN }, NULL, GO },

	/* what routes say */
	{ "for the router itself", { .dst = "10.3.0.1" }, NULL, STAY(LOCAL) },
	{ "a broadcast address of a network of ours",
	  { .dst = "10.3.0.2" },
	  NULL,
	  STAY(NOT_UNICAST) },
	{ "an unreachable route", { .dst = "10.3.0.3" }, NULL, STAY(UNREACHABLE) },
	{ "a blackhole route", { .dst = "10.3.0.4" }, NULL, STAY(BLACKHOLE) },
	{ "a trapped route", { .dst = "10.3.0.5" }, NULL, STAY(TRAPPED) },
	{ "a pending route", { .dst = "10.3.0.6" }, NULL, STAY(PENDING) },
	{ "a throw route", { .dst = "10.3.0.7" }, NULL, STAY(NO_ROUTE) },
	{ "no route", { .dst = "203.0.113.1" }, NULL, STAY(NO_ROUTE) },
	{ "a route of another table does not count",
	  { .dst = "198.18.0.1" },
	  NULL,
	  STAY(NO_ROUTE) },
	{ "the longest prefix wins", { .dst = "10.0.1.200" }, NULL, FX_V_FORWARDED, BED_ADJ_JUMBO },
	{ "one beside the longest prefix", { .dst = "10.0.1.201" }, NULL, GO },
	{ "a group id that was never written", { .dst = "10.3.1.1" }, NULL, STAY(NO_ROUTE) },
	{ "a group id beyond the table", { .dst = "10.3.1.2" }, NULL, STAY(NO_ROUTE) },
	{ "a group of a kind from the future", { .dst = "10.3.1.3" }, NULL, STAY(INTERNAL) },
	{ "a group that passes with a verdict that is none",
	  { .dst = "10.3.1.4" },
	  NULL,
	  STAY(INTERNAL) },
	{ "a group that points at adjacency 0", { .dst = "10.3.1.5" }, NULL, STAY(INTERNAL) },
	{ "a group that points beyond the adjacencies",
	  { .dst = "10.3.1.6" },
	  NULL,
	  STAY(INTERNAL) },
	{ "a group that points beyond the buckets", { .dst = "10.3.1.7" }, NULL, STAY(INTERNAL) },

	/* what adjacencies say */
	{ "an adjacency whose link is down", { .dst = "10.0.7.1" }, NULL, STAY(LINK_DOWN) },
	{ "an adjacency that cannot send for XDP", { .dst = "10.0.4.1" }, NULL, STAY(NO_XDP_TX) },
	{ "out where it came in", { .dst = "10.0.5.1" }, NULL, STAY(SAME_INTERFACE) },
	{ "out where it came in, and too big",
	  { .dst = "10.0.5.1", .l4_len = 1481 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "a device that has just gone", { .dst = "10.0.6.1" }, NULL, STAY(LINK_DOWN) },
	{ "a device that has just gone leaves padding alone",
	  { .dst = "10.0.6.1", .padding = 7 },
	  NULL,
	  STAY(LINK_DOWN) },
	{ "a neighbour on a connected network", { .dst = "10.0.8.1" }, NULL, FX_V_FORWARDED, 20 },
	{ "an unresolved neighbour", { .dst = "10.0.8.2" }, NULL, STAY(NEIGHBOR) },
	{ "a neighbour of the same address elsewhere",
	  { .dst = "10.0.8.3" },
	  NULL,
	  STAY(NEIGHBOR) },
	{ "a neighbour whose adjacency passes", { .dst = "10.0.8.4" }, NULL, STAY(LINK_DOWN) },
	{ "a neighbour whose adjacency is a network again",
	  { .dst = "10.0.8.5" },
	  NULL,
	  STAY(INTERNAL) },

	/* several buffers: BPF_PROG_TEST_RUN puts 3520 bytes or less into the first */
	{ "a jumbo frame over a device that takes it",
	  { .dst = "10.0.2.1", .l4_len = 8980 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },
	{ "a jumbo frame one above the MTU of 9000",
	  { .dst = "10.0.2.1", .l4_len = 8981 },
	  NULL,
	  STAY(TOO_BIG) },
	{ "a jumbo frame over a device of single buffers",
	  { .dst = "10.0.3.1", .l4_len = 8000 },
	  NULL,
	  STAY(NO_XDP_TX) },
	{ "a small packet over the same device",
	  { .dst = "10.0.3.1" },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_NO_SG },
	{ "a jumbo frame with padding",
	  { .dst = "10.0.2.1", .l4_len = 8000, .padding = 100 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },
	{ "a small packet with padding in a second buffer",
	  { .dst = "10.0.2.1", .l4_len = 26, .padding = 5000 },
	  NULL,
	  FX_V_FORWARDED,
	  BED_ADJ_JUMBO },
	{ "a jumbo frame whose length field lies",
	  { .dst = "10.0.2.1", .l4_len = 8000, .len_off_by = 1 },
	  NULL,
	  STAY(MALFORMED) },
};

static void setup(struct bed *bed)
{
	static const uint32_t gids[] = { FX_GID_LOCAL,	   FX_GID_NOT_UNICAST, FX_GID_UNREACHABLE,
					 FX_GID_BLACKHOLE, FX_GID_TRAPPED,     FX_GID_PENDING,
					 FX_GID_NO_ROUTE };
	static const uint64_t words[] = {
		[0] = 0x77, /* a kind that is none */
	};
	char prefix[] = "10.3.0.0/32";
	uint32_t i;

	for (i = 0; i < sizeof(gids) / sizeof(gids[0]); i++) {
		prefix[7] = (char)('1' + i);
		bed_route(bed, prefix, gids[i]);
	}
	bed_own4(bed, "10.3.0.1");
	bed_route(bed, "10.0.1.200/32", FX_GID_FIRST + BED_ADJ_JUMBO);
	bed_route_vrf(bed, 100, "198.18.0.0/24", FX_GID_FIRST + BED_ADJ_PLAIN);
	bed_route(bed, "10.3.1.1/32", 5000);
	bed_route(bed, "10.3.1.2/32", FX_MAX_GROUPS);
	bed_route(bed, "10.3.1.3/32", 5001);
	bed_route(bed, "10.3.1.4/32", 5002);
	bed_route(bed, "10.3.1.5/32", 5003);
	bed_route(bed, "10.3.1.6/32", 5004);
	bed_route(bed, "10.3.1.7/32", 5005);
	bed_group(bed, 5001, words[0]);
	bed_group(bed, 5002, fx_group_word(FX_GROUP_PASS, 0, 99));
	bed_group(bed, 5003, fx_group_word(FX_GROUP_ADJ, 0, 0));
	bed_group(bed, 5004, fx_group_word(FX_GROUP_ADJ, 0, FX_MAX_ADJS));
	bed_group(bed, 5005, fx_group_word(FX_GROUP_HASH, 4, FX_MAX_BUCKETS));
	bed_adj(bed, 20, FX_ADJ_FORWARD, FX_ADJ_F_TX, 0, bed_port(bed, 0), 1500);
	bed_neigh(bed, bed_port(bed, 0), "10.0.8.1", 20);
	bed_neigh(bed, bed_port(bed, 1), "10.0.8.3", 20);
	bed_neigh(bed, bed_port(bed, 0), "10.0.8.4", BED_ADJ_DOWN);
	bed_neigh(bed, bed_port(bed, 0), "10.0.8.5", BED_ADJ_GLEAN);
}

/* Cut off at every byte: as long as any of the IP packet is missing it stays with Linux. */
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

static void test_every_ttl(void **state)
{
	static struct frame frame;
	int ttl;

	for (ttl = 0; ttl < 256; ttl++) {
		frame_build(&frame, &(struct frame_spec){ .dst = PLAIN, .ttl = ttl ? ttl : -1 });
		bed_expect(*state, &frame, ttl > 1 ? FX_V_FORWARDED : FX_V_TTL, BED_ADJ_PLAIN);
	}
}

/* Any bit of the header turned round makes the checksum wrong, whatever else it would mean. */
static void test_every_header_bit(void **state)
{
	static struct frame frame;
	unsigned int bit;

	for (bit = 8; bit < 160; bit++) {
		frame_build(&frame, &(struct frame_spec){ .dst = PLAIN });
		frame.bytes[IP + bit / 8] ^= (uint8_t)(1u << bit % 8);
		bed_expect(*state, &frame, FX_V_BAD_CHECKSUM, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_every_ttl),
		cmocka_unit_test(test_every_header_bit),
	};
	struct bed *bed = bed_new();
	int status;

	setup(bed);
	status = bed_main(bed, rows, sizeof(rows) / sizeof(rows[0]), others,
			  sizeof(others) / sizeof(others[0]));
	bed_free(bed);
	return status;
}
