/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BFD by sockets: what the kernel half does not take is received here, what it cannot send is sent
 * here. Edge.
 *
 * The receiving sockets hold the ports of RFC 5881 4 and RFC 5883 5 in both families, so that no
 * packet to them is ever answered by an ICMP port unreachable. One sending socket per family takes
 * whole IP packets, which are made as the kernel half makes them (bpf/bfd_reflect.h): the source
 * port is the session's own without a socket for each.
 */
#ifndef FX_BFDDP_BFD_SOCK_H
#define FX_BFDDP_BFD_SOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/addr.h"

#define BFD_SOCK_WHY 160

struct loop;
struct bfd_sock;

/* A datagram that came in. */
struct bfd_datagram {
	struct fx_addr peer, local;
	uint32_t ifindex;
	uint16_t port; /* it came to */
	uint16_t sport;
	uint8_t ttl;
	const uint8_t *data;
	size_t len;
};

/* One that goes out, TTL 255 and DSCP CS6. */
struct bfd_send {
	const struct fx_addr *peer, *local; /* local zero: the kernel chooses */
	uint32_t ifindex;		    /* 0: the route's */
	uint16_t sport, dport;
	uint8_t ttl;
	const uint8_t *data;
	size_t len;
};

/* NULL: the reason is in why (BFD_SOCK_WHY bytes). */
struct bfd_sock *bfd_sock_new(struct loop *loop,
			      void (*datagram)(void *arg, const struct bfd_datagram *datagram),
			      void *arg, char *why);
void bfd_sock_free(struct bfd_sock *sock); /* NULL ok */

/* The length of the IP packet, or negative errno. */
int bfd_sock_send(struct bfd_sock *sock, const struct bfd_send *send);

/*
 * An IPv4 echo packet: to our own address, but to the peer's MAC address, so that the peer's
 * forwarding sends it back: RFC 5881 4. mac: as last known, zero at first; the kernel may have
 * forgotten it while XDP alone talks to the peer. The length of the IP packet; -ENOENT: the address
 * is not known yet; negative errno.
 */
int bfd_sock_loop(struct bfd_sock *sock, const struct bfd_send *send, const char *ifname,
		  uint8_t mac[6]);

#endif
