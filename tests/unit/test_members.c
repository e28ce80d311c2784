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

#include "cli/in_order.h"
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

static void print_key(void *arg, struct json_object *one)
{
	struct seen *seen = arg;

	json_object_object_foreach(one, key, value)
	{
		(void)value;
		strncat(seen->text, key, sizeof(seen->text) - strlen(seen->text) - 1);
		strncat(seen->text, " ", sizeof(seen->text) - strlen(seen->text) - 1);
	}
}

static void add_key(struct in_order *order, const char *key)
{
	struct json_object *one = json_object_new_object();

	json_object_object_add(one, key, NULL);
	in_order_add(order, one);
	json_object_put(one);
}

static void routes_in_order(void **state)
{
	static const char *const keys[] = { "2001:db8::/32", "10.0.0.0/24", "9.0.0.0/8", "::/0",
					    "10.0.0.0/8",    "0.0.0.0/0",   "strange" };
	struct seen seen = { .answer = 0 };
	struct in_order order;

	in_order_init(&order, print_key, &seen);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		add_key(&order, keys[i]);
	assert_string_equal(seen.text, "");
	in_order_end(&order);
	in_order_done(&order);
	assert_string_equal(seen.text, "strange 0.0.0.0/0 9.0.0.0/8 10.0.0.0/8 10.0.0.0/24 ::/0 "
				       "2001:db8::/32 ");
}

static void count_one(void *arg, struct json_object *one)
{
	(*(size_t *)arg)++;
}

/* Not held: what cannot be is printed as it comes, nothing is printed twice. */
static void too_many_to_be_in_order(void **state)
{
	struct in_order order;
	size_t printed = 0;

	in_order_init(&order, count_one, &printed);
	for (size_t i = 0; i < IN_ORDER_MAX; i++)
		add_key(&order, "10.0.0.0/8");
	assert_int_equal(printed, 0);
	add_key(&order, "10.0.0.0/8");
	assert_int_equal(printed, IN_ORDER_MAX + 1);
	add_key(&order, "10.0.0.0/8");
	assert_int_equal(printed, IN_ORDER_MAX + 2);
	in_order_end(&order);
	in_order_done(&order);
	assert_int_equal(printed, IN_ORDER_MAX + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_split),	   cmocka_unit_test(rejects),
		cmocka_unit_test(reader_stops),	   cmocka_unit_test(long_member),
		cmocka_unit_test(routes_in_order), cmocka_unit_test(too_many_to_be_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
