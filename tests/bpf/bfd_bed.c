// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/bpf/bfd_bed.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bpf/xdp_bfd.skel.h"
#include "bpf/xdp_fwd.skel.h"

enum { IP = 14, IFSTAT = 5 };

static const struct {
	const char *local, *peer;
	uint32_t flags;
	uint8_t min_ttl;
} sessions[BED_SESS_END] = {
	[BED_V4] = { "10.9.0.1", "10.9.0.2", 0, 255 },
	[BED_V6] = { "2001:db8:9::1", "2001:db8:9::2", FX_BFD_F_IPV6, 255 },
	[BED_LL] = { "fe80::1", "fe80::2", FX_BFD_F_IPV6, 255 },
	[BED_MH4] = { "10.8.0.1", "10.8.0.2", FX_BFD_F_MULTIHOP, 250 },
	[BED_MH6] = { "2001:db8:8::1", "2001:db8:8::2", FX_BFD_F_IPV6 | FX_BFD_F_MULTIHOP, 250 },
	[BED_ANY] = { NULL, "10.7.0.2", 0, 255 },
};

static void die(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(err == -EPERM || err == -EACCES ? 77 : 1);
}

static void put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8 & 0xff;
	at[1] = value & 0xff;
}

static unsigned int get16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value & 0xffff);
}

/* ---- sessions ---- */

uint64_t bfd_bed_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * BED_S + (uint64_t)ts.tv_nsec;
}

static void put_addr(uint8_t *to, const char *text)
{
	memset(to, 0, 16);
	if (text && !inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, to))
		die(text, -EINVAL);
}

/* Up, no bits, multiplier 3, 300 ms, echo 50 ms. */
static void put_control(uint8_t *p, uint32_t my_disc, uint32_t your_disc)
{
	p[0] = 0x20;
	p[1] = 0xc0;
	p[2] = 3;
	p[3] = 24;
	put32(p + 4, my_disc);
	put32(p + 8, your_disc);
	put32(p + 12, 300000);
	put32(p + 16, 300000);
	put32(p + 20, 50000);
}

static void fill(struct fx_bfd_sess *s, uint32_t slot, uint64_t now)
{
	memset(s, 0, sizeof(*s));
	s->flags = FX_BFD_F_ACTIVE | FX_BFD_F_REFLECT | sessions[slot].flags;
	s->my_disc = BED_MY_DISC(slot);
	s->ifindex = s->flags & FX_BFD_F_MULTIHOP ? 0 : BED_IN;
	put_addr(s->local, sessions[slot].local);
	put_addr(s->peer, sessions[slot].peer);
	put_control((uint8_t *)s->expect, BED_PEER_DISC(slot), BED_MY_DISC(slot));
	put_control((uint8_t *)s->send, BED_MY_DISC(slot), BED_PEER_DISC(slot));
	s->tx_interval_ns = 300 * BED_MS;
	s->jitter_min = 768;
	s->jitter_span = 256;
	s->sport = BED_SPORT;
	s->min_ttl = sessions[slot].min_ttl;
	s->next_due = now + 3600 * BED_S;
}

uint64_t bfd_bed_reset(struct bfd_bed *bed)
{
	uint64_t now = bfd_bed_now();
	uint32_t slot;

	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		bfd_bed_timer(bed, slot, FX_BFD_TIMER_CANCEL);
		fill(&bed->sess[slot], slot, now);
	}
	memset(bed->meta, 0, sizeof(*bed->meta));
	bed->meta->abi = FX_BFD_ABI_VERSION;
	bed->meta->heartbeat_ns = now;
	bed->meta->dead_man_ns = 30 * BED_S;
	bfd_bed_events(bed);
	bed->events = 0;
	return now;
}

static void update(const struct bpf_map *map, const void *key, const void *value)
{
	int err = bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY);

	if (err)
		die(bpf_map__name(map), err);
}

void bfd_bed_addr(struct bfd_bed *bed, uint32_t slot, uint32_t kind, const char *peer,
		  const char *local)
{
	struct fx_bfd_addr_key key = {
		.ifindex = kind == FX_BFD_MULTI_HOP ? 0 : BED_IN,
		.family = strchr(peer, ':') ? FX_BFD_INET6 : FX_BFD_INET,
		.kind = (uint16_t)kind,
	};

	put_addr(key.peer, peer);
	put_addr(key.local, local);
	update(bed->bfd->maps.fx_bfd_by_addr, &key, &slot);
}

static void index_sessions(struct bfd_bed *bed)
{
	uint32_t slot, disc;

	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		disc = BED_MY_DISC(slot);
		update(bed->bfd->maps.fx_bfd_by_disc, &disc, &slot);
		bfd_bed_addr(bed, slot,
			     sessions[slot].flags & FX_BFD_F_MULTIHOP ? FX_BFD_MULTI_HOP
								      : FX_BFD_SINGLE_HOP,
			     sessions[slot].peer, sessions[slot].local);
	}
}

int bfd_bed_timer(struct bfd_bed *bed, uint32_t slot, uint32_t op)
{
	struct fx_bfd_timer_cmd cmd = { .slot = slot, .op = op };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &cmd, .ctx_size_in = sizeof(cmd));
	int err = bpf_prog_test_run_opts(bpf_program__fd(bed->bfd->progs.fx_bfd_timer), &opts);

	return err ? err : (int)opts.retval;
}

/* ---- the bed ---- */

static int on_event(void *arg, void *data, size_t size)
{
	struct bfd_bed *bed = arg;

	assert_int_equal(size, sizeof(bed->event));
	memcpy(&bed->event, data, size);
	bed->events++;
	return 0;
}

void bfd_bed_events(struct bfd_bed *bed)
{
	ring_buffer__consume(bed->ring);
}

bool bfd_bed_wait(struct bfd_bed *bed, int ms)
{
	unsigned int before = bed->events;

	ring_buffer__poll(bed->ring, ms);
	return bed->events != before;
}

/* The router behind, with no family allowed: it counts and passes. */
static void load_router(struct bfd_bed *bed)
{
	struct fx_iface iface = { .word0 = fx_iface_word0(FX_IF_ATTACHED, IFSTAT, 0) };
	uint32_t ifindex = BED_IN, slot = FX_SLOT_FWD;
	int err, fd;

	bed->fwd = xdp_fwd__open();
	if (!bed->fwd)
		die("cannot open xdp_fwd", -errno);
	bpf_map__reuse_fd(bed->fwd->maps.fx_slots, bpf_map__fd(bed->bfd->maps.fx_slots));
	err = xdp_fwd__load(bed->fwd);
	if (err)
		die("cannot load xdp_fwd", err);
	fd = bpf_program__fd(bed->fwd->progs.fx_fwd);
	update(bed->fwd->maps.fx_ifaces, &ifindex, &iface);
	update(bed->fwd->maps.fx_slots, &slot, &fd);
}

static uint64_t router_saw(struct bfd_bed *bed)
{
	struct fx_ifstat stats[256];
	uint64_t sum = 0;
	uint32_t slot = IFSTAT, v;
	int cpu;

	if (libbpf_num_possible_cpus() > 256 ||
	    bpf_map_lookup_elem(bpf_map__fd(bed->fwd->maps.fx_ifstats), &slot, stats))
		die("fx_ifstats", -EINVAL);
	for (cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		for (v = 0; v < FX_V_SLOTS; v++)
			sum += stats[cpu].packets[v];
	return sum;
}

static void *map_memory(const struct bpf_map *map, size_t size)
{
	void *mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (mem == MAP_FAILED)
		die(bpf_map__name(map), -errno);
	return mem;
}

void bfd_bed_init(struct bfd_bed *bed)
{
	int err;

	memset(bed, 0, sizeof(*bed));
	if (geteuid() != 0 || unshare(CLONE_NEWNET)) {
		fprintf(stderr, "skipped: loading BPF programs needs root\n");
		exit(77);
	}
	bed->bfd = xdp_bfd__open();
	if (!bed->bfd)
		die("cannot open xdp_bfd", -errno);
	err = xdp_bfd__load(bed->bfd);
	if (err)
		die("cannot load xdp_bfd", err);
	load_router(bed);
	bed->sess = map_memory(bed->bfd->maps.fx_bfd_sess,
			       FX_BFD_MAX_SESSIONS * sizeof(struct fx_bfd_sess));
	bed->meta = map_memory(bed->bfd->maps.fx_bfd_meta, sizeof(struct fx_bfd_meta));
	bed->ring = ring_buffer__new(bpf_map__fd(bed->bfd->maps.fx_bfd_events), on_event, bed,
				     NULL);
	if (!bed->ring)
		die("cannot read the ring buffer", -errno);
	index_sessions(bed);
	bfd_bed_reset(bed);
}

void bfd_bed_done(struct bfd_bed *bed)
{
	ring_buffer__free(bed->ring);
	munmap(bed->meta, sizeof(struct fx_bfd_meta));
	munmap(bed->sess, FX_BFD_MAX_SESSIONS * sizeof(struct fx_bfd_sess));
	xdp_fwd__destroy(bed->fwd);
	xdp_bfd__destroy(bed->bfd);
}

/* ---- packets ---- */

static bool is_six(const struct frame *frame)
{
	return get16(frame->bytes + 12) == 0x86dd;
}

unsigned int bfd_udp_at(uint32_t slot)
{
	return sessions[slot].flags & FX_BFD_F_IPV6 ? IP + 40 : IP + 20;
}

uint8_t *bfd_control(struct frame *frame, uint32_t slot)
{
	return frame->bytes + bfd_udp_at(slot) + 8;
}

uint32_t bfd_udp_sum(const struct frame *frame)
{
	const uint8_t *udp = frame->bytes + IP + (is_six(frame) ? 40 : 20);
	const uint8_t *addrs = frame->bytes + IP + (is_six(frame) ? 8 : 12);
	unsigned int len = get16(udp + 4), i;
	uint32_t sum = 17 + len;

	for (i = 0; i < (is_six(frame) ? 32u : 8u); i += 2)
		sum += get16(addrs + i);
	for (i = 0; i < len; i++)
		sum += i & 1 ? udp[i] : (uint32_t)udp[i] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void bfd_fix_udp(struct frame *frame)
{
	uint8_t *check = frame->bytes + IP + (is_six(frame) ? 40 : 20) + 6;

	put16(check, 0);
	put16(check, 0xffff & ~bfd_udp_sum(frame));
	if (!get16(check))
		put16(check, 0xffff);
}

void bfd_frame(struct frame *frame, const struct bfd_spec *spec)
{
	bool multihop = sessions[spec->slot].flags & FX_BFD_F_MULTIHOP;
	struct frame_spec plain = {
		.src = spec->src ? spec->src : sessions[spec->slot].peer,
		.dst = spec->dst ? spec->dst : sessions[spec->slot].local,
		.ttl = spec->ttl ? spec->ttl : 255,
		.l4_len = 8 + (spec->payload ? spec->payload : 24),
		.sport = 49152,
		.dport = spec->dport ? spec->dport
			 : multihop  ? FX_BFD_PORT_MH
				     : FX_BFD_PORT,
		.padding = spec->padding,
		.id = 0x1234,
	};

	if (!plain.dst)
		plain.dst = "10.7.0.1";
	frame_build(frame, &plain);
	put16(frame->bytes + bfd_udp_at(spec->slot) + 4, (unsigned int)plain.l4_len);
	put_control(bfd_control(frame, spec->slot), BED_PEER_DISC(spec->slot),
		    BED_MY_DISC(spec->slot));
	if (spec->edit)
		spec->edit(bfd_control(frame, spec->slot));
	bfd_fix_udp(frame);
}

static void swap_bytes(uint8_t *a, uint8_t *b, size_t n)
{
	uint8_t c;

	for (; n; n--, a++, b++) {
		c = *a;
		*a = *b;
		*b = c;
	}
}

void bfd_turned(struct frame *out, const struct frame *in, const struct fx_bfd_sess *sess)
{
	uint8_t *ip = out->bytes + IP, *udp = ip + (is_six(in) ? 40 : 20);

	*out = *in;
	out->len = (size_t)(udp - out->bytes) + 32;
	swap_bytes(out->bytes, out->bytes + 6, 6);
	if (is_six(in)) {
		put32(ip, 0x6c000000); /* CS6, no flow label */
		put16(ip + 4, 32);
		ip[7] = 255;
		swap_bytes(ip + 8, ip + 24, 16);
	} else {
		ip[1] = 0xc0; /* CS6 */
		put16(ip + 2, 52);
		put16(ip + 4, 0);
		put16(ip + 6, 0x4000);
		ip[8] = 255;
		swap_bytes(ip + 12, ip + 16, 4);
		frame_fix_csum(out);
	}
	put16(udp, BED_SPORT);
	put16(udp + 4, 32);
	memcpy(udp + 8, sess->send, 24);
	bfd_fix_udp(out);
}

/* ---- running ---- */

static uint32_t moved(const __u64 *before, const __u64 *now)
{
	uint32_t i, found = FX_BFD_REJ_NONE;

	for (i = 0; i < FX_BFD_REJ_SLOTS; i++) {
		if (before[i] == now[i])
			continue;
		found = found || now[i] != before[i] + 1 ? FX_BFD_REJ_COUNT : i;
	}
	return found;
}

void bfd_bed_run(struct bfd_bed *bed, const struct frame *in, struct bfd_result *ret)
{
	static struct fx_bfd_sess before[BED_SESS_END];
	struct fx_bfd_meta meta = *bed->meta;
	unsigned int events = bed->events;
	uint64_t saw = router_saw(bed);
	uint32_t slot, rej;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->bytes,
		    .data_size_in = (uint32_t)in->len, .data_out = ret->out.bytes,
		    .data_size_out = sizeof(ret->out.bytes), .repeat = 1);

	memset(ret, 0, sizeof(*ret));
	memcpy(before, bed->sess, sizeof(before));
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(bed->bfd->progs.fx_bfd), &opts), 0);
	bfd_bed_events(bed);
	ret->action = (int)opts.retval;
	ret->out.len = opts.data_size_out;
	ret->passed_on = router_saw(bed) != saw;
	ret->events = bed->events - events;
	ret->meta_rej = moved(meta.rejects, bed->meta->rejects);
	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		rej = moved(before[slot].rejects, bed->sess[slot].rejects);
		if (!rej)
			continue;
		ret->sess_rej = ret->sess_slot ? FX_BFD_REJ_COUNT : rej;
		ret->sess_slot = slot;
	}
}

int bfd_bed_flood(struct bfd_bed *bed, const struct frame *in, uint32_t n)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = in->bytes,
		    .data_size_in = (uint32_t)in->len, .repeat = (int)n);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(bed->bfd->progs.fx_bfd), &opts), 0);
	return (int)opts.retval;
}

void bfd_expect_untouched(struct bfd_bed *bed, const struct frame *in)
{
	static struct bfd_result got;
	static struct fx_bfd_sess before[BED_SESS_END];

	memcpy(before, bed->sess, sizeof(before));
	bfd_bed_run(bed, in, &got);
	assert_int_equal(got.action, XDP_PASS);
	assert_true(got.passed_on);
	assert_int_equal(got.meta_rej, FX_BFD_REJ_NONE);
	assert_int_equal(got.events, 0);
	assert_int_equal(got.out.len, in->len);
	assert_memory_equal(got.out.bytes, in->bytes, in->len);
	assert_memory_equal(before, bed->sess, sizeof(before));
}

int bfd_bed_main(struct bfd_bed *bed, const struct CMUnitTest *tests, size_t n)
{
	struct CMUnitTest *copy = calloc(n, sizeof(*copy));
	size_t i;
	int failed;

	if (!copy)
		die("calloc", -ENOMEM);
	for (i = 0; i < n; i++) {
		copy[i] = tests[i];
		if (!copy[i].initial_state)
			copy[i].initial_state = bed;
	}
	failed = _cmocka_run_group_tests("bfd", copy, n, NULL, NULL);
	printf("%zu passed, %d failed, 0 skipped\n", n - (size_t)failed, failed);
	free(copy);
	return failed ? 1 : 0;
}
