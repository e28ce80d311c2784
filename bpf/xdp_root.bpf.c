// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is attached to an interface, for as long as it is ours. Hands each packet to the first slot
 * that is filled; each program there hands on to the slots behind its own. A slot is exchanged
 * while packets flow, with no packet lost: the daemons put new programs there, never here.
 */
#include "bpf/fx_count.h"

/* A tail call into an empty slot returns; one that works does not. */
SEC("xdp.frags")
int fx_root(struct xdp_md *ctx)
{
	__u32 ifindex = ctx->ingress_ifindex;
	const struct fx_iface *iface;

	bpf_tail_call_static(ctx, &fx_slots, FX_SLOT_BFD);
	bpf_tail_call_static(ctx, &fx_slots, FX_SLOT_FILTER);
	bpf_tail_call_static(ctx, &fx_slots, FX_SLOT_FWD);

	iface = bpf_map_lookup_elem(&fx_ifaces, &ifindex);
	if (iface && FX_IFACE_FLAGS(iface->word0) & FX_IF_ATTACHED)
		fx_count(FX_IFACE_SLOT(iface->word0), FX_V_NOT_READY);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
