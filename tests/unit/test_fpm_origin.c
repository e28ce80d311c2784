/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which FPM module speaks, from the first message that only one of them sends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fpm-xdp/fpm_origin.h"
#include "tests/lib/nl_text.h"

#define V4   "021800000000000000000000"
#define V6   "0a4000000000000000000000"
#define NET4 " 1=192.0.2.0"
#define NET6 " 1=2001:db8::"

struct origin_case {
	const char *what;
	const char *message;
	bool settled;
	enum rtnl_origin origin;
};

static const struct origin_case cases[] = {
	{ "a nexthop", "nh+ 0000000000000000 1=u32:1", true, RTNL_FPM_DPLANE },
	{ "a nexthop's delete", "nh- 0000000000000000 1=u32:1", true, RTNL_FPM_DPLANE },
	{ "an LSP", "route+ 1c1400000000000000000000", true, RTNL_FPM_DPLANE },
	{ "an IPv4 route with NLM_F_REPLACE", "route+ " V4 NET4, true, RTNL_FPM_DPLANE },
	{ "an IPv6 route with NLM_F_REPLACE", "route+ " V6 NET6, true, RTNL_FPM_DPLANE },
	{ "an IPv4 route without it, also when its metric is 20",
	  "route+ flags=0x401 " V4 NET4 " 6=u32:20", true, RTNL_FPM_OLD },
	{ "an IPv6 route without it, metric 1024", "route+ flags=0x401 " V6 NET6 " 6=u32:1024",
	  true, RTNL_FPM_OLD },
	{ "an IPv6 route without it, no metric", "route+ flags=0x401 " V6 NET6, true,
	  RTNL_FPM_OLD },
	{ "an IPv6 route without it, metric 20, is nobody's",
	  "route+ flags=0x401 " V6 NET6 " 6=u32:20 9{ hop:0:1:6{ } hop:0:9:7{ } }", false,
	  RTNL_FPM_DPLANE },
	{ "the same with a nexthop id", "route+ flags=0x401 " V6 NET6 " 6=u32:20 30=u32:9", true,
	  RTNL_FPM_DPLANE },
	{ "the same with a hop's weight byte of 0",
	  "route+ flags=0x401 " V6 NET6 " 6=u32:20 9{ hop:0:1:6{ } hop:0:0:7{ } }", true,
	  RTNL_FPM_DPLANE },
	{ "a delete with a metric", "route- " V6 NET6 " 6=u32:20", true, RTNL_FPM_DPLANE },
	{ "a delete without", "route- " V6 NET6, true, RTNL_FPM_OLD },
	{ "an EVPN MAC is nobody's", "neigh+ 070000000000000000000000", false, RTNL_FPM_DPLANE },
	{ "a message cut off in its header", "route+ 0218", false, RTNL_FPM_DPLANE },
	{ "broken attributes", "route+ flags=0x401 " V4 " 0300", false, RTNL_FPM_DPLANE },
	{ "a broken hop", "route+ flags=0x401 " V6 NET6 " 6=u32:20 9=0000000106000000", false,
	  RTNL_FPM_DPLANE },
};

static void settles(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct origin_case *c = &cases[i];
		struct fpm_origin origin;
		uint8_t msg[256];
		size_t len = nl_text(c->message, msg, sizeof(msg));

		print_message("%s\n", c->what);
		fpm_origin_init(&origin);
		assert_int_equal(fpm_origin_see(&origin, msg, len), c->origin);
		assert_int_equal(origin.settled, c->settled);
	}
}

static void stays(void **state)
{
	struct fpm_origin origin;
	uint8_t msg[256];
	size_t len = nl_text("route- " V4 NET4, msg, sizeof(msg));

	fpm_origin_init(&origin);
	assert_int_equal(fpm_origin_see(&origin, msg, 15), RTNL_FPM_DPLANE);
	assert_false(origin.settled);
	assert_int_equal(fpm_origin_see(&origin, msg, len), RTNL_FPM_OLD);
	len = nl_text("nh+ 0000000000000000 1=u32:1", msg, sizeof(msg));
	assert_int_equal(fpm_origin_see(&origin, msg, len), RTNL_FPM_OLD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settles),
		cmocka_unit_test(stays),
	};

	return cmocka_run_group_tests_name("fpm_origin", tests, NULL, NULL);
}
