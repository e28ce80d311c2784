/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forwarding model under a fuzzer, with maps that are arrays here: every step of the plan is
 * executed on them, and each promise of fib.h that can be checked is. A broken one aborts.
 */
#ifndef FX_TESTS_FUZZ_MODEL_H
#define FX_TESTS_FUZZ_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/fib.h"
#include "fpm-xdp/rt_op.h"
#include "tests/fuzz/fuzz_require.h"

#define FUZZ_ADJS    64u
#define FUZZ_GROUPS  64u
#define FUZZ_BUCKETS 2048u

struct fuzz_model {
	struct fib *fib;
	uint8_t adjs[FUZZ_ADJS]; /* 1: written once at least */
	uint8_t groups[FUZZ_GROUPS];
	uint8_t buckets[FUZZ_BUCKETS];
};

/* What the corpus speaks of: interfaces 6 and 7 up, 8 down, some neighbours, VRF table 10. */
void fuzz_model_init(struct fuzz_model *model);
/* A decoder's result: checked, then given to the model. */
void fuzz_model_apply(struct fuzz_model *model, enum fib_source source, const struct rt_op *op);
/* Something else happens: links go up, down and away, neighbours come and go, a plan is executed in
 * between, a resync begins or ends. Any value of the three is an event or nothing. */
void fuzz_model_event(struct fuzz_model *model, unsigned int event, uint32_t ifindex, bool on);
/* Plan, execute, look at everything; then a resync in which nothing is seen again. */
void fuzz_model_done(struct fuzz_model *model);

#endif
