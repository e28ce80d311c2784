/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts: the one list of bpf/fx_abi.h as tables. */
#include "lib/verdict.h"

static const struct {
	const char *name;
	enum verdict_kind kind;
} verdict_table[] = {
#define VERDICT_OK(id, text)   [FX_V_##id] = { text, VERDICT_FORWARDED },
#define VERDICT_PASS(id, text) [FX_V_##id] = { text, VERDICT_PASSED },
#define VERDICT_DROP(id, text) [FX_V_##id] = { text, VERDICT_DROPPED },
	FX_VERDICTS(VERDICT_OK, VERDICT_PASS, VERDICT_DROP)
#undef VERDICT_OK
#undef VERDICT_PASS
#undef VERDICT_DROP
};

const char *verdict_name(uint32_t verdict)
{
	return verdict < FX_V_COUNT ? verdict_table[verdict].name : "unknown";
}

enum verdict_kind verdict_kind(uint32_t verdict)
{
	return verdict < FX_V_COUNT ? verdict_table[verdict].kind : VERDICT_PASSED;
}

const char *verdict_kind_name(enum verdict_kind kind)
{
	switch (kind) {
	case VERDICT_FORWARDED:
		return "forwarded";
	case VERDICT_PASSED:
		return "passed";
	case VERDICT_DROPPED:
		break;
	}
	return "dropped";
}
