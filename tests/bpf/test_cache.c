// SPDX-License-Identifier: GPL-2.0-or-later
/* The answers of the tries that the forwarding program remembers: used while the epoch stands,
 * never after it has moved. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/bpf/bed.h"

enum { PLAIN = FX_GID_FIRST + BED_ADJ_PLAIN, JUMBO = FX_GID_FIRST + BED_ADJ_JUMBO };

static void epoch_moves(struct bed *bed)
{
	__atomic_add_fetch(&bed_meta(bed)->fib_epoch, 1, __ATOMIC_SEQ_CST);
}

static void expect(struct bed *bed, const char *dst, uint32_t verdict, uint32_t adj)
{
	static struct frame frame;

	frame_build(&frame, &(struct frame_spec){ .dst = dst });
	bed_expect(bed, &frame, verdict, adj);
}

/* Per family: a prefix, an address in it, a longer prefix around that, and one address beside it.
 */
struct family {
	const char *prefix, *addr, *longer;
};

static const struct family families[] = {
	{ "10.20.0.0/16", "10.20.0.1", "10.20.0.1/32" },
	{ "2001:db8:20::/48", "2001:db8:20::1", "2001:db8:20::1/128" },
};

static void test_answers_last_as_long_as_the_epoch(void **state)
{
	const struct family *f;

	for (f = families; f < families + 2; f++) {
		bed_route(*state, f->prefix, PLAIN);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route_del(*state, f->prefix);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_NO_ROUTE, 0);
	}
}

static void test_no_route_is_remembered_too(void **state)
{
	const struct family *f;

	for (f = families; f < families + 2; f++) {
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_NO_ROUTE, 0);
		bed_route(*state, f->prefix, PLAIN);
		expect(*state, f->addr, FX_V_NO_ROUTE, 0);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route_del(*state, f->prefix);
		epoch_moves(*state);
	}
}

static void test_a_longer_prefix_comes_and_goes(void **state)
{
	const struct family *f;

	for (f = families; f < families + 2; f++) {
		bed_route(*state, f->prefix, PLAIN);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route(*state, f->longer, JUMBO);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_JUMBO);
		bed_route_del(*state, f->longer);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route_del(*state, f->prefix);
		epoch_moves(*state);
	}
}

static void test_epoch_beyond_32_bits(void **state)
{
	uint64_t before = bed_meta(*state)->fib_epoch;
	const struct family *f;

	for (f = families; f < families + 2; f++) {
		bed_route(*state, f->prefix, PLAIN);
		epoch_moves(*state);
		expect(*state, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route_del(*state, f->prefix);
		bed_meta(*state)->fib_epoch += 1ull << 32;
		expect(*state, f->addr, FX_V_NO_ROUTE, 0);
	}
	assert_true(bed_meta(*state)->fib_epoch > before);
}

static void test_groups_are_not_remembered(void **state)
{
	bed_route(*state, "10.20.0.0/16", 3000);
	bed_group(*state, 3000, fx_group_word(FX_GROUP_ADJ, 0, BED_ADJ_PLAIN));
	epoch_moves(*state);
	expect(*state, "10.20.0.1", FX_V_FORWARDED, BED_ADJ_PLAIN);
	bed_group(*state, 3000, fx_group_word(FX_GROUP_ADJ, 0, BED_ADJ_JUMBO));
	expect(*state, "10.20.0.1", FX_V_FORWARDED, BED_ADJ_JUMBO);
	bed_group(*state, 3000, fx_group_word(FX_GROUP_PASS, 0, FX_V_PENDING));
	expect(*state, "10.20.0.1", FX_V_PENDING, 0);
	bed_route_del(*state, "10.20.0.0/16");
	epoch_moves(*state);
}

static void test_tables_apart(void **state)
{
	struct bed *bed = *state;
	const struct family *f;

	for (f = families; f < families + 2; f++) {
		bed_route(bed, f->prefix, PLAIN);
		bed_route_vrf(bed, 77, f->prefix, JUMBO);
		epoch_moves(bed);
		expect(bed, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_iface_vrf(bed, BED_IN, FX_IF_ATTACHED | FX_IF_FWD4 | FX_IF_FWD6, 77);
		expect(bed, f->addr, FX_V_FORWARDED, BED_ADJ_JUMBO);
		bed_iface(bed, BED_IN, FX_IF_ATTACHED | FX_IF_FWD4 | FX_IF_FWD6);
		expect(bed, f->addr, FX_V_FORWARDED, BED_ADJ_PLAIN);
		bed_route_del(bed, f->prefix);
		epoch_moves(bed);
	}
}

/* More addresses than entries: many share one, and each still gets its own answer, on a second
 * round too. Networks of odd number lead to port 1. */
static void shared_entries(struct bed *bed, bool six)
{
	static struct bed_result got;
	static struct frame frame;
	unsigned int i, net, host;
	char dst[64];

	for (i = 0; i < 2 * 24 * 256; i++) {
		net = i / 256 % 24;
		host = i % 256;
		if (six)
			snprintf(dst, sizeof(dst), "2001:db8:20:%x::%x", net, host);
		else
			snprintf(dst, sizeof(dst), "10.20.%u.%u", net, host);
		frame_build(&frame, &(struct frame_spec){ .dst = dst });
		bed_run_quickly(bed, &frame, &got);
		assert_int_equal(got.action, XDP_REDIRECT);
		assert_int_equal(got.out.bytes[5], net & 1 ? BED_ADJ_JUMBO : BED_ADJ_PLAIN);
	}
}

static void test_addresses_that_share_an_entry(void **state)
{
	char prefix[64];
	unsigned int i;

	bed_route(*state, "10.20.0.0/16", PLAIN);
	bed_route(*state, "2001:db8:20::/48", PLAIN);
	for (i = 1; i < 24; i += 2) {
		snprintf(prefix, sizeof(prefix), "10.20.%u.0/24", i);
		bed_route(*state, prefix, JUMBO);
		snprintf(prefix, sizeof(prefix), "2001:db8:20:%x::/64", i);
		bed_route(*state, prefix, JUMBO);
	}
	epoch_moves(*state);
	shared_entries(*state, false);
	shared_entries(*state, true);
	bed_route_del(*state, "10.20.0.0/16");
	bed_route_del(*state, "2001:db8:20::/48");
	epoch_moves(*state);
}

/*
 * One thread changes a route as the daemon does, trie first, then the epoch; another one forwards
 * all the while. Change i leads to adjacency 32 + i % 64. A packet that starts after the epoch of
 * change i must not be forwarded by an older one.
 */
enum { CHANGES = 4000, PACKETS = 2000 };

struct race {
	struct bed *bed;
	uint32_t begun; /* changes whose trie write may have happened */
	uint32_t done;	/* changes whose epoch has moved */
	uint32_t stale;
	uint32_t over;
	uint32_t packets;
};

static void *race_forward(void *arg)
{
	static struct bed_result got;
	static struct frame frame;
	struct race *race = arg;
	uint32_t from, to, age;

	frame_build(&frame, &(struct frame_spec){ .dst = "10.20.0.1" });
	do {
		from = __atomic_load_n(&race->done, __ATOMIC_SEQ_CST);
		bed_run_quickly(race->bed, &frame, &got);
		to = __atomic_load_n(&race->begun, __ATOMIC_SEQ_CST);
		/* how many changes ago the answer was right, modulo 64 */
		age = (to - (got.out.bytes[5] - 32u)) % 64;
		race->stale += to - from < 60 && age > to - from;
		__atomic_add_fetch(&race->packets, 1, __ATOMIC_SEQ_CST);
	} while (!__atomic_load_n(&race->over, __ATOMIC_SEQ_CST));
	return NULL;
}

static uint32_t race_packets(struct race *race)
{
	return __atomic_load_n(&race->packets, __ATOMIC_SEQ_CST);
}

static void test_changes_under_traffic(void **state)
{
	struct race race = { .bed = *state };
	pthread_t thread;
	uint32_t i;

	for (i = 0; i < 64; i++) {
		bed_adj(*state, 32 + i, FX_ADJ_FORWARD, FX_ADJ_F_TX, 0, bed_port(*state, 0), 1500);
		bed_group(*state, 4000 + i, fx_group_word(FX_GROUP_ADJ, 0, 32 + i));
	}
	bed_route(*state, "10.20.0.0/16", 4000);
	epoch_moves(*state);
	assert_int_equal(pthread_create(&thread, NULL, race_forward, &race), 0);
	for (i = 1; i <= CHANGES || race_packets(&race) < PACKETS; i++) {
		__atomic_store_n(&race.begun, i, __ATOMIC_SEQ_CST);
		bed_route(*state, "10.20.0.0/16", 4000 + i % 64);
		epoch_moves(*state);
		__atomic_store_n(&race.done, i, __ATOMIC_SEQ_CST);
	}
	__atomic_store_n(&race.over, 1, __ATOMIC_SEQ_CST);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(race.stale, 0);
	bed_route_del(*state, "10.20.0.0/16");
	epoch_moves(*state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_last_as_long_as_the_epoch),
		cmocka_unit_test(test_no_route_is_remembered_too),
		cmocka_unit_test(test_a_longer_prefix_comes_and_goes),
		cmocka_unit_test(test_epoch_beyond_32_bits),
		cmocka_unit_test(test_groups_are_not_remembered),
		cmocka_unit_test(test_tables_apart),
		cmocka_unit_test(test_addresses_that_share_an_entry),
		cmocka_unit_test(test_changes_under_traffic),
	};
	struct bed *bed = bed_new();
	int status;

	status = bed_main(bed, NULL, 0, tests, sizeof(tests) / sizeof(tests[0]));
	bed_free(bed);
	return status;
}
