/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts a verdict for the interface that a packet came in on. */
#ifndef FX_BPF_FX_COUNT_H
#define FX_BPF_FX_COUNT_H

#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

static FX_INLINE void fx_count(__u32 slot, __u32 verdict)
{
	struct fx_ifstat *stat = bpf_map_lookup_elem(&fx_ifstats, &slot);

	if (stat && verdict < FX_V_SLOTS)
		stat->packets[verdict]++;
}

#endif
