/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heap of deadlines against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bfddp-xdp/deadline.h"

#define SLOTS 64u
#define STEPS 200000u

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static uint64_t least(const uint64_t *times)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < SLOTS; i++)
		if (times[i] < first)
			first = times[i];
	return first;
}

static void test_random(void **state)
{
	struct deadline *deadline = deadline_new(SLOTS);
	uint64_t times[SLOTS];
	uint32_t seed = 1, slot, at;

	assert_non_null(deadline);
	for (slot = 0; slot < SLOTS; slot++)
		times[slot] = UINT64_MAX;
	for (uint32_t i = 0; i < STEPS; i++) {
		slot = next(&seed) % SLOTS;
		times[slot] = next(&seed) % 4 ? next(&seed) % 100 : UINT64_MAX;
		deadline_set(deadline, slot, times[slot]);
		at = SLOTS;
		assert_true(deadline_first(deadline, &at) == least(times));
		if (at != SLOTS)
			assert_true(times[at] == least(times));
	}
	deadline_free(deadline);
}

static void test_empty(void **state)
{
	struct deadline *deadline = deadline_new(1);
	uint32_t slot = 9;

	assert_true(deadline_first(deadline, &slot) == UINT64_MAX);
	deadline_set(deadline, 0, UINT64_MAX);
	assert_true(deadline_first(deadline, &slot) == UINT64_MAX);
	deadline_set(deadline, 0, 0);
	assert_true(deadline_first(deadline, &slot) == 0);
	assert_int_equal(slot, 0);
	deadline_set(deadline, 0, UINT64_MAX);
	assert_true(deadline_first(deadline, &slot) == UINT64_MAX);
	deadline_free(deadline);
	deadline_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
