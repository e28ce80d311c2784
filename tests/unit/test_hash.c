// SPDX-License-Identifier: GPL-2.0-or-later
/* bpf/fx_hash.h: flows that differ in little must spread over buckets, and over those of the next
 * router independently. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

#include "bpf/fx_hash.h"

enum { FLOWS = 65536, BUCKETS = 64, MEAN = FLOWS / BUCKETS };

/* The i-th flow of a pattern. */
typedef uint32_t (*pattern)(uint32_t seed, uint32_t i);

static uint32_t sources(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0x0a000000 + i), htonl(0xc0000201), 17, 0);
}

static uint32_t destinations(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0xc0000201), htonl(0x0a000000 + i), 6, 0x50000004);
}

static uint32_t networks(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0xc0000201), htonl(i << 8 | 1), 6, 0x50000004);
}

static uint32_t source_ports(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0xc0000201), htonl(0x0a000001), 17, htonl(i << 16 | 2000));
}

static uint32_t destination_ports(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0xc0000201), htonl(0x0a000001), 17, htonl(2000u << 16 | i));
}

static uint32_t pairs(uint32_t seed, uint32_t i)
{
	return fx_hash_ipv4(seed, htonl(0xc0000200 + i / 256), htonl(0x0a000000 + i % 256), 1, 0);
}

static uint32_t ipv6(uint32_t seed, uint32_t i, unsigned int src_word, unsigned int dst_word)
{
	struct in6_addr src, dst;

	memset(&src, 0, sizeof(src));
	memset(&dst, 0, sizeof(dst));
	src.s6_addr32[0] = dst.s6_addr32[0] = htonl(0x20010db8);
	src.s6_addr32[src_word] ^= htonl(i & 0xff);
	dst.s6_addr32[dst_word] ^= htonl(i >> 8);
	return fx_hash_ipv6(seed, &src, &dst, 58, 0);
}

static uint32_t ipv6_hosts(uint32_t seed, uint32_t i)
{
	return ipv6(seed, i, 3, 3);
}

static uint32_t ipv6_networks(uint32_t seed, uint32_t i)
{
	return ipv6(seed, i, 1, 1);
}

static uint32_t ipv6_mixed(uint32_t seed, uint32_t i)
{
	return ipv6(seed, i, 2, 1);
}

static const pattern patterns[] = {
	sources, destinations, networks,      source_ports, destination_ports,
	pairs,	 ipv6_hosts,   ipv6_networks, ipv6_mixed,
};

static const uint32_t seeds[] = { 0, 1, 2, 0x80000000, 0x12345678, 0xffffffff };

/* Six standard deviations of a fair throw: 32 each. */
static void assert_even(const uint32_t *count, uint32_t n, uint32_t mean, uint32_t off)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		assert_in_range(count[i], mean - off, mean + off);
}

static void test_low_bits_are_even(void **state)
{
	uint32_t count[BUCKETS], p, s, i;

	for (p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
		for (s = 0; s < sizeof(seeds) / sizeof(seeds[0]); s++) {
			memset(count, 0, sizeof(count));
			for (i = 0; i < FLOWS; i++)
				count[patterns[p](seeds[s], i) & (BUCKETS - 1)]++;
			assert_even(count, BUCKETS, MEAN, 192);
		}
	}
}

/* Of the flows that one router puts into bucket 0 of 8, another one fills all its 8 buckets. */
static void test_two_routers_in_a_row(void **state)
{
	uint32_t count[8], p, i;

	for (p = 0; p < sizeof(patterns) / sizeof(patterns[0]); p++) {
		memset(count, 0, sizeof(count));
		for (i = 0; i < FLOWS; i++)
			if ((patterns[p](seeds[0], i) & 7) == 0)
				count[patterns[p](seeds[1], i) & 7]++;
		assert_even(count, 8, FLOWS / 64, 192);
	}
}

static void test_every_field_counts(void **state)
{
	uint32_t base = fx_hash_ipv4(1, 2, 3, 4, 5);

	assert_int_not_equal(base, fx_hash_ipv4(0, 2, 3, 4, 5));
	assert_int_not_equal(base, fx_hash_ipv4(1, 0, 3, 4, 5));
	assert_int_not_equal(base, fx_hash_ipv4(1, 2, 0, 4, 5));
	assert_int_not_equal(base, fx_hash_ipv4(1, 2, 3, 0, 5));
	assert_int_not_equal(base, fx_hash_ipv4(1, 2, 3, 4, 0));
	assert_int_not_equal(base, fx_hash_ipv4(1, 3, 2, 4, 5));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_low_bits_are_even),
		cmocka_unit_test(test_two_routers_in_a_row),
		cmocka_unit_test(test_every_field_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
