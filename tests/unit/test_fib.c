/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forwarding model: what a prefix leads to, event by event. Routes are written in words:
 *	"add bgp 198.51.100.0/24 via 10.0.0.2 dev 2 weight 3 via 10.0.1.2 dev 3"
 *	"nh 5 via 10.0.0.2 dev 2", "group 9 5 6*3", "add bgp P nhid 9", "del P", "nhdel 5"
 */
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

static void test_fpm_route(void **state)
{
	struct bed *bed = *state;

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "add bgp " P " via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_fpm(bed, "add bgp " P " via 10.0.0.9 dev 2");
	assert_string_equal(bed_leads(bed, P), "no-neighbor 2");
	bed_fpm(bed, "add bgp " P " blackhole");
	assert_string_equal(bed_leads(bed, P), "blackhole");
	bed_fpm(bed, "add bgp " P " unreachable");
	assert_string_equal(bed_leads(bed, P), "unreachable");
	bed_fpm(bed, "add bgp " P " prohibit");
	assert_string_equal(bed_leads(bed, P), "unreachable");
	bed_fpm(bed, "add bgp " P " dev 2");
	assert_string_equal(bed_leads(bed, P), "glean 2");
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 encap mpls");
	assert_string_equal(bed_leads(bed, P), "trapped");
	bed_fpm(bed, "del " P);
	assert_string_equal(bed_leads(bed, P), "nothing");
}

static void test_ids(void **state)
{
	struct bed *bed = *state;

	bed_fpm(bed, "add bgp " P " nhid 5");
	assert_string_equal(bed_leads(bed, P), "pending");
	bed_fpm(bed, "nh 5 via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "nh 5 via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	/* an id that changes kind: group, with a member that is not known yet */
	bed_fpm(bed, "group 5 6 7");
	assert_string_equal(bed_leads(bed, P), "pending");
	bed_fpm(bed, "nh 6 via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "nh 7 via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "hash");
	bed_fpm(bed, "nh 7 blackhole");
	assert_string_equal(bed_leads(bed, P), "trapped");
	bed_fpm(bed, "nhdel 7");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "nh 5 blackhole");
	assert_string_equal(bed_leads(bed, P), "blackhole");
	bed_fpm(bed, "nhdel 5");
	assert_string_equal(bed_leads(bed, P), "pending");
	bed_fpm(bed, "nhdel 6");
	bed_fpm(bed, "del " P);
}

static void test_groups_of_groups(void **state)
{
	struct bed *bed = *state;

	/* neither zebra nor Linux nests groups; loops and chains must not hurt */
	bed_fpm(bed, "add bgp " P " nhid 1");
	bed_fpm(bed, "group 1 2");
	bed_fpm(bed, "group 2 3");
	bed_fpm(bed, "group 3 1");
	assert_string_equal(bed_leads(bed, P), "trapped");
	bed_fpm(bed, "nh 2 via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "group 2 2");
	assert_string_equal(bed_leads(bed, P), "trapped");
	bed_fpm(bed, "nhdel 1");
	bed_fpm(bed, "nhdel 2");
	bed_fpm(bed, "nhdel 3");
	bed_fpm(bed, "del " P);
}

static void test_sources(void **state)
{
	struct bed *bed = *state;

	bed_kernel(bed, "add kernel " P " dev 2");
	assert_string_equal(bed_leads(bed, P), "glean 2");
	/* the kernel's own route is not FRR's: it stays what Linux uses */
	bed_fpm(bed, "add bgp " P " via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "glean 2");
	bed_kernel(bed, "del " P);
	assert_string_equal(bed_leads(bed, P), "forward 3");
	/* FRR's route in the kernel confirms FPM's, which says where to */
	bed_kernel(bed, "add bgp " P " via 10.0.0.2 dev 2 metric 20");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_fpm(bed, "del " P);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	/* FPM's copies of connected routes are hints at most */
	bed_fpm(bed, "add kernel " P " via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_kernel(bed, "del " P " metric 20");
	assert_string_equal(bed_leads(bed, P), "nothing");
	bed_fpm(bed, "del " P);
}

static void test_kernel_first(void **state)
{
	struct bed *bed = *state;

	fib_kernel_first(bed->fib, true);
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(bed, P), "pending"); /* whatever Linux has, it has */
	bed_kernel(bed, "add bgp " P " via 10.0.1.2 dev 3 metric 20");
	assert_string_equal(bed_leads(bed, P), "forward 3"); /* Linux has the last word */
	bed_fpm(bed, "add bgp " P " via 10.0.2.2 dev 4");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_kernel(bed, "del " P " metric 20");
	assert_string_equal(bed_leads(bed, P), "pending");
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2");
	fib_kernel_first(bed->fib, false);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "del " P);
}

static void test_kernel_metrics(void **state)
{
	struct bed *bed = *state;

	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 metric 100");
	bed_kernel(bed, "add static " P " via 10.0.1.2 dev 3 metric 50");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_kernel(bed, "add static " P " via 10.0.2.2 dev 4 metric 200");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_kernel(bed, "del " P " metric 50");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	/* ip route append: which of two Linux takes is not for us to guess */
	bed_kernel(bed, "add static " P " via 10.0.1.2 dev 3 metric 100 append");
	assert_string_equal(bed_leads(bed, P), "trapped");
	assert_false(fib_resync_wanted(bed->fib));
	bed_kernel(bed, "del " P " metric 100");
	assert_string_equal(bed_leads(bed, P), "trapped");
	assert_true(fib_resync_wanted(bed->fib));
	fib_resync_begin(bed->fib, FIB_KERNEL);
	bed_kernel(bed, "add static " P " via 10.0.1.2 dev 3 metric 100");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 3");
	/* a route for some TOS only */
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 metric 100 tos 16");
	assert_string_equal(bed_leads(bed, P), "trapped");
	bed_kernel(bed, "del " P " metric 100 tos 16");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	bed_kernel(bed, "add static " P " via 10.0.0.2 dev 2 metric 100 replace");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_kernel(bed, "del " P " metric 100");
}

static void test_local(void **state)
{
	struct bed *bed = *state;

	bed_kernel(bed, "add kernel 10.0.0.1/32 local dev 2 table 255");
	assert_string_equal(bed_leads(bed, "10.0.0.1/32"), "local");
	assert_int_equal(bed->sim->own4, 1);
	/* the same address on another interface; one goes, the other stays */
	bed_kernel(bed, "add kernel 10.0.0.1/32 local dev 3 table 255");
	bed_kernel(bed, "del 10.0.0.1/32 local dev 2 table 255");
	assert_string_equal(bed_leads(bed, "10.0.0.1/32"), "local");
	bed_fpm(bed, "add bgp 10.0.0.1/32 via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, "10.0.0.1/32"), "local");
	bed_kernel(bed, "del 10.0.0.1/32 local dev 3 table 255");
	assert_string_equal(bed_leads(bed, "10.0.0.1/32"), "forward 3");
	assert_int_equal(bed->sim->own4, 0);
	bed_fpm(bed, "del 10.0.0.1/32");
	/* the local table comes before main, however long main's prefix is */
	bed_kernel(bed, "add static 10.9.8.0/24 via 10.0.0.2 dev 2");
	bed_kernel(bed, "add static 10.9.0.0/16 local dev 1 table 255");
	assert_string_equal(bed_leads(bed, "10.9.8.0/24"), "local");
	assert_true(fib_has_own_nets(bed->fib));
	bed_kernel(bed, "del 10.9.0.0/16 local dev 1 table 255");
	assert_string_equal(bed_leads(bed, "10.9.8.0/24"), "forward 2");
	assert_false(fib_has_own_nets(bed->fib));
	bed_kernel(bed, "del 10.9.8.0/24");
	bed_kernel(bed, "add kernel 10.0.0.255/32 broadcast dev 2 table 255");
	assert_string_equal(bed_leads(bed, "10.0.0.255/32"), "not-unicast");
	bed_kernel(bed, "del 10.0.0.255/32 broadcast dev 2 table 255");
}

static void test_ipv6(void **state)
{
	struct bed *bed = *state;

	bed_kernel(bed, "add static 2001:db8::/32 via fe80::2 dev 2 metric 1024");
	assert_string_equal(bed_leads(bed, "2001:db8::/32"), "forward 2");
	/* a second path is told as the whole route */
	bed_kernel(
		bed,
		"add static 2001:db8::/32 via fe80::2 dev 2 via fe80::3 dev 3 metric 1024 append");
	assert_string_equal(bed_leads(bed, "2001:db8::/32"), "hash");
	/* and its end as the path alone */
	bed_kernel(bed, "del 2001:db8::/32 via fe80::3 dev 3 metric 1024");
	assert_string_equal(bed_leads(bed, "2001:db8::/32"), "forward 2");
	bed_kernel(bed, "del 2001:db8::/32 via fe80::2 dev 2 metric 1024");
	assert_string_equal(bed_leads(bed, "2001:db8::/32"), "nothing");
	/* link-local networks of two links are alike but for the device */
	bed_kernel(bed, "add kernel fe80::/64 dev 2 metric 256");
	assert_string_equal(bed_leads(bed, "fe80::/64"), "glean 2");
	bed_kernel(bed, "add kernel fe80::/64 dev 3 metric 256");
	assert_string_equal(bed_leads(bed, "fe80::/64"), "trapped");
	bed_kernel(bed, "del fe80::/64 dev 2 metric 256");
	assert_string_equal(bed_leads(bed, "fe80::/64"), "glean 3");
	bed_kernel(bed, "del fe80::/64 dev 3 metric 256");
	/* source-specific routes: Linux chooses */
	bed_kernel(bed, "add static ::/0 via fe80::2 dev 2 metric 1024");
	bed_kernel(bed, "add static ::/0 from 2001:db8:1::/48 via fe80::3 dev 3 metric 1024");
	assert_string_equal(bed_leads(bed, "::/0"), "trapped");
	bed_kernel(bed, "del ::/0 from 2001:db8:1::/48 via fe80::3 dev 3 metric 1024");
	assert_string_equal(bed_leads(bed, "::/0"), "forward 2");
	bed_fpm(bed, "add bgp ::/0 from 2001:db8:1::/48 via fe80::3 dev 3");
	assert_string_equal(bed_leads(bed, "::/0"), "trapped");
	bed_fpm(bed, "del ::/0 from 2001:db8:1::/48");
	assert_string_equal(bed_leads(bed, "::/0"), "forward 2");
	bed_kernel(bed, "del ::/0 via fe80::2 dev 2 metric 1024");
	/* IPv4 over an IPv6 next hop */
	bed_fpm(bed, "add bgp " P " via fe80::2 dev 2");
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "del " P);
}

static uint32_t share(struct bed *bed, const char *prefix, uint32_t ifindex)
{
	uint32_t hash, n = 0;

	for (hash = 0; hash < 16384; hash++)
		n += FX_ADJ_IFINDEX(sim_choose(bed->sim, prefix, hash)->word0) == ifindex;
	return n;
}

static void snapshot(struct bed *bed, const char *prefix, uint8_t *ret)
{
	uint32_t hash;

	for (hash = 0; hash < 1024; hash++)
		ret[hash] = (uint8_t)FX_ADJ_IFINDEX(sim_choose(bed->sim, prefix, hash)->word0);
}

/* Flows that are not on `except` in either are where they were. */
static void assert_stable(const uint8_t *a, const uint8_t *b, uint8_t except)
{
	uint32_t hash;

	for (hash = 0; hash < 1024; hash++) {
		if (a[hash] != except && b[hash] != except)
			assert_int_equal(a[hash], b[hash]);
	}
}

static void test_ecmp_is_stable(void **state)
{
	struct bed *bed = *state;
	uint8_t two[1024], three[1024], now[1024];

	bed_fpm(bed, "nh 1 via 10.0.0.2 dev 2");
	bed_fpm(bed, "nh 2 via 10.0.1.2 dev 3");
	bed_fpm(bed, "nh 3 via 10.0.2.2 dev 4");
	bed_fpm(bed, "group 10 1 2");
	bed_fpm(bed, "add bgp " P " nhid 10");
	snapshot(bed, P, two);
	/* FRR up to 10.7: another path is another group */
	bed_fpm(bed, "group 11 1 2 3");
	bed_fpm(bed, "add bgp " P " nhid 11");
	snapshot(bed, P, three);
	assert_stable(two, three, 4);
	/* a link goes: its flows move at once, no others */
	bed_link(bed, 3, false);
	bed_run(bed);
	snapshot(bed, P, now);
	assert_null(memchr(now, 3, sizeof(now)));
	assert_stable(three, now, 3);
	bed_link(bed, 3, true);
	bed_run(bed);
	snapshot(bed, P, now);
	assert_memory_equal(now, three, sizeof(now));
	bed_fpm(bed, "add bgp " P " nhid 10");
	snapshot(bed, P, now);
	assert_memory_equal(now, two, sizeof(now));
	/* all down: to Linux */
	bed_link(bed, 2, false);
	bed_link(bed, 3, false);
	bed_run(bed);
	assert_int_equal(FX_ADJ_VERDICT(sim_choose(bed->sim, P, 7)->word0), FX_V_LINK_DOWN);
	bed_fpm(bed, "del " P);
	bed_fpm(bed, "nhdel 10");
	bed_fpm(bed, "nhdel 11");
	bed_fpm(bed, "nhdel 1");
	bed_fpm(bed, "nhdel 2");
	bed_fpm(bed, "nhdel 3");
}

static void test_weights(void **state)
{
	struct bed *bed = *state;

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 weight 1 via 10.0.1.2 dev 3 weight 3");
	assert_in_range(share(bed, P, 2), 16384 * 20 / 100, 16384 * 30 / 100);
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 weight 254 via 10.0.1.2 dev 3 weight 1");
	assert_in_range(share(bed, P, 3), 1, 16384 * 2 / 100);
	bed_fpm(bed,
		"add bgp " P
		" via 10.0.0.2 dev 2 weight 40000 via 10.0.1.2 dev 3 weight 40000 via 10.0.2.2 dev 4 weight 20000");
	assert_in_range(share(bed, P, 4), 16384 * 16 / 100, 16384 * 24 / 100);
	assert_in_range(share(bed, P, 2), 16384 * 36 / 100, 16384 * 44 / 100);
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 via 10.0.1.2 dev 3");
	assert_in_range(share(bed, P, 2), 16384 * 46 / 100, 16384 * 54 / 100);
	bed_fpm(bed, "del " P);
}

static void test_neighbours(void **state)
{
	struct bed *bed = *state;
	struct fx_adj *adj;
	size_t steps;

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2");
	adj = sim_choose(bed->sim, P, 0);
	assert_memory_equal(&adj->dst, bed_mac_a, 6);
	steps = bed->sim->steps;
	bed_neigh(bed, 2, "10.0.0.2", bed_mac_b);
	bed_run(bed);
	assert_int_equal(bed->sim->steps, steps + 1); /* one write, whatever leads there */
	assert_memory_equal(&adj->dst, bed_mac_b, 6);
	bed_neigh(bed, 2, "10.0.0.2", NULL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "no-neighbor 2");
	bed_neigh(bed, 2, "10.0.0.2", bed_mac_a);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	fib_link_del(bed->fib, 2);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "link-down 2");
	bed_link(bed, 2, true);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "in doubt 2"); /* what has the kernel dropped? */
	fib_resync_begin(bed->fib, FIB_KERNEL);
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2");
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 mtu 1400");
	assert_int_equal(sim_choose(bed->sim, P, 0)->dst >> 48, 1400);
	bed_fpm(bed, "del " P);
}

static void test_sweep(void **state)
{
	struct bed *bed = *state;

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2");
	bed_fpm(bed, "add bgp 203.0.113.0/24 via 10.0.0.2 dev 2");
	bed_fpm(bed, "add static 192.0.2.0/24 via 10.0.0.2 dev 2 table 555");
	bed_fpm(bed, "nh 7 via 10.0.0.2 dev 2");
	bed_kernel(bed, "add bgp 203.0.113.0/24 via 10.0.1.2 dev 3 metric 20");
	fib_resync_begin(bed->fib, FIB_FPM);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "forward 2"); /* a lost connection changes nothing */
	bed_fpm(bed, "add static 192.0.2.0/25 via 10.0.0.2 dev 2");
	assert_int_equal(fib_resync_sweep(bed->fib, FIB_FPM), 2);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, P), "nothing");
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"),
			    "forward 3"); /* the kernel still has it */
	assert_string_equal(bed_leads(bed, "192.0.2.0/25"), "forward 2");
	bed_fpm(bed, "del 192.0.2.0/25");
	bed_fpm(bed,
		"del 192.0.2.0/24 table 555"); /* zebra never replays such tables: it was kept */
	fib_resync_begin(bed->fib, FIB_KERNEL);
	assert_int_equal(fib_resync_sweep(bed->fib, FIB_KERNEL), 1);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"), "nothing");
}

static void test_map_full(void **state)
{
	struct bed *bed = *state;
	struct fib_counts counts;

	bed_fpm(bed, "add bgp 0.0.0.0/0 via 10.0.0.2 dev 2");
	bed->sim->room = bed->sim->nprefixes;
	bed_fpm(bed, "add bgp " P " via 10.0.1.2 dev 3");
	/* the default route must not catch what should go elsewhere */
	assert_string_equal(bed_leads(bed, P), "nothing");
	assert_string_equal(bed_leads(bed, "0.0.0.0/0"), "trapped");
	fib_counts(bed->fib, &counts);
	assert_int_equal(counts.states[FIB_ST_FAILED], 1);
	bed->sim->room = SIM_PREFIXES;
	bed_fpm(bed, "add bgp " P " via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, P), "forward 3");
	fib_resync_sweep(bed->fib, FIB_KERNEL);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, "0.0.0.0/0"), "forward 2");
	bed_fpm(bed, "del " P);
	bed_fpm(bed, "del 0.0.0.0/0");
}

static void test_table_limit(void **state)
{
	struct bed bed = { .sim = sim_new() };
	struct fib_limits limits = { .prefixes = 2 };
	struct fib_counts counts;

	bed_run(*state); /* what the set-up told the other one */
	bed.fib = fib_new(&limits);
	bed_facts(&bed);
	bed_fpm(&bed, "add bgp 0.0.0.0/0 via 10.0.0.2 dev 2");
	bed_fpm(&bed, "add bgp 203.0.113.0/24 via 10.0.0.2 dev 2");
	assert_int_equal(fib_route(bed.fib, FIB_FPM, rt_words("add bgp " P " via 10.0.1.2 dev 3")),
			 -ENOSPC);
	bed_run(&bed);
	assert_string_equal(bed_leads(&bed, "0.0.0.0/0"), "trapped");
	assert_string_equal(bed_leads(&bed, "203.0.113.0/24"), "forward 2");
	fib_counts(bed.fib, &counts);
	assert_int_equal(counts.refused, 1);
	/* with room again, what might cover the forgotten one stays with Linux until a resync */
	bed_fpm(&bed, "del 203.0.113.0/24");
	bed_fpm(&bed, "add bgp 198.51.0.0/16 via 10.0.0.2 dev 2");
	assert_string_equal(bed_leads(&bed, "198.51.0.0/16"), "trapped");
	fib_resync_begin(bed.fib, FIB_FPM);
	bed_fpm(&bed, "add bgp 0.0.0.0/0 via 10.0.0.2 dev 2");
	bed_fpm(&bed, "add bgp 198.51.0.0/16 via 10.0.0.2 dev 2");
	fib_resync_sweep(bed.fib, FIB_FPM);
	bed_run(&bed);
	assert_string_equal(bed_leads(&bed, "0.0.0.0/0"), "forward 2");
	assert_string_equal(bed_leads(&bed, "198.51.0.0/16"), "forward 2");
	bed_fpm(&bed, "del 0.0.0.0/0");
	bed_fpm(&bed, "del 198.51.0.0/16");
	fib_free(bed.fib);
	sim_free(bed.sim);
}

static void test_adoption(void **state)
{
	struct bed *bed = *state;
	struct fib_limits limits = { 0 };
	uint8_t before[1024], after[1024];

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 via 10.0.1.2 dev 3");
	bed_fpm(bed, "add bgp 203.0.113.0/24 via 10.0.0.2 dev 2");
	bed_fpm(bed, "add bgp 192.0.2.0/24 via 10.0.1.2 dev 3");
	snapshot(bed, P, before);
	fib_free(bed->fib);

	bed->fib = fib_new(&limits);
	sim_adopt(bed->sim, bed->fib);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"), "forward 2");
	bed_facts(bed);
	bed_fpm(bed, "add bgp " P " nhid 77"); /* not announced yet: the old way serves */
	snapshot(bed, P, after);
	assert_memory_equal(before, after, sizeof(before));
	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 via 10.0.1.2 dev 3");
	bed_fpm(bed, "add bgp 203.0.113.0/24 via 10.0.1.2 dev 3");
	assert_string_equal(bed_leads(bed, "203.0.113.0/24"), "forward 3");
	assert_string_equal(bed_leads(bed, "192.0.2.0/24"), "forward 3");
	fib_adopt_end(bed->fib);
	bed_run(bed);
	assert_string_equal(bed_leads(bed, "192.0.2.0/24"), "nothing");
	snapshot(bed, P, after);
	assert_memory_equal(before, after, sizeof(before)); /* no flow has moved */
	sim_check_no_leaks(bed->sim, bed->fib);
	bed_fpm(bed, "del " P);
	bed_fpm(bed, "del 203.0.113.0/24");
}

static void test_status(void **state)
{
	struct bed *bed = *state;
	struct fib_status status;

	fib_status_enable(bed->fib, true);
	bed_fpm(bed, "add bgp " P " nhid 5");
	assert_false(fib_status_next(bed->fib, &status)); /* pending is not reported */
	bed_fpm(bed, "nh 5 via 10.0.0.2 dev 2");
	assert_true(fib_status_next(bed->fib, &status));
	assert_int_equal(status.state, FIB_ST_OFFLOADED);
	assert_int_equal(status.protocol, 186);
	assert_int_equal(status.rtm_type, 1);
	assert_false(fib_status_next(bed->fib, &status));
	/* the same route once more is a new entry in zebra and needs a new status */
	bed_fpm(bed, "add bgp " P " nhid 5");
	assert_true(fib_status_next(bed->fib, &status));
	bed_fpm(bed, "nh 5 via 10.0.0.2 dev 2 encap mpls");
	assert_true(fib_status_next(bed->fib, &status));
	assert_int_equal(status.state, FIB_ST_TRAPPED);
	bed->sim->room = 0;
	bed_fpm(bed, "add bgp 203.0.113.0/24 via 10.0.0.2 dev 2");
	assert_true(fib_status_next(bed->fib, &status));
	assert_int_equal(status.state, FIB_ST_FAILED);
	bed->sim->room = SIM_PREFIXES;
	bed_fpm(bed, "add kernel 192.0.2.0/24 dev 2"); /* zebra takes no status for those */
	assert_false(fib_status_next(bed->fib, &status));
	bed_fpm(bed, "del 192.0.2.0/24");
	bed_fpm(bed, "del 203.0.113.0/24");
	bed_fpm(bed, "del " P);
	bed_fpm(bed, "nhdel 5");
}

static void test_vrf(void **state)
{
	struct bed *bed = *state;

	bed_fpm(bed, "add bgp " P " via 10.0.0.2 dev 2 table 100");
	assert_null(sim_find(bed->sim, 100, P));
	assert_int_equal(fib_vrf(bed->fib, 100, true), 0);
	bed_run(bed);
	assert_non_null(sim_find(bed->sim, 100, P));
	assert_string_equal(bed_leads(bed, P), "nothing");
	fib_vrf(bed->fib, 100, false);
	bed_run(bed);
	assert_null(sim_find(bed->sim, 100, P));
	bed_fpm(bed, "del " P " table 100");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, bed_setup, bed_teardown)
		T(test_fpm_route), T(test_ids),		 T(test_groups_of_groups),
		T(test_sources),   T(test_kernel_first), T(test_kernel_metrics),
		T(test_local),	   T(test_ipv6),	 T(test_ecmp_is_stable),
		T(test_weights),   T(test_neighbours),	 T(test_sweep),
		T(test_map_full),  T(test_table_limit),	 T(test_adoption),
		T(test_status),	   T(test_vrf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
