/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A model with three links, a few neighbours and simulated maps, for tests of single events. */
#ifndef FX_TESTS_LIB_FIB_BED_H
#define FX_TESTS_LIB_FIB_BED_H

#include "tests/lib/fib_sim.h"
#include "tests/lib/rt_words.h"

struct bed {
	struct fib *fib;
	struct fib_sim *sim;
};

extern const uint8_t bed_mac_a[6], bed_mac_b[6];

int bed_setup(void **state); /* for cmocka: *state is the bed */
int bed_teardown(void **state);

void bed_link(struct bed *bed, uint32_t ifindex, bool up);
void bed_neigh(struct bed *bed, uint32_t ifindex, const char *text, const uint8_t *mac);
void bed_facts(struct bed *bed); /* tells the links and neighbours once more, to a new model */
void bed_run(struct bed *bed);	 /* until the maps are as they should be */
/* A fact in words (rt_words.h), of one source; bed_say() leaves the maps as they are. */
void bed_say(struct bed *bed, enum fib_source source, const char *words);
void bed_fpm(struct bed *bed, const char *words);
void bed_kernel(struct bed *bed, const char *words);
/* What a prefix leads to, in words. */
const char *bed_leads(struct bed *bed, const char *prefix);

#endif
