/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's documents as text: the whole text, for documents full, lean and empty. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "cli/view.h"

static void expect(void (*view)(struct json_object *doc, FILE *out), const char *json,
		   const char *want)
{
	struct json_object *doc = json_tokener_parse(json);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(doc);
	assert_non_null(out);
	view(doc, out);
	fclose(out);
	assert_string_equal(text, want);
	json_object_put(doc);
	free(text);
}

static void routes(struct json_object *doc, FILE *out)
{
	json_object_object_foreach(doc, prefix, entries) view_route(prefix, entries, out);
}

static void route(void **state)
{
	expect(routes,
	       "{\"10.1.0.0/16\":[{\"table\":254,\"protocol\":\"bgp\",\"source\":\"fpm\","
	       "\"state\":\"offloaded\",\"metric\":20,\"nexthops\":["
	       "{\"interface\":\"eth0\",\"gateway\":\"10.0.0.2\",\"mac\":\"02:00:00:00:00:02\","
	       "\"weight\":1,\"active\":true},"
	       "{\"interface\":\"eth1\",\"gateway\":\"10.0.1.2\",\"weight\":3,\"active\":false}]}],"
	       "\"10.0.0.0/24\":[{\"table\":100,\"protocol\":\"kernel\",\"state\":\"offloaded\","
	       "\"nexthops\":[{\"interface\":\"eth0\",\"active\":true}]}],"
	       "\"10.0.0.1/32\":[{\"table\":255,\"protocol\":\"kernel\",\"state\":\"trapped\","
	       "\"reason\":\"local\",\"nexthops\":[]}],"
	       "\"2001:db8::/32\":[{\"table\":254,\"protocol\":\"ospf\",\"state\":\"trapped\","
	       "\"encap\":\"mpls\",\"reason\":\"route-trapped\",\"nexthops\":[]}],"
	       "\"::/0\":[{\"table\":254,\"protocol\":\"rip\",\"state\":\"pending\"},"
	       "{\"table\":254,\"protocol\":\"77\",\"state\":\"failed\"}]}",
	       "B* 10.1.0.0/16 [20] via 10.0.0.2, eth0, 02:00:00:00:00:02\n"
	       "                    via 10.0.1.2, eth1, weight 3 inactive\n"
	       "C* 10.0.0.0/24 [0] is directly connected, eth0, table 100\n"
	       "Lt 10.0.0.1/32 [0], local\n"
	       "Ot 2001:db8::/32 [0], encap mpls, route-trapped\n"
	       "Rq ::/0 [0]\n"
	       "?o ::/0 [0]\n");
}

static void lookup(void **state)
{
	expect(view_lookup,
	       "{\"address\":\"10.1.2.3\",\"prefix\":\"10.1.0.0/16\",\"table\":254,"
	       "\"protocol\":\"bgp\",\"group\":17,\"verdict\":\"forwarded\",\"nexthop\":"
	       "{\"interface\":\"eth1\",\"gateway\":\"10.0.1.2\",\"mac\":\"02:00:00:00:01:02\","
	       "\"member\":1},\"nexthops\":["
	       "{\"interface\":\"eth0\",\"gateway\":\"10.0.0.2\",\"active\":true},"
	       "{\"interface\":\"eth1\",\"gateway\":\"10.0.1.2\",\"active\":true}]}",
	       "A packet to 10.1.2.3 is forwarded in XDP\n"
	       "  prefix    10.1.0.0/16, bgp, table 254\n"
	       "  group     17\n"
	       "  next hop  10.0.1.2, interface eth1, MAC 02:00:00:00:01:02\n"
	       "    member 0 via 10.0.0.2, eth0\n"
	       "  > member 1 via 10.0.1.2, eth1\n");
	expect(view_lookup,
	       "{\"address\":\"9.9.9.9\",\"verdict\":\"passed\",\"reason\":\"no-route\"}",
	       "A packet to 9.9.9.9 is left to Linux: no-route\n");
	expect(view_lookup,
	       "{\"address\":\"9.9.9.9\",\"prefix\":\"9.0.0.0/8\",\"table\":254,\"protocol\":"
	       "\"static\",\"group\":3,\"verdict\":\"dropped\",\"reason\":\"blackhole\"}",
	       "A packet to 9.9.9.9 is dropped in XDP (blackhole)\n"
	       "  prefix    9.0.0.0/8, static, table 254\n"
	       "  group     3\n");
}

static void counters(void **state)
{
	expect(view_counters,
	       "{\"interfaces\":{\"eth0\":{\"forwarded\":12,\"passed\":{\"local\":3,\"not-ip\":1},"
	       "\"dropped\":{}},\"eth1\":{\"forwarded\":0,\"passed\":{\"local\":9,\"no-route\":4},"
	       "\"dropped\":{\"blackhole\":5}}}}",
	       "Packets in on                            eth0            eth1\n"
	       "forwarded                                  12               0\n"
	       "passed   local                              3               9\n"
	       "passed   not-ip                             1               0\n"
	       "passed   no-route                           0               4\n"
	       "dropped  blackhole                          0               5\n");
	expect(view_counters, "{\"interfaces\":{}}", "No interface is attached\n");
}

static void many_interfaces(void **state)
{
	struct json_object *doc = json_object_new_object(), *ifaces = json_object_new_object();
	char name[16], *text = NULL, *blank;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned int i = 0; i < 9; i++) {
		snprintf(name, sizeof(name), "eth%u", i);
		json_object_object_add(ifaces, name, json_object_new_object());
	}
	json_object_object_add(doc, "interfaces", ifaces);
	view_counters(doc, out);
	fclose(out);
	/* eight side by side, the ninth below */
	blank = strstr(text, "\n\n");
	assert_non_null(blank);
	assert_non_null(strstr(blank, "eth8"));
	assert_null(strstr(blank, "eth7"));
	json_object_put(doc);
	free(text);
}

static void interface(void **state)
{
	expect(view_interface,
	       "{\"eth0\":{\"ifindex\":2,\"mtu\":1500,\"up\":true,\"attached\":true,"
	       "\"mode\":\"native\",\"xdpTransmit\":true,\"vrf\":254,"
	       "\"ipv4\":{\"eligible\":true,\"reasons\":[]},"
	       "\"ipv6\":{\"eligible\":false,\"reasons\":[\"netfilter\",\"policy-rules\"]}},"
	       "\"eth10\":{\"mtu\":9000,\"error\":\"no native XDP\",\"vrf\":254},"
	       "\"eth2\":{\"mtu\":1500,\"foreignProgram\":\"other\",\"vrf\":10}}",
	       "Interface  Status  VRF       MTU  XDP      Transmit  IPv4  IPv6\n"
	       "eth0       up      default  1500  native   yes       yes   netfilter,policy-rules\n"
	       "eth10      down    default  9000  off      no        -     -\n"
	       "eth2       down    10       1500  foreign  no        -     -\n"
	       "eth10: not attached: no native XDP\n");
	expect(view_interface, "{}", "");
}

static void group(void **state)
{
	expect(view_group,
	       "{\"groups\":[{\"group\":17,\"id\":33,\"source\":\"fpm\",\"resolved\":true,"
	       "\"routes\":2,\"buckets\":64,\"nexthops\":["
	       "{\"interface\":\"eth0\",\"gateway\":\"10.0.0.2\",\"mac\":\"02:00:00:00:00:02\","
	       "\"weight\":1,\"active\":true,\"packets\":5,\"bytes\":320},"
	       "{\"interface\":\"eth1\",\"weight\":2,\"active\":false}]},"
	       "{\"group\":0,\"id\":41,\"source\":\"fpm\",\"resolved\":true},"
	       "{\"group\":0,\"id\":40,\"source\":\"fpm\",\"resolved\":false}]}",
	       "Group  Id  Source  Routes  Buckets  Interface      Gateway   MAC                Weight  "
	       "Active  Packets  Bytes\n"
	       "    0  40  fpm          0        0  not known yet  -         -                       -  "
	       "-             -      -\n"
	       "   17  33  fpm          2       64  eth0           10.0.0.2  02:00:00:00:00:02       1  "
	       "yes           5    320\n"
	       "                                    eth1           -         -                       2  "
	       "no            0      0\n"
	       "Nexthop ids that are known and not used in XDP: 1 (json lists them)\n");
}

static void neighbor(void **state)
{
	expect(view_neighbor,
	       "{\"neighbors\":[{\"interface\":\"eth0\",\"address\":\"10.0.0.2\","
	       "\"mac\":\"02:00:00:00:00:02\",\"adjacency\":4,\"verdict\":\"forwarded\","
	       "\"mtu\":1500,\"gateway\":true,\"packets\":5,\"bytes\":320}]}",
	       "Interface  Address   MAC                Adjacency  Gateway  Verdict     MTU  Packets  "
	       "Bytes\n"
	       "eth0       10.0.0.2  02:00:00:00:00:02          4  yes      forwarded  1500        5  "
	       "  320\n");
	expect(view_neighbor, "{\"neighbors\":[]}", "");
}

static void consistency(void **state)
{
	expect(view_consistency, "{\"differences\":[]}", "Model, kernel and maps agree\n");
	expect(view_consistency,
	       "{\"differences\":[{\"what\":\"prefix\",\"where\":\"10.0.0.0/8\",\"expected\":17,"
	       "\"found\":null}]}",
	       "What    Where       Expected  Found\n"
	       "prefix  10.0.0.0/8  17        -\n"
	       "1 difference\n");
}

static void summary(void **state)
{
	expect(view_summary,
	       "{\"version\":\"0.1.0\",\"pathspace\":\"r1\",\"pid\":77,\"uptime\":3725,\"abi\":1,\"ready\":true,"
	       "\"fpm\":{\"connected\":true,\"peer\":\"127.0.0.1:4000\",\"module\":"
	       "\"dplane_fpm_nl\",\"replayed\":true,\"kernelFirst\":true,\"frames\":10,\"messages\":12,"
	       "\"connections\":1,\"rejects\":{\"version\":2,\"type\":0},\"ignored\":{\"mpls\":3},"
	       "\"listen\":\"127.0.0.1:2620\"},"
	       "\"kernel\":{\"synced\":true,\"messages\":40,\"overruns\":0,\"resyncs\":1},"
	       "\"routes\":{\"ipv4\":5,\"ipv6\":2,\"offloaded\":6,\"pending\":0,\"trapped\":1,"
	       "\"failed\":0,\"refused\":0,\"limit\":4194304},"
	       "\"nexthopGroups\":3,\"adjacencies\":4,\"neighbors\":2,\"interfaces\":2,"
	       "\"offloadStatus\":false}",
	       "fpm-xdp 0.1.0, pid 77, up 01:02:05, pathspace r1, ABI 1\n"
	       "State    forwarding\n"
	       "FPM      connected, peer 127.0.0.1:4000, module dplane_fpm_nl, replay complete, listening on "
	       "127.0.0.1:2620\n"
	       "         frames: 10, messages: 12, connections: 1; kernel-first on\n"
	       "         rejected: version 2\n"
	       "         ignored: mpls 3\n"
	       "Kernel   in step; messages: 40, overruns: 0, resyncs: 1\n"
	       "Routes   5 IPv4, 2 IPv6: 6 offloaded, 0 pending, 1 trapped, 0 failed\n"
	       "         0 refused, limit 4194304\n"
	       "Tables   nexthop groups: 3, adjacencies: 4, neighbors: 2, interfaces attached: 2\n"
	       "Offload status to zebra is off\n");
}

/* What is said of a packet and of the whole depends on where packets may come in. */
#define ATTACHED "\"attached\":true,"
#define OPEN4	 "\"ipv4\":{\"eligible\":true,\"reasons\":[]},"
#define CLOSED4	 "\"ipv4\":{\"eligible\":false,\"reasons\":[\"netfilter\"]},"
#define CLOSED6	 "\"ipv6\":{\"eligible\":false,\"reasons\":[\"netfilter\",\"ipsec\"]}"
#define OFF6	 "\"ipv6\":{\"eligible\":false,\"reasons\":[\"forwarding-off\"]}"

static void ingress_of_a_packet(void **state)
{
	static const struct {
		const char *interfaces, *want;
	} cases[] = {
		{ "{}", "would be forwarded in XDP, but no interface is attached" },
		{ "{\"eth0\":{" ATTACHED OPEN4 OFF6 "}}", "is forwarded in XDP" },
		{ "{\"eth0\":{" ATTACHED OPEN4 OFF6 "},\"eth1\":{" CLOSED4 OFF6 "}}",
		  "is forwarded in XDP" },
		{ "{\"eth0\":{" ATTACHED OPEN4 OFF6 "},\"eth1\":{" ATTACHED CLOSED4 OFF6 "}}",
		  "is forwarded in XDP, but is left to Linux on eth1: netfilter" },
		{ "{\"eth0\":{" ATTACHED CLOSED4 OFF6 "},\"eth1\":{" ATTACHED CLOSED4 OFF6 "}}",
		  "would be forwarded in XDP, but is left to Linux on eth0, eth1: netfilter" },
	};
	char doc[1024], want[256];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(doc, sizeof(doc),
			 "{\"address\":\"10.1.2.3\",\"verdict\":\"forwarded\",\"%s\":%s}",
			 VIEW_INTERFACES, cases[i].interfaces);
		snprintf(want, sizeof(want), "A packet to 10.1.2.3 %s\n", cases[i].want);
		expect(view_lookup, doc, want);
	}
}

static void ingress_of_routes(void **state)
{
	expect(view_route_ingress,
	       "{\"eth0\":{" ATTACHED OPEN4 OFF6 "},\"eth1\":{" ATTACHED CLOSED4 CLOSED6 "},"
	       "\"eth2\":{" ATTACHED OPEN4 OFF6 "}}",
	       "IPv6 packets are all left to Linux, since no interface is eligible: "
	       "eth0, eth2: forwarding-off; eth1: netfilter,ipsec\n\n");
	expect(view_route_ingress, "{\"eth0\":{" CLOSED4 CLOSED6 "}}",
	       "IPv4 packets are all left to Linux, since no interface is attached\n\n"
	       "IPv6 packets are all left to Linux, since no interface is attached\n\n");
}

/* Documents of another version: nothing that is expected is there, or it is of another type. */
static void strange_documents(void **state)
{
	static void (*const views[])(struct json_object * doc, FILE * out) = {
		view_summary, view_interface, view_counters, view_consistency,
		view_group,   view_neighbor,  view_lookup,
	};
	static const char *const docs[] = {
		"{}",
		"[]",
		"7",
		"{\"interfaces\":7,\"groups\":{},\"neighbors\":\"x\",\"fpm\":[],"
		"\"differences\":true,\"nexthop\":1,\"eth0\":null}",
		"{\"interfaces\":{\"eth0\":null},\"groups\":[null,[1]],\"neighbors\":[7],"
		"\"differences\":[null],\"nexthops\":[{}]}",
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct json_object *doc = json_tokener_parse(docs[i]);

		for (size_t k = 0; k < sizeof(views) / sizeof(views[0]); k++)
			views[k](doc, out);
		json_object_put(doc);
	}
	fclose(out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(route),
		cmocka_unit_test(lookup),
		cmocka_unit_test(counters),
		cmocka_unit_test(many_interfaces),
		cmocka_unit_test(interface),
		cmocka_unit_test(group),
		cmocka_unit_test(neighbor),
		cmocka_unit_test(consistency),
		cmocka_unit_test(summary),
		cmocka_unit_test(ingress_of_a_packet),
		cmocka_unit_test(ingress_of_routes),
		cmocka_unit_test(strange_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
