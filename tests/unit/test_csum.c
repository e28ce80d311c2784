// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpf/fx_csum.h against a sum made anew, in every case there is. The field's new value depends on
 * its old one alone, and the old one takes all 65536 values when the identification does, at any
 * TTL.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <string.h>

#include "bpf/fx_csum.h"

/* RFC 1071 by its text: 16-bit words, end-around carry, complement. */
static uint16_t sum_anew(const struct iphdr *ip)
{
	const uint8_t *byte = (const uint8_t *)ip;
	uint32_t sum = 0;
	int i;

	for (i = 0; i < 20; i += 2)
		sum += i == 10 ? 0 : (uint32_t)byte[i] << 8 | byte[i + 1];
	while (sum >> 16)
		sum = (sum >> 16) + (sum & 0xffff);
	return htons(~sum & 0xffff);
}

/* What ip_decrease_ttl() of include/net/ip.h is documented to do (RFC 1141 with RFC 1624's care),
 * written on the words as they lie in memory, as a second opinion. */
static uint16_t ttl_down_in_memory_order(uint16_t check)
{
	uint32_t sum = (uint32_t)check + htons(0x0100);

	return (uint16_t)(sum + (sum >= 0xffff));
}

static struct iphdr header(uint16_t id, uint8_t ttl)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.tos = 0x10,
		.tot_len = htons(84),
		.id = htons(id),
		.ttl = ttl,
		.protocol = 17,
		.saddr = htonl(0xc0000201),
		.daddr = htonl(0x0a000107),
	};

	ip.check = sum_anew(&ip);
	return ip;
}

static void test_every_ident_and_ttl(void **state)
{
	uint32_t id, ttl;
	struct iphdr ip;
	uint16_t check;

	for (ttl = 1; ttl < 256; ttl++) {
		for (id = 0; id < 65536; id++) {
			ip = header((uint16_t)id, (uint8_t)ttl);
			check = fx_csum_ttl_down(ip.check);
			ip.ttl--;
			if (check != sum_anew(&ip))
				fail_msg("ident %u, TTL %u", id, ttl);
		}
	}
}

static void test_every_field_value_as_linux(void **state)
{
	uint32_t check;

	for (check = 0; check < 65536; check++) {
		assert_int_equal(fx_csum_ttl_down((uint16_t)check),
				 ttl_down_in_memory_order((uint16_t)check));
		assert_int_not_equal(fx_csum_ttl_down((uint16_t)check), 0xffff);
	}
}

static void test_edge_values(void **state)
{
	assert_int_equal(fx_csum_ttl_down(htons(0xfefe)), htons(0xfffe));
	assert_int_equal(fx_csum_ttl_down(htons(0xfeff)), htons(0x0000));
	assert_int_equal(fx_csum_ttl_down(htons(0xff00)), htons(0x0001));
	assert_int_equal(fx_csum_ttl_down(htons(0xffff)), htons(0x0100));
	assert_int_equal(fx_csum_ttl_down(htons(0x0000)), htons(0x0100));
}

/* Exactly one field value is right, or two where it is 0x0000 or 0xffff. */
static void test_verify_every_field_value(void **state)
{
	static const uint16_t idents[] = { 0, 1, 0x1234, 0xffff };
	uint32_t check, i;
	struct iphdr ip;
	uint16_t right;

	for (i = 0; i < sizeof(idents) / sizeof(idents[0]); i++) {
		ip = header(idents[i], 64);
		right = ip.check;
		for (check = 0; check < 65536; check++) {
			ip.check = (uint16_t)check;
			assert_int_equal(fx_csum_ipv4_ok(&ip), check == right);
		}
	}
}

static void test_verify_both_zeroes(void **state)
{
	struct iphdr ip;
	uint32_t id;

	for (id = 0; id < 65536; id++) {
		ip = header((uint16_t)id, 64);
		assert_true(fx_csum_ipv4_ok(&ip));
		if (ip.check != 0)
			continue;
		ip.check = 0xffff;
		assert_true(fx_csum_ipv4_ok(&ip));
		return;
	}
	fail_msg("no identification gives a checksum of zero");
}

static void test_verify_all_ones_header(void **state)
{
	struct iphdr ip;

	memset(&ip, 0xff, sizeof(ip));
	assert_true(fx_csum_ipv4_ok(&ip)); /* every carry there is */
	ip.saddr = 0;
	assert_true(fx_csum_ipv4_ok(&ip));
	memset(&ip, 0, sizeof(ip));
	assert_false(fx_csum_ipv4_ok(&ip)); /* 0 is not -0 */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_ident_and_ttl),
		cmocka_unit_test(test_every_field_value_as_linux),
		cmocka_unit_test(test_edge_values),
		cmocka_unit_test(test_verify_every_field_value),
		cmocka_unit_test(test_verify_both_zeroes),
		cmocka_unit_test(test_verify_all_ones_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
