/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames to put in, and the frame that a Linux router would send for them. Shares no code with the
 * forwarding program: lengths and offsets are counted by hand and checksums are summed anew.
 */
#ifndef FX_TESTS_BPF_FRAME_H
#define FX_TESTS_BPF_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_MAX 10240

struct frame {
	size_t len;
	uint8_t bytes[FRAME_MAX];
};

/* What to build; every field that is 0 has a plain default, given behind it. */
struct frame_spec {
	const char *src; /* 192.0.2.1, 2001:db8:ffff::1 */
	const char *dst; /* must be given; its family is the packet's */
	int ttl;	 /* 64; -1 stands for 0 */
	uint8_t proto;	 /* UDP (17); IPv6: next header */
	int l4_len;	 /* 100; -1 stands for 0: bytes behind the IP header */
	uint16_t frag;	 /* IPv4: flags and fragment offset as in the header */
	uint16_t id;	 /* IPv4 */
	uint16_t sport;	 /* 1000 */
	uint16_t dport;	 /* 2000 */
	int len_off_by;	 /* added to the length field: it lies */
	int padding;	 /* bytes behind the IP packet, 0x5a each */
};

/* MAC addresses of the router's ingress interface and of the host that sends to it. */
extern const uint8_t frame_router_mac[6];
extern const uint8_t frame_host_mac[6];

void frame_build(struct frame *frame, const struct frame_spec *spec);
/* Sums the IPv4 header anew, after a test changed it. */
void frame_fix_csum(struct frame *frame);
/* The RFC 1071 sum of the IPv4 header with a checksum field of zero, to put there. */
uint16_t frame_ipv4_csum(const uint8_t *ip);
/* in as it must leave: trimmed, TTL one less, fresh checksum, these MACs. */
void frame_forwarded(struct frame *out, const struct frame *in, const uint8_t dst[6],
		     const uint8_t src[6]);

#endif
