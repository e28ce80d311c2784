/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters and gaps of a session. Several CPUs may count for one session at a time. */
#ifndef FX_BPF_BFD_COUNT_H
#define FX_BPF_BFD_COUNT_H

#include "bpf/bfd_parse.h"

#define BFD_ADD(x, n) ((void)__sync_fetch_and_add(&(x), (n)))

static FX_INLINE __u32 bfd_gap_bucket(__u64 ns)
{
	__u64 left = ns >> 17;
	__u32 bucket = 0, step;

	for (step = 16; step; step >>= 1) {
		if (left >> (step - 1)) {
			left >>= step;
			bucket += step;
		}
	}
	return bucket < FX_BFD_GAPS ? bucket : FX_BFD_GAPS - 1;
}

/* Records a packet at now; the gap before it, or 0 if it is the first. A maximum that two CPUs
 * write in the same nanosecond may keep the smaller one of theirs. */
static FX_INLINE __u64 bfd_gap(struct fx_bfd_gaps *gaps, __u64 now)
{
	__u64 last = BFD_READ(gaps->last_ns);
	__u64 gap = now - last;

	BFD_WRITE(gaps->last_ns, now);
	if (!last || (__s64)gap < 0)
		return 0;
	if (gap > BFD_READ(gaps->max_ns))
		BFD_WRITE(gaps->max_ns, gap);
	BFD_ADD(gaps->count[bfd_gap_bucket(gap)], 1);
	return gap;
}

#endif
