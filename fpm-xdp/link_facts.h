/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says of a link, as the kernel view gives it and the interface table keeps it. */
#ifndef FX_FPM_LINK_FACTS_H
#define FX_FPM_LINK_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct kv_link {
	uint32_t ifindex;
	char name[16];
	char kind[16]; /* IFLA_INFO_KIND: "veth", "vlan", "vrf", ...; "": none, a real device */
	uint8_t mac[6];
	uint32_t mtu;	 /* the device's, or IPv6's where that is smaller */
	uint16_t type;	 /* ARPHRD_* */
	bool admin_up;	 /* IFF_UP */
	bool carrier;	 /* IFF_LOWER_UP and operstate not down */
	uint32_t master; /* ifindex; 0: none */
	char master_kind[16];
	uint32_t vrf_table; /* of a vrf device itself, and of its members; 0: none */
	uint32_t xdp_prog;  /* id of the program that is attached; 0: none */
	uint8_t xdp_mode;   /* IFLA_XDP_ATTACHED: XDP_ATTACHED_* */
	/* An egress qdisc beyond the defaults, or a tcx program: what leaves belongs to it. */
	bool shaped;
	/*
	 * Whether a frame can be sent for XDP now: not shaped, and ndo_xdp_xmit works: by the
	 * netdev generic netlink family (Linux 6.3 and newer, notified); before that: for veth
	 * whether the peer has native XDP, for others whether the driver is known to
	 * (doc/decisions/0010-xdp-transmit.md). xdp_sg: also one of several buffers.
	 */
	bool xdp_tx;
	bool xdp_sg;
};

#endif
