// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups: which member a flow takes, through the loaded program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>

#include "bpf/fx_hash.h"
#include "tests/bpf/bed.h"

enum { GID = 1000, BASE = 5000, FIRST_ADJ = 32, IP = 14 };

#define DST4 "10.9.0.1"
#define DST6 "2001:db8:900::1"

static void setup(struct bed *bed)
{
	uint32_t id;

	for (id = FIRST_ADJ; id < FIRST_ADJ + 64; id++)
		bed_adj(bed, id, FX_ADJ_FORWARD, FX_ADJ_F_TX, 0, bed_port(bed, id & 1), 1500);
	bed_route(bed, "10.9.0.0/16", GID);
	bed_route(bed, "2001:db8:900::/48", GID);
}

/* 1 << log2 buckets, dealt out to the members in turn. */
static void deal(struct bed *bed, uint32_t log2, uint32_t members)
{
	uint32_t i;

	for (i = 0; i < 1u << log2; i++)
		bed_bucket(bed, BASE + i, FIRST_ADJ + i % members);
	bed_group(bed, GID, fx_group_word(FX_GROUP_HASH, log2, BASE));
}

static uint32_t chosen(struct bed *bed, const struct frame_spec *spec)
{
	static struct bed_result got;
	static struct frame frame;

	frame_build(&frame, spec);
	bed_run(bed, bed_fd_fwd(bed), &frame, &got);
	assert_int_equal(got.action, XDP_REDIRECT);
	return got.adj;
}

/* The host's hash of the same packet. */
static uint32_t hash_of(struct bed *bed, const struct frame_spec *spec, uint32_t ports)
{
	struct in6_addr src6, dst6;
	struct in_addr src, dst;
	uint8_t proto = spec->proto ? spec->proto : 17;

	if (strchr(spec->dst, ':')) {
		inet_pton(AF_INET6, "2001:db8:ffff::1", &src6);
		inet_pton(AF_INET6, spec->dst, &dst6);
		return fx_hash_ipv6(bed_meta(bed)->hash_seed, &src6, &dst6, proto, ports);
	}
	inet_pton(AF_INET, "192.0.2.1", &src);
	inet_pton(AF_INET, spec->dst, &dst);
	return fx_hash_ipv4(bed_meta(bed)->hash_seed, src.s_addr, dst.s_addr, proto, ports);
}

static uint32_t ports_word(uint16_t sport, uint16_t dport)
{
	uint8_t bytes[4] = { sport >> 8, sport & 0xff, dport >> 8, dport & 0xff };
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Every bucket of a group of 256 is reached, and each flow finds the one that the host foretells.
 */
static void every_bucket(struct bed *bed, const char *dst)
{
	struct frame_spec spec = { .dst = dst };
	uint8_t seen[256] = { 0 };
	uint32_t hash, n = 0;
	uint16_t port;

	deal(bed, 8, 64);
	for (port = 1; port < 4000 && n < 256; port++) {
		spec.sport = port;
		hash = hash_of(bed, &spec, ports_word(port, 2000));
		if (seen[hash & 255])
			continue;
		seen[hash & 255] = 1;
		n++;
		assert_int_equal(chosen(bed, &spec), FIRST_ADJ + (hash & 255) % 64);
	}
	assert_int_equal(n, 256);
}

static void test_every_bucket_ipv4(void **state)
{
	every_bucket(*state, DST4);
}

static void test_every_bucket_ipv6(void **state)
{
	every_bucket(*state, DST6);
}

static void test_groups_of_1_to_64(void **state)
{
	struct frame_spec spec = { .dst = DST4 };
	uint32_t members, hash;

	for (members = 1; members <= 64; members++) {
		deal(*state, 6, members);
		for (spec.sport = 1; spec.sport < 40; spec.sport++) {
			hash = hash_of(*state, &spec, ports_word(spec.sport, 2000));
			assert_int_equal(chosen(*state, &spec), FIRST_ADJ + (hash & 63) % members);
		}
	}
}

static void test_group_of_one_bucket(void **state)
{
	struct frame_spec spec = { .dst = DST4 };

	deal(*state, 0, 1);
	for (spec.sport = 1; spec.sport < 20; spec.sport++)
		assert_int_equal(chosen(*state, &spec), FIRST_ADJ);
}

/* A flow keeps its member; another bucket's change does not move it. */
static void test_other_members_come_and_go(void **state)
{
	struct frame_spec spec = { .dst = DST4, .sport = 77 };
	uint32_t hash = hash_of(*state, &spec, ports_word(77, 2000));
	uint32_t i, before;

	deal(*state, 6, 8);
	before = chosen(*state, &spec);
	for (i = 0; i < 64; i++)
		if (i != (hash & 63))
			bed_bucket(*state, BASE + i, FIRST_ADJ + 40);
	assert_int_equal(chosen(*state, &spec), before);
	bed_bucket(*state, BASE + (hash & 63), FIRST_ADJ + 41);
	assert_int_equal(chosen(*state, &spec), FIRST_ADJ + 41);
}

static void expect_ports_matter(struct bed *bed, struct frame_spec spec, int matter)
{
	uint32_t members = 0, first = 0, adj;

	deal(bed, 6, 64);
	for (spec.sport = 1; spec.sport <= 32; spec.sport++) {
		adj = chosen(bed, &spec);
		if (spec.sport == 1)
			first = adj;
		members += adj != first;
	}
	if (matter)
		assert_true(members > 16);
	else
		assert_int_equal(members, 0);
}

static void test_ports_of_which_protocols(void **state)
{
	static const uint8_t with_ports[] = { 6, 17, 33, 132, 136 };
	int proto;

	for (proto = 1; proto < 256; proto++) {
		int matter = memchr(with_ports, proto, sizeof(with_ports)) != NULL;

		expect_ports_matter(*state,
				    (struct frame_spec){ .dst = DST4, .proto = (uint8_t)proto },
				    matter);
		expect_ports_matter(*state,
				    (struct frame_spec){ .dst = DST6, .proto = (uint8_t)proto },
				    matter);
	}
}

/* First, middle, last; and all of them where the host foretells a hash without ports. */
static void test_fragments_stay_together(void **state)
{
	static const uint16_t frags[] = { 0x2000, 0x2010, 0x0020, 0xa000, 0x3fff };
	struct frame_spec spec = { .dst = DST4 };
	uint32_t want, i;

	deal(*state, 6, 64);
	want = FIRST_ADJ + (hash_of(*state, &spec, 0) & 63);
	for (i = 0; i < sizeof(frags) / sizeof(frags[0]); i++) {
		spec.frag = frags[i];
		expect_ports_matter(*state, spec, 0);
		assert_int_equal(chosen(*state, &spec), want);
	}
	spec.frag = 0x4000; /* don't-fragment alone */
	expect_ports_matter(*state, spec, 1);
}

static void test_cut_off_ports(void **state)
{
	expect_ports_matter(*state, (struct frame_spec){ .dst = DST4, .l4_len = 3 }, 0);
	expect_ports_matter(*state, (struct frame_spec){ .dst = DST4, .l4_len = 4 }, 1);
	/* padding where the ports would be: the IP length says that they are not there */
	expect_ports_matter(*state,
			    (struct frame_spec){ .dst = DST4, .l4_len = 8, .len_off_by = -8 }, 0);
	expect_ports_matter(*state, (struct frame_spec){ .dst = DST6, .l4_len = 3 }, 0);
	expect_ports_matter(*state, (struct frame_spec){ .dst = DST6, .l4_len = 4 }, 1);
}

static void test_another_seed_chooses_otherwise(void **state)
{
	struct frame_spec spec = { .dst = DST4 };
	struct bed *bed = *state;
	uint32_t before[32], moved = 0;

	deal(bed, 6, 64);
	for (spec.sport = 1; spec.sport < 32; spec.sport++)
		before[spec.sport] = chosen(bed, &spec);
	bed_meta(bed)->hash_seed ^= 1;
	for (spec.sport = 1; spec.sport < 32; spec.sport++)
		moved += chosen(bed, &spec) != before[spec.sport];
	bed_meta(bed)->hash_seed ^= 1;
	assert_true(moved > 20);
}

/* Members that cannot take the packet decide for the flows on them alone. */
static void test_a_dead_bucket(void **state)
{
	struct frame_spec spec = { .dst = DST4, .sport = 77 };
	uint32_t bucket = hash_of(*state, &spec, ports_word(77, 2000)) & 63;
	static struct frame frame;

	deal(*state, 6, 64);
	frame_build(&frame, &spec);
	bed_bucket(*state, BASE + bucket, 0);
	bed_expect(*state, &frame, FX_V_INTERNAL, 0);
	bed_bucket(*state, BASE + bucket, BED_ADJ_DOWN);
	bed_expect(*state, &frame, FX_V_LINK_DOWN, 0);
	bed_bucket(*state, BASE + bucket, BED_ADJ_NO_TX);
	bed_expect(*state, &frame, FX_V_NO_XDP_TX, 0);
	bed_bucket(*state, BASE + bucket, BED_ADJ_GLEAN);
	bed_expect(*state, &frame, FX_V_NEIGHBOR, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bucket_ipv4),
		cmocka_unit_test(test_every_bucket_ipv6),
		cmocka_unit_test(test_groups_of_1_to_64),
		cmocka_unit_test(test_group_of_one_bucket),
		cmocka_unit_test(test_other_members_come_and_go),
		cmocka_unit_test(test_ports_of_which_protocols),
		cmocka_unit_test(test_fragments_stay_together),
		cmocka_unit_test(test_cut_off_ports),
		cmocka_unit_test(test_another_seed_chooses_otherwise),
		cmocka_unit_test(test_a_dead_bucket),
	};
	struct bed *bed = bed_new();
	int status;

	setup(bed);
	status = bed_main(bed, NULL, 0, tests, sizeof(tests) / sizeof(tests[0]));
	bed_free(bed);
	return status;
}
