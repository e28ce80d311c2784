// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What BFD's kernel half costs, in nanoseconds per packet, by BPF_PROG_TEST_RUN: packets that are
 * not BFD against the root alone, and control packets. README.md says how to read it.
 */
#include "config.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/bfd_frame.h"
#include "bench/bfd_frame.skel.h"
#include "bpf/bfd_wire.h"
#include "bpf/xdp_bfd.skel.h"
#include "bpf/xdp_root.skel.h"

enum { REPEAT = 100000, ROUNDS = 31, IP = 14, SLOT4 = 1, SLOT6 = 2, DISC = 0x1000 };

struct bench {
	struct xdp_root *root;
	struct xdp_bfd *bfd;
	struct bfd_frame *frame;
	struct fx_bfd_sess *sess;
};

enum lane {
	LANE_FRAME4, /* writing the frame alone */
	LANE_FRAME6,
	LANE_ROOT_UDP4,
	LANE_BFD_UDP4,
	LANE_ROOT_TCP4,
	LANE_BFD_TCP4,
	LANE_ROOT_UDP6,
	LANE_BFD_UDP6,
	LANE_STEADY,
	LANE_REFLECT4,
	LANE_REFLECT6,
	LANES,
};

static uint32_t ns[LANES][ROUNDS];

/* ---- frames ---- */

static void put16(uint8_t *at, uint32_t value)
{
	at[0] = value >> 8 & 0xff;
	at[1] = value & 0xff;
}

static uint32_t sum16(const uint8_t *at, size_t n, uint32_t sum)
{
	for (; n; n -= 2, at += 2)
		sum += (uint32_t)at[0] << 8 | at[1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* UDP (or what proto says) with the control packet that slot's session expects. */
static void write_frame(uint8_t *f, bool six, uint8_t proto, uint16_t port,
			const struct fx_bfd_sess *s)
{
	uint8_t *ip = f + IP, *udp = ip + (six ? 40 : 20), *src = ip + (six ? 8 : 12);
	size_t n = six ? 16 : 4;
	uint32_t sum;

	memset(f, 0, BFD_FRAME6_LEN);
	f[5] = 1;
	f[11] = 2;
	put16(f + 12, six ? 0x86dd : 0x0800);
	memcpy(src, s->peer, n);
	memcpy(src + n, s->local, n);
	ip[0] = six ? 0x60 : 0x45;
	put16(ip + (six ? 4 : 2), six ? 32 : 52);
	ip[six ? 6 : 9] = proto;
	ip[six ? 7 : 8] = 255;
	if (!six)
		put16(ip + 10, ~sum16(ip, 20, 0));
	put16(udp, 49152);
	put16(udp + 2, port);
	put16(udp + 4, 32);
	memcpy(udp + 8, s->expect, 24);
	sum = sum16(udp, 32, sum16(src, 2 * n, 17 + 32));
	put16(udp + 6, sum == 0xffff ? sum : ~sum); /* 0 would say that there is none */
}

/* ---- programs and a session of each family ---- */

static void put(const struct bpf_map *map, const void *key, const void *value)
{
	if (bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY))
		err(1, "%s", bpf_map__name(map));
}

static void add_session(struct bench *b, uint32_t slot, const char *local, const char *peer)
{
	struct bfd_packet packet = { .state = BFD_STATE_UP, .mult = 3, .my_disc = 7 };
	struct fx_bfd_sess *s = &b->sess[slot];
	bool six = strchr(peer, ':') != NULL;
	uint32_t disc = DISC + slot;

	packet.your_disc = disc;
	s->flags = FX_BFD_F_ACTIVE | FX_BFD_F_REFLECT | (six ? FX_BFD_F_IPV6 : 0);
	s->my_disc = disc;
	inet_pton(six ? AF_INET6 : AF_INET, local, s->local);
	inet_pton(six ? AF_INET6 : AF_INET, peer, s->peer);
	bfd_wire_put((uint8_t *)s->expect, &packet);
	bfd_wire_put((uint8_t *)s->send, &packet);
	s->sport = 50000;
	put(b->bfd->maps.fx_bfd_by_disc, &disc, &slot);
}

static void *map_memory(const struct bpf_map *map, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem == MAP_FAILED)
		err(1, "%s", bpf_map__name(map));
	return mem;
}

static void load(struct bench *b)
{
	struct fx_bfd_meta *meta;
	uint32_t slot = FX_SLOT_FWD;
	int fd;

	b->root = xdp_root__open_and_load();
	b->bfd = xdp_bfd__open();
	b->frame = bfd_frame__open_and_load();
	if (!b->root || !b->bfd || !b->frame)
		err(1, "cannot load the programs");
	bpf_map__reuse_fd(b->bfd->maps.fx_slots, bpf_map__fd(b->root->maps.fx_slots));
	if (xdp_bfd__load(b->bfd))
		err(1, "cannot load xdp_bfd");
	fd = bpf_program__fd(b->frame->progs.bfd_nothing);
	put(b->root->maps.fx_slots, &slot, &fd);
	b->sess = map_memory(b->bfd->maps.fx_bfd_sess, FX_BFD_MAX_SESSIONS * sizeof(*b->sess));
	meta = map_memory(b->bfd->maps.fx_bfd_meta, sizeof(*meta));
	meta->dead_man_ns = INT64_MAX;
	add_session(b, SLOT4, "10.0.0.1", "10.0.0.2");
	add_session(b, SLOT6, "fe80::1", "fe80::2");
}

/* ---- lanes ---- */

static uint32_t run(struct bench *b, int under_test, bool six, uint32_t want)
{
	uint8_t data[BFD_FRAME6_LEN] = { 0 };
	uint32_t zero = 0;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = data,
		    .data_size_in = six ? BFD_FRAME6_LEN : BFD_FRAME4_LEN, .repeat = REPEAT);

	put(b->frame->maps.under_test, &zero, &under_test);
	if (bpf_prog_test_run_opts(bpf_program__fd(b->frame->progs.bfd_refresh), &opts))
		err(1, "test run");
	if (opts.retval != want)
		errx(1, "action %u, not %u", opts.retval, want);
	return opts.duration;
}

/* A packet that is not BFD: through the root alone, then with BFD in its slot. */
static void run_other(struct bench *b, enum lane lane, uint32_t round, bool six, uint8_t proto)
{
	int root = bpf_program__fd(b->root->progs.fx_root);
	int fd = bpf_program__fd(b->bfd->progs.fx_bfd);
	int slots = bpf_map__fd(b->root->maps.fx_slots);
	uint32_t slot = FX_SLOT_BFD;

	write_frame(b->frame->bss->frame, six, proto, 2000, &b->sess[six ? SLOT6 : SLOT4]);
	bpf_map_delete_elem(slots, &slot);
	ns[lane][round] = run(b, root, six, XDP_PASS);
	put(b->root->maps.fx_slots, &slot, &fd);
	ns[lane + 1][round] = run(b, root, six, XDP_PASS);
}

static void run_control(struct bench *b, enum lane lane, uint32_t round, bool six, uint64_t due)
{
	struct fx_bfd_sess *s = &b->sess[six ? SLOT6 : SLOT4];

	write_frame(b->frame->bss->frame, six, IPPROTO_UDP, FX_BFD_PORT, s);
	s->next_due = due;
	ns[lane][round] = run(b, bpf_program__fd(b->bfd->progs.fx_bfd), six,
			      due == 1 ? XDP_TX : XDP_DROP);
}

/* With an interval of 0 each packet of ours is due as soon as the last is sent. */
static void run_round(struct bench *b, uint32_t round)
{
	int nothing = bpf_program__fd(b->frame->progs.bfd_nothing);

	ns[LANE_FRAME4][round] = run(b, nothing, false, XDP_PASS);
	ns[LANE_FRAME6][round] = run(b, nothing, true, XDP_PASS);
	run_other(b, LANE_ROOT_UDP4, round, false, IPPROTO_UDP);
	run_other(b, LANE_ROOT_TCP4, round, false, IPPROTO_TCP);
	run_other(b, LANE_ROOT_UDP6, round, true, IPPROTO_UDP);
	run_control(b, LANE_STEADY, round, false, INT64_MAX);
	run_control(b, LANE_REFLECT4, round, false, 1);
	run_control(b, LANE_REFLECT6, round, true, 1);
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* The median over all rounds of what lane took more than base in the same round. */
static int median(enum lane lane, enum lane base)
{
	int diff[ROUNDS], i;

	for (i = 0; i < ROUNDS; i++)
		diff[i] = (int)ns[lane][i] - (int)ns[base][i];
	qsort(diff, ROUNDS, sizeof(diff[0]), compare);
	return diff[ROUNDS / 2];
}

static bool gate(const char *what, int value, int most)
{
	printf("GATE %s: %d ns, at most %d: %s\n", what, value, most,
	       value <= most ? "ok" : "FAIL");
	return value <= most;
}

int main(void)
{
	static struct bench b;
	int udp4, tcp4, udp6, steady, reflect4, reflect6;
	uint32_t i;
	bool ok;

	if (geteuid() != 0 || unshare(CLONE_NEWNET))
		errx(77, "loading BPF programs needs root");
	load(&b);
	for (i = 0; i < ROUNDS; i++)
		run_round(&b, i);
	udp4 = median(LANE_BFD_UDP4, LANE_ROOT_UDP4);
	tcp4 = median(LANE_BFD_TCP4, LANE_ROOT_TCP4);
	udp6 = median(LANE_BFD_UDP6, LANE_ROOT_UDP6);
	steady = median(LANE_STEADY, LANE_FRAME4);
	reflect4 = median(LANE_REFLECT4, LANE_FRAME4);
	reflect6 = median(LANE_REFLECT6, LANE_FRAME6);
	printf("ns per packet, median of %d rounds\n", ROUNDS);
	printf("  not BFD, over the root alone   UDP/IPv4 %d, TCP/IPv4 %d, UDP/IPv6 %d\n", udp4,
	       tcp4, udp6);
	printf("  control packet, nothing due    %d\n", steady);
	printf("  control packet, turned round   IPv4 %d, IPv6 %d\n", reflect4, reflect6);
	printf("{\"other_udp4_ns\":%d,\"other_tcp4_ns\":%d,\"other_udp6_ns\":%d,\"steady_ns\":%d,"
	       "\"reflect4_ns\":%d,\"reflect6_ns\":%d}\n",
	       udp4, tcp4, udp6, steady, reflect4, reflect6);
	ok = gate("UDP/IPv4 that is not BFD", udp4, 3);
	ok &= gate("TCP/IPv4", tcp4, 3);
	ok &= gate("UDP/IPv6 that is not BFD", udp6, 3);
	ok &= gate("turned round, IPv4", reflect4, 399);
	ok &= gate("turned round, IPv6", reflect6, 399);
	return ok ? 0 : 1;
}
