/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The IPv4 header checksum: RFC 1071 sum, RFC 1624 update. Compiled for BPF and for the host, where
 * tests/unit/test_csum.c tries every case.
 */
#ifndef FX_BPF_FX_CSUM_H
#define FX_BPF_FX_CSUM_H

#include <linux/ip.h>
#include <linux/types.h>

#include "bpf/fx_parse.h"

/* A sum of words as they lie in memory, to the 16 bits that RFC 1071 sums to. */
static FX_INLINE __u32 fx_csum_fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (__u32)sum;
}

/* Without it a compiler may sum before the fields are written: they are of other types. */
typedef __u32 __attribute__((__may_alias__)) fx_csum_word;

static FX_INLINE __u32 fx_csum_ipv4_sum(const struct iphdr *ip)
{
	const fx_csum_word *word = (const fx_csum_word *)ip;

	return fx_csum_fold((__u64)word[0] + word[1] + word[2] + word[3] + word[4]);
}

/* Whether the checksum of a header without options is right, as ip_fast_csum() judges it: the sum
 * of all words is 0xffff. A field of 0xffff where 0 is due (and the other way round) is right too.
 */
static FX_INLINE int fx_csum_ipv4_ok(const struct iphdr *ip)
{
	return fx_csum_ipv4_sum(ip) == 0xffff;
}

/*
 * The checksum after TTL went down by one: the header's sum falls by 0x0100, so the field rises by
 * as much, with end-around carry. 0xffff is never the result, it becomes 0x0000, and 0xffff as
 * input counts as 0x0000: to the bit what ip_decrease_ttl() writes (include/net/ip.h, Linux 6.1
 * to 6.18).
 */
static FX_INLINE __be16 fx_csum_ttl_down(__be16 check)
{
	__u32 sum = (__u32)FX_BE16(check) + 0x0100;

	return FX_BE16((__u16)(sum + (sum >= 0xffff)));
}

#endif
