/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forwarding model where the kernel's word is late, has two meanings, or does not come at all:
 * doc/decisions/0032-routes-in-doubt.md. Routes in words: see test_fib.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/fib_bed.h"

#define P "198.51.100.0/24"

/* The parts of a dump are older than the notices that come between them: fib_tomb.c. */
static void test_dump_is_stale(void **state)
{
	struct bed *bed = *state;

	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2");
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "del " P);
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 dump");
	assert_string_equal(bed_leads(bed, P), "nothing");
	bed_kernel(bed, "add static 203.0.113.0/24 via 10.0.1.2 dev 3 replace");
	bed_kernel(bed, "add static 203.0.113.0/24 via 10.0.0.2 dev 2 dump");
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"), "forward 3");
	/* gone before the dump came to it, and there again */
	bed_kernel(bed, "del 192.0.2.0/24");
	bed_kernel(bed, "add static 192.0.2.0/24 via 10.0.1.2 dev 3 replace");
	bed_kernel(bed, "add static 192.0.2.0/24 via 10.0.0.2 dev 2 dump");
	assert_string_equal(bed_leads(bed, "192.0.2.0/24"), "forward 3");
	assert_false(fib_resync_wanted(bed->fib));
	/* a second route that looks the same, or the first one's past: who knows */
	bed_kernel(bed, "add static 198.18.0.0/15 via 10.0.1.2 dev 3 append");
	bed_kernel(bed, "add static 198.18.0.0/15 via 10.0.0.2 dev 2 dump");
	assert_string_equal(bed_leads(bed, "198.18.0.0/15"), "trapped");
	assert_true(fib_resync_wanted(bed->fib));
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "nothing");
	/* the next dump is believed again */
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 dump");
	bed_kernel(bed, "add static 198.18.0.0/15 via 10.0.1.2 dev 3 dump");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	assert_string_equal(bed_leads(bed, "198.18.0.0/15"), "forward 3");
	assert_string_equal(bed_leads(bed, "192.0.2.0/24"), "nothing");
	bed_kernel(bed, "del " P);
	bed_kernel(bed, "del 198.18.0.0/15");
}

/* What Linux does without a word, or tells in words that fit two routes. */
static void test_kernel_is_silent(void **state)
{
	struct bed *bed = *state;

	/* two that differ in their preferred source alone: which of them went? */
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2");
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 append");
	bed_kernel(bed, "del " P);
	assert_string_equal(bed_leads(bed, P), "trapped");
	assert_true(fib_resync_wanted(bed->fib));
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 dump");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_kernel(bed, "del " P);
	assert_string_equal(bed_leads(bed, P), "nothing");
	/* a nexthop object takes its routes along */
	bed_kernel(bed, "nh 7 via 10.0.0.2 dev 2");
	bed_kernel(bed, "add static " P " nhid 7");
	bed_kernel(bed, "add static 203.0.113.0/24 nhid 7 mtu 1400");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_kernel(bed, "nhdel 7");
	bed_kernel(bed, "nh 7 via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "trapped");
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"), "trapped");
	assert_true(fib_resync_wanted(bed->fib));
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "nh 7 via 10.0.1.2 dev 3 dump");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "nothing");
	/* IPv6 routes of one metric that are no multipath route: by nexthop object, by RA */
	bed_kernel(bed, "nh 8 via fe80::2 dev 2");
	bed_kernel(bed, "add static 2001:db8::/32 nhid 8 metric 1024");
	bed_kernel(bed, "add static 2001:db8::/32 nhid 7 metric 1024 append");
	assert_string_equal(bed_leads(bed, "2001:db8::/32"), "trapped");
	bed_kernel(bed, "add ra ::/0 via fe80::2 dev 2 metric 1024");
	assert_string_equal(bed_leads(bed, "::/0"), "forward 2");
	bed_kernel(bed, "add ra ::/0 via fe80::2 dev 3 metric 1024");
	assert_string_equal(bed_leads(bed, "::/0"), "trapped");
	bed_kernel(bed, "add static 2001:db8:1::/48 via fe80::2 dev 2 metric 1024 expires");
	assert_string_equal(bed_leads(bed, "2001:db8:1::/48"), "trapped");
	/* a doubted link: a dump that had begun before does not count */
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2");
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 dump");
	fib_link_doubt(bed->fib, 2);
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "in doubt 2");
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 dump");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_kernel(bed, "del " P);
}

/* Source-specific routes of one prefix: a peer may send any number of them. */
static void test_routes_of_one_prefix(void **state)
{
	struct bed *bed = *state;
	char words[100];
	int i, err = 0;

	for (i = 0; !err && i < 1000; i++) {
		snprintf(words, sizeof(words), "add bgp ::/0 from 2001:%x::/32 via fe80::2 dev 2",
			 i);
		err = fib_route(bed->fib, FIB_FPM, rt_words(words));
	}
	assert_int_equal(err, -ENOSPC);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, "::/0"), "trapped");
	fib_resync_begin(bed->fib, FIB_FPM);
	fib_resync_sweep(bed->fib, FIB_FPM);
}

#define T(name) cmocka_unit_test_setup_teardown(name, bed_setup, bed_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_dump_is_stale),
		T(test_kernel_is_silent),
		T(test_routes_of_one_prefix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
