/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the doctor knows of FRR: its options, its files, its versions; and how it reports. */
#include "config.h"

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

#include "cli/advice.h"
#include "cli/frr_bfd.h"
#include "cli/frr_version.h"
#include "fpm-xdp/eligibility.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static void options_of_zebra(void **state)
{
	static const struct {
		const char *line;
		struct frr_options want;
	} cases[] = {
		{ "", { .dplane_fpm = false } },
		{ "  -A 127.0.0.1 -s 90000000", { .dplane_fpm = false } },
		{ "-M dplane_fpm_nl", { .dplane_fpm = true } },
		{ "-A 127.0.0.1 -Mdplane_fpm_nl -s 9", { .dplane_fpm = true } },
		{ "--module dplane_fpm_nl", { .dplane_fpm = true } },
		{ "--module=dplane_fpm_nl -N red", { .dplane_fpm = true, .pathspace = "red" } },
		{ "-M snmp -M fpm", { .old_fpm = true } },
		{ "-M fpm:netlink", { .old_fpm = true } },
		{ "-M fpm:protobuf", { .old_fpm = true, .old_fpm_protobuf = true } },
		{ "-M fpmx", { .old_fpm = false } },
		{ "-M dplane_fpm_nl --asic-offload=notify_on_offload",
		  { .dplane_fpm = true, .asic_offload = true } },
		{ "--asic-offload", { .asic_offload = true } },
		{ "-w", { .netns_vrf = true } },
		{ "-n --pathspace=blue", { .netns_vrf = true, .pathspace = "blue" } },
		{ "-N ../../tmp", { .dplane_fpm = false } },
		{ "-M", { .dplane_fpm = false } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct frr_options *want = &cases[i].want;
		struct frr_options got;

		print_message("%s\n", cases[i].line);
		frr_options_parse_line(cases[i].line, &got);
		assert_int_equal(got.dplane_fpm, want->dplane_fpm);
		assert_int_equal(got.old_fpm, want->old_fpm);
		assert_int_equal(got.old_fpm_protobuf, want->old_fpm_protobuf);
		assert_int_equal(got.asic_offload, want->asic_offload);
		assert_int_equal(got.netns_vrf, want->netns_vrf);
		assert_string_equal(got.pathspace, want->pathspace);
	}
}

static void daemons_file(void **state)
{
	static const char text[] = "bgpd=yes\n"
				   "#zebra_options=\"-M fpm\"\n"
				   "zebra_options=\"  -A 127.0.0.1 -M dplane_fpm_nl\" # ours\n"
				   "bgpd_options='-A ::1'\n"
				   "  ospfd_options=-A\n"
				   "vtysh_enable=yes";
	char buf[64];

	assert_true(frr_options_variable(text, "zebra_options", buf, sizeof(buf)));
	assert_string_equal(buf, "  -A 127.0.0.1 -M dplane_fpm_nl");
	assert_true(frr_options_variable(text, "bgpd_options", buf, sizeof(buf)));
	assert_string_equal(buf, "-A ::1");
	assert_true(frr_options_variable(text, "ospfd_options", buf, sizeof(buf)));
	assert_string_equal(buf, "-A");
	assert_true(frr_options_variable(text, "vtysh_enable", buf, sizeof(buf)));
	assert_string_equal(buf, "yes");
	assert_false(frr_options_variable(text, "isisd_options", buf, sizeof(buf)));
	assert_false(frr_options_variable(text, "zebra_options", buf, 8));
	assert_false(frr_options_variable("", "zebra_options", buf, sizeof(buf)));
}

static void fpm_address(void **state)
{
	char buf[64] = "";

	assert_true(frr_options_fpm_address("hostname r1\nfpm address 127.0.0.1 port 2621\n!\n",
					    buf, sizeof(buf)));
	assert_string_equal(buf, "fpm address 127.0.0.1 port 2621");
	assert_true(frr_options_fpm_address("fpm address ::1", NULL, 0));
	assert_false(frr_options_fpm_address("no fpm address 127.0.0.1\n! fpm address ::1\n", buf,
					     sizeof(buf)));
	assert_false(frr_options_fpm_address("", buf, sizeof(buf)));
}

static void fpm_address_and_listener(void **state)
{
	static const struct {
		const char *line, *listen;
		bool reaches;
	} cases[] = {
		{ "fpm address 127.0.0.1", "127.0.0.1:2620", true },
		{ "fpm address 127.0.0.1 port 2620", "127.0.0.1:2620", true },
		{ "fpm address 127.0.0.1 port 2621", "127.0.0.1:2620", false },
		{ "fpm address 127.0.0.1", "127.0.0.1:2699", false },
		{ "fpm address 127.0.0.2", "127.0.0.1:2620", false },
		{ "fpm address 10.0.0.1", "0.0.0.0:2620", true },
		{ "fpm address ::1 port 2621", "[::1]:2621", true },
		{ "fpm address ::1", "127.0.0.1:2620", false },
		{ "fpm address 10.0.0.1", "[::]:2620", true },
		{ "fpm address somewhere", "127.0.0.1:2620", true },
		{ "fpm address 127.0.0.1", "", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		print_message("%s, %s\n", cases[i].line, cases[i].listen);
		assert_int_equal(frr_options_fpm_reaches(cases[i].line, cases[i].listen),
				 cases[i].reaches);
	}
}

static void versions(void **state)
{
	static const struct {
		const char *text;
		struct version want;
		int err;
	} cases[] = {
		{ "zebra version 8.4.4\nCopyright 1996", { 8, 4, 4 }, 0 },
		{ "zebra version 10.3 (r1) on Linux(6.12)", { 10, 3, 0 }, 0 },
		{ "10.8.0-dev", { 10, 8, 0 }, 0 },
		{ "6.1.0-57-amd64", { 6, 1, 0 }, 0 },
		{ "version 12, then 1.2", { 1, 2, 0 }, 0 },
		{ "no digits", { 0, 0, 0 }, -EINVAL },
		{ "", { 0, 0, 0 }, -EINVAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct version got = { 0 };

		print_message("%s\n", cases[i].text);
		assert_int_equal(version_parse(cases[i].text, &got), cases[i].err);
		assert_int_equal(version_compare(&got, &cases[i].want), 0);
	}
	assert_true(version_compare(&(struct version){ 8, 4, 4 }, &(struct version){ 10, 3, 0 }) <
		    0);
	assert_true(version_compare(&(struct version){ 10, 3, 3 }, &(struct version){ 10, 3, 0 }) >
		    0);
}

static void known_faults(void **state)
{
	static const struct {
		const char *what;
		struct version version;
		struct frr_options options;
		size_t count[REPORT_LEVELS]; /* OK, INFO, WARN, FAIL */
	} cases[] = {
		{ "8.4 without the module", { 8, 4, 4 }, { .dplane_fpm = false }, { 1, 0, 0, 0 } },
		{ "8.4 with it: no offload status, EVPN, 8 KiB",
		  { 8, 4, 4 },
		  { .dplane_fpm = true },
		  { 0, 3, 0, 0 } },
		{ "8.4 that waits for a status it cannot read",
		  { 8, 4, 4 },
		  { .asic_offload = true },
		  { 0, 0, 0, 1 } },
		{ "10.3: status, withdrawals, dangling ids, 8 KiB",
		  { 10, 3, 0 },
		  { .dplane_fpm = true },
		  { 0, 4, 0, 0 } },
		{ "10.3.3 withdraws again", { 10, 3, 3 }, { .dplane_fpm = true }, { 0, 3, 0, 0 } },
		{ "10.3 with asic-offload",
		  { 10, 3, 1 },
		  { .asic_offload = true },
		  { 0, 0, 0, 1 } },
		{ "10.6: dangling ids", { 10, 6, 1 }, { .dplane_fpm = true }, { 0, 1, 0, 0 } },
		{ "10.7",
		  { 10, 7, 1 },
		  { .dplane_fpm = true, .asic_offload = true },
		  { 1, 0, 0, 0 } },
		{ "not tested: older", { 8, 1, 0 }, { .dplane_fpm = false }, { 0, 0, 1, 0 } },
		{ "not tested: newer", { 10, 8, 0 }, { .dplane_fpm = false }, { 0, 1, 0, 0 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *report = report_new();

		assert_non_null(report);
		print_message("%s\n", cases[i].what);
		frr_version_report(&cases[i].version, &cases[i].options, "zebra", report);
		for (unsigned int level = 0; level < REPORT_LEVELS; level++)
			assert_int_equal(report_count(report, level), cases[i].count[level]);
		report_free(report);
	}
}

static void bfd_dplane(void **state)
{
	static const struct {
		const char *line, *dplane; /* NULL: none */
	} cases[] = {
		{ "", NULL },
		{ "-A 127.0.0.1", NULL },
		{ "-A 127.0.0.1 --dplaneaddr unix:/run/x", "unix:/run/x" },
		{ "--dplaneaddr=ipv4c:127.0.0.1:1 -d", "ipv4c:127.0.0.1:1" },
		{ "--dplaneaddr", NULL },
		{ "--dplaneaddress x", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char buf[FRR_BFD_DPLANE_SIZE] = "";

		print_message("%s\n", cases[i].line);
		assert_int_equal(frr_bfd_dplane_line(cases[i].line, buf), cases[i].dplane != NULL);
		if (cases[i].dplane)
			assert_string_equal(buf, cases[i].dplane);
	}
}

static void bfd_faults(void **state)
{
	static const struct {
		const char *dplane;
		struct version version;
		size_t count[REPORT_LEVELS]; /* OK, INFO, WARN, FAIL */
	} cases[] = {
		{ "unix:/run/x", { 8, 4, 4 }, { 1, 1, 0, 0 } },
		{ "ipv4:127.0.0.1", { 10, 3, 0 }, { 1, 1, 0, 0 } },
		{ "ipv4c:127.0.0.1", { 8, 4, 4 }, { 1, 0, 0, 1 } },
		{ "ipv4c:127.0.0.1", { 10, 3, 0 }, { 1, 1, 0, 0 } },
		{ "ipv6c:[::1]:3", { 10, 7, 1 }, { 1, 2, 0, 0 } },
		{ "unixc:/run/x", { 10, 7, 1 }, { 1, 1, 0, 1 } },
		{ "unix", { 10, 7, 1 }, { 0, 0, 0, 1 } },
		{ "", { 10, 7, 1 }, { 0, 0, 0, 1 } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct report *report = report_new();

		assert_non_null(report);
		print_message("%s with %u.%u\n", cases[i].dplane, cases[i].version.major,
			      cases[i].version.minor);
		frr_bfd_report(cases[i].dplane, &cases[i].version, "bfdd", report);
		for (unsigned int level = 0; level < REPORT_LEVELS; level++)
			assert_int_equal(report_count(report, level), cases[i].count[level]);
		report_free(report);
	}
}

static void every_reason_has_advice(void **state)
{
	for (unsigned int reason = 0; reason < ELIGIBLE_REASONS; reason++) {
		const char *name = eligibility_reason_name(reason), *words;
		char type[ADVICE_TYPE_SIZE];

		print_message("%s\n", name);
		advice_reason(name, "eth0", true, &words, type, sizeof(type));
		assert_string_not_equal(words, name);
	}
}

static void advice(void **state)
{
	const char *words;
	char type[ADVICE_TYPE_SIZE];

	advice_reason("rp-filter", "eth0", false, &words, type, sizeof(type));
	assert_string_equal(type, "sysctl -w net.ipv4.conf.all.rp_filter=0 "
				  "net.ipv4.conf.eth0.rp_filter=0\n"
				  "to keep it, the same in a file of /etc/sysctl.d");
	advice_reason("enslaved", "eth0", false, &words, type, sizeof(type));
	assert_string_equal(type, "ip -d link show dev eth0");
	advice_reason("not-ethernet", "eth0", false, &words, type, sizeof(type));
	assert_string_equal(type, "");
	advice_reason("new-reason", "eth0", false, &words, type, sizeof(type));
	assert_string_equal(words, "new-reason");
	assert_string_equal(type, "");
	assert_true(advice_driver_has_xdp("veth"));
	assert_false(advice_driver_has_xdp("e1000"));
}

static void report_forms(void **state)
{
	struct report *report = report_new();
	struct json_object *doc;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(report);
	assert_non_null(out);
	report_add(report, REPORT_OK, "kernel", NULL, NULL, "Linux %d", 6);
	report_add(report, REPORT_FAIL, "FRR", "zebra", "one\ntwo", "is ill");
	report_print(report, out);
	fclose(out);
	assert_string_equal(text, "kernel\n"
				  "  OK    Linux 6\n"
				  "\n"
				  "FRR\n"
				  "  FAIL  zebra: is ill\n"
				  "        -> one\n"
				  "        -> two\n"
				  "\n"
				  "1 OK, 0 INFO, 0 WARN, 1 FAIL\n");
	doc = report_json(report);
	assert_string_equal(
		json_object_to_json_string_ext(doc, JSON_C_TO_STRING_PLAIN),
		"{\"checks\":[{\"area\":\"kernel\",\"level\":\"ok\",\"finding\":\"Linux 6\"},"
		"{\"area\":\"FRR\",\"subject\":\"zebra\",\"level\":\"fail\",\"finding\":\"is ill\","
		"\"advice\":\"one\\ntwo\"}],\"totals\":{\"ok\":1,\"info\":0,\"warn\":0,\"fail\":1}}");
	json_object_put(doc);
	report_free(report);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_of_zebra),
		cmocka_unit_test(daemons_file),
		cmocka_unit_test(fpm_address),
		cmocka_unit_test(fpm_address_and_listener),
		cmocka_unit_test(versions),
		cmocka_unit_test(known_faults),
		cmocka_unit_test(bfd_dplane),
		cmocka_unit_test(bfd_faults),
		cmocka_unit_test(every_reason_has_advice),
		cmocka_unit_test(advice),
		cmocka_unit_test(report_forms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
