// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bpf/frame.h"

#include <arpa/inet.h>
#include <string.h>

enum { IP = 14 }; /* where the IP header starts */

const uint8_t frame_router_mac[6] = { 0x02, 0, 0, 0, 0, 0x01 };
const uint8_t frame_host_mac[6] = { 0x02, 0, 0, 0, 0, 0x02 };

static void put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8 & 0xff;
	at[1] = value & 0xff;
}

static unsigned int get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

static size_t or_default(int value, size_t fallback)
{
	return value ? (value < 0 ? 0 : (size_t)value) : fallback;
}

uint16_t frame_ipv4_csum(const uint8_t *ip)
{
	size_t len = (ip[0] & 0xfu) * 4, i;
	uint32_t sum = 0;

	for (i = 0; i < len; i += 2)
		sum += i == 10 ? 0 : get16(ip + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

void frame_fix_csum(struct frame *frame)
{
	put16(frame->bytes + IP + 10, frame_ipv4_csum(frame->bytes + IP));
}

static void build_l4(uint8_t *l4, size_t len, const struct frame_spec *spec)
{
	size_t i;

	for (i = 0; i < len; i++)
		l4[i] = (uint8_t)(i * 7 + 3);
	if (len < 4)
		return;
	put16(l4, spec->sport ? spec->sport : 1000);
	put16(l4 + 2, spec->dport ? spec->dport : 2000);
}

static size_t build_ipv4(uint8_t *ip, const struct frame_spec *spec, size_t l4_len)
{
	ip[0] = 0x45;
	put16(ip + 2, 20 + (unsigned int)l4_len + (unsigned int)spec->len_off_by);
	put16(ip + 4, spec->id);
	put16(ip + 6, spec->frag);
	ip[8] = (uint8_t)or_default(spec->ttl, 64);
	ip[9] = spec->proto ? spec->proto : 17;
	inet_pton(AF_INET, spec->src ? spec->src : "192.0.2.1", ip + 12);
	inet_pton(AF_INET, spec->dst, ip + 16);
	put16(ip + 10, frame_ipv4_csum(ip));
	return 20;
}

static size_t build_ipv6(uint8_t *ip, const struct frame_spec *spec, size_t l4_len)
{
	ip[0] = 0x60;
	put16(ip + 4, (unsigned int)l4_len + (unsigned int)spec->len_off_by);
	ip[6] = spec->proto ? spec->proto : 17;
	ip[7] = (uint8_t)or_default(spec->ttl, 64);
	inet_pton(AF_INET6, spec->src ? spec->src : "2001:db8:ffff::1", ip + 8);
	inet_pton(AF_INET6, spec->dst, ip + 24);
	return 40;
}

void frame_build(struct frame *frame, const struct frame_spec *spec)
{
	bool six = strchr(spec->dst, ':') != NULL;
	size_t l4_len = or_default(spec->l4_len, 100);
	uint8_t *ip = frame->bytes + IP;
	size_t hlen;

	memset(frame, 0, sizeof(*frame));
	memcpy(frame->bytes, frame_router_mac, 6);
	memcpy(frame->bytes + 6, frame_host_mac, 6);
	put16(frame->bytes + 12, six ? 0x86dd : 0x0800);
	hlen = six ? build_ipv6(ip, spec, l4_len) : build_ipv4(ip, spec, l4_len);
	build_l4(ip + hlen, l4_len, spec);
	memset(ip + hlen + l4_len, 0x5a, (size_t)spec->padding);
	frame->len = IP + hlen + l4_len + (size_t)spec->padding;
}

void frame_forwarded(struct frame *out, const struct frame *in, const uint8_t dst[6],
		     const uint8_t src[6])
{
	uint8_t *ip = out->bytes + IP;
	bool six = get16(in->bytes + 12) == 0x86dd;

	*out = *in;
	memcpy(out->bytes, dst, 6);
	memcpy(out->bytes + 6, src, 6);
	ip[six ? 7 : 8]--;
	if (!six)
		frame_fix_csum(out);
	out->len = IP + (six ? 40 + get16(ip + 4) : get16(ip + 2));
}
