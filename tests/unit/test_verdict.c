/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdict names: JSON keys that stay, one per verdict, each of its kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/verdict.h"

static void test_known(void **state)
{
	assert_string_equal(verdict_name(FX_V_FORWARDED), "forwarded");
	assert_string_equal(verdict_name(FX_V_TOO_BIG), "too-big");
	assert_string_equal(verdict_name(FX_V_BLACKHOLE), "blackhole");
	assert_int_equal(verdict_kind(FX_V_FORWARDED), VERDICT_FORWARDED);
	assert_int_equal(verdict_kind(FX_V_TTL), VERDICT_PASSED);
	assert_int_equal(verdict_kind(FX_V_BLACKHOLE), VERDICT_DROPPED);
	assert_string_equal(verdict_kind_name(VERDICT_FORWARDED), "forwarded");
	assert_string_equal(verdict_kind_name(VERDICT_PASSED), "passed");
	assert_string_equal(verdict_kind_name(VERDICT_DROPPED), "dropped");
}

static void test_distinct(void **state)
{
	uint32_t a, b;

	for (a = 0; a < FX_V_COUNT; a++)
		for (b = 0; b < a; b++)
			assert_string_not_equal(verdict_name(a), verdict_name(b));
}

/* A newer kernel half may count a verdict that this list does not have. */
static void test_unknown(void **state)
{
	assert_string_equal(verdict_name(FX_V_COUNT), "unknown");
	assert_string_equal(verdict_name(UINT32_MAX), "unknown");
	assert_int_equal(verdict_kind(FX_V_COUNT), VERDICT_PASSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_distinct),
		cmocka_unit_test(test_unknown),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
