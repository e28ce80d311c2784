/* SPDX-License-Identifier: GPL-2.0-or-later */
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

const uint8_t bed_mac_a[6] = { 2, 0, 0, 0, 0, 0xa }, bed_mac_b[6] = { 2, 0, 0, 0, 0, 0xb };

void bed_link(struct bed *bed, uint32_t ifindex, bool up)
{
	struct fib_link link = { .ifindex = ifindex,
				 .up = up,
				 .xdp_tx = true,
				 .xdp_sg = true,
				 .ether = true,
				 .mtu = 1500,
				 .mac = { 2, 0, 0, 0, 1, (uint8_t)ifindex } };

	snprintf(link.name, sizeof(link.name), "eth%u", ifindex);
	assert_int_equal(fib_link(bed->fib, &link), 0);
}

void bed_neigh(struct bed *bed, uint32_t ifindex, const char *text, const uint8_t *mac)
{
	struct fx_addr addr;

	assert_int_equal(fx_addr_parse(text, &addr), 0);
	if (mac)
		assert_int_equal(fib_neigh(bed->fib, ifindex, &addr, mac), 0);
	else
		fib_neigh_del(bed->fib, ifindex, &addr);
}

void bed_facts(struct bed *bed)
{
	bed_link(bed, 2, true);
	bed_link(bed, 3, true);
	bed_link(bed, 4, true);
	bed_neigh(bed, 2, "10.0.0.2", bed_mac_a);
	bed_neigh(bed, 3, "10.0.1.2", bed_mac_b);
	bed_neigh(bed, 4, "10.0.2.2", bed_mac_b);
	bed_neigh(bed, 2, "fe80::2", bed_mac_a);
}

int bed_setup(void **state)
{
	struct bed *bed = calloc(1, sizeof(*bed));
	struct fib_limits limits = { 0 };

	bed->fib = fib_new(&limits);
	bed->sim = sim_new();
	bed->sim->check_all = true;
	assert_non_null(bed->fib);
	bed_facts(bed);
	*state = bed;
	return 0;
}

int bed_teardown(void **state)
{
	struct bed *bed = *state;

	sim_check_no_leaks(bed->sim, bed->fib);
	fib_free(bed->fib);
	sim_free(bed->sim);
	free(bed);
	return 0;
}

void bed_say(struct bed *bed, enum fib_source source, const char *words)
{
	assert_int_equal(fib_route(bed->fib, source, rt_words(words)), 0);
}

void bed_run(struct bed *bed)
{
	sim_run(bed->sim, bed->fib, 64);
}

void bed_fpm(struct bed *bed, const char *words)
{
	bed_say(bed, FIB_FPM, words);
	bed_run(bed);
}

void bed_kernel(struct bed *bed, const char *words)
{
	bed_say(bed, FIB_KERNEL, words);
	bed_run(bed);
}

const char *bed_leads(struct bed *bed, const char *prefix)
{
	static char buf[64];
	uint64_t word = sim_word(bed->sim, prefix);
	struct fx_adj *adj = sim_choose(bed->sim, prefix, 0);
	uint32_t kind;

	if (!word)
		return "nothing";
	if (word < FX_GID_FIRST) {
		static const char *const fixed[] = { "none",	  "local",	 "not-unicast",
						     "blackhole", "unreachable", "trapped",
						     "pending",	  "no-route" };
		return fixed[word];
	}
	if (FX_GROUP_KIND(word) == FX_GROUP_HASH)
		return "hash";
	if (!adj)
		return FX_GROUP_KIND(word) == FX_GROUP_DROP ? "drop" : "pass";
	kind = FX_ADJ_KIND(adj->word0);
	snprintf(buf, sizeof(buf), "%s %u",
		 kind == FX_ADJ_FORWARD			       ? "forward"
		 : kind == FX_ADJ_GLEAN			       ? "glean"
		 : FX_ADJ_VERDICT(adj->word0) == FX_V_NEIGHBOR ? "no-neighbor"
		 : FX_ADJ_VERDICT(adj->word0) == FX_V_PENDING  ? "in doubt"
							       : "link-down",
		 FX_ADJ_IFINDEX(adj->word0));
	return buf;
}
