// SPDX-License-Identifier: GPL-2.0-or-later
/* The detection timers: they really run, so each test takes some tens of milliseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <errno.h>
#include <time.h>

#include "tests/bpf/bfd_bed.h"

#define DETECT (30 * BED_MS)

static struct frame frame;
static struct bfd_result got;

/* Up, and the peer was heard now. */
static struct fx_bfd_sess *up(struct bfd_bed *bed, uint32_t slot, uint64_t detect_ns)
{
	struct fx_bfd_sess *s = &bed->sess[slot];

	s->last_rx = bfd_bed_now();
	s->detect_ns = detect_ns;
	s->flags |= FX_BFD_F_DETECT;
	assert_int_equal(bfd_bed_timer(bed, slot, FX_BFD_TIMER_ARM), 0);
	return s;
}

static void receive(struct bfd_bed *bed, uint32_t slot)
{
	bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.action, XDP_DROP);
}

static void nap(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / BED_S), .tv_nsec = (long)(ns % BED_S) };

	nanosleep(&ts, NULL);
}

static void test_expiry(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;

	bfd_bed_reset(bed);
	s = up(bed, BED_LL, DETECT);
	assert_true(bfd_bed_wait(bed, 5000));
	assert_int_equal(bed->event.type, FX_BFD_EV_EXPIRED);
	assert_int_equal(bed->event.slot, BED_LL);
	assert_int_equal(bed->event.my_disc, BED_MY_DISC(BED_LL));
	assert_int_equal(bed->event.time_ns, s->expired);
	assert_true(s->expired - s->last_rx >= DETECT);
	/* once */
	assert_false(bfd_bed_wait(bed, 50));
	/* and we are not Up for the peer any more */
	s->next_due = 1;
	receive(bed, BED_LL);
	assert_int_equal(s->next_due, 1);
}

/* Lateness belongs to the machine, so the median counts. */
static void test_in_time(void **state)
{
	enum { TIMES = 15 };
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;
	int i, good = 0;

	for (i = 0; i < TIMES; i++) {
		bfd_bed_reset(bed);
		s = up(bed, BED_V4, DETECT);
		assert_true(bfd_bed_wait(bed, 5000));
		good += s->expired - s->last_rx <= DETECT * 11 / 10;
	}
	assert_true(good > TIMES / 2);
}

static void test_packets_keep_it_up(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;
	int i;

	bfd_bed_reset(bed);
	s = up(bed, BED_V4, 60 * BED_MS);
	for (i = 0; i < 20; i++) {
		nap(10 * BED_MS);
		receive(bed, BED_V4);
		assert_int_equal(s->expired, 0);
	}
	assert_true(bfd_bed_wait(bed, 5000));
	assert_true(s->expired - s->last_rx >= 60 * BED_MS);
}

/* Rejected ones do not. */
static void test_forgeries_do_not(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;
	uint64_t last;

	bfd_bed_reset(bed);
	s = up(bed, BED_V4, DETECT);
	last = s->last_rx;
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4, .ttl = 254 });
	while (!s->expired && bfd_bed_now() - last < 2 * BED_S) {
		bfd_bed_run(bed, &frame, &got);
		nap(BED_MS);
	}
	assert_int_not_equal(s->expired, 0);
	assert_int_equal(s->last_rx, last);
}

static void test_cancel(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;

	bfd_bed_reset(bed);
	s = up(bed, BED_V4, DETECT);
	assert_int_equal(bfd_bed_timer(bed, BED_V4, FX_BFD_TIMER_CANCEL), 0);
	assert_int_equal(bfd_bed_timer(bed, BED_V4, FX_BFD_TIMER_CANCEL), 0);
	assert_false(bfd_bed_wait(bed, 60));
	assert_int_equal(s->expired, 0);
	/* the flag alone stops it too */
	up(bed, BED_V4, DETECT);
	s->flags &= ~FX_BFD_F_DETECT;
	assert_false(bfd_bed_wait(bed, 60));
	assert_int_equal(s->expired, 0);
}

/* A shorter time holds from when the timer is armed anew, a longer one at once. */
static void test_time_changes(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;

	bfd_bed_reset(bed);
	s = up(bed, BED_V4, 3600 * BED_S);
	s->detect_ns = DETECT;
	assert_int_equal(bfd_bed_timer(bed, BED_V4, FX_BFD_TIMER_ARM), 0);
	assert_true(bfd_bed_wait(bed, 5000));
	assert_true(s->expired - s->last_rx < BED_S);
	bfd_bed_reset(bed);
	s = up(bed, BED_V4, DETECT);
	s->detect_ns = 120 * BED_MS;
	assert_true(bfd_bed_wait(bed, 5000));
	assert_true(s->expired - s->last_rx >= 120 * BED_MS);
}

/* The timer stood still with the machine: the peer's packets get a chance to come out. */
static void test_grace(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s = &bed->sess[BED_V4];
	uint64_t armed;

	bfd_bed_reset(bed);
	s->last_rx = bfd_bed_now() - 10 * BED_S;
	s->detect_ns = 800 * BED_MS;
	s->flags |= FX_BFD_F_DETECT;
	armed = bfd_bed_now();
	assert_int_equal(bfd_bed_timer(bed, BED_V4, FX_BFD_TIMER_ARM), 0);
	assert_false(bfd_bed_wait(bed, 20));
	assert_int_equal(s->expired, 0);
	/* silent all the same */
	assert_true(bfd_bed_wait(bed, 5000));
	assert_true(s->expired - armed >= 50 * BED_MS);
	assert_true(s->expired - armed < BED_S);
	/* heard in time */
	bfd_bed_reset(bed);
	s->last_rx = bfd_bed_now() - 10 * BED_S;
	s->detect_ns = 800 * BED_MS;
	s->flags |= FX_BFD_F_DETECT;
	assert_int_equal(bfd_bed_timer(bed, BED_V4, FX_BFD_TIMER_ARM), 0);
	receive(bed, BED_V4);
	assert_false(bfd_bed_wait(bed, 80));
	assert_int_equal(s->expired, 0);
}

static void test_many(void **state)
{
	struct bfd_bed *bed = *state;
	uint32_t slot;
	unsigned int events = 0;
	uint64_t end;

	bfd_bed_reset(bed);
	for (slot = BED_V4; slot < BED_SESS_END; slot++)
		up(bed, slot, DETECT + slot * BED_MS);
	for (end = bfd_bed_now() + 5 * BED_S; bfd_bed_now() < end;) {
		bfd_bed_wait(bed, 100);
		events = bed->events;
		if (events == BED_SESS_END - 1)
			break;
	}
	assert_int_equal(events, BED_SESS_END - 1);
	for (slot = BED_V4; slot < BED_SESS_END; slot++)
		assert_true(bed->sess[slot].expired != 0);
}

/* Down is Down, told or not. */
static void poll_bit(uint8_t *p)
{
	p[1] |= 0x20;
}

static void test_expiry_with_full_ring(void **state)
{
	struct bfd_bed *bed = *state;
	struct fx_bfd_sess *s;
	uint64_t end, lost;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V6, .edit = poll_bit });
	while (!bed->meta->lost_events)
		bfd_bed_flood(bed, &frame, 1000);
	lost = bed->meta->lost_events;
	s = up(bed, BED_V4, DETECT);
	for (end = bfd_bed_now() + 5 * BED_S; !s->expired && bfd_bed_now() < end;)
		nap(BED_MS);
	assert_int_not_equal(s->expired, 0);
	nap(5 * BED_MS);
	assert_int_equal(bed->meta->lost_events, lost + 1);
}

static void test_bad_orders(void **state)
{
	struct bfd_bed *bed = *state;

	assert_int_equal(bfd_bed_timer(bed, FX_BFD_MAX_SESSIONS, FX_BFD_TIMER_ARM), -ENOENT);
	assert_int_equal(bfd_bed_timer(bed, BED_V4, 7), -EINVAL);
	assert_int_equal(bfd_bed_timer(bed, 77, FX_BFD_TIMER_CANCEL), 0); /* never armed */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_orders),
		cmocka_unit_test(test_expiry),
		cmocka_unit_test(test_in_time),
		cmocka_unit_test(test_packets_keep_it_up),
		cmocka_unit_test(test_forgeries_do_not),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_time_changes),
		cmocka_unit_test(test_grace),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_expiry_with_full_ring),
	};
	static struct bfd_bed bed;
	int status;

	bfd_bed_init(&bed);
	status = bfd_bed_main(&bed, tests, sizeof(tests) / sizeof(tests[0]));
	bfd_bed_done(&bed);
	return status;
}
