/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the far end of a router's veth: native XDP there makes the pair carry redirected frames. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp.frags")
int xdp_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "GPL";
