/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One change of routing state, as a value: what every decoder gives and the model takes.
 *
 * A route or nexthop message of zebra's FPM stream (netlink or protobuf) or of the kernel's
 * rtnetlink becomes one struct rt_op. Byte order: addresses as on the wire, all else host order.
 */
#ifndef FX_FPM_RT_OP_H
#define FX_FPM_RT_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/addr.h"

#define RT_MAX_PATHS 1024 /* FRR's largest multipath is 512 */

enum rt_verb {
	RT_ROUTE_ADD, /* always a replace of the same key, whatever the flags say (FPM) */
	RT_ROUTE_DEL, /* key only */
	RT_NH_ADD,    /* a nexthop or a group of them, by id */
	RT_NH_DEL,
	RT_SKIP, /* understood, but no business of ours: `skip` says what it was */
};

/* Why a message was skipped; each is counted and shown. */
enum rt_skip {
	RT_SKIP_NONE,
	RT_SKIP_MPLS,	   /* AF_MPLS route: an LSP */
	RT_SKIP_EVPN_MAC,  /* AF_BRIDGE neighbour */
	RT_SKIP_TYPE,	   /* message type that we do not use */
	RT_SKIP_FAMILY,	   /* neither IPv4 nor IPv6 */
	RT_SKIP_CLONED,	   /* a cache entry, not a route */
	RT_SKIP_SRV6_SID,  /* protobuf: local SID */
	RT_SKIP_MULTICAST, /* protobuf: a route of the multicast RIB. Netlink does not say it */
	RT_SKIP_COUNT,
};

enum rt_kind {
	RT_KIND_UNICAST,
	RT_KIND_LOCAL,
	RT_KIND_BROADCAST,
	RT_KIND_ANYCAST,
	RT_KIND_MULTICAST,
	RT_KIND_BLACKHOLE,
	RT_KIND_UNREACHABLE,
	RT_KIND_PROHIBIT,
	RT_KIND_THROW,
	RT_KIND_OTHER, /* a type of a newer kernel: left to Linux */
};

/* What a path asks for beyond plain forwarding; any but NONE makes the route trapped. */
enum rt_encap {
	RT_ENCAP_NONE,
	RT_ENCAP_MPLS,	/* label push */
	RT_ENCAP_SRV6,	/* SEG6 or SEG6_LOCAL */
	RT_ENCAP_VXLAN, /* FRR's private type 100: EVPN, or kernel type IP/IP6 */
	RT_ENCAP_OTHER,
};

#define RT_PATH_ONLINK	 (1u << 0)
#define RT_PATH_DEAD	 (1u << 1) /* kernel: RTNH_F_DEAD */
#define RT_PATH_LINKDOWN (1u << 2) /* kernel: RTNH_F_LINKDOWN */
#define RT_PATH_V4LL	 (1u << 3) /* gateway 169.254.0.1: FRR before 10.6 for IPv4 over IPv6 */

struct rt_path {
	uint32_t ifindex;  /* 0: not said */
	uint32_t nh_id;	   /* members of RT_NH_ADD groups: the id, all else but weight is zero */
	uint16_t weight;   /* 1..65535 (65536 is taken down to 65535) */
	uint8_t flags;	   /* RT_PATH_* */
	uint8_t encap;	   /* enum rt_encap */
	struct fx_addr gw; /* family 0: interface only. May be of the other family than the route */
};

#define RT_F_REPLACE   (1u << 0) /* NLM_F_REPLACE was set */
#define RT_F_APPEND    (1u << 1) /* NLM_F_APPEND was set */
#define RT_F_CREATE    (1u << 2)
#define RT_F_BLACKHOLE (1u << 3) /* RT_NH_ADD: NHA_BLACKHOLE */
#define RT_F_GROUP     (1u << 4) /* RT_NH_ADD: paths are members by id */
#define RT_F_RESILIENT (1u << 5) /* RT_NH_ADD: group of type resilient */
#define RT_F_FDB       (1u << 6) /* RT_NH_ADD: NHA_FDB, no route can use it */
#define RT_F_CONNECTED (1u << 7) /* protobuf: LOCAL or CONNECTED protocol */
#define RT_F_DUMP      (1u << 8) /* NLM_F_MULTI: part of a dump, not a notice */
#define RT_F_EXPIRES   (1u << 9) /* kernel: Linux ceases to use it, and tells it late */

struct rt_op {
	enum rt_verb verb;
	enum rt_skip skip; /* with RT_SKIP */
	uint32_t flags;	   /* RT_F_* */
	uint32_t sender;   /* nlmsg_pid; 0 for protobuf */
	/* routes */
	struct fx_prefix dst;
	struct fx_prefix src; /* len 0: none. IPv6 source-specific routes */
	uint32_t table;	      /* rtm_table or RTA_TABLE; protobuf: 254, or see vrf */
	uint32_t vrf;	      /* protobuf: FRR's VRF id when not 0 (then table is 0); else 0 */
	uint8_t protocol;     /* RTPROT_* / FRR's values, as on the wire */
	uint8_t tos;
	enum rt_kind kind;
	uint8_t rtm_type; /* as on the wire: the offload status echoes it */
	uint32_t metric;
	uint32_t mtu;	 /* RTAX_MTU; 0: none */
	uint32_t nh_id;	 /* RTA_NH_ID of a route, NHA_ID of a nexthop; 0: none */
	uint8_t encap;	 /* strongest encap of any path, enum rt_encap */
	uint16_t npaths; /* entries of paths in use */
	struct rt_path paths[RT_MAX_PATHS];
};

#endif
