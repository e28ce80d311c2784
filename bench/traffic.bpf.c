// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The benches' generator and sink.
 *
 * traffic_send runs under BPF_PROG_TEST_RUN in live-frame mode. Frames come round again with what
 * the last hop made of them, so each one is written anew: MAC addresses, TTL, destination,
 * checksum.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/fx_parse.h"
#include "bench/traffic.h"

struct traffic_conf conf;
__u64 sent;
__u64 refreshed;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} arrived SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} under_test SEC(".maps");

static FX_INLINE int write_frame(struct xdp_md *ctx, __u64 n)
{
	void *data = (void *)(long)ctx->data;
	struct iphdr *ip = data + ETH_HLEN;
	__u32 addr, sum;

	if (data + TRAFFIC_HEAD > (void *)(long)ctx->data_end)
		return -1;
	addr = conf.base_addr + ((n & 255) << 8) + (n >> 8 & (conf.hosts - 1));
	sum = conf.base_sum + (addr >> 16) + (addr & 0xffff);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	__builtin_memcpy(data, conf.head, TRAFFIC_HEAD);
	ip->daddr = FX_BE32(addr);
	ip->check = FX_BE16(~sum);
	return 0;
}

SEC("xdp.frags")
int traffic_send(struct xdp_md *ctx)
{
	if (write_frame(ctx, sent++))
		return XDP_ABORTED;
	return (int)bpf_redirect(conf.ifindex, 0);
}

SEC("xdp.frags")
int traffic_sink(struct xdp_md *ctx)
{
	__u32 zero = 0;
	__u64 *count = bpf_map_lookup_elem(&arrived, &zero);

	if (count)
		++*count;
	return XDP_DROP;
}

/* A fresh frame for the program under test, which changes it: without this the second run would see
 * what the first one sent. */
SEC("xdp.frags")
int traffic_refresh(struct xdp_md *ctx)
{
	if (write_frame(ctx, refreshed++))
		return XDP_ABORTED;
	bpf_tail_call_static(ctx, &under_test, 0);
	return XDP_ABORTED;
}

SEC("xdp.frags")
int traffic_nothing(struct xdp_md *ctx)
{
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
