/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cutting a JSON object into its members: the same whatever the pieces in which it arrives. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "cli/members.h"

struct seen {
	char text[512];
	int answer;
};

static int note(void *arg, struct json_object *one)
{
	struct seen *seen = arg;

	strncat(seen->text, json_object_to_json_string_ext(one, JSON_C_TO_STRING_PLAIN),
		sizeof(seen->text) - strlen(seen->text) - 1);
	return seen->answer;
}

/* Feeds text as two pieces, cut at split; the result of the whole. */
static int feed(const char *text, size_t split, struct seen *seen)
{
	struct members members;
	int err;

	members_init(&members, note, seen);
	err = members_feed(&members, text, split);
	if (!err)
		err = members_feed(&members, text + split, strlen(text) - split);
	if (!err)
		err = members_end(&members);
	members_done(&members);
	return err;
}

static void every_split(void **state)
{
	static const char *const cases[][2] = {
		{ "{}", "" },
		{ " { \n } \n", "" },
		{ "{\"a\":1}", "{\"a\":1}" },
		{ "{\"a\":[{\"b\":\"}],\\\"\"}],\"c\":{}}\n",
		  "{\"a\":[{\"b\":\"}],\\\"\"}]}{\"c\":{}}" },
		{ "{\n \"10.0.0.0\\/8\" : [ 1, 2 ] ,\n \"x\" : \"two words\" }",
		  "{\"10.0.0.0\\/8\":[1,2]}{\"x\":\"two words\"}" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t split = 0; split <= strlen(cases[i][0]); split++) {
			struct seen seen = { .text = "" };

			assert_int_equal(feed(cases[i][0], split, &seen), 0);
			assert_string_equal(seen.text, cases[i][1]);
		}
	}
}

static void rejects(void **state)
{
	static const char *const cases[] = {
		"",    " ",	"[1]",	"{\"a\":1",    "{\"a\":1}}", "{\"a\"}", "{\"a\":[1}}",
		"{,}", "{} {}", "text", "{\"a\":\"x}",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct seen seen = { .text = "" };

		print_message("%s\n", cases[i]);
		assert_int_equal(feed(cases[i], strlen(cases[i]) / 2, &seen), -EPROTO);
	}
}

static void reader_stops(void **state)
{
	struct seen seen = { .answer = -EPIPE };

	assert_int_equal(feed("{\"a\":1,\"b\":2}", 3, &seen), -EPIPE);
	assert_string_equal(seen.text, "{\"a\":1}");
}

static void long_member(void **state)
{
	struct seen seen = { .text = "" };
	size_t n = 100000;
	char *text = malloc(n + 1);

	assert_non_null(text);
	memset(text, '1', n);
	memcpy(text, "{\"a\":[\"", 7);
	memcpy(text + n - 3, "\"]}", 4);
	assert_int_equal(feed(text, n / 3, &seen), 0);
	assert_int_equal(strncmp(seen.text, "{\"a\":[\"111", 10), 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_split),
		cmocka_unit_test(rejects),
		cmocka_unit_test(reader_stops),
		cmocka_unit_test(long_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
