// SPDX-License-Identifier: GPL-2.0-or-later
/* The peer's packet turned round: when, and every byte of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <pthread.h>
#include <string.h>

#include "tests/bpf/bfd_bed.h"

enum { IP = 14 };

static struct frame frame, want;
static struct bfd_result got;

static void run_steady(struct bfd_bed *bed, uint32_t slot)
{
	bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.events, 0);
}

static void assert_turned(const struct fx_bfd_sess *s)
{
	assert_int_equal(got.action, XDP_TX);
	bfd_turned(&want, &frame, s);
	assert_int_equal(got.out.len, want.len);
	assert_memory_equal(got.out.bytes, want.bytes, want.len);
	assert_int_equal(bfd_udp_sum(&got.out), 0xffff);
}

static void test_every_byte(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;
	uint64_t before;
	uint32_t slot;

	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		before = bfd_bed_reset(bed);
		s = &bed->sess[slot];
		s->next_due = before;
		run_steady(bed, slot);
		assert_turned(s);
		assert_int_equal(s->tx_pkts[FX_BFD_BY_REFLECTOR], 1);
		assert_int_equal(s->tx_bytes, bfd_udp_at(slot) - IP + 32);
		assert_in_range(s->tx_gaps.last_ns, before, bfd_bed_now());
		assert_int_equal(s->rx_pkts, 1);
		assert_int_equal(s->last_rx, s->tx_gaps.last_ns);
	}
}

/* What the peer put in that is not in ours, and what is behind the packet. */
static void test_other_forms(void **state)
{
	static const struct bfd_spec specs[] = {
		{ .slot = BED_V4, .padding = 1 },   { .slot = BED_V4, .padding = 18 },
		{ .slot = BED_V6, .padding = 100 }, { .slot = BED_V6, .payload = 200 },
		{ .slot = BED_V4, .payload = 25 },  { .slot = BED_MH4, .ttl = 250 },
		{ .slot = BED_MH6, .ttl = 251 },
	};
	struct bfd_bed *bed = *state;
	size_t i;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		bed->sess[specs[i].slot].next_due = bfd_bed_reset(bed);
		bed->sess[specs[i].slot].next_due = 1;
		bfd_frame(&frame, &specs[i]);
		if (specs[i].slot == BED_V4) {
			frame.bytes[IP + 1] = 0x03; /* ECN */
			frame_fix_csum(&frame);
		} else if (specs[i].slot == BED_V6) {
			frame.bytes[IP + 1] = 0x2f; /* traffic class, flow label */
			frame.bytes[IP + 3] = 0x55;
		}
		bfd_bed_run(bed, &frame, &got);
		assert_turned(&bed->sess[specs[i].slot]);
	}
}

/* Every value of a 16-bit word of ours, so the one too whose checksum would be 0. */
static void test_checksum_never_0(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	uint32_t value, zeros = 0;
	uint8_t *low = (uint8_t *)s->send + 14;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	for (value = 0; value < 0x10000; value++) {
		low[0] = value >> 8 & 0xff;
		low[1] = value & 0xff;
		bfd_turned(&want, &frame, s);
		if (want.bytes[40] != 0xff || want.bytes[41] != 0xff)
			continue;
		s->next_due = 1;
		bfd_bed_run(bed, &frame, &got);
		assert_turned(s);
		zeros++;
	}
	assert_true(zeros > 0);
}

static void expect_silent(struct bfd_bed *bed, uint32_t slot)
{
	uint64_t due = bed->sess[slot].next_due;

	run_steady(bed, slot);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(bed->sess[slot].next_due, due);
	assert_int_equal(bed->sess[slot].tx_pkts[FX_BFD_BY_REFLECTOR], 0);
}

static void test_not_due(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	expect_silent(bed, BED_V4);
	bed->sess[BED_V4].next_due = 0;
	expect_silent(bed, BED_V4);
	bed->sess[BED_V4].next_due = bfd_bed_now() + 100 * BED_MS;
	expect_silent(bed, BED_V4);
}

static void test_must_not(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].next_due = 1;
	bed->sess[BED_V4].flags &= ~FX_BFD_F_REFLECT;
	expect_silent(bed, BED_V4);
	bed->sess[BED_V4].flags |= FX_BFD_F_REFLECT;
	bed->sess[BED_V4].expired = 1;
	expect_silent(bed, BED_V4);
	bed->sess[BED_V4].expired = 0;
	run_steady(bed, BED_V4);
	assert_int_equal(got.action, XDP_TX);
}

static void test_dead_man(void **state)
{
	struct bfd_bed *bed = *state;
	uint64_t now = bfd_bed_reset(bed);

	bed->sess[BED_V4].next_due = 1;
	bed->meta->heartbeat_ns = now - 31 * BED_S;
	expect_silent(bed, BED_V4);
	assert_in_range(bed->sess[BED_V4].last_rx, now, bfd_bed_now()); /* still detected */
	bed->meta->heartbeat_ns = now - 29 * BED_S;
	run_steady(bed, BED_V4);
	assert_int_equal(got.action, XDP_TX);
	/* a heartbeat of the future is one */
	bed->sess[BED_V4].next_due = 1;
	bed->meta->heartbeat_ns = now + 10 * BED_S;
	run_steady(bed, BED_V4);
	assert_int_equal(got.action, XDP_TX);
}

static void poll_bit(uint8_t *p)
{
	p[1] |= 0x20;
}

static void state_down(uint8_t *p)
{
	p[1] = 0x40;
}

/* A starving daemon costs no packet of ours, unless the peer's state is another. */
static void test_changed_packet(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V6].next_due = 1;
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V6, .edit = state_down });
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(got.events, 1);
	assert_int_equal(bed->sess[BED_V6].next_due, 1);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V6, .edit = poll_bit });
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.events, 1);
	assert_turned(&bed->sess[BED_V6]);
}

/* ---- timing ---- */

enum { RUNS = 3000 };

/* Sends once with this long since the peer's last packet; the delay to the next one of ours. */
static uint64_t delay_after(struct bfd_bed *bed, uint64_t rx_gap)
{
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	uint64_t now = bfd_bed_now();

	s->rx_gaps.last_ns = rx_gap ? now - rx_gap : 0;
	s->tx_gaps.last_ns = 0;
	s->next_due = 1;
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.action, XDP_TX);
	return s->next_due - s->tx_gaps.last_ns;
}

static void expect_delays(struct bfd_bed *bed, uint64_t rx_gap, uint64_t least, uint64_t most)
{
	uint64_t delay, low = UINT64_MAX, high = 0;
	int i;

	for (i = 0; i < RUNS; i++) {
		delay = delay_after(bed, rx_gap);
		assert_in_range(delay, least, most);
		low = delay < low ? delay : low;
		high = delay > high ? delay : high;
	}
	/* and all of the range is used */
	assert_true(low - least <= (most - least) / 100);
	assert_true(most - high <= (most - least) / 10);
}

/* RFC 5880 6.8.7: 75 to 100 %, with multiplier 1 to 90 %, less what the peer's pace needs. */
static void test_jitter(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	expect_delays(bed, 15 * BED_MS, 225 * BED_MS, 285 * BED_MS);
	/* a peer at our pace is answered each time: nothing is drawn */
	expect_delays(bed, 230 * BED_MS, 225 * BED_MS, 225 * BED_MS);
	expect_delays(bed, 0, 225 * BED_MS, 300 * BED_MS);
	bed->sess[BED_V4].jitter_span = 154;
	expect_delays(bed, 15 * BED_MS, 225 * BED_MS, 255 * BED_MS + 120000);
}

/* From 1 us to the longest interval that the wire has, nothing overflows. */
static void test_intervals(void **state)
{
	static const uint64_t us[] = { 1, 50, 3300, 1000000, 4294967295u };
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	uint64_t delay;
	size_t i;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	for (i = 0; i < sizeof(us) / sizeof(us[0]); i++) {
		s->tx_interval_ns = us[i] * 1000;
		delay = delay_after(bed, 1);
		assert_in_range(delay, us[i] * 750, us[i] * 1000);
	}
}

static void test_gaps(void **state)
{
	/* gap, bucket */
	static const uint64_t cases[][2] = {
		{ 1, 0 },	    { 131071, 0 },
		{ 131072, 1 },	    { 262143, 1 },
		{ 262144, 2 },	    { 300 * BED_MS, 12 },
		{ 1ull << 34, 18 }, { (1ull << 35) - BED_S, 18 },
		{ 1ull << 35, 19 }, { 1ull << 36, 19 },
		{ 1ull << 45, 19 },
	};
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	struct fx_bfd_gaps before;
	uint64_t gap;
	size_t i;
	int b;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		before = s->rx_gaps;
		s->rx_gaps.last_ns = bfd_bed_now() - cases[i][0];
		gap = s->rx_gaps.last_ns;
		bfd_bed_run(bed, &frame, &got);
		gap = s->rx_gaps.last_ns - gap; /* some more than asked for */
		for (b = 0; b < (int)FX_BFD_GAPS; b++)
			if (s->rx_gaps.count[b] != before.count[b])
				break;
		assert_true(gap >= 1ull << (16 + b) || b == 0);
		assert_true(gap < 1ull << (17 + b) || b == 19);
		assert_int_equal(s->rx_gaps.max_ns, gap > before.max_ns ? gap : before.max_ns);
		if (i >= 5)
			assert_int_equal(b, cases[i][1]);
	}
	/* the clock of another CPU was ahead */
	before = s->rx_gaps;
	s->rx_gaps.last_ns = bfd_bed_now() + BED_S;
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(s->rx_gaps.max_ns, before.max_ns);
	assert_memory_equal(s->rx_gaps.count, before.count, sizeof(before.count));
}

/* ---- several CPUs ---- */

struct rival {
	struct bfd_bed *bed;
	pthread_barrier_t *start;
	int trials;
};

enum { TRIALS = 2000 };

static void *compete(void *arg)
{
	struct rival *rival = arg;
	int i;

	for (i = 0; i < rival->trials; i++) {
		pthread_barrier_wait(rival->start);
		bfd_bed_flood(rival->bed, &frame, 1);
		pthread_barrier_wait(rival->start);
	}
	return NULL;
}

/* Two CPUs find the packet due at the same time; one sends. */
static void test_claimed_once(void **state)
{
	struct bfd_bed *bed = *state;
	pthread_barrier_t start;
	struct rival rival = { bed, &start, TRIALS };
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	pthread_t thread;
	int i;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	pthread_barrier_init(&start, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, compete, &rival), 0);
	for (i = 0; i < TRIALS; i++) {
		s->next_due = 1;
		pthread_barrier_wait(&start);
		bfd_bed_flood(bed, &frame, 1);
		pthread_barrier_wait(&start);
		if (s->tx_pkts[FX_BFD_BY_REFLECTOR] != (uint64_t)i + 1)
			break;
	}
	if (i < TRIALS)
		fail_msg("%llu sent in %d trials", s->tx_pkts[FX_BFD_BY_REFLECTOR], i + 1);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&start);
	assert_int_equal(s->rx_pkts, 2 * TRIALS);
	assert_int_equal(s->rx_bytes, 2 * TRIALS * 52);
}

/* The daemon writes one packet of two in turn; no mixture ever goes out, nor counts as expected. */
static void *rewrite(void *arg)
{
	struct fx_bfd_sess *s = ((struct rival *)arg)->bed->sess + BED_V4;
	volatile int *stop = &((struct rival *)arg)->trials;
	uint32_t value = 0, i;

	while (!*stop) {
		value++;
		__atomic_add_fetch(&s->seq, 1, __ATOMIC_SEQ_CST);
		for (i = 0; i < FX_BFD_WORDS; i++)
			__atomic_store_n(&s->send[i], value, __ATOMIC_SEQ_CST);
		__atomic_add_fetch(&s->seq, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void test_written_under_traffic(void **state)
{
	struct bfd_bed *bed = *state;
	struct rival rival = { .bed = bed };
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	int i, sent = 0, restless = 0;
	pthread_t thread;
	uint32_t words[FX_BFD_WORDS];

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	memset(s->send, 0, sizeof(s->send));
	assert_int_equal(pthread_create(&thread, NULL, rewrite, &rival), 0);
	for (i = 0; i < 20000; i++) {
		s->next_due = 1;
		bfd_bed_run(bed, &frame, &got);
		restless += got.events != 0;
		if (got.action != XDP_TX)
			continue;
		sent++;
		memcpy(words, got.out.bytes + 42, sizeof(words));
		if (memcmp(words, words + 1, sizeof(words) - 4) || bfd_udp_sum(&got.out) != 0xffff)
			break;
	}
	rival.trials = 1;
	pthread_join(thread, NULL);
	assert_int_equal(i, 20000);
	assert_int_equal(s->rx_pkts, 20000);
	assert_int_equal(sent + restless, 20000);
	assert_true(sent > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_byte),
		cmocka_unit_test(test_other_forms),
		cmocka_unit_test(test_checksum_never_0),
		cmocka_unit_test(test_not_due),
		cmocka_unit_test(test_must_not),
		cmocka_unit_test(test_dead_man),
		cmocka_unit_test(test_changed_packet),
		cmocka_unit_test(test_jitter),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_claimed_once),
		cmocka_unit_test(test_written_under_traffic),
	};
	static struct bfd_bed bed;
	int status;

	bfd_bed_init(&bed);
	status = bfd_bed_main(&bed, tests, sizeof(tests) / sizeof(tests[0]));
	bfd_bed_done(&bed);
	return status;
}
