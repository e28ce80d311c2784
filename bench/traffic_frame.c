// SPDX-License-Identifier: GPL-2.0-or-later
#include "bench/traffic_frame.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void put16(uint8_t *at, size_t value)
{
	at[0] = value >> 8 & 0xff;
	at[1] = value & 0xff;
}

int traffic_frame_conf(struct traffic_conf *ret, const char *mac, unsigned int hosts, size_t len)
{
	static const uint8_t source_mac[] = { 0x02, 0xbe, 0x4c, 0, 0, 1 },
			     source[] = { 10, 1, 0, 1 };
	struct traffic_conf conf = { .hosts = hosts, .base_addr = 0x0a320000 };
	uint8_t *ip = conf.head + 14, *udp = ip + 20;
	size_t i;

	if (sscanf(mac, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &conf.head[0], &conf.head[1],
		   &conf.head[2], &conf.head[3], &conf.head[4], &conf.head[5]) != 6)
		return -EINVAL;
	if (!hosts || hosts > 256 || hosts & (hosts - 1) || len < 60 || len > 1514)
		return -EINVAL;
	memcpy(conf.head + 6, source_mac, sizeof(source_mac));
	put16(conf.head + 12, 0x0800);
	ip[0] = 0x45;
	put16(ip + 2, len - 14);
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, source, sizeof(source));
	put16(udp, 9000);
	put16(udp + 2, 9);
	put16(udp + 4, len - 34);
	for (i = 0; i < 20; i += 2)
		conf.base_sum += (uint32_t)ip[i] << 8 | ip[i + 1];
	*ret = conf;
	return 0;
}
