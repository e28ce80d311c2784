/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CLI's words: what is understood, what goes to the daemon, what is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cli/command.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int parse(const char *line, struct command *ret, char error[256])
{
	char text[256], *argv[16], *rest = text;
	int argc = 0;

	snprintf(text, sizeof(text), "%s", line);
	while (rest && *rest && argc < 16)
		argv[argc++] = strsep(&rest, " ");
	return command_parse(argc, argv, ret, error, 256);
}

struct good_case {
	const char *line, *request;
	enum command_id id;
	bool json;
	unsigned long count;
};

static const struct good_case good_cases[] = {
	{ "show summary", "show summary", COMMAND_SHOW_SUMMARY, false, 0 },
	{ "show summary json", "show summary", COMMAND_SHOW_SUMMARY, true, 0 },
	{ "sh sum", "show summary", COMMAND_SHOW_SUMMARY, false, 0 },
	{ "show nex json", "show nexthop-group", COMMAND_SHOW_GROUP, true, 0 },
	{ "show route", "show route", COMMAND_SHOW_ROUTE, false, 0 },
	{ "show route 10.0.0.0/8", "show route 10.0.0.0/8", COMMAND_SHOW_ROUTE, false, 0 },
	{ "show route 0.0.0.0/0 json", "show route 0.0.0.0/0", COMMAND_SHOW_ROUTE, true, 0 },
	{ "show route 2001:DB8:0::/32", "show route 2001:db8::/32", COMMAND_SHOW_ROUTE, false, 0 },
	{ "show route 10.1.2.3", "show route 10.1.2.3", COMMAND_SHOW_ROUTE_LOOKUP, false, 0 },
	{ "show route ::1 from ::2 json", "show route ::1 from ::2", COMMAND_SHOW_ROUTE_LOOKUP,
	  true, 0 },
	{ "show route 10.1.2.3 from 10.9.9.9 udp 4000 53 json",
	  "show route 10.1.2.3 from 10.9.9.9 17 4000 53", COMMAND_SHOW_ROUTE_LOOKUP, true, 0 },
	{ "show route 10.1.2.3 from 10.9.9.9 47 0 0", "show route 10.1.2.3 from 10.9.9.9 47 0 0",
	  COMMAND_SHOW_ROUTE_LOOKUP, false, 0 },
	{ "show bfd peers", "show bfd peers", COMMAND_SHOW_BFD_PEERS, false, 0 },
	{ "show bfd peers brief", "show bfd peers", COMMAND_SHOW_BFD_PEERS, false, 0 },
	{ "show bfd peers brief json", "show bfd peers", COMMAND_SHOW_BFD_PEERS, true, 0 },
	{ "sh b c json", "show bfd counters", COMMAND_SHOW_BFD_COUNTERS, true, 0 },
	{ "show route 10.1.2.3 from 10.9.9.9 icmp json", "show route 10.1.2.3 from 10.9.9.9 1 0 0",
	  COMMAND_SHOW_ROUTE_LOOKUP, true, 0 },
	{ "show route 10.1.2.3 from 10.9.9.9 gre", "show route 10.1.2.3 from 10.9.9.9 47 0 0",
	  COMMAND_SHOW_ROUTE_LOOKUP, false, 0 },
	{ "clear counters", "clear counters", COMMAND_CLEAR_COUNTERS, false, 0 },
	{ "monitor", "monitor", COMMAND_MONITOR, false, 0 },
	{ "monitor --count 3", "monitor", COMMAND_MONITOR, false, 3 },
	{ "detach", "detach", COMMAND_DETACH, false, 0 },
	{ "doctor json", "doctor", COMMAND_DOCTOR, true, 0 },
};

static void understood(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(good_cases); i++) {
		const struct good_case *c = &good_cases[i];
		struct command got;
		char error[256] = "";

		print_message("%s\n", c->line);
		assert_int_equal(parse(c->line, &got, error), 0);
		assert_int_equal(got.id, c->id);
		assert_int_equal(got.json, c->json);
		assert_int_equal(got.count, c->count);
		assert_string_equal(got.request, c->request);
	}
}

static void briefly(void **state)
{
	struct command got;
	char error[256] = "";

	assert_int_equal(parse("show bfd peers brief json", &got, error), 0);
	assert_true(got.brief);
	assert_int_equal(parse("show bfd peers json", &got, error), 0);
	assert_false(got.brief);
	assert_int_equal(parse("show bfd counters brief", &got, error), -EINVAL);
	assert_int_equal(parse("show bfd", &got, error), -EINVAL);
}

static void refused(void **state)
{
	static const struct {
		const char *line, *error;
	} cases[] = {
		{ "", "command missing" },
		{ "show",
		  "incomplete command: show ... (summary, route, nexthop-group, neighbor, " },
		{ "sh bfd", "incomplete command: bfd ... (peers, counters, summary)" },
		{ "clear", "incomplete command: clear ... (counters)" },
		{ "monitor --count", "incomplete command: --count N" },
		{ "show nothing", "unknown command: nothing (one of summary, route, " },
		{ "show sumary", "unknown command: sumary (did you mean \"summary\"?)" },
		{ "show bfd pers", "unknown command: pers (did you mean \"peers\"?)" },
		{ "shwo route", "unknown command: shwo (did you mean \"show\"?)" },
		{ "show n", "ambiguous command: show n" },
		{ "d", "ambiguous command: d" },
		{ "shower summary", "unknown command" },
		{ "show summary now", "too many words: now" },
		{ "show summary json json", "too many words: json" },
		{ "show route 10.0.0.1/8", "not a prefix" },
		{ "show route 10.0.0.0/33", "not a prefix" },
		{ "show route example", "neither an address nor a prefix: example" },
		{ "show route 10.0.0.0/8 from 10.0.0.1", "too many words: from" },
		{ "show route 10.0.0.1 via 10.0.0.2", "\"from\" expected: via" },
		{ "show route 10.0.0.1 from", "usage" },
		{ "show route 10.0.0.1 from x", "not an address of the same family: x" },
		{ "show route 10.0.0.1 from ::1", "not an address of the same family: ::1" },
		{ "show route 10.0.0.1 from 10.0.0.2 udp", "ports missing" },
		{ "show route 10.0.0.1 from 10.0.0.2 udp 53", "usage" },
		{ "show route 10.0.0.1 from 10.0.0.2 foo", "not a protocol (a number, or tcp" },
		{ "show route 10.0.0.1 from 10.0.0.2 256 1 1", "icmp6, gre, sctp): 256" },
		{ "show route 10.0.0.1 from 10.0.0.2 udp 65536 1", "not a port: 65536" },
		{ "show route 10.0.0.1 from 10.0.0.2 udp 1 -1", "not a port: -1" },
		{ "monitor json", "too many words: json" },
		{ "monitor --count 0", "not a count: 0" },
		{ "monitor --count many", "not a count: many" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct command got = { .count = 77 };
		char error[256] = "";

		print_message("%s\n", cases[i].line);
		assert_int_equal(parse(cases[i].line, &got, error), -EINVAL);
		assert_int_equal(got.count, 77);
		assert_non_null(strstr(error, cases[i].error));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(understood),
		cmocka_unit_test(briefly),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
