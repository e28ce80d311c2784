/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Protobuf messages: fields, what zebra's encoder does to them, every reject. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/pb_decode.h"
#include "tests/lib/op_text.h"
#include "tests/lib/pb_encode.h"
#include "tests/lib/vector.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A message by its fields; what is zero is left out where the schema lets it be. */
struct pb_route {
	unsigned int type; /* of the message: 1 add, 2 delete */
	unsigned int body; /* field in which it stands; 0: none */
	uint32_t vrf;
	unsigned int family, sub_family;
	int prefix_len;	   /* -1: no prefix */
	const char *bytes; /* hex */
	unsigned int route_type, protocol;
	int32_t metric;
	unsigned int paths; /* that many times the path below */
	uint32_t ifindex;
	uint32_t gw4;
	const char *gw6; /* hex */
	int sid;
};

struct pb_case {
	const char *what;
	struct pb_route route;
	const char *expect;
	enum pb_reject reject;
};

static void put_hex(struct pb *pb, unsigned int field, const char *hex)
{
	uint8_t bytes[64];

	pb_bytes(pb, field, bytes, (size_t)vector_hex(hex, bytes, sizeof(bytes)));
}

static void put_key(struct pb *body, const struct pb_route *r)
{
	static struct pb prefix, key;

	prefix.len = key.len = 0;
	pb_varint(body, 1, r->vrf);
	pb_varint(body, 2, r->family);
	pb_varint(body, 3, r->sub_family);
	if (r->prefix_len >= 0) {
		pb_varint(&prefix, 1, (uint64_t)r->prefix_len);
		put_hex(&prefix, 2, r->bytes ? r->bytes : "");
		pb_message(&key, 1, &prefix);
	}
	pb_message(body, 4, &key);
}

static void put_path(struct pb *body, const struct pb_route *r)
{
	static struct pb interface, v4, v6, address, nexthop;

	interface.len = v4.len = v6.len = address.len = nexthop.len = 0;
	if (r->ifindex) {
		pb_varint(&interface, 1, r->ifindex);
		pb_message(&nexthop, 2, &interface);
	}
	if (r->gw4) {
		pb_fixed32(&v4, 1, r->gw4);
		pb_message(&address, 1, &v4);
	}
	if (r->gw6) {
		put_hex(&v6, 1, r->gw6);
		pb_message(&address, 2, &v6);
	}
	if (address.len)
		pb_message(&nexthop, 3, &address);
	pb_message(body, 9, &nexthop);
}

static void encode(const struct pb_route *r, struct pb *msg)
{
	static struct pb body, sid;

	msg->len = body.len = sid.len = 0;
	pb_varint(msg, 1, r->type);
	if (!r->body)
		return;
	put_key(&body, r);
	if (r->route_type)
		pb_varint(&body, 5, r->route_type);
	pb_varint(&body, 6, r->protocol);
	pb_varint(&body, 8, (uint64_t)(int64_t)r->metric);
	for (unsigned int i = 0; i < r->paths; i++)
		put_path(&body, r);
	if (r->sid) {
		put_hex(&sid, 1, "20010db8000000000000000000000001");
		pb_message(&body, 11, &sid);
	}
	pb_message(msg, r->body, &body);
}

#define IP4(len, hex)                                                                              \
	.type = 1, .body = 2, .family = 1, .sub_family = 1, .prefix_len = (len), .bytes = (hex)
#define IP6(len, hex)                                                                              \
	.type = 1, .body = 2, .family = 2, .sub_family = 1, .prefix_len = (len), .bytes = (hex)
#define GW4  .paths = 1, .ifindex = 6, .gw4 = 0x0a000002
#define VIA4 " nexthop via 10.0.0.2 dev 6 weight 1"

static const struct pb_case cases[] = {
	{ "static, its bytes cut to the prefix",
	  { IP4(24, "c00002"), .route_type = 1, .protocol = 4, GW4 },
	  "route add 192.0.2.0/24 table 254 proto 196 unicast replace" VIA4,
	  0 },
	{ "a default route has no byte",
	  { IP4(0, ""), .route_type = 1, .protocol = 9, .metric = 20, GW4 },
	  "route add 0.0.0.0/0 table 254 proto 186 unicast metric 20 replace" VIA4,
	  0 },
	{ "a host route",
	  { IP4(32, "c0000201"), .route_type = 1, .protocol = 7, GW4 },
	  "route add 192.0.2.1/32 table 254 proto 188 unicast replace" VIA4,
	  0 },
	{ "more bytes than needed: host bits are cleared",
	  { IP4(20, "c000ffff"), .route_type = 1, .protocol = 5, GW4 },
	  "route add 192.0.240.0/20 table 254 proto 189 unicast replace" VIA4,
	  0 },
	{ "IPv6, 33 bits in 5 bytes",
	  { IP6(33, "20010db880"), .route_type = 1, .protocol = 6, .paths = 1, .ifindex = 6,
	    .gw6 = "fe800000000000000000000000000002" },
	  "route add 2001:db8:8000::/33 table 254 proto 190 unicast replace"
	  " nexthop via fe80::2 dev 6 weight 1",
	  0 },
	{ "IPv6, 128 bits",
	  { IP6(128, "20010db8000000000000000000000001"), .route_type = 1, .protocol = 8,
	    .paths = 1, .ifindex = 6 },
	  "route add 2001:db8::1/128 table 254 proto 187 unicast replace nexthop dev 6 weight 1",
	  0 },
	{ "two paths of equal weight",
	  { IP4(24, "c00002"), .route_type = 1, .protocol = 9, GW4, .paths = 2 },
	  "route add 192.0.2.0/24 table 254 proto 186 unicast replace" VIA4 VIA4,
	  0 },
	{ "the highest gateway, no interface",
	  { IP4(24, "c00002"), .route_type = 1, .protocol = 9, .paths = 1, .gw4 = 0xfffffffe },
	  "route add 192.0.2.0/24 table 254 proto 186 unicast replace"
	  " nexthop via 255.255.255.254 weight 1",
	  0 },
	{ "gateways of both families: the route's own counts (IPv4)",
	  { IP4(24, "c00002"), .route_type = 1, .protocol = 9, GW4,
	    .gw6 = "fe800000000000000000000000000002" },
	  "route add 192.0.2.0/24 table 254 proto 186 unicast replace" VIA4,
	  0 },
	{ "gateways of both families: the route's own counts (IPv6)",
	  { IP6(32, "20010db8"), .route_type = 1, .protocol = 9, GW4,
	    .gw6 = "fe800000000000000000000000000002" },
	  "route add 2001:db8::/32 table 254 proto 186 unicast replace"
	  " nexthop via fe80::2 dev 6 weight 1",
	  0 },
	{ "blackhole",
	  { IP4(24, "c00002"), .route_type = 3, .protocol = 4 },
	  "route add 192.0.2.0/24 table 254 proto 196 blackhole replace",
	  0 },
	{ "unreachable",
	  { IP4(24, "c00002"), .route_type = 2, .protocol = 4 },
	  "route add 192.0.2.0/24 table 254 proto 196 unreachable replace",
	  0 },
	{ "no type",
	  { IP4(24, "c00002"), .protocol = 4 },
	  "route add 192.0.2.0/24 table 254 proto 196 other replace",
	  0 },
	{ "a type of the future",
	  { IP4(24, "c00002"), .route_type = 9, .protocol = 4 },
	  "route add 192.0.2.0/24 table 254 proto 196 other replace",
	  0 },
	{ "local",
	  { IP4(32, "0a000001"), .route_type = 1, .protocol = 1, .paths = 1, .ifindex = 6 },
	  "route add 10.0.0.1/32 table 254 proto 2 unicast replace connected"
	  " nexthop dev 6 weight 1",
	  0 },
	{ "connected",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 2, .paths = 1, .ifindex = 6 },
	  "route add 10.0.0.0/8 table 254 proto 2 unicast replace connected"
	  " nexthop dev 6 weight 1",
	  0 },
	{ "kernel",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 3, GW4 },
	  "route add 10.0.0.0/8 table 254 proto 2 unicast replace" VIA4,
	  0 },
	{ "another protocol",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 10, GW4 },
	  "route add 10.0.0.0/8 table 254 proto 11 unicast replace" VIA4,
	  0 },
	{ "a protocol of the future",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 77, GW4 },
	  "route add 10.0.0.0/8 table 254 proto 11 unicast replace" VIA4,
	  0 },
	{ "a VRF is no table",
	  { IP4(8, "0a"), .vrf = 7, .route_type = 1, .protocol = 9, GW4 },
	  "route add 10.0.0.0/8 table 0 vrf 7 proto 186 unicast replace" VIA4,
	  0 },
	{ "the metric is the RIB's, 32 bits of it",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 9, .metric = -1, GW4 },
	  "route add 10.0.0.0/8 table 254 proto 186 unicast metric 4294967295 replace" VIA4,
	  0 },
	{ "SRv6 VPN",
	  { IP4(8, "0a"), .route_type = 1, .protocol = 9, GW4, .sid = 1 },
	  "route add 10.0.0.0/8 table 254 proto 186 unicast replace" VIA4 " encap srv6",
	  0 },
	{ "a delete",
	  { IP4(24, "c00002"), .type = 2, .body = 3 },
	  "route del 192.0.2.0/24 table 254 proto 0 unicast",
	  0 },
	{ "a delete in a VRF",
	  { IP6(32, "20010db8"), .type = 2, .body = 3, .vrf = 9 },
	  "route del 2001:db8::/32 table 0 vrf 9 proto 0 unicast",
	  0 },
	{ "no family", { IP4(8, "0a"), .family = 0 }, "skip family", 0 },
	{ "a family of the future", { IP4(8, "0a"), .family = 3 }, "skip family", 0 },
	{ "the multicast RIB", { IP4(8, "0a"), .sub_family = 2 }, "skip multicast", 0 },
	{ "a message of no type", { .type = 0 }, "skip type", 0 },
	{ "a message of the future", { .type = 5 }, "skip type", 0 },
	{ "a local SID", { IP4(8, "0a"), .type = 3, .body = 4 }, "skip srv6-sid", 0 },
	{ "a local SID's delete", { IP4(8, "0a"), .type = 4, .body = 4 }, "skip srv6-sid", 0 },
	{ "an add without its part", { .type = 1 }, NULL, PB_REJ_BODY },
	{ "an add that holds a delete", { IP4(8, "0a"), .body = 3 }, NULL, PB_REJ_BODY },
	{ "a delete without its part", { .type = 2 }, NULL, PB_REJ_BODY },
	{ "no prefix", { IP4(-1, "") }, NULL, PB_REJ_PREFIX },
	{ "33 bits of an IPv4 address", { IP4(33, "0a000000ff") }, NULL, PB_REJ_PREFIX_LEN },
	{ "129 bits of an IPv6 address", { IP6(129, "") }, NULL, PB_REJ_PREFIX_LEN },
	{ "4 billion bits", { IP6(0x7fffffff, "") }, NULL, PB_REJ_PREFIX_LEN },
	{ "a byte too few", { IP4(17, "0a00") }, NULL, PB_REJ_PREFIX_BYTES },
	{ "a byte too many for the family", { IP4(8, "0a00000000") }, NULL, PB_REJ_PREFIX_BYTES },
	{ "an IPv6 gateway of 4 bytes",
	  { IP4(8, "0a"), .paths = 1, .gw6 = "0a000002" },
	  NULL,
	  PB_REJ_GATEWAY },
	{ "an empty gateway", { IP4(8, "0a"), .paths = 1, .gw6 = "" }, NULL, PB_REJ_GATEWAY },
	{ "too many paths", { IP4(8, "0a"), .paths = RT_MAX_PATHS + 1 }, NULL, PB_REJ_PATHS },
};

static void decodes(void **state)
{
	static struct rt_op op;
	static struct pb msg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pb_case *c = &cases[i];
		enum pb_reject why = PB_REJ_NONE;
		char line[VECTOR_LINE];

		print_message("%s\n", c->what);
		encode(&c->route, &msg);
		memset(&op, 0xa5, sizeof(op));
		assert_int_equal(pb_decode(msg.buf, msg.len, &op, &why), c->reject ? -EBADMSG : 1);
		assert_string_equal(pb_reject_name(why), pb_reject_name(c->reject));
		if (c->expect)
			assert_string_equal(op_text(&op, line, sizeof(line)), c->expect);
	}
}

static void most_paths(void **state)
{
	const struct pb_route route = { IP4(8, "0a"), .route_type = 1, .paths = RT_MAX_PATHS };
	enum pb_reject why = PB_REJ_NONE;
	static struct rt_op op;
	static struct pb msg;

	encode(&route, &msg);
	assert_int_equal(pb_decode(msg.buf, msg.len, &op, &why), 1);
	assert_int_equal(op.npaths, RT_MAX_PATHS);
}

static const struct {
	const char *what;
	const char *hex;
} malformed[] = {
	{ "a tag that never ends", "ffffffffffffffffffffff" },
	{ "a length that leads out", "1205"
				     "0801" },
	{ "a required field missing", "0801"
				      "1202"
				      "0800" },
	{ "a varint that is cut off", "08" },
	{ "field number 0", "0001" },
	{ "a wrong wire type for a message", "0801"
					     "1001" },
};

static void rejects_malformed(void **state)
{
	static struct rt_op op;

	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		enum pb_reject why = PB_REJ_NONE;
		uint8_t bytes[64];
		int n = vector_hex(malformed[i].hex, bytes, sizeof(bytes));

		print_message("%s\n", malformed[i].what);
		assert_int_equal(pb_decode(bytes, (size_t)n, &op, &why), -EBADMSG);
		assert_int_equal(why, PB_REJ_MALFORMED);
	}
	assert_string_equal(pb_reject_name(PB_REJ_COUNT), "none");
}

/* Every message cut short is refused or, if cut between fields, something else, never a crash. */
static void truncated(void **state)
{
	static struct rt_op op;
	static struct pb msg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		encode(&cases[i].route, &msg);
		for (size_t len = 0; len < msg.len && len < 256; len++) {
			enum pb_reject why = PB_REJ_NONE;
			int r = pb_decode(msg.buf, len, &op, &why);

			assert_true(r == 1 || (r == -EBADMSG && why != PB_REJ_NONE));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(most_paths),
		cmocka_unit_test(rejects_malformed),
		cmocka_unit_test(truncated),
	};

	return cmocka_run_group_tests_name("pb_decode", tests, NULL, NULL);
}
