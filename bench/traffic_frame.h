/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame that the generator sends: UDP from 10.1.0.1 to 10.50.0.0/16. */
#ifndef FX_BENCH_TRAFFIC_FRAME_H
#define FX_BENCH_TRAFFIC_FRAME_H

#include <stddef.h>

#include "bench/traffic.h"

/* mac: destination, "02:..". hosts: per network, a power of two up to 256. len: of the frame. 0 or
 * -EINVAL. The interface stays to be filled in. */
int traffic_frame_conf(struct traffic_conf *ret, const char *mac, unsigned int hosts, size_t len);

#endif
