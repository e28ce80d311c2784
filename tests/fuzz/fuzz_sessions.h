/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of BFD sessions under a fuzzer: what is to be done is done, on nothing, and each promise
 * that can be checked is. A broken one aborts.
 */
#ifndef FX_TESTS_FUZZ_SESSIONS_H
#define FX_TESTS_FUZZ_SESSIONS_H

#include <stdint.h>

#include "bfddp-xdp/bfd_table.h"
#include "tests/fuzz/fuzz_require.h"

#define FUZZ_OWNER 1u

struct fuzz_sessions {
	struct bfd_table *table;
	uint64_t now_ns;
	uint32_t random;
};

void fuzz_sessions_init(struct fuzz_sessions *f);
/* A message of bfdd's. */
void fuzz_sessions_message(struct fuzz_sessions *f, const struct dp_msg *msg);
/* entry may be NULL. */
void fuzz_sessions_act(struct fuzz_sessions *f, struct bfd_entry *entry, uint32_t todo);
/* Time passes; all timers run. */
void fuzz_sessions_advance(struct fuzz_sessions *f, uint64_t ns);
void fuzz_sessions_done(struct fuzz_sessions *f);

#endif
