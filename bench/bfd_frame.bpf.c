// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes the same frame for each run of the program under test, which may change it. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bench/bfd_frame.h"

__u8 frame[BFD_FRAME6_LEN];

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} under_test SEC(".maps");

SEC("xdp.frags")
int bfd_refresh(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;

	if (data + BFD_FRAME6_LEN <= end)
		__builtin_memcpy(data, frame, BFD_FRAME6_LEN);
	else if (data + BFD_FRAME4_LEN <= end)
		__builtin_memcpy(data, frame, BFD_FRAME4_LEN);
	bpf_tail_call_static(ctx, &under_test, 0);
	return XDP_ABORTED;
}

/* What stands for the router behind: its cost is not in question here. */
SEC("xdp.frags")
int bfd_nothing(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
