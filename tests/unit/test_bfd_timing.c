/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of RFC 5880, section by section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bfddp-xdp/bfd_timing.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MS	      1000u
#define NS	      1000ull /* in a microsecond */
#define MAX	      UINT32_MAX

struct number_case {
	const char *rfc;
	const char *what;
	uint32_t a, b;
	uint64_t expected;
};

static const struct number_case min_tx_cases[] = {
	{ "6.8.3", "not Up: not less than one second", 300 * MS, false, 1000 * MS },
	{ "6.8.3", "not Up, configured slower: as configured", 2000 * MS, false, 2000 * MS },
	{ "6.8.3", "Up: as configured", 300 * MS, true, 300 * MS },
	{ "4.1", "zero is reserved", 0, true, BFD_FLOOR_US },
	{ "4.1", "... and slow before Up all the same", 0, false, 1000 * MS },
	{ "4.1", "one microsecond is no pace", 1, true, BFD_FLOOR_US },
	{ "4.1", "the longest", MAX, true, MAX },
};

static const struct number_case min_rx_cases[] = {
	{ "6.8.1", "as configured", 300 * MS, 0, 300 * MS },
	{ "4.1", "zero: nothing is wanted", 0, 0, 0 },
	{ "4.1", "one microsecond would be a storm", 1, 0, BFD_FLOOR_US },
	{ "4.1", "the longest", MAX, 0, MAX },
};

/* a: bfd.DesiredMinTxInterval, b: bfd.RemoteMinRxInterval */
static const struct number_case tx_cases[] = {
	{ "6.8.7", "ours is the larger", 300 * MS, 50 * MS, 300 * MS *NS },
	{ "6.8.7", "the peer's is the larger", 50 * MS, 300 * MS, 300 * MS *NS },
	{ "6.8.7", "RemoteMinRxInterval zero: no periodic packet", 300 * MS, 0, 0 },
	{ "6.8.1", "RemoteMinRxInterval starts with 1", 1000 * MS, 1, 1000 * MS *NS },
	{ "4.1", "the longest", MAX, MAX, MAX *NS },
};

static const struct number_case echo_cases[] = {
	{ "6.8.9", "not less than the peer takes", 50 * MS, 100 * MS, 100 * MS *NS },
	{ "6.8.9", "slower than it could", 100 * MS, 50 * MS, 100 * MS *NS },
	{ "6.8.9", "the peer turns none round", 50 * MS, 0, 0 },
	{ "6.8.9", "one microsecond is no pace", 0, 1, BFD_FLOOR_US *NS },
};

static void numbers(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(min_tx_cases); i++) {
		const struct number_case *c = &min_tx_cases[i];

		print_message("RFC 5880 %s: %s\n", c->rfc, c->what);
		assert_int_equal(bfd_timing_min_tx_us(c->a, c->b), c->expected);
	}
	for (size_t i = 0; i < ARRAY_SIZE(min_rx_cases); i++) {
		const struct number_case *c = &min_rx_cases[i];

		print_message("RFC 5880 %s: %s\n", c->rfc, c->what);
		assert_int_equal(bfd_timing_min_rx_us(c->a), c->expected);
	}
	for (size_t i = 0; i < ARRAY_SIZE(tx_cases); i++) {
		const struct number_case *c = &tx_cases[i];

		print_message("RFC 5880 %s: %s\n", c->rfc, c->what);
		assert_int_equal(bfd_timing_tx_ns(c->a, c->b), c->expected);
	}
	for (size_t i = 0; i < ARRAY_SIZE(echo_cases); i++) {
		const struct number_case *c = &echo_cases[i];

		print_message("RFC 5880 %s: %s\n", c->rfc, c->what);
		assert_int_equal(bfd_timing_echo_ns(c->a, c->b), c->expected);
	}
}

struct detect_case {
	const char *what; /* RFC 5880 6.8.4 */
	uint8_t mult;
	uint32_t min_rx, remote_min_tx;
	uint64_t expected;
};

static const struct detect_case detect_cases[] = {
	{ "the peer's multiplier, our receive interval", 3, 300 * MS, 50 * MS, 900 * MS *NS },
	{ "the peer's transmit interval if larger", 3, 50 * MS, 300 * MS, 900 * MS *NS },
	{ "multiplier 1", 1, 10 * MS, 10 * MS, 10 * MS *NS },
	{ "multiplier 255 and the longest interval", 255, MAX, MAX, MAX *NS * 255 },
	{ "nothing received", 0, 300 * MS, 0, 0 },
	{ "nothing wanted", 3, 0, 300 * MS, 0 },
};

static void detection(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(detect_cases); i++) {
		const struct detect_case *c = &detect_cases[i];

		print_message("RFC 5880 6.8.4: %s\n", c->what);
		assert_int_equal(bfd_timing_detect_ns(c->mult, c->min_rx, c->remote_min_tx),
				 c->expected);
	}
}

static void jitter(void **state)
{
	const uint64_t interval = 300000000;

	print_message("RFC 5880 6.8.7: reduced by a random value of 0 to 25 %%\n");
	assert_int_equal(bfd_timing_wait_ns(interval, 3, 0), interval * 3 / 4);
	for (uint64_t r = 0; r <= UINT32_MAX; r += 65521) {
		uint64_t wait = bfd_timing_wait_ns(interval, 3, (uint32_t)r);

		assert_in_range(wait, interval * 3 / 4, interval);
		wait = bfd_timing_wait_ns(interval, 1, (uint32_t)r);
		assert_in_range(wait, interval * 3 / 4, interval * 9 / 10);
	}
	print_message("RFC 5880 6.8.7: bfd.DetectMult 1: 75 to 90 %%, and no less wide\n");
	assert_in_range(bfd_timing_wait_ns(interval, 1, UINT32_MAX), interval * 89 / 100,
			interval * 9 / 10);
	assert_in_range(bfd_timing_wait_ns(interval, 2, UINT32_MAX), interval * 99 / 100, interval);
	print_message("the longest interval\n");
	assert_in_range(bfd_timing_wait_ns(MAX * NS, 255, UINT32_MAX), MAX * NS / 100 * 99,
			MAX * NS);
	assert_int_equal(bfd_timing_wait_ns(0, 3, UINT32_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(detection),
		cmocka_unit_test(jitter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
