// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BFD's kernel half. fx_bfd, slot FX_SLOT_BFD: control and echo packets of sessions of ours are
 * consumed or turned round, all others go on to the next slots untouched. fx_bfd_timer: the
 * daemon's orders to the detection timers.
 */
#define FX_MAPS_BFD
#include "bpf/fx_maps.h"
#include "bpf/fx_csum.h"
#include "bpf/fx_parse.h"
#include "bpf/bfd_wire.h"
#include "bpf/bfd_parse.h"
#include "bpf/bfd_csum.h"
#include "bpf/bfd_count.h"
#include "bpf/bfd_event.h"
#include "bpf/bfd_reflect.h"
#include "bpf/bfd_rx.h"
#include "bpf/bfd_echo.h"
#include "bpf/bfd_detect.h"

SEC("xdp.frags")
int fx_bfd(struct xdp_md *ctx)
{
	struct bfd_pkt pkt = { 0 };
	int action = BFD_NEXT;

	if (bfd_parse(ctx, &pkt))
		action = pkt.kind == FX_BFD_ECHO ? bfd_echo(ctx, &pkt) : bfd_rx(ctx, &pkt);
	if (action != BFD_NEXT)
		return action;
	bpf_tail_call_static(ctx, &fx_slots, FX_SLOT_FILTER);
	bpf_tail_call_static(ctx, &fx_slots, FX_SLOT_FWD);
	return XDP_PASS;
}

SEC("syscall")
int fx_bfd_timer(struct fx_bfd_timer_cmd *cmd)
{
	return bfd_detect(cmd);
}

char _license[] SEC("license") = "GPL";
