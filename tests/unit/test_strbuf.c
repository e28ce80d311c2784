/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The growing string: append, format, take from the front. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/strbuf.h"

static void test_append(void **state)
{
	struct strbuf buf = { 0 };
	unsigned int i;

	strbuf_puts(&buf, "");
	assert_int_equal(buf.len, 0);
	strbuf_puts(&buf, "ab");
	strbuf_add(&buf, "cde", 1);
	strbuf_printf(&buf, "-%d-%s", 7, "x");
	assert_string_equal(buf.text, "abc-7-x");
	for (i = 0; i < 10000; i++)
		strbuf_printf(&buf, "%04u", i);
	assert_int_equal(buf.len, 7 + 40000);
	assert_int_equal(strlen(buf.text), buf.len);
	assert_memory_equal(buf.text + buf.len - 8, "99989999", 8);
	assert_false(buf.failed);
	strbuf_done(&buf);
	assert_null(buf.text);
}

/* Exactly as much as fits, and one more: the NUL has its place. */
static void test_bounds(void **state)
{
	struct strbuf buf = { 0 };
	char chunk[256];
	size_t n;

	memset(chunk, 'x', sizeof(chunk));
	for (n = 250; n <= 256; n++) {
		strbuf_add(&buf, chunk, n);
		assert_int_equal(buf.len, n);
		assert_int_equal(strlen(buf.text), n);
		strbuf_done(&buf);
	}
}

static void test_consume(void **state)
{
	struct strbuf buf = { 0 };

	strbuf_consume(&buf, 3);
	strbuf_puts(&buf, "abcdef");
	strbuf_consume(&buf, 2);
	assert_string_equal(buf.text, "cdef");
	strbuf_consume(&buf, 4);
	assert_string_equal(buf.text, "");
	strbuf_puts(&buf, "z");
	strbuf_consume(&buf, 99);
	assert_int_equal(buf.len, 0);
	strbuf_puts(&buf, "again");
	strbuf_reset(&buf);
	assert_string_equal(buf.text, "");
	strbuf_done(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_consume),
	};

	return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
