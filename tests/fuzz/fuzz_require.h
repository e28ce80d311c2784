/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A promise that a fuzzer holds the code to. */
#ifndef FX_TESTS_FUZZ_REQUIRE_H
#define FX_TESTS_FUZZ_REQUIRE_H

#include <stdio.h>
#include <stdlib.h>

static inline void fuzz_require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

#endif
