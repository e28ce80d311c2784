/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration file: every command, every complaint with its line, all or nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/conf.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static int parse(const char *text, struct conf *conf, struct conf_error *error)
{
	conf_init(conf);
	return conf_parse(text, strlen(text), conf, error);
}

static void test_defaults(void **state)
{
	static const struct fx_addr loopback = { FX_AF_INET, { 127, 0, 0, 1 } };
	struct conf_error error;
	struct conf conf;

	assert_int_equal(parse("", &conf, &error), 0);
	assert_true(fx_addr_equal(&conf.fpm_addr, &loopback));
	assert_int_equal(conf.fpm_port, 2620);
	assert_false(conf.offload_status);
	assert_false(conf.generic);
	assert_int_equal(conf.max_prefixes, 4194304);
	assert_int_equal(conf.ninterfaces, 0);
	assert_false(conf_selects(&conf));
	conf_done(&conf);
}

static void test_everything(void **state)
{
	static const char text[] = "! a comment\n# another\n"
				   "! a b c d e f g h: a comment of more words than a command\n"
				   "fpm listen 2001:db8::1 port 2621\r\n"
				   "fpm offload-status\n"
				   "xdp mode generic\n"
				   "limit prefixes 1000\n"
				   "!\n"
				   "interface eth0\n"
				   " xdp forwarding\n"
				   "exit\n"
				   "interface eth1.100\n"
				   "\tno xdp forwarding\n"
				   "!\n"
				   "end\n"
				   "what follows the end is not read\n";
	struct conf_error error;
	struct conf conf;

	assert_int_equal(parse(text, &conf, &error), 0);
	assert_int_equal(conf.fpm_addr.family, FX_AF_INET6);
	assert_int_equal(conf.fpm_addr.bytes[15], 1);
	assert_int_equal(conf.fpm_port, 2621);
	assert_true(conf.offload_status);
	assert_true(conf.generic);
	assert_int_equal(conf.max_prefixes, 1000);
	assert_int_equal(conf.ninterfaces, 2);
	assert_true(conf_find(&conf, "eth0")->forwarding);
	assert_false(conf_find(&conf, "eth1.100")->forwarding);
	assert_null(conf_find(&conf, "eth2"));
	assert_true(conf_selects(&conf));
	conf_done(&conf);
}

/* As FRR writes files: "!" between what belongs together. */
static void test_mode_after_interfaces(void **state)
{
	struct conf_error error;
	struct conf conf;

	assert_int_equal(
		parse("interface a\n xdp forwarding\n!\nxdp mode generic\n", &conf, &error), 0);
	assert_true(conf.generic);
	conf_done(&conf);
	assert_int_equal(parse("interface a\nexit\nxdp mode generic\n", &conf, &error), 0);
	conf_forget_interfaces(&conf);
	assert_false(conf_selects(&conf));
	conf_done(&conf);
}

static void test_last_word_counts(void **state)
{
	struct conf_error error;
	struct conf conf;

	assert_int_equal(parse("interface a\nxdp forwarding\nexit\ninterface a\nno xdp forwarding\n"
			       "fpm offload-status\nno fpm offload-status",
			       &conf, &error),
			 0);
	assert_int_equal(conf.ninterfaces, 1);
	assert_false(conf_selects(&conf));
	assert_false(conf.offload_status);
	conf_done(&conf);
}

static const struct {
	const char *what;
	const char *text;
	unsigned int line;
	const char *complaint;
} bad_cases[] = {
	{ "a word that is no command", "!\nfoo\n", 2, "unknown command: \"foo\"" },
	{ "no such no", "no interface a", 1, "unknown command: \"no interface a\"" },
	{ "a word that is cut off", "interface a\n  xdp forwardin \r", 2,
	  "unknown command: \"xdp forwardin\"" },
	{ "all interfaces' word in one of them", "interface a\n xdp mode generic", 2,
	  "\"xdp mode\" is for all interfaces: it belongs before the first" },
	{ "no alone", "no", 1, "unknown command: \"no\"" },
	{ "no address", "fpm listen 1.2.3", 1, "not an address: \"1.2.3\"" },
	{ "nothing to listen on", "fpm listen", 1, "expected: fpm listen ADDRESS [port N]" },
	{ "a port without its number", "fpm listen 1.2.3.4 port", 1,
	  "expected: fpm listen ADDRESS [port N]" },
	{ "a word in the port's place", "fpm listen 1.2.3.4 prot 1", 1, "unknown word: \"prot\"" },
	{ "port 0", "\n\nfpm listen 1.2.3.4 port 0", 3, "not a port (1-65535): \"0\"" },
	{ "port 65536", "fpm listen ::1 port 65536", 1, "not a port (1-65535): \"65536\"" },
	{ "a number with a tail", "limit prefixes 10k", 1,
	  "not a number of prefixes (1-4194304): \"10k\"" },
	{ "a limit of none", "limit prefixes 0", 1, "not a number of prefixes (1-4194304): \"0\"" },
	{ "a limit above the maps'", "limit prefixes 4194305", 1,
	  "not a number of prefixes (1-4194304): \"4194305\"" },
	{ "a mode that is none", "xdp mode offload", 1,
	  "not an XDP mode (native or generic): \"offload\"" },
	{ "outside an interface", "xdp forwarding", 1,
	  "\"xdp forwarding\" belongs to an interface" },
	{ "after exit", "interface a\nexit\nno xdp forwarding", 3,
	  "\"xdp forwarding\" belongs to an interface" },
	{ "a name with a slash", "interface a/b", 1, "not an interface name: \"a/b\"" },
	{ "a name of 16 bytes", "interface abcdefghijklmnop", 1,
	  "not an interface name: \"abcdefghijklmnop\"" },
	{ "nine words", "a b c d e f g h i", 1, "too many words" },
};

static void test_complaints(void **state)
{
	struct conf_error error;
	struct conf conf;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad_cases); i++) {
		print_message("%s\n", bad_cases[i].what);
		assert_int_equal(parse(bad_cases[i].text, &conf, &error), -EINVAL);
		assert_int_equal(error.line, bad_cases[i].line);
		assert_string_equal(error.text, bad_cases[i].complaint);
		conf_done(&conf);
	}
}

static void test_bytes(void **state)
{
	struct conf_error error;
	struct conf conf;
	char text[300];

	conf_init(&conf);
	memset(text, 'a', sizeof(text));
	assert_int_equal(conf_parse(text, sizeof(text), &conf, &error), -EINVAL);
	assert_string_equal(error.text, "line too long");
	assert_int_equal(conf_parse("!\n\0", 3, &conf, &error), -EINVAL);
	assert_int_equal(error.line, 2);
	assert_string_equal(error.text, "not a text file");
	conf_done(&conf);
}

/* SIGHUP with a bad file: the old configuration stays as it was. */
static void test_failure_changes_nothing(void **state)
{
	static const char bad[] = "xdp mode generic\ninterface b\nxdp forwarding\nnonsense\n";
	struct conf_error error;
	struct conf conf;

	assert_int_equal(parse("interface a\nxdp forwarding\nlimit prefixes 7\n", &conf, &error),
			 0);
	assert_int_equal(conf_parse(bad, strlen(bad), &conf, &error), -EINVAL);
	assert_int_equal(error.line, 4);
	assert_false(conf.generic);
	assert_int_equal(conf.max_prefixes, 7);
	assert_int_equal(conf.ninterfaces, 1);
	assert_true(conf_find(&conf, "a")->forwarding);
	conf_done(&conf);
}

static void test_interface_option(void **state)
{
	struct conf conf;

	conf_init(&conf);
	assert_int_equal(conf_interface(&conf, "", true, 0), -EINVAL);
	assert_int_equal(conf_interface(&conf, "..", true, 0), -EINVAL);
	assert_int_equal(conf_interface(&conf, "a b", true, 0), -EINVAL);
	assert_int_equal(conf_interface(&conf, "eth0", true, 0), 0);
	assert_int_equal(conf_interface(&conf, "eth0", true, 0), 0);
	assert_int_equal(conf.ninterfaces, 1);
	conf_done(&conf);
}

static const struct {
	const char *text;
	int rc;
	const char *addr;
	uint16_t port;
} endpoint_cases[] = {
	{ "192.0.2.1", 0, "192.0.2.1", 2620 },
	{ "192.0.2.1:99", 0, "192.0.2.1", 99 },
	{ ":99", 0, "127.0.0.1", 99 },
	{ "2001:db8::1", 0, "2001:db8::1", 2620 },
	{ "[2001:db8::1]", 0, "2001:db8::1", 2620 },
	{ "[2001:db8::1]:99", 0, "2001:db8::1", 99 },
	{ "::", 0, "::", 2620 },
	{ "", -EINVAL, NULL, 0 },
	{ "192.0.2.1:", -EINVAL, NULL, 0 },
	{ "192.0.2.1:0", -EINVAL, NULL, 0 },
	{ "192.0.2.1:65536", -EINVAL, NULL, 0 },
	{ "[2001:db8::1", -EINVAL, NULL, 0 },
	{ "[2001:db8::1]x", -EINVAL, NULL, 0 },
	{ "[192.0.2.1]:99", -EINVAL, NULL, 0 },
	{ "[]:99", -EINVAL, NULL, 0 },
	{ "localhost", -EINVAL, NULL, 0 },
};

static void test_endpoints(void **state)
{
	char buf[FX_ADDR_STRLEN];
	struct conf conf;
	size_t i;
	int rc;

	for (i = 0; i < ARRAY_SIZE(endpoint_cases); i++) {
		conf_init(&conf);
		print_message("\"%s\"\n", endpoint_cases[i].text);
		rc = conf_parse_endpoint(endpoint_cases[i].text, &conf.fpm_addr, &conf.fpm_port);
		assert_int_equal(rc, endpoint_cases[i].rc);
		if (rc)
			continue;
		assert_string_equal(fx_addr_str(&conf.fpm_addr, buf), endpoint_cases[i].addr);
		assert_int_equal(conf.fpm_port, endpoint_cases[i].port);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_everything),
		cmocka_unit_test(test_mode_after_interfaces),
		cmocka_unit_test(test_last_word_counts),
		cmocka_unit_test(test_complaints),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_failure_changes_nothing),
		cmocka_unit_test(test_interface_option),
		cmocka_unit_test(test_endpoints),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
