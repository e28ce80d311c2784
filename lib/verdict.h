/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and kinds of the verdicts of bpf/fx_abi.h. Pure. */
#ifndef FX_LIB_VERDICT_H
#define FX_LIB_VERDICT_H

#include <stdint.h>

#include "bpf/fx_abi.h"

enum verdict_kind {
	VERDICT_FORWARDED,
	VERDICT_PASSED, /* left to Linux */
	VERDICT_DROPPED,
};

/* The stable text that counters and `show route` use; "unknown" beyond the list (never NULL). */
const char *verdict_name(uint32_t verdict);
enum verdict_kind verdict_kind(uint32_t verdict); /* beyond the list: passed */
/* "forwarded", "passed", "dropped". */
const char *verdict_kind_name(enum verdict_kind kind);

#endif
