/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Neighbours in use: which stale ones are probed, how often an unresolved gateway is asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fpm-xdp/neigh_use.h"

static const struct fx_addr v4 = { FX_AF_INET, { 10, 0, 0, 1 } };
static const struct fx_addr v6 = { FX_AF_INET6, { 10, 0, 0, 1 } };

static void test_stale_set(void **state)
{
	struct neigh_use *use = neigh_use_new();

	assert_false(neigh_use_is_stale(use, 1, &v4));
	assert_int_equal(neigh_use_set(use, 1, &v4, true), 0);
	assert_int_equal(neigh_use_set(use, 1, &v4, true), 0);
	assert_true(neigh_use_is_stale(use, 1, &v4));
	assert_false(neigh_use_is_stale(use, 2, &v4));
	assert_false(neigh_use_is_stale(use, 1, &v6));
	assert_int_equal(neigh_use_set(use, 1, &v4, false), 0);
	assert_int_equal(neigh_use_set(use, 1, &v4, false), 0);
	assert_false(neigh_use_is_stale(use, 1, &v4));
	assert_int_equal(neigh_use_set(use, 1, &v6, true), 0);
	neigh_use_free(use);
}

/* Packets from before it became stale are no use of it now. */
static void test_moved(void **state)
{
	struct neigh_use *use = neigh_use_new();

	assert_false(neigh_use_moved(use, 5, 1000));
	assert_false(neigh_use_moved(use, 5, 1000));
	assert_true(neigh_use_moved(use, 5, 1001));
	assert_false(neigh_use_moved(use, 5, 1001));
	assert_false(neigh_use_moved(use, 5, 3)); /* cleared */
	assert_true(neigh_use_moved(use, 5, 4));
	neigh_use_fresh(use, 5);
	assert_false(neigh_use_moved(use, 5, 2000));
	neigh_use_free(use);
}

static void test_backoff(void **state)
{
	static const uint64_t asked[] = { 100, 101, 103, 107, 115, 131, 163, 195, 227 };
	struct neigh_use *use = neigh_use_new();
	size_t n = 0;
	uint64_t now;

	for (now = 100; now < 228; now++) {
		if (!neigh_use_ask(use, 9, now))
			continue;
		assert_int_equal(now, asked[n]);
		n++;
	}
	assert_int_equal(n, 9);
	neigh_use_resolved(use, 9);
	assert_true(neigh_use_ask(use, 9, 228));
	assert_false(neigh_use_ask(use, 9, 228));
	neigh_use_free(use);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stale_set),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_backoff),
	};

	return cmocka_run_group_tests_name("neigh_use", tests, NULL, NULL);
}
