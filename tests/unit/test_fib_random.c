/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model under random events, with fixed seeds. What the maps hold in the end depends on the
 * facts alone, not on how they came about: a churned model and a fresh one that is told the final
 * facts forward alike, bucket by bucket. On the way every step keeps the order that fib_sim checks,
 * and after everything is withdrawn nothing is left in the maps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/list.h"
#include "tests/lib/fib_sim.h"
#include "tests/lib/rt_words.h"

#define PREFIXES 24
#define IDS	 10
#define LINKS	 4
#define HOSTS	 3
#define EVENTS	 250
#define SEEDS	 40

static const char *const prefixes[PREFIXES] = {
	"0.0.0.0/0",
	"10.0.0.0/8",
	"10.1.0.0/16",
	"10.1.2.0/24",
	"10.1.2.3/32",
	"10.128.0.0/9",
	"128.0.0.0/1",
	"192.0.2.0/24",
	"192.0.2.128/25",
	"198.51.100.0/31",
	"203.0.113.7/32",
	"224.0.0.0/4",
	"::/0",
	"2001:db8::/32",
	"2001:db8:1::/48",
	"2001:db8:1::/64",
	"2001:db8:1::1/128",
	"fd00::/8",
	"8000::/1",
	"2001:db8:1::2/127",
	"172.16.0.0/12",
	"172.16.0.0/13",
	"172.16.0.0/14",
	"172.16.0.0/15",
};

struct facts {
	char fpm[PREFIXES][256];
	char kernel[PREFIXES][256]; /* one each, metric 20 */
	char ids[IDS][256];
	bool up[LINKS];
	uint8_t mac[LINKS][HOSTS]; /* 0: no neighbour */
	bool kernel_first;
};

static uint64_t seed;

static uint32_t pick(uint32_t n)
{
	seed++;
	return (uint32_t)(fx_mix64(seed) % n);
}

static void say_path(char *text, size_t size, bool v6)
{
	uint32_t host = pick(HOSTS + 1), link = pick(LINKS) + 2;
	size_t n = strlen(text);

	if (host < HOSTS)
		n += (size_t)snprintf(text + n, size - n, v6 ? " via fe80::%u" : " via 10.0.0.%u",
				      host + 1);
	n += (size_t)snprintf(text + n, size - n, " dev %u", link);
	if (pick(3) == 0)
		snprintf(text + n, size - n, " weight %u", pick(5) + 1);
}

static void say_route(char *text, size_t size, uint32_t at, bool kernel)
{
	bool v6 = strchr(prefixes[at], ':');
	uint32_t what = pick(10), paths = 1 + pick(3);
	size_t n = (size_t)snprintf(text, size, "add %s %s%s", pick(6) ? "bgp" : "static",
				    prefixes[at], kernel ? " metric 20" : "");

	if (what == 0)
		snprintf(text + n, size - n, " blackhole");
	else if (what == 1)
		snprintf(text + n, size - n, " unreachable");
	else if (what < 6)
		snprintf(text + n, size - n, " nhid %u%s", pick(IDS) + 1,
			 pick(8) ? "" : " mtu 1400");
	else
		while (paths--)
			say_path(text, size, v6);
}

static void say_id(char *text, size_t size, uint32_t id)
{
	uint32_t members = 1 + pick(4);
	size_t n;

	if (pick(2)) {
		n = (size_t)snprintf(text, size, "group %u", id);
		while (members--)
			n += (size_t)snprintf(text + n, size - n, " %u*%u", pick(IDS) + 1,
					      pick(3) + 1);
		return;
	}
	snprintf(text, size, "nh %u", id);
	if (pick(8) == 0) {
		strncat(text, " blackhole", size - strlen(text) - 1);
		return;
	}
	say_path(text, size, false);
	if (pick(10) == 0)
		strncat(text, " encap mpls", size - strlen(text) - 1);
}

static void tell(struct fib *fib, enum fib_source source, const char *words)
{
	if (*words)
		assert_int_equal(fib_route(fib, source, rt_words(words)), 0);
}

static void tell_link(struct fib *fib, const struct facts *facts, uint32_t at)
{
	struct fib_link link = { .ifindex = at + 2,
				 .up = facts->up[at],
				 .xdp_tx = true,
				 .ether = true,
				 .mtu = 1500,
				 .mac = { 2, 0, 0, 0, 1, (uint8_t)at } };

	assert_int_equal(fib_link(fib, &link), 0);
}

static void tell_host(struct fib *fib, const struct facts *facts, uint32_t link, uint32_t host)
{
	uint8_t mac[6] = { 2, 0, 0, 0, 2, facts->mac[link][host] };
	struct fx_addr addr;
	char text[32];
	int v6;

	for (v6 = 0; v6 < 2; v6++) {
		snprintf(text, sizeof(text), v6 ? "fe80::%u" : "10.0.0.%u", host + 1);
		assert_int_equal(fx_addr_parse(text, &addr), 0);
		if (facts->mac[link][host])
			assert_int_equal(fib_neigh(fib, link + 2, &addr, mac), 0);
		else
			fib_neigh_del(fib, link + 2, &addr);
	}
}

/* The kernel tells all of a route when it goes, zebra only its prefix. */
static void forget(struct fib *fib, enum fib_source source, char *fact, const char *prefix)
{
	char words[300];

	if (source == FIB_KERNEL && *fact)
		snprintf(words, sizeof(words), "del%s", strchr(fact + 4, ' '));
	else
		snprintf(words, sizeof(words), "del %s", prefix);
	*fact = '\0';
	tell(fib, source, words);
}

static void event(struct fib *fib, struct facts *facts)
{
	uint32_t at = pick(PREFIXES), id = pick(IDS), link = pick(LINKS), host = pick(HOSTS);
	char words[64];

	switch (pick(12)) {
	case 0:
	case 1:
	case 2:
		say_route(facts->fpm[at], sizeof(facts->fpm[at]), at, false);
		tell(fib, FIB_FPM, facts->fpm[at]);
		break;
	case 3:
		forget(fib, FIB_FPM, facts->fpm[at], prefixes[at]);
		break;
	case 4:
	case 5:
		if (*facts->kernel[at])
			forget(fib, FIB_KERNEL, facts->kernel[at], prefixes[at]);
		say_route(facts->kernel[at], sizeof(facts->kernel[at]), at, true);
		tell(fib, FIB_KERNEL, facts->kernel[at]);
		break;
	case 6:
		forget(fib, FIB_KERNEL, facts->kernel[at], prefixes[at]);
		break;
	case 7:
	case 8:
		say_id(facts->ids[id], sizeof(facts->ids[id]), id + 1);
		tell(fib, FIB_FPM, facts->ids[id]);
		tell(fib, FIB_KERNEL, facts->ids[id]);
		break;
	case 9:
		snprintf(words, sizeof(words), "nhdel %u", id + 1);
		facts->ids[id][0] = '\0';
		tell(fib, FIB_FPM, words);
		tell(fib, FIB_KERNEL, words);
		break;
	case 10:
		facts->up[link] = !facts->up[link];
		tell_link(fib, facts, link);
		break;
	case 11:
		facts->mac[link][host] = (uint8_t)pick(4);
		tell_host(fib, facts, link, host);
		if (pick(6) == 0) {
			facts->kernel_first = !facts->kernel_first;
			fib_kernel_first(fib, facts->kernel_first);
		}
		break;
	}
}

static void tell_all(struct fib *fib, const struct facts *facts)
{
	uint32_t i, j;

	fib_kernel_first(fib, facts->kernel_first);
	for (i = 0; i < LINKS; i++) {
		tell_link(fib, facts, i);
		for (j = 0; j < HOSTS; j++)
			tell_host(fib, facts, i, j);
	}
	for (i = 0; i < PREFIXES; i++) {
		tell(fib, FIB_FPM, facts->fpm[PREFIXES - 1 - i]);
		tell(fib, FIB_KERNEL, facts->kernel[i]);
	}
	for (i = 0; i < IDS; i++) {
		tell(fib, FIB_FPM, facts->ids[i]);
		tell(fib, FIB_KERNEL, facts->ids[IDS - 1 - i]);
	}
}

static void tell_dumped(struct fib *fib, const char *fact)
{
	char words[320];

	if (!*fact)
		return;
	snprintf(words, sizeof(words), "%s dump", fact);
	tell(fib, FIB_KERNEL, words);
}

/* What ends every doubt: about routes whose nexthop or link went and came back. */
static void dump_kernel(struct fib *fib, const struct facts *facts)
{
	uint32_t i;

	fib_resync_begin(fib, FIB_KERNEL);
	for (i = 0; i < IDS; i++)
		tell_dumped(fib, facts->ids[i]);
	for (i = 0; i < PREFIXES; i++)
		tell_dumped(fib, facts->kernel[i]);
	fib_resync_sweep(fib, FIB_KERNEL);
}

static void withdraw_all(struct fib *fib, struct facts *facts)
{
	uint32_t i, j;

	fib_resync_begin(fib, FIB_FPM);
	fib_resync_begin(fib, FIB_KERNEL);
	fib_resync_sweep(fib, FIB_FPM);
	fib_resync_sweep(fib, FIB_KERNEL);
	memset(facts->mac, 0, sizeof(facts->mac));
	for (i = 0; i < LINKS; i++) {
		for (j = 0; j < HOSTS; j++)
			tell_host(fib, facts, i, j);
		fib_link_del(fib, i + 2);
	}
}

static struct fib *fresh(void)
{
	struct fib_limits limits = { 0 };
	struct fib *fib = fib_new(&limits);

	assert_non_null(fib);
	return fib;
}

/* The summary's counts of states are those of the list. */
static void check_counts(struct fib *fib)
{
	uint32_t states[FIB_STATES] = { 0 };
	struct fib_route_view route;
	struct fib_counts counts;
	uint64_t cursor = 0;

	while (fib_route_next(fib, &cursor, &route))
		states[route.state]++;
	fib_counts(fib, &counts);
	assert_memory_equal(counts.states, states, sizeof(states));
}

static void one_seed(uint64_t number, bool check_all, bool restart)
{
	struct fib_sim *sim = sim_new(), *again = sim_new();
	struct fib *fib = fresh(), *other = fresh();
	struct fib_counts counts;
	struct facts facts = { 0 };
	int i;

	seed = number << 32;
	sim->check_all = check_all;
	tell_all(fib, &facts);
	for (i = 0; i < EVENTS; i++) {
		event(fib, &facts);
		if (pick(3) == 0)
			sim_run(sim, fib, 16 + pick(100));
		if (restart && i == EVENTS / 2) {
			sim_run(sim, fib, 64);
			fib_free(fib);
			fib = fresh();
			sim_adopt(sim, fib);
			tell_all(fib, &facts);
		}
		if (restart && i == EVENTS - 20)
			fib_adopt_end(fib);
	}
	sim_run(sim, fib, 64);
	sim_check_no_leaks(sim, fib);
	check_counts(fib);
	dump_kernel(fib, &facts);
	sim_run(sim, fib, 64);
	tell_all(other, &facts);
	sim_run(again, other, 1000);
	assert_int_equal(sim_digest(sim), sim_digest(again));

	withdraw_all(fib, &facts);
	sim_run(sim, fib, 16);
	assert_int_equal(sim->nprefixes, 0);
	sim_check_no_leaks(sim, fib);
	fib_counts(fib, &counts);
	assert_int_equal(counts.adjs + counts.groups + counts.neighs + counts.quarantined, 0);
	assert_int_equal(counts.fpm + counts.kernel + counts.routes4 + counts.routes6, 0);
	fib_free(fib);
	fib_free(other);
	sim_free(sim);
	sim_free(again);
}

static void test_history_does_not_matter(void **state)
{
	uint64_t i;

	(void)state;
	for (i = 1; i <= SEEDS; i++)
		one_seed(i, i <= 2, false);
}

static void test_restart_does_not_matter(void **state)
{
	uint64_t i;

	(void)state;
	for (i = 1; i <= SEEDS; i++)
		one_seed(1000 + i, i <= 2, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_history_does_not_matter),
		cmocka_unit_test(test_restart_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
