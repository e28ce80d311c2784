/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benches' own BPF programs and their loaders share. */
#ifndef FX_BENCH_TRAFFIC_H
#define FX_BENCH_TRAFFIC_H

#include <linux/types.h>

#define TRAFFIC_HEAD 42u /* Ethernet, IPv4, UDP */

/* Written by the loader between runs. Destinations count up: 256 networks of /24 first, then hosts.
 */
struct traffic_conf {
	__u32 ifindex;	 /* to send from */
	__u32 hosts;	 /* per network, a power of two, at most 256 */
	__u32 base_sum;	 /* of the IPv4 header without destination and checksum, host byte order */
	__u32 base_addr; /* of the first network, host byte order, a /16 */
	__u8 head[48];	 /* the frame's first TRAFFIC_HEAD bytes, destination and checksum aside */
};

#endif
