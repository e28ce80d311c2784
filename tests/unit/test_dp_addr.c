/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --dplaneaddr. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "bfddp-xdp/dp_addr.h"

#define PATH63 "/23456789.123456789.123456789.123456789.123456789.123456789.123"

static const struct {
	const char *text;
	bool listen;
	const char *path; /* or */
	const char *addr;
	uint16_t port;
} goods[] = {
	{ "unix:/run/frr/bfdd.sock", false, "/run/frr/bfdd.sock", NULL, 0 },
	{ "unixc:/run/dp", true, "/run/dp", NULL, 0 },
	{ "unix:" PATH63, false, PATH63, NULL, 0 },
	{ "ipv4:127.0.0.1", false, NULL, "127.0.0.1", 50700 },
	{ "ipv4:127.0.0.1:3000", false, NULL, "127.0.0.1", 3000 },
	{ "ipv4c:0.0.0.0:1", true, NULL, "0.0.0.0", 1 },
	{ "ipv6:[::1]", false, NULL, "::1", 50700 },
	{ "ipv6c:[2001:db8::1]:65535", true, NULL, "2001:db8::1", 65535 },
};

static const char *const bads[] = {
	"",
	"unix",
	"unix:",
	"unix:run/frr",
	"unix:" PATH63 "4",
	"unixd:/run/frr",
	"ipv4:",
	"ipv4::3000",
	"ipv4:127.0.0.1:",
	"ipv4:127.0.0.1:0",
	"ipv4:127.0.0",
	"ipv4:[::1]",
	"ipv6:::1",
	"ipv6:[::1",
	"ipv6:[::1]:65536",
	"ipv6:[1.2.3.4]",
	"ipv4c",
	"ipv4cc:1.2.3.4",
	"tcp:1.2.3.4",
	"ipv4:1.2.3.4:x",
	"ipv6:[::1]x",
};

static void test_goods(void **state)
{
	for (size_t i = 0; i < sizeof(goods) / sizeof(goods[0]); i++) {
		struct dp_addr addr;
		struct fx_addr expected;
		const char *why = NULL;

		print_message("%s\n", goods[i].text);
		assert_int_equal(dp_addr_parse(goods[i].text, &addr, &why), 0);
		assert_int_equal(addr.listen, goods[i].listen);
		assert_int_equal(addr.is_unix, goods[i].path != NULL);
		if (goods[i].path) {
			assert_string_equal(addr.path, goods[i].path);
			continue;
		}
		assert_int_equal(fx_addr_parse(goods[i].addr, &expected), 0);
		assert_true(fx_addr_equal(&addr.addr, &expected));
		assert_int_equal(addr.port, goods[i].port);
	}
}

static void test_bads(void **state)
{
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		struct dp_addr addr = { .port = 7 };
		const char *why = NULL;

		print_message("%s\n", bads[i]);
		assert_int_equal(dp_addr_parse(bads[i], &addr, &why), -EINVAL);
		assert_non_null(why);
		assert_int_equal(addr.port, 7);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goods),
		cmocka_unit_test(test_bads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
