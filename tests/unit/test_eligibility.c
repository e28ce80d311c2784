/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eligibility: each fact gives its reason in the families that it concerns, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/eligibility.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define WHY(name)     (1u << ELIGIBLE_##name)

/* A router's port as it should be. */
#define GOOD	      .known = true, .ether = true, .forwarding4 = true, .forwarding6 = true

struct judge_case {
	const char *what;
	struct eligibility_facts facts;
	uint32_t why4, why6;
};

static const struct judge_case judge_cases[] = {
	{ "nothing in the way", { GOOD }, 0, 0 },
	{ "no fact known", { .known = false }, WHY(UNKNOWN), WHY(UNKNOWN) },
	{ "a fact missing, though the others look good",
	  { GOOD, .known = false },
	  WHY(UNKNOWN),
	  WHY(UNKNOWN) },
	{ "IPv4 forwarding off on the interface",
	  { GOOD, .forwarding4 = false },
	  WHY(FORWARDING),
	  0 },
	{ "IPv6 forwarding off", { GOOD, .forwarding6 = false }, 0, WHY(FORWARDING) },
	{ "strict source validation", { GOOD, .rp_filter = 1 }, WHY(RP_FILTER), 0 },
	{ "loose source validation", { GOOD, .rp_filter = 2 }, WHY(RP_FILTER), 0 },
	{ "a policy rule of IPv4", { GOOD, .rules4 = 1 }, WHY(RULES), 0 },
	{ "policy rules of IPv6", { GOOD, .rules6 = 300 }, 0, WHY(RULES) },
	{ "an IPv4 hook", { GOOD, .netfilter4 = true }, WHY(NETFILTER), 0 },
	{ "an IPv6 hook", { GOOD, .netfilter6 = true }, 0, WHY(NETFILTER) },
	{ "an IPsec policy", { GOOD, .xfrm4 = true, .xfrm6 = true }, WHY(XFRM), WHY(XFRM) },
	{ "a bridge port", { GOOD, .enslaved = true }, WHY(MASTER), WHY(MASTER) },
	{ "below an ipvlan", { GOOD, .taken = true }, WHY(TAKEN), WHY(TAKEN) },
	{ "a tunnel", { GOOD, .ether = false }, WHY(NOT_ETHERNET), WHY(NOT_ETHERNET) },
	{ "clsact", { GOOD, .ingress_filter = true }, WHY(QDISC), WHY(QDISC) },
	{ "IPv6 switched off", { GOOD, .disabled6 = true }, 0, WHY(IPV6_DISABLED) },
	{ "neighbour proxy of IPv6", { GOOD, .proxy_ndp = true }, 0, WHY(PROXY_NDP) },
	{ "ICMP is believed", { GOOD, .learns4 = true }, WHY(LEARNS), 0 },
	{ "several at once: each is told",
	  { GOOD, .forwarding4 = false, .rp_filter = 2, .rules4 = 2, .netfilter6 = true },
	  WHY(FORWARDING) | WHY(RP_FILTER) | WHY(RULES),
	  WHY(NETFILTER) },
};

static void judge(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(judge_cases); i++) {
		const struct judge_case *c = &judge_cases[i];
		struct eligibility got = { .why4 = 0xdead, .why6 = 0xdead };

		print_message("%s\n", c->what);
		eligibility_judge(&c->facts, &got);
		assert_int_equal(got.why4, c->why4);
		assert_int_equal(got.why6, c->why6);
	}
}

static void names(void **state)
{
	for (unsigned int i = 0; i < ELIGIBLE_REASONS; i++) {
		const char *name = eligibility_reason_name(i);

		assert_non_null(name);
		for (unsigned int j = 0; j < i; j++)
			assert_string_not_equal(name, eligibility_reason_name(j));
	}
	assert_string_equal(eligibility_reason_name(ELIGIBLE_RP_FILTER), "rp-filter");
	assert_string_equal(eligibility_reason_name(ELIGIBLE_REASONS), "unknown");
}

static void text(void **state)
{
	char buf[ELIGIBILITY_TEXT_SIZE];

	assert_string_equal(eligibility_text(0, buf), "");
	assert_string_equal(
		eligibility_text(1u << ELIGIBLE_RP_FILTER | 1u << ELIGIBLE_FORWARDING, buf),
		"forwarding-off,rp-filter");
	assert_true(strlen(eligibility_text(UINT32_MAX, buf)) < ELIGIBILITY_TEXT_SIZE - 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judge),
		cmocka_unit_test(names),
		cmocka_unit_test(text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
