/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink messages: what each form means, every reject, every field at its bounds. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/rtnl_decode.h"
#include "tests/lib/nl_text.h"
#include "tests/lib/op_text.h"
#include "tests/lib/vector.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* struct rtmsg of unicast routes in table 254, protocol 196 */
#define R4	      "021800 00fec40001 00000000 "
#define R6	      "0a3000 00fec40001 00000000 "
#define NET4	      "1=192.0.2.0 "
#define NET6	      "1=2001:db8:: "
#define ADD4	      "route add 192.0.2.0/24 table 254 proto 196 unicast"
#define ADD6	      "route add 2001:db8::/48 table 254 proto 196 unicast"
/* struct nhmsg of protocol 11 */
#define N0	      "00000b0000000000 "
#define N4	      "02000b0000000000 "
#define N6	      "0a000b0000000000 "

struct decode_case {
	const char *what;
	enum rtnl_origin origin;
	const char *message;
	const char *expect;
};

static const struct decode_case routes[] = {
	{ "a route by nexthop id", RTNL_FPM_DPLANE, "route+ " R4 NET4 "6=u32:20 30=u32:32",
	  ADD4 " metric 20 nhid 32 replace" },
	{ "one gateway", RTNL_FPM_DPLANE, "route+ " R4 NET4 "5=10.0.0.2 4=u32:6",
	  ADD4 " replace nexthop via 10.0.0.2 dev 6 weight 1" },
	{ "an interface only", RTNL_FPM_DPLANE, "route+ " R6 NET6 "4=u32:6",
	  ADD6 " replace nexthop dev 6 weight 1" },
	{ "NLA_F_NESTED and NLA_F_NET_BYTEORDER are no part of a type", RTNL_FPM_DPLANE,
	  "route+ " R4 "32769=192.0.2.0 16389=10.0.0.2 49156=u32:6",
	  ADD4 " replace nexthop via 10.0.0.2 dev 6 weight 1" },
	{ "onlink", RTNL_FPM_DPLANE, "route+ 02180000fec40001 04000000 " NET4 "5=10.9.0.2 4=u32:6",
	  ADD4 " replace nexthop via 10.9.0.2 dev 6 weight 1 onlink" },
	{ "IPv4 over IPv6: RTA_VIA (FRR 10.6)", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "18=0a0020010db8000000000000000000000002 4=u32:6",
	  ADD4 " replace nexthop via 2001:db8::2 dev 6 weight 1" },
	{ "IPv4 over IPv4 by RTA_VIA", RTNL_KERNEL, "route+ " R4 NET4 "18=02000a000002 4=u32:6",
	  ADD4 " replace nexthop via 10.0.0.2 dev 6 weight 1" },
	{ "IPv4 over IPv6: 169.254.0.1 (FRR before 10.6)", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "5=169.254.0.1 4=u32:6",
	  ADD4 " replace nexthop via 169.254.0.1 dev 6 weight 1 v4ll" },
	{ "another address of 169.254.0.0/16 is a gateway", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "5=169.254.0.2 4=u32:6",
	  ADD4 " replace nexthop via 169.254.0.2 dev 6 weight 1" },
	{ "weights less one", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "9{ hop:0:4:6{ 5=10.0.0.2 } hop:0:255:7{ 5=10.1.0.2 } }",
	  ADD4 " replace nexthop via 10.0.0.2 dev 6 weight 5"
	       " nexthop via 10.1.0.2 dev 7 weight 256" },
	{ "weights as they are: the older module", RTNL_FPM_OLD,
	  "route+ flags=0x401 " R4 NET4 "9{ hop:0:5:6{ 5=10.0.0.2 } hop:0:255:7{ } hop:0:0:8{ } }",
	  ADD4 " nexthop via 10.0.0.2 dev 6 weight 5 nexthop dev 7 weight 255"
	       " nexthop dev 8 weight 1" },
	{ "IPv6 hops, flags of the kernel", RTNL_KERNEL,
	  "route+ flags=0 " R6 NET6 "9{ hop:1:0:6{ 5=2001:db8::2 } hop:16:0:7{ } hop:4:0:8{ } }",
	  ADD6 " nexthop via 2001:db8::2 dev 6 weight 1 dead nexthop dev 7 weight 1 linkdown"
	       " nexthop dev 8 weight 1 onlink" },
	{ "a dead route of the kernel", RTNL_KERNEL,
	  "route+ flags=0 02180000fec40001 11000000 " NET4 "4=u32:6",
	  ADD4 " nexthop dev 6 weight 1 dead linkdown" },
	{ "a route that expires", RTNL_KERNEL,
	  "route+ flags=0 " R6 NET6 "4=u32:6 12=0000000000000000"
	  "0a00000000000000000000000000000000000000"
	  "00000000",
	  ADD6 " expires nexthop dev 6 weight 1" },
	{ "cache information of a route that does not", RTNL_KERNEL,
	  "route+ flags=0 " R6 NET6 "4=u32:6 12=0000000000000000"
	  "0000000000000000000000000000000000000000"
	  "00000000",
	  ADD6 " nexthop dev 6 weight 1" },
	{ "hops win over a path of the route's own", RTNL_KERNEL,
	  "route+ " R4 NET4 "4=u32:9 9{ hop:0:0:6{ } } 5=10.0.0.9",
	  ADD4 " replace nexthop dev 6 weight 1" },
	{ "no usable hop", RTNL_FPM_DPLANE, "route+ " R4 NET4 "9{ }", ADD4 " replace" },
	{ "a nexthop object as the kernel shows it", RTNL_KERNEL,
	  "route+ flags=0 " R4 NET4 "30=u32:7 9{ hop:0:0:6{ 5=10.0.0.2 } }",
	  ADD4 " nhid 7 nexthop via 10.0.0.2 dev 6 weight 1" },
	{ "blackhole", RTNL_FPM_DPLANE, "route+ 02180000fec40006 00000000 " NET4,
	  "route add 192.0.2.0/24 table 254 proto 196 blackhole replace" },
	{ "unreachable", RTNL_FPM_DPLANE, "route+ 02180000fec40007 00000000 " NET4,
	  "route add 192.0.2.0/24 table 254 proto 196 unreachable replace" },
	{ "prohibit", RTNL_FPM_DPLANE, "route+ 02180000fec40008 00000000 " NET4,
	  "route add 192.0.2.0/24 table 254 proto 196 prohibit replace" },
	{ "local", RTNL_KERNEL, "route+ flags=0 02200000ff02fe02 00000000 1=10.0.0.1 4=u32:6",
	  "route add 10.0.0.1/32 table 255 proto 2 local nexthop dev 6 weight 1" },
	{ "broadcast", RTNL_KERNEL, "route+ flags=0 02200000ff02fd03 00000000 1=10.0.0.255 4=u32:6",
	  "route add 10.0.0.255/32 table 255 proto 2 broadcast nexthop dev 6 weight 1" },
	{ "anycast", RTNL_KERNEL, "route+ flags=0 0a800000ff020004 00000000 1=2001:db8:: 4=u32:6",
	  "route add 2001:db8::/128 table 255 proto 2 anycast nexthop dev 6 weight 1" },
	{ "multicast", RTNL_KERNEL, "route+ flags=0 0a080000ff020005 00000000 1=ff00:: 4=u32:6",
	  "route add ff00::/8 table 255 proto 2 multicast nexthop dev 6 weight 1" },
	{ "throw", RTNL_KERNEL, "route+ flags=0 02180000fe030009 00000000 " NET4,
	  "route add 192.0.2.0/24 table 254 proto 3 throw" },
	{ "a type of the future", RTNL_KERNEL, "route+ flags=0 02180000fe0300fa 00000000 " NET4,
	  "route add 192.0.2.0/24 table 254 proto 3 other" },
	{ "a default route with its address", RTNL_FPM_DPLANE,
	  "route+ 02000000fec40001 00000000 1=0.0.0.0 4=u32:6",
	  "route add 0.0.0.0/0 table 254 proto 196 unicast replace nexthop dev 6 weight 1" },
	{ "a default route without", RTNL_KERNEL,
	  "route+ flags=0 0a000000fe090001 00000000 4=u32:6",
	  "route add ::/0 table 254 proto 9 unicast nexthop dev 6 weight 1" },
	{ "host bits are cleared", RTNL_FPM_DPLANE, "route+ " R4 "1=192.0.2.255 30=u32:1",
	  ADD4 " nhid 1 replace" },
	{ "longest prefixes", RTNL_FPM_DPLANE,
	  "route+ 0a800000fec40001 00000000 1=2001:db8::ff 30=u32:4294967295",
	  "route add 2001:db8::ff/128 table 254 proto 196 unicast nhid 4294967295 replace" },
	{ "table of 32 bits", RTNL_FPM_DPLANE,
	  "route+ 02180000 00c40001 00000000 " NET4 "15=u32:4294967295",
	  "route add 192.0.2.0/24 table 4294967295 proto 196 unicast replace" },
	{ "table in both places", RTNL_KERNEL,
	  "route+ flags=0 02180000fcc40001 00000000 15=u32:1000 " NET4,
	  "route add 192.0.2.0/24 table 1000 proto 196 unicast" },
	{ "a delete: key only", RTNL_FPM_DPLANE,
	  "route- 02180000fec40000 00000000 " NET4 "6=u32:20",
	  "route del 192.0.2.0/24 table 254 proto 196 unicast metric 20" },
	{ "the older module's delete: table 0 is main (FRR 9.0)", RTNL_FPM_OLD,
	  "route- 0218000000000000 00000000 " NET4,
	  "route del 192.0.2.0/24 table 254 proto 0 unicast" },
	{ "NLM_F_REPLACE is no such thing in a delete", RTNL_KERNEL,
	  "route- flags=0xfff " R4 NET4 "4=u32:6",
	  "route del 192.0.2.0/24 table 254 proto 196 unicast nexthop dev 6 weight 1" },
	{ "appended", RTNL_KERNEL, "route+ flags=0xc00 " R4 NET4 "4=u32:6",
	  ADD4 " append nexthop dev 6 weight 1" },
	{ "IPv6 by source, too", RTNL_FPM_DPLANE,
	  "route+ 0a304000fec40001 00000000 " NET6 "2=2001:db8:1::1 4=u32:6",
	  "route add 2001:db8::/48 from 2001:db8:1::/64 table 254 proto 196 unicast"
	  " replace nexthop dev 6 weight 1" },
	{ "type of service", RTNL_KERNEL, "route+ flags=0 02180010fec40001 00000000 " NET4,
	  ADD4 " tos 16" },
	{ "an MTU among metrics", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "8{ 1=u32:0 2=u32:1400 8=u32:1360 }", ADD4 " mtu 1400 replace" },
	{ "attributes that change nothing here", RTNL_KERNEL,
	  "route+ flags=0 " R6 NET6 "6=u32:1024 12="
	  "0000000000000000"
	  "0000000000000000"
	  "0000000000000000"
	  "0000000000000000 20=u8:0 7=2001:db8::1"
	  " 16000=00 4=u32:6",
	  ADD6 " metric 1024 nexthop dev 6 weight 1" },
	{ "MPLS push", RTNL_FPM_DPLANE, "route+ " R4 NET4 "21=u16:1 22{ 1=00010100 } 4=u32:6",
	  ADD4 " replace nexthop dev 6 weight 1 encap mpls" },
	{ "SRv6, encap before its type", RTNL_FPM_DPLANE,
	  "route+ " R6 NET6 "22{ } 21=u16:5 4=u32:6",
	  ADD6 " replace nexthop dev 6 weight 1 encap srv6" },
	{ "SRv6 endpoint", RTNL_FPM_DPLANE, "route+ " R6 NET6 "21=u16:7 22{ } 4=u32:6",
	  ADD6 " replace nexthop dev 6 weight 1 encap srv6" },
	{ "EVPN by FRR's private type, attribute 0 in the nest", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "21=u16:100 22{ 0=u32:4001 } 5=10.0.0.2 4=u32:6",
	  ADD4 " replace nexthop via 10.0.0.2 dev 6 weight 1 encap vxlan" },
	{ "IP tunnel", RTNL_KERNEL, "route+ " R4 NET4 "21=u16:2 22{ } 4=u32:6",
	  ADD4 " replace nexthop dev 6 weight 1 encap vxlan" },
	{ "IPv6 tunnel", RTNL_KERNEL, "route+ " R4 NET4 "21=u16:4 22{ } 4=u32:6",
	  ADD4 " replace nexthop dev 6 weight 1 encap vxlan" },
	{ "another encap", RTNL_KERNEL, "route+ " R4 NET4 "21=u16:6 22{ } 4=u32:6",
	  ADD4 " replace nexthop dev 6 weight 1 encap other" },
	{ "encap of type 0 is none", RTNL_KERNEL, "route+ " R4 NET4 "21=u16:0 4=u32:6",
	  ADD4 " replace nexthop dev 6 weight 1" },
	{ "encap without a type, and no interface", RTNL_KERNEL, "route+ " R4 NET4 "22{ }",
	  ADD4 " replace nexthop weight 1 encap other" },
	{ "encap of one hop", RTNL_FPM_DPLANE,
	  "route+ " R4 NET4 "9{ hop:0:0:6{ 21=u16:1 22{ 1=00010100 } } hop:0:0:7{ } }",
	  ADD4 " replace nexthop dev 6 weight 1 encap mpls nexthop dev 7 weight 1" },
};

static const struct decode_case nexthops[] = {
	{ "a gateway", RTNL_FPM_DPLANE, "nh+ " N4 "1=u32:32 6=10.0.0.2 5=u32:6",
	  "nh add 32 proto 11 replace nexthop via 10.0.0.2 dev 6 weight 1" },
	{ "an IPv6 gateway", RTNL_FPM_DPLANE, "nh+ " N6 "1=u32:32 6=2001:db8::2 5=u32:6",
	  "nh add 32 proto 11 replace nexthop via 2001:db8::2 dev 6 weight 1" },
	{ "an interface", RTNL_FPM_DPLANE, "nh+ " N4 "1=u32:32 5=u32:6",
	  "nh add 32 proto 11 replace nexthop dev 6 weight 1" },
	{ "onlink", RTNL_FPM_DPLANE, "nh+ 02000b0004000000 1=u32:32 6=10.9.0.2 5=u32:6",
	  "nh add 32 proto 11 replace nexthop via 10.9.0.2 dev 6 weight 1 onlink" },
	{ "dead, says the kernel", RTNL_KERNEL, "nh+ flags=0 02000b0011000000 1=u32:32 5=u32:6",
	  "nh add 32 proto 11 nexthop dev 6 weight 1 dead linkdown" },
	{ "blackhole", RTNL_FPM_DPLANE,
	  "nh+ " N4 "1=u32:5 4=", "nh add 5 proto 11 replace blackhole" },
	{ "a group", RTNL_FPM_DPLANE, "nh+ " N0 "1=u32:33 2=2000000000000000fe00000009000000",
	  "nh add 33 proto 11 replace group 32*1 254*10" },
	{ "weights of 8 bits at their bound", RTNL_FPM_DPLANE,
	  "nh+ " N0 "1=u32:33 2=20000000ff000000", "nh add 33 proto 11 replace group 32*256" },
	{ "weights of 16 bits", RTNL_FPM_DPLANE, "nh+ " N0 "1=u32:33 2=2000000001020000",
	  "nh add 33 proto 11 replace group 32*514" },
	{ "65536 does not fit and is taken down", RTNL_FPM_DPLANE,
	  "nh+ " N0 "1=u32:33 2=20000000ffff0000", "nh add 33 proto 11 replace group 32*65535" },
	{ "a resilient group, its type behind the nest", RTNL_FPM_DPLANE,
	  "nh+ " N0 "1=u32:33 2=2000000000000000 12{ 1=u16:64 2=u32:6000 3=u32:0 } 3=u16:1",
	  "nh add 33 proto 11 replace resilient group 32*1" },
	{ "group type multipath", RTNL_KERNEL,
	  "nh+ flags=0 " N0 "1=u32:33 2=2000000000000000 3=u16:0",
	  "nh add 33 proto 11 group 32*1" },
	{ "for bridges only", RTNL_KERNEL, "nh+ flags=0 " N4 "1=u32:9 6=10.0.0.2 11=",
	  "nh add 9 proto 11 fdb nexthop via 10.0.0.2 weight 1" },
	{ "MPLS push", RTNL_FPM_DPLANE,
	  "nh+ " N4 "1=u32:32 6=10.0.0.2 5=u32:6 7=u16:1 8{ 1=00010100 }",
	  "nh add 32 proto 11 replace nexthop via 10.0.0.2 dev 6 weight 1 encap mpls" },
	{ "encap whose type is missing", RTNL_FPM_DPLANE, "nh+ " N4 "1=u32:32 8{ } 5=u32:6",
	  "nh add 32 proto 11 replace nexthop dev 6 weight 1 encap other" },
	{ "a delete", RTNL_FPM_DPLANE, "nh- 0000000000000000 1=u32:32", "nh del 32 proto 0" },
};

static const struct decode_case skips[] = {
	{ "an LSP", RTNL_FPM_DPLANE, "route+ 1c140000fec40001 00000000 1=00010100", "skip mpls" },
	{ "an LSP's delete", RTNL_FPM_DPLANE, "route- 1c140000fe000001 00000000", "skip mpls" },
	{ "a MAC of EVPN", RTNL_FPM_DPLANE, "neigh+ 070000000600000002001400", "skip evpn-mac" },
	{ "its delete", RTNL_FPM_DPLANE, "neigh- 070000000600000002001400", "skip evpn-mac" },
	{ "a neighbour", RTNL_KERNEL, "neigh+ 020000000600000002000000", "skip type" },
	{ "a multicast forwarding entry", RTNL_KERNEL, "route+ 80200000fd110005 00000000",
	  "skip family" },
	{ "a cache entry", RTNL_KERNEL, "route+ 0a800000fe000001 00020000 " NET6, "skip cloned" },
	{ "a link", RTNL_KERNEL, "type=16 00000000", "skip type" },
	{ "no operation", RTNL_KERNEL, "type=1", "skip type" },
	{ "the end of a dump", RTNL_KERNEL, "type=3 00000000", "skip type" },
};

static void run_cases(const struct decode_case *cases, size_t n)
{
	static struct rt_op op;

	for (size_t i = 0; i < n; i++) {
		const struct decode_case *c = &cases[i];
		enum rtnl_reject why = RTNL_REJ_NONE;
		uint8_t msg[1024];
		char line[VECTOR_LINE];
		size_t len = nl_text(c->message, msg + 1, sizeof(msg) - 1);

		print_message("%s\n", c->what);
		memset(&op, 0xa5, sizeof(op)); /* nothing of a message before may show */
		rtnl_decode(msg + 1, len, c->origin, &op, &why); /* not aligned */
		assert_string_equal(rtnl_reject_name(why), "none");
		assert_string_equal(op_text(&op, line, sizeof(line)), c->expect);
	}
}

static void decodes_routes(void **state)
{
	run_cases(routes, ARRAY_SIZE(routes));
}

static void decodes_nexthops(void **state)
{
	run_cases(nexthops, ARRAY_SIZE(nexthops));
}

static void skips_others(void **state)
{
	run_cases(skips, ARRAY_SIZE(skips));
}

struct reject_case {
	const char *what;
	const char *message;
	enum rtnl_reject reject;
};

static const struct reject_case rejects[] = {
	{ "nlmsg_len below its header", "route+ len=15 " R4, RTNL_REJ_SHORT },
	{ "a route cut off in struct rtmsg", "route+ 0218000000", RTNL_REJ_SHORT },
	{ "a nexthop cut off in struct nhmsg", "nh+ 02000b", RTNL_REJ_SHORT },
	{ "a neighbour cut off in struct ndmsg", "neigh+ 07000000", RTNL_REJ_SHORT },
	{ "nlmsg_len beyond what is there", "route+ len=29 " R4, RTNL_REJ_LENGTH },
	{ "nlmsg_len of 4 GiB", "route+ len=-1 " R4, RTNL_REJ_LENGTH },
	{ "an attribute of length 0", "route+ " R4 "00000100", RTNL_REJ_ATTR_SHORT },
	{ "an attribute of length 3", "route+ " R4 "03000100", RTNL_REJ_ATTR_SHORT },
	{ "one byte where an attribute should be", "route+ " R4 NET4 "00", RTNL_REJ_ATTR_SHORT },
	{ "an attribute that leads out", "route+ " R4 "05000100", RTNL_REJ_ATTR_LONG },
	{ "an attribute of length 65535", "route+ " R4 "ffff0100 00000000", RTNL_REJ_ATTR_LONG },
	{ "an attribute that leads out of its nest",
	  "route+ " R4 NET4 "8{ } 05000200 00000000 @36=08", RTNL_REJ_ATTR_LONG },
	{ "RTA_DST of 3 bytes", "route+ " R4 "1=c00002", RTNL_REJ_ATTR_SIZE },
	{ "RTA_DST of the other family", "route+ " R4 "1=2001:db8::", RTNL_REJ_ATTR_SIZE },
	{ "RTA_SRC empty", "route+ " R6 NET6 "2=", RTNL_REJ_ATTR_SIZE },
	{ "RTA_OIF of 2 bytes", "route+ " R4 NET4 "4=u16:6", RTNL_REJ_ATTR_SIZE },
	{ "RTA_PRIORITY of 8 bytes", "route+ " R4 NET4 "6=0000000000000000", RTNL_REJ_ATTR_SIZE },
	{ "RTA_TABLE of 1 byte", "route+ " R4 NET4 "15=u8:1", RTNL_REJ_ATTR_SIZE },
	{ "RTA_NH_ID empty", "route+ " R4 NET4 "30=", RTNL_REJ_ATTR_SIZE },
	{ "RTAX_MTU of 2 bytes", "route+ " R4 NET4 "8{ 2=u16:1400 }", RTNL_REJ_ATTR_SIZE },
	{ "an IPv6 gateway in RTA_GATEWAY of IPv4", "route+ " R4 NET4 "5=2001:db8::2",
	  RTNL_REJ_ATTR_SIZE },
	{ "an IPv4 gateway in RTA_GATEWAY of IPv6", "route+ " R6 NET6 "5=10.0.0.2",
	  RTNL_REJ_ATTR_SIZE },
	{ "RTA_VIA without a family", "route+ " R4 NET4 "18=0a", RTNL_REJ_ATTR_SIZE },
	{ "RTA_VIA of 15 bytes", "route+ " R4 NET4 "18=0a0020010db80000000000000000000000",
	  RTNL_REJ_ATTR_SIZE },
	{ "RTA_ENCAP_TYPE of 4 bytes", "route+ " R4 NET4 "21=u32:1", RTNL_REJ_ATTR_SIZE },
	{ "NHA_ID of 2 bytes", "nh+ " N4 "1=u16:5", RTNL_REJ_ATTR_SIZE },
	{ "NHA_GATEWAY in a nexthop of no family", "nh+ " N0 "1=u32:5 6=10.0.0.2",
	  RTNL_REJ_ATTR_SIZE },
	{ "NHA_GATEWAY empty in a nexthop of no family",
	  "nh+ " N0 "1=u32:5 6=", RTNL_REJ_ATTR_SIZE },
	{ "NHA_GROUP empty", "nh+ " N0 "1=u32:5 2=", RTNL_REJ_ATTR_SIZE },
	{ "NHA_GROUP of one member and a half", "nh+ " N0 "1=u32:5 2=010000000000000002000000",
	  RTNL_REJ_ATTR_SIZE },
	{ "NHA_GROUP_TYPE of 1 byte", "nh+ " N0 "1=u32:5 3=u8:1", RTNL_REJ_ATTR_SIZE },
	{ "NHA_ENCAP_TYPE of 1 byte", "nh+ " N4 "1=u32:5 7=u8:1", RTNL_REJ_ATTR_SIZE },
	{ "33 bits of an IPv4 address", "route+ 02210000fec40001 00000000 " NET4,
	  RTNL_REJ_PREFIX_LEN },
	{ "129 bits of an IPv6 address", "route+ 0a810000fec40001 00000000 " NET6,
	  RTNL_REJ_PREFIX_LEN },
	{ "255 bits of an IPv6 source", "route+ 0a30ff00fec40001 00000000 " NET6,
	  RTNL_REJ_PREFIX_LEN },
	{ "a prefix without its address", "route+ " R4 "4=u32:6", RTNL_REJ_PREFIX_MISSING },
	{ "a source without its address", "route+ 0a304000fec40001 00000000 " NET6,
	  RTNL_REJ_PREFIX_MISSING },
	{ "RTA_VIA of AF_PACKET", "route+ " R4 NET4 "18=1100020000000000", RTNL_REJ_VIA_FAMILY },
	{ "a hop of length 0 would never end", "route+ " R4 NET4 "9=0000000006000000",
	  RTNL_REJ_HOP_SHORT },
	{ "a hop of length 7", "route+ " R4 NET4 "9=0700000006000000", RTNL_REJ_HOP_SHORT },
	{ "half a hop", "route+ " R4 NET4 "9=08000000", RTNL_REJ_HOP_SHORT },
	{ "garbage behind a hop", "route+ " R4 NET4 "9=08000000060000000000", RTNL_REJ_HOP_SHORT },
	{ "a hop that leads out of RTA_MULTIPATH", "route+ " R4 NET4 "9=0900000006000000",
	  RTNL_REJ_HOP_LONG },
	{ "an attribute that leads out of its hop",
	  "route+ " R4 NET4 "9=0c000000060000000c000500 0000000000000000", RTNL_REJ_ATTR_LONG },
	{ "a gateway of a hop of the wrong size", "route+ " R4 NET4 "9{ hop:0:0:6{ 5=0a00 } }",
	  RTNL_REJ_ATTR_SIZE },
	{ "a nexthop without an id", "nh+ " N4 "5=u32:6", RTNL_REJ_NH_ID },
	{ "a nexthop of id 0", "nh+ " N4 "1=u32:0 5=u32:6", RTNL_REJ_NH_ID },
	{ "a delete without an id", "nh- " N0, RTNL_REJ_NH_ID },
	{ "a member of id 0", "nh+ " N0 "1=u32:5 2=01000000000000000000000000000000",
	  RTNL_REJ_NH_ID },
};

static void rejects_all(void **state)
{
	bool seen[RTNL_REJ_COUNT] = { [RTNL_REJ_NONE] = true, [RTNL_REJ_PATHS] = true };
	static struct rt_op op;

	for (size_t i = 0; i < ARRAY_SIZE(rejects); i++) {
		const struct reject_case *c = &rejects[i];
		enum rtnl_reject why = RTNL_REJ_NONE;
		uint8_t msg[256];
		size_t len = nl_text(c->message, msg, sizeof(msg));

		print_message("%s\n", c->what);
		assert_int_equal(rtnl_decode(msg, len, RTNL_KERNEL, &op, &why), -EBADMSG);
		assert_string_equal(rtnl_reject_name(why), rtnl_reject_name(c->reject));
		seen[why] = true;
	}
	for (size_t r = 0; r < RTNL_REJ_COUNT; r++) {
		if (!seen[r])
			fail_msg("no case for: %s", rtnl_reject_name((enum rtnl_reject)r));
	}
	assert_string_equal(rtnl_reject_name(RTNL_REJ_COUNT), "none");
}

/* Bytes of fewer than a header are given by a caller's mistake only. */
static void rejects_no_header(void **state)
{
	uint8_t msg[16] = { 16 };
	enum rtnl_reject why = RTNL_REJ_NONE;
	static struct rt_op op;

	assert_int_equal(rtnl_decode(msg, 15, RTNL_KERNEL, &op, &why), -EBADMSG);
	assert_int_equal(why, RTNL_REJ_SHORT);
}

static int decode_paths(const char *head, const char *path, size_t n, struct rt_op *op,
			enum rtnl_reject *why)
{
	static uint8_t msg[32768];
	char *text = malloc(strlen(head) + n * strlen(path) + 3);
	size_t len;

	assert_non_null(text);
	strcpy(text, head);
	for (size_t i = 0, at = strlen(head); i < n; i++, at += strlen(path))
		strcpy(text + at, path);
	strcat(text, "}");
	len = nl_text(text, msg, sizeof(msg));
	free(text);
	*why = RTNL_REJ_NONE;
	return rtnl_decode(msg, len, RTNL_FPM_DPLANE, op, why);
}

static void most_paths(void **state)
{
	static struct rt_op op;
	enum rtnl_reject why;

	assert_int_equal(decode_paths("route+ " R4 NET4 "9{ ", "hop:0:0:6{ 5=10.0.0.2 } ",
				      RT_MAX_PATHS, &op, &why),
			 1);
	assert_int_equal(op.npaths, RT_MAX_PATHS);
	assert_int_equal(decode_paths("route+ " R4 NET4 "9{ ", "hop:0:0:6{ 5=10.0.0.2 } ",
				      RT_MAX_PATHS + 1, &op, &why),
			 -EBADMSG);
	assert_int_equal(why, RTNL_REJ_PATHS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_routes), cmocka_unit_test(decodes_nexthops),
		cmocka_unit_test(skips_others),	  cmocka_unit_test(rejects_all),
		cmocka_unit_test(most_paths),	  cmocka_unit_test(rejects_no_header),
	};

	return cmocka_run_group_tests_name("rtnl_decode", tests, NULL, NULL);
}
