/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One session, event by event: RFC 5880 6.5 to 6.8.17, what bfdd is told, what the kernel half
 * gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bfddp-xdp/bfd_session.h"
#include "bfddp-xdp/bfd_timing.h"

#define US   1000ull
#define MS   1000000ull
#define SEC  1000000000ull
#define T0   (100 * SEC)
#define MINE 0x11111111u
#define HIS  0x22222222u
#define MID  0x80000000u /* the middle of every jitter */

static const struct dp_session defaults = {
	.flags = 0,
	.local = { FX_AF_INET, { 10, 0, 0, 1 } },
	.peer = { FX_AF_INET, { 10, 0, 0, 2 } },
	.lid = MINE,
	.min_tx_us = 300000,
	.min_rx_us = 300000,
	.min_echo_tx_us = 50000,
	.min_echo_rx_us = 50000,
	.min_ttl = 255,
	.mult = 3,
	.ifindex = 6,
	.ifname = "d0",
};

/* The peer: sends what it is told to. */
static struct bfd_packet peer_says(uint8_t state)
{
	return (struct bfd_packet){
		.state = state,
		.mult = 3,
		.my_disc = HIS,
		.your_disc = MINE,
		.min_tx_us = state == BFD_STATE_UP ? 300000 : 1000000,
		.min_rx_us = 300000,
		.min_echo_rx_us = 50000,
	};
}

static struct bfd_packet take(struct bfd_session *s, uint64_t now)
{
	uint8_t bytes[FX_BFD_CONTROL_LEN];
	struct bfd_packet packet;

	bfd_session_take(s, now, MID, bytes);
	bfd_wire_get(bytes, &packet);
	return packet;
}

static uint32_t hear(struct bfd_session *s, uint64_t now, const struct bfd_packet *packet)
{
	enum fx_bfd_reject why;

	return bfd_session_rx(s, packet, now, MID, &why);
}

static uint32_t hear_state(struct bfd_session *s, uint64_t now, uint8_t state)
{
	struct bfd_packet packet = peer_says(state);

	return hear(s, now, &packet);
}

static void start(struct bfd_session *s, const struct dp_session *conf)
{
	bfd_session_init(s, conf, T0, MID);
	bfd_session_path(s, false, T0, MID);
}

/* Up, its own poll sequence over; nothing is due. Returns the time. */
static uint64_t bring_up(struct bfd_session *s, const struct dp_session *conf)
{
	struct bfd_packet final = peer_says(BFD_STATE_UP);
	struct dp_state told;

	start(s, conf);
	take(s, T0);
	hear_state(s, T0 + 10 * MS, BFD_STATE_INIT);
	assert_int_equal(s->state, BFD_STATE_UP);
	take(s, T0 + 10 * MS);
	final.bits = BFD_BIT_FINAL;
	hear(s, T0 + 20 * MS, &final);
	assert_false(s->polling);
	bfd_session_report(s, &told);
	assert_int_equal(told.state, BFD_STATE_UP);
	return T0 + 20 * MS;
}

static void three_ways(void **state)
{
	struct bfd_session s;
	struct bfd_packet out;
	uint32_t todo;

	print_message("RFC 5880 6.2: Down, Init, Up; each change is sent at once (6.8.7)\n");
	todo = bfd_session_init(&s, &defaults, T0, MID);
	assert_false(todo & BFD_DO_SEND); /* before there is a path */
	assert_int_equal(bfd_session_deadline(&s), BFD_NEVER);
	todo = bfd_session_path(&s, false, T0, MID);
	assert_true(todo & BFD_DO_SEND);
	assert_false(todo & BFD_DO_NOTIFY); /* bfdd knows that it is Down */
	out = take(&s, T0);
	assert_int_equal(out.state, BFD_STATE_DOWN);
	assert_int_equal(out.your_disc, 0);
	assert_int_equal(out.my_disc, MINE);
	assert_int_equal(out.min_tx_us, 1000000); /* 6.8.3 */
	assert_int_equal(out.min_rx_us, 300000);
	assert_int_equal(out.min_echo_rx_us, 50000);
	assert_in_range(bfd_session_deadline(&s), T0 + 750 * MS, T0 + SEC);

	todo = hear_state(&s, T0 + MS, BFD_STATE_DOWN);
	assert_int_equal(s.state, BFD_STATE_INIT);
	assert_int_equal(todo, BFD_DO_KERNEL | BFD_DO_SEND | BFD_DO_NOTIFY | BFD_DO_LOG);
	out = take(&s, T0 + MS);
	assert_int_equal(out.state, BFD_STATE_INIT);
	assert_int_equal(out.your_disc, HIS);
	assert_int_equal(out.bits, 0);

	todo = hear_state(&s, T0 + 2 * MS, BFD_STATE_UP);
	assert_int_equal(s.state, BFD_STATE_UP);
	assert_int_equal(todo, BFD_DO_KERNEL | BFD_DO_SEND | BFD_DO_NOTIFY | BFD_DO_LOG);
	out = take(&s, T0 + 2 * MS);
	assert_int_equal(out.state, BFD_STATE_UP);
	assert_int_equal(out.bits, BFD_BIT_POLL); /* 6.8.3: the interval has changed */
	assert_int_equal(out.min_tx_us, 300000);
	assert_in_range(bfd_session_deadline(&s), T0 + (2 + 225) * MS, T0 + (2 + 300) * MS);
	assert_false(bfd_session_reflects(&s));
	assert_int_equal(s.history[0].to, BFD_STATE_UP);
	assert_int_equal(s.history[1].to, BFD_STATE_INIT);
	assert_int_equal(s.flaps, 0);
}

static void poll_ends(void **state)
{
	struct bfd_session s;
	struct bfd_packet out, in = peer_says(BFD_STATE_UP);
	uint64_t now = bring_up(&s, &defaults);

	print_message("RFC 5880 6.5: a poll sequence ends with F, the P bit is gone\n");
	assert_true(bfd_session_reflects(&s));
	now = bfd_session_deadline(&s);
	assert_true(bfd_session_timer(&s, now, MID) & BFD_DO_SEND);
	out = take(&s, now);
	assert_int_equal(out.bits, 0);

	print_message("RFC 5880 6.8.7: P is answered with F at once, whatever the timer says\n");
	in.bits = BFD_BIT_POLL;
	assert_true(hear(&s, now + MS, &in) & BFD_DO_SEND);
	out = take(&s, now + MS);
	assert_int_equal(out.bits, BFD_BIT_FINAL);
	assert_false(bfd_session_timer(&s, now + 2 * MS, MID) & BFD_DO_SEND);
}

static void both_poll(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	struct bfd_packet out, in = peer_says(BFD_STATE_UP);
	uint64_t due, now = bring_up(&s, &defaults) + 100 * MS;

	print_message("RFC 5880 6.5: never P and F together; our poll goes on\n");
	conf.min_rx_us = 200000;
	assert_true(bfd_session_configure(&s, &conf, now, MID) & BFD_DO_SEND);
	out = take(&s, now);
	assert_int_equal(out.bits, BFD_BIT_POLL);
	due = bfd_session_deadline(&s);
	in.bits = BFD_BIT_POLL;
	assert_true(hear(&s, now + MS, &in) & BFD_DO_SEND);
	out = take(&s, now + MS);
	assert_int_equal(out.bits, BFD_BIT_FINAL);
	assert_int_equal(bfd_session_deadline(&s), due);
	assert_true(bfd_session_timer(&s, due, MID) & BFD_DO_SEND);
	out = take(&s, due);
	assert_int_equal(out.bits, BFD_BIT_POLL);
}

static void slower_after_final(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	struct bfd_packet out, in = peer_says(BFD_STATE_UP);
	uint64_t now = bring_up(&s, &defaults);

	print_message("RFC 5880 6.8.3: a larger DesiredMinTx is advertised, and used after F\n");
	conf.min_tx_us = 600000;
	bfd_session_configure(&s, &conf, now, MID);
	out = take(&s, now);
	assert_int_equal(out.min_tx_us, 600000);
	assert_int_equal(out.bits, BFD_BIT_POLL);
	assert_int_equal(bfd_session_tx_ns(&s), 300 * MS);
	in.bits = 0;
	hear(&s, now + MS, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 300 * MS);
	in.bits = BFD_BIT_FINAL;
	hear(&s, now + 2 * MS, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 600 * MS);

	print_message("RFC 5880 6.8.3: a smaller one at once\n");
	conf.min_tx_us = 100000;
	conf.min_rx_us = 600000;
	bfd_session_configure(&s, &conf, now + 3 * MS, MID);
	assert_int_equal(s.used_tx_us, 100000);
	print_message("RFC 5880 6.8.3: a larger RequiredMinRx at once\n");
	assert_int_equal(bfd_session_detect_ns(&s), 1800 * MS);
	take(&s, now + 3 * MS);
	hear(&s, now + 4 * MS, &in);

	print_message("RFC 5880 6.8.3: a smaller one for detection only after F\n");
	conf.min_rx_us = 300000;
	bfd_session_configure(&s, &conf, now + 5 * MS, MID);
	out = take(&s, now + 5 * MS);
	assert_int_equal(out.min_rx_us, 300000);
	assert_int_equal(bfd_session_detect_ns(&s), 1800 * MS);
	hear(&s, now + 6 * MS, &in);
	assert_int_equal(bfd_session_detect_ns(&s), 900 * MS);
}

static void changed_during_poll(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	struct bfd_packet in = peer_says(BFD_STATE_UP);
	uint64_t now = bring_up(&s, &defaults);

	print_message("RFC 5880 6.5: values changed during a poll sequence take another one\n");
	in.bits = BFD_BIT_FINAL;
	conf.min_tx_us = 500000;
	bfd_session_configure(&s, &conf, now, MID);
	conf.min_tx_us = 700000;
	bfd_session_configure(&s, &conf, now, MID);
	hear(&s, now + MS, &in);
	assert_true(s.polling);
	assert_int_equal(bfd_session_tx_ns(&s), 300 * MS);
	hear(&s, now + 2 * MS, &in);
	assert_false(s.polling);
	assert_int_equal(bfd_session_tx_ns(&s), 700 * MS);
}

static void peer_changes(void **state)
{
	struct bfd_session s;
	struct bfd_packet in = peer_says(BFD_STATE_UP);
	uint64_t now = bring_up(&s, &defaults), due;

	print_message("RFC 5880 6.8.3: the peer's smaller Required Min RX is honoured at once\n");
	take(&s, now);
	in.min_rx_us = 2000000;
	hear(&s, now + MS, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 2 * SEC);
	take(&s, now + MS);
	in.min_rx_us = 300000;
	hear(&s, now + 2 * MS, &in);
	due = bfd_session_deadline(&s);
	assert_in_range(due, now + MS + 225 * MS, now + MS + 300 * MS);

	print_message("... and if that time has passed, now\n");
	take(&s, now + MS);
	in.min_rx_us = 2000000;
	hear(&s, now + 3 * MS, &in);
	in.min_rx_us = 300000;
	assert_true(hear(&s, now + 700 * MS, &in) & BFD_DO_SEND);

	print_message("RFC 5880 6.8.7: Required Min RX 0: no periodic packet\n");
	take(&s, now + 700 * MS);
	in.min_rx_us = 0;
	hear(&s, now + 701 * MS, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 0);
	assert_false(bfd_session_reflects(&s));
	assert_int_equal(bfd_session_deadline(&s), s.last_rx_ns + 900 * MS); /* detection */
	print_message("... but F all the same\n");
	in.bits = BFD_BIT_POLL;
	assert_true(hear(&s, now + 702 * MS, &in) & BFD_DO_SEND);
	assert_int_equal(take(&s, now + 702 * MS).bits, BFD_BIT_FINAL);

	print_message(
		"RFC 5880 6.8.4: the peer's multiplier and interval make the detection time\n");
	in = peer_says(BFD_STATE_UP);
	in.mult = 5;
	in.min_tx_us = 400000;
	hear(&s, now + 703 * MS, &in);
	assert_int_equal(bfd_session_detect_ns(&s), 2 * SEC);
}

static void multiplier(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	uint64_t now = bring_up(&s, &defaults);
	struct fx_bfd_sess map = { 0 };

	print_message("RFC 5880 6.8.12: a new multiplier needs no poll sequence\n");
	conf.mult = 1;
	assert_true(bfd_session_configure(&s, &conf, now, MID) & BFD_DO_SEND);
	assert_false(s.polling);
	assert_int_equal(take(&s, now).mult, 1);
	print_message("RFC 5880 6.8.7: with 1 the jitter is 75 to 90 %%\n");
	assert_in_range(s.next_tx_ns, now + 225 * MS, now + 270 * MS);
	bfd_session_kernel(&s, &map);
	assert_int_equal(map.jitter_min, 768);
	assert_int_equal(map.jitter_span, 154);
}

static void detection(void **state)
{
	struct bfd_session s;
	uint64_t now = bring_up(&s, &defaults), down = now + 900 * MS;
	struct dp_state told;
	struct bfd_packet out;
	uint32_t todo;

	print_message("RFC 5880 6.8.4: silence for the detection time: Down, diagnostic 1\n");
	for (uint64_t t = now; t < down; t = bfd_session_deadline(&s)) {
		if (bfd_session_timer(&s, t, MID) & BFD_DO_SEND)
			take(&s, t);
		assert_int_equal(s.state, BFD_STATE_UP);
	}
	todo = bfd_session_timer(&s, down - 1, MID);
	assert_int_equal(s.state, BFD_STATE_UP);
	todo = bfd_session_timer(&s, down, MID);
	assert_int_equal(todo, BFD_DO_KERNEL | BFD_DO_SEND | BFD_DO_NOTIFY | BFD_DO_LOG);
	out = take(&s, down);
	assert_int_equal(out.state, BFD_STATE_DOWN);
	assert_int_equal(out.diag, BFD_DIAG_DETECT_EXPIRED);
	print_message("RFC 5880 6.8.1: RemoteDiscr is set to zero\n");
	assert_int_equal(out.your_disc, 0);
	assert_int_equal(out.min_tx_us, 1000000);
	bfd_session_report(&s, &told);
	assert_int_equal(told.state, BFD_STATE_DOWN);
	assert_int_equal(told.rid, 0);
	assert_int_equal(told.remote_mult, 3);
	assert_int_equal(s.flaps, 1);
	assert_int_equal(s.history[0].event, BFD_EV_DETECT);
	assert_int_equal(s.history[0].time_ns, down);
	assert_in_range(bfd_session_deadline(&s), down + 750 * MS, down + SEC);

	print_message("Down and heard again: RemoteDiscr is cleared after a detection time too\n");
	hear_state(&s, down + SEC, BFD_STATE_UP);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	assert_int_equal(s.remote_disc, HIS);
	bfd_session_timer(&s, down + SEC + 900 * MS, MID);
	assert_int_equal(s.remote_disc, 0);
}

static void kernel_detects(void **state)
{
	struct bfd_session s;
	uint64_t now = bring_up(&s, &defaults);

	print_message("the kernel half's verdict is taken, once\n");
	assert_true(bfd_session_expired(&s, now + 900 * MS, MID) & BFD_DO_NOTIFY);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	assert_int_equal(s.local_diag, BFD_DIAG_DETECT_EXPIRED);
	assert_int_equal(bfd_session_expired(&s, now + 901 * MS, MID), BFD_DO_KERNEL);
	assert_int_equal(s.flaps, 1);
}

static void kernel_sends(void **state)
{
	struct bfd_session s;
	uint64_t now = bring_up(&s, &defaults);

	print_message("what the kernel half sent and heard puts off the daemon's packet\n");
	s.kernel = true;
	bfd_session_seen(&s, now + 200 * MS, now + 200 * MS, MID);
	assert_in_range(bfd_session_deadline(&s), now + 499 * MS, now + 500 * MS);
	assert_false(bfd_session_timer(&s, now + 490 * MS, MID) & BFD_DO_SEND);
	print_message("an older time changes nothing\n");
	bfd_session_seen(&s, now, now, MID);
	assert_int_equal(s.last_rx_ns, now + 200 * MS);
	assert_int_equal(s.last_tx_ns, now + 200 * MS);
	print_message("a packet that it left undone for an interval is the daemon's\n");
	assert_true(bfd_session_timer(&s, now + 500 * MS, MID) & BFD_DO_SEND);
	print_message("with a slower peer the daemon sends with jitter\n");
	s.remote_min_tx_us = 1000000;
	bfd_session_seen(&s, now + 600 * MS, now + 600 * MS, 0);
	assert_int_equal(s.next_tx_ns, now + 600 * MS + 225 * MS);
}

static void admin_down(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	struct bfd_packet in = peer_says(BFD_STATE_UP);
	enum fx_bfd_reject why;
	struct dp_state told;
	uint64_t now = bring_up(&s, &defaults);
	struct bfd_packet out;

	print_message("RFC 5880 6.8.16: disabled: AdminDown is sent, diagnostic 7\n");
	conf.flags = DP_F_SHUTDOWN;
	assert_true(bfd_session_configure(&s, &conf, now, MID) & BFD_DO_SEND);
	out = take(&s, now);
	assert_int_equal(out.state, BFD_STATE_ADMIN_DOWN);
	assert_int_equal(out.diag, BFD_DIAG_ADMIN_DOWN);
	bfd_session_report(&s, &told);
	assert_int_equal(told.state, BFD_STATE_ADMIN_DOWN);
	print_message("RFC 5880 6.8.6: AdminDown discards what comes, P too; never Up\n");
	in.bits = BFD_BIT_POLL;
	assert_false(bfd_session_rx(&s, &in, now + MS, MID, &why) & BFD_DO_SEND);
	assert_int_equal(why, FX_BFD_REJ_ADMIN_DOWN);
	assert_int_equal(s.state, BFD_STATE_ADMIN_DOWN);
	for (int st = 0; st < 4; st++) {
		hear_state(&s, now + 2 * MS, (uint8_t)st);
		assert_int_equal(s.state, BFD_STATE_ADMIN_DOWN);
	}
	assert_in_range(bfd_session_deadline(&s), now + 750 * MS, now + SEC); /* goes on, slowly */
	print_message("the same ADD once more, as bfdd sends it, changes nothing\n");
	assert_int_equal(bfd_session_configure(&s, &conf, now + 3 * MS, MID), 0);
	print_message("enabled again: Down\n");
	conf.flags = 0;
	bfd_session_configure(&s, &conf, now + 4 * MS, MID);
	assert_int_equal(s.state, BFD_STATE_DOWN);
}

static void peer_admin_down(void **state)
{
	struct bfd_session s;
	struct dp_state told;
	uint64_t now = bring_up(&s, &defaults);
	struct bfd_packet in = peer_says(BFD_STATE_ADMIN_DOWN), out;

	print_message("RFC 5880 6.8.6: AdminDown received: Down, diagnostic 3\n");
	in.diag = BFD_DIAG_ADMIN_DOWN;
	hear(&s, now + MS, &in);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	out = take(&s, now + MS);
	assert_int_equal(out.state, BFD_STATE_DOWN);
	assert_int_equal(out.diag, BFD_DIAG_NEIGHBOR_DOWN);
	print_message("bfdd is told AdminDown, so that no protocol is torn down\n");
	bfd_session_report(&s, &told);
	assert_int_equal(told.state, BFD_STATE_ADMIN_DOWN);
	assert_int_equal(told.diag, BFD_DIAG_ADMIN_DOWN);
	assert_int_equal(told.rid, HIS);
	print_message("and Down when the peer is heard no more\n");
	bfd_session_timer(&s, now + MS + 3 * SEC, MID);
	bfd_session_report(&s, &told);
	assert_int_equal(told.state, BFD_STATE_DOWN);
	assert_int_equal(told.rid, 0);
}

static void reports(void **state)
{
	struct bfd_session s;
	struct dp_state told;
	uint64_t now = bring_up(&s, &defaults);
	struct bfd_packet in = peer_says(BFD_STATE_UP);

	print_message("bfdd hears of every value of the peer's\n");
	in.bits = BFD_BIT_CPI | BFD_BIT_DEMAND;
	in.mult = 4;
	in.min_tx_us = 100000;
	in.min_rx_us = 110000;
	in.min_echo_rx_us = 120000;
	in.diag = 6;
	assert_true(hear(&s, now, &in) & BFD_DO_NOTIFY);
	bfd_session_report(&s, &told);
	assert_int_equal(told.lid, MINE);
	assert_int_equal(told.rid, HIS);
	assert_int_equal(told.remote_flags, DP_REMOTE_CPI | DP_REMOTE_DEMAND);
	assert_int_equal(told.remote_mult, 4);
	assert_int_equal(told.remote_min_tx_us, 100000);
	assert_int_equal(told.remote_min_rx_us, 110000);
	assert_int_equal(told.remote_min_echo_rx_us, 120000);
	assert_int_equal(told.diag, 6);
	assert_int_equal(told.state, BFD_STATE_UP);
	print_message("and once only\n");
	assert_false(hear(&s, now + MS, &in) & BFD_DO_NOTIFY);
	print_message("a bfdd that came back hears of it again\n");
	assert_int_equal(bfd_session_untold(&s), BFD_DO_NOTIFY);
}

static void passive(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;

	print_message("RFC 5880 6.1, 6.8.7: the passive role speaks when spoken to\n");
	conf.flags = DP_F_PASSIVE;
	start(&s, &conf);
	assert_int_equal(bfd_session_deadline(&s), BFD_NEVER);
	assert_true(hear_state(&s, T0 + MS, BFD_STATE_DOWN) & BFD_DO_SEND);
	assert_int_equal(take(&s, T0 + MS).state, BFD_STATE_INIT);
	bfd_session_timer(&s, T0 + MS + 3 * SEC, MID);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	assert_int_equal(s.remote_disc, 0);
	assert_int_equal(bfd_session_deadline(&s), BFD_NEVER);
}

static void peer_in_demand(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	uint64_t now = bring_up(&s, &defaults);
	struct bfd_packet in = peer_says(BFD_STATE_UP);

	print_message("RFC 5880 6.6, 6.8.7: the peer in demand mode gets no periodic packet\n");
	in.bits = BFD_BIT_DEMAND;
	hear(&s, now, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 0);
	assert_int_equal(s.next_tx_ns, 0);
	print_message("... but for a poll sequence of ours\n");
	conf.min_tx_us = 500000;
	assert_true(bfd_session_configure(&s, &conf, now + MS, MID) & BFD_DO_SEND);
	assert_int_equal(take(&s, now + MS).bits, BFD_BIT_POLL);
	assert_int_not_equal(bfd_session_tx_ns(&s), 0);
	in.bits = BFD_BIT_DEMAND | BFD_BIT_FINAL;
	hear(&s, now + 2 * MS, &in);
	assert_int_equal(bfd_session_tx_ns(&s), 0);
	print_message("... and not when it is no longer Up\n");
	in.bits = BFD_BIT_DEMAND;
	in.state = BFD_STATE_DOWN;
	assert_true(hear(&s, now + 3 * MS, &in) & BFD_DO_SEND);
	assert_int_equal(bfd_session_tx_ns(&s), SEC);
}

static void path(void **state)
{
	struct bfd_session s;
	uint64_t now = bring_up(&s, &defaults);
	uint32_t todo;

	print_message("RFC 5880 6.8.17: path down: Down at once, diagnostic 5; nothing is sent\n");
	todo = bfd_session_path(&s, true, now, MID);
	assert_int_equal(todo, BFD_DO_KERNEL | BFD_DO_NOTIFY | BFD_DO_LOG);
	assert_int_equal(s.local_diag, BFD_DIAG_PATH_DOWN);
	assert_int_equal(bfd_session_path(&s, true, now, MID), 0);
	print_message("a packet that was under way does not bring it Up\n");
	assert_int_equal(hear_state(&s, now + MS, BFD_STATE_INIT), 0);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	print_message("and back: sends at once what has changed\n");
	todo = bfd_session_path(&s, false, now + 10 * SEC, MID);
	assert_true(todo & BFD_DO_SEND);
	assert_int_equal(take(&s, now + 10 * SEC).diag, BFD_DIAG_PATH_DOWN);
}

static void echo(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	struct bfd_packet in = peer_says(BFD_STATE_UP);
	uint64_t now, t;
	int sent = 0;

	print_message("RFC 5880 6.8.9: no echo before Up, none if not wanted\n");
	start(&s, &defaults);
	assert_int_equal(bfd_session_echo_ns(&s), 0);
	now = bring_up(&s, &defaults);
	assert_int_equal(bfd_session_echo_ns(&s), 0);
	print_message("RFC 5880 6.8.9: not below the peer's Required Min Echo RX\n");
	conf.flags = DP_F_ECHO;
	in.min_echo_rx_us = 100000;
	hear(&s, now, &in);
	assert_true(bfd_session_configure(&s, &conf, now, MID) & BFD_DO_ECHO);
	assert_int_equal(bfd_session_echo_ns(&s), 100 * MS);
	for (t = now; t < now + SEC; t += MS) {
		uint32_t todo = bfd_session_timer(&s, t, MID);

		hear(&s, t, &in);
		bfd_session_echo_rx(&s, t);
		sent += !!(todo & BFD_DO_ECHO);
	}
	assert_in_range(sent, 10, 14);
	assert_int_equal(s.state, BFD_STATE_UP);
	print_message("RFC 5880 6.8.5: no echo came back for multiplier times the interval\n");
	bfd_session_timer(&s, t + 298 * MS, MID);
	assert_int_equal(s.state, BFD_STATE_UP);
	assert_true(bfd_session_timer(&s, t + 299 * MS, MID) & BFD_DO_NOTIFY);
	assert_int_equal(s.state, BFD_STATE_DOWN);
	assert_int_equal(s.local_diag, BFD_DIAG_ECHO_FAILED);
	assert_int_equal(bfd_session_echo_ns(&s), 0);
	print_message("RFC 5880 6.8.6: Required Min Echo RX 0: echo ceases\n");
	bring_up(&s, &conf);
	assert_int_equal(bfd_session_echo_ns(&s), 50 * MS);
	in.min_echo_rx_us = 0;
	hear(&s, now, &in);
	assert_int_equal(bfd_session_echo_ns(&s), 0);
	print_message("RFC 5883 3: not over several hops, neither way\n");
	conf.flags = DP_F_ECHO | DP_F_MULTIHOP;
	bring_up(&s, &conf);
	assert_int_equal(bfd_session_echo_ns(&s), 0);
	assert_int_equal(s.min_echo_rx_us, 0);
}

static void flood(void **state)
{
	struct bfd_session s;
	uint64_t now = bring_up(&s, &defaults), sent = 0;
	struct bfd_packet in = peer_says(BFD_STATE_UP);

	print_message("a flood of polls is answered at the pace of the floor, one a millisecond\n");
	in.bits = BFD_BIT_POLL;
	for (uint64_t t = now; t < now + 100 * MS; t += 10 * US) {
		if (hear(&s, t, &in) & BFD_DO_SEND) {
			take(&s, t);
			sent++;
		}
	}
	assert_in_range(sent, 100, 110);
	print_message("a flood of state changes too\n");
	sent = 0;
	for (uint64_t t = now + SEC; t < now + SEC + 100 * MS; t += 10 * US) {
		uint8_t st = t / (10 * US) % 2 ? BFD_STATE_DOWN : BFD_STATE_INIT;

		if (hear_state(&s, t, st) & BFD_DO_SEND) {
			take(&s, t);
			sent++;
		}
	}
	assert_in_range(sent, 100, 110);
}

static void odd_values(void **state)
{
	static const uint32_t values[] = { 0, 1, 999, UINT32_MAX };
	struct dp_session conf = defaults;
	const char *why = NULL;
	struct bfd_session s;

	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 4; k++) {
			conf.min_tx_us = values[i];
			conf.min_rx_us = values[k];
			conf.flags = 0xffffff80;
			assert_int_equal(bfd_session_check(&conf, &why), 0);
			bring_up(&s, &conf);
			assert_in_range(bfd_session_tx_ns(&s), MS, UINT32_MAX * US);
			if (conf.min_rx_us)
				assert_true(bfd_session_detect_ns(&s) >= 3 * MS);
			else /* RFC 5880 4.1: nothing is wanted, nothing can be missed */
				assert_int_equal(bfd_session_detect_ns(&s), 0);
		}
	}
	conf = defaults;
	conf.mult = 0;
	assert_true(bfd_session_check(&conf, &why) < 0);
	assert_non_null(why);
	conf = defaults;
	conf.lid = 0;
	assert_true(bfd_session_check(&conf, &why) < 0);
	conf = defaults;
	conf.peer.bytes[0] = 224;
	assert_true(bfd_session_check(&conf, &why) < 0);
	memset(conf.peer.bytes, 0, 4);
	assert_true(bfd_session_check(&conf, &why) < 0);
}

static void add_without_interface(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	uint64_t now = bring_up(&s, &defaults);

	print_message(
		"FRR 10.3 to 10.7: an ADD that leaves the interface out does not take it away\n");
	conf.ifindex = 0;
	memset(conf.ifname, 0, sizeof(conf.ifname));
	assert_int_equal(bfd_session_configure(&s, &conf, now, MID), 0);
	assert_int_equal(s.ifindex, 6);
	print_message("an interface that came again under another index\n");
	conf = defaults;
	conf.ifindex = 9;
	assert_int_equal(bfd_session_configure(&s, &conf, now, MID), BFD_DO_KERNEL);
	assert_int_equal(s.ifindex, 9);
	assert_int_equal(s.state, BFD_STATE_UP);
}

static void new_discriminator(void **state)
{
	struct bfd_session s;
	struct dp_session conf = defaults;
	uint64_t now = bring_up(&s, &defaults);
	struct bfd_packet out, in = peer_says(BFD_STATE_UP);

	print_message("bfdd restarted: a new discriminator, the session stays Up\n");
	conf.lid = 0x33333333;
	assert_true(bfd_session_configure(&s, &conf, now, MID) & BFD_DO_SEND);
	out = take(&s, now);
	assert_int_equal(out.my_disc, 0x33333333);
	assert_int_equal(out.state, BFD_STATE_UP);
	assert_int_equal(s.old_disc, MINE);
	hear(&s, now + MS, &in); /* was under way */
	assert_int_equal(s.old_disc, MINE);
	in.your_disc = 0x33333333;
	hear(&s, now + 2 * MS, &in);
	assert_int_equal(s.old_disc, 0);
	assert_int_equal(s.flaps, 0);
}

static void kernel_words(void **state)
{
	struct bfd_session s, again;
	struct fx_bfd_sess map = { 0 };
	struct dp_session conf = defaults;
	struct bfd_packet expect, send;
	uint64_t now;

	print_message("before Up there is no steady packet, and nothing to reflect\n");
	start(&s, &defaults);
	bfd_session_kernel(&s, &map);
	assert_int_equal(map.flags, FX_BFD_F_ACTIVE);
	assert_int_equal(map.expect[0], 0);
	assert_int_equal(map.next_due, 0);
	assert_false(bfd_session_restore(&again, &map, T0));

	now = bring_up(&s, &defaults);
	bfd_session_kernel(&s, &map);
	assert_int_equal(map.flags,
			 FX_BFD_F_ACTIVE | FX_BFD_F_REFLECT | FX_BFD_F_DETECT | FX_BFD_F_ECHO_RX);
	assert_int_equal(map.my_disc, MINE);
	assert_int_equal(map.ifindex, 6);
	assert_int_equal(map.peer[3], 2);
	assert_int_equal(map.local[3], 1);
	assert_int_equal(map.tx_interval_ns, 300 * MS);
	assert_int_equal(map.detect_ns, 900 * MS);
	assert_int_equal(map.min_ttl, 255);
	assert_int_equal(map.next_due, s.last_tx_ns + 225 * MS);
	assert_int_equal(map.last_rx, now);
	bfd_wire_get((const uint8_t *)map.expect, &expect);
	assert_int_equal(expect.state, BFD_STATE_UP);
	assert_int_equal(expect.bits, 0);
	assert_int_equal(expect.my_disc, HIS);
	assert_int_equal(expect.your_disc, MINE);
	assert_int_equal(expect.min_tx_us, 300000);
	bfd_wire_get((const uint8_t *)map.send, &send);
	assert_int_equal(send.state, BFD_STATE_UP);
	assert_int_equal(send.bits, 0);
	assert_int_equal(send.your_disc, HIS);
	assert_int_equal(send.min_tx_us, 300000);

	print_message("a successor finds the session as it was\n");
	map.tx_gaps.last_ns = s.last_tx_ns;
	assert_true(bfd_session_restore(&again, &map, now + SEC / 10));
	assert_int_equal(again.state, BFD_STATE_UP);
	assert_int_equal(again.remote_disc, HIS);
	assert_int_equal(bfd_session_detect_ns(&again), 900 * MS);
	assert_int_equal(bfd_session_tx_ns(&again), 300 * MS);
	assert_false(bfd_session_timer(&again, now + SEC / 10, MID) & BFD_DO_SEND);
	assert_int_equal(
		bfd_session_configure(&again, &defaults, now + SEC / 10, MID) & BFD_DO_SEND, 0);
	assert_int_equal(again.state, BFD_STATE_UP);
	print_message("... with the local address that the route gave, if bfdd names none\n");
	conf.local = (struct fx_addr){ .family = FX_AF_INET };
	bfd_session_configure(&again, &conf, now + SEC / 10, MID);
	assert_int_equal(again.local.bytes[3], 1);
	print_message("but not one that the kernel half declared down\n");
	map.expired = now;
	assert_false(bfd_session_restore(&again, &map, now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_ways),
		cmocka_unit_test(poll_ends),
		cmocka_unit_test(both_poll),
		cmocka_unit_test(slower_after_final),
		cmocka_unit_test(changed_during_poll),
		cmocka_unit_test(peer_changes),
		cmocka_unit_test(multiplier),
		cmocka_unit_test(detection),
		cmocka_unit_test(kernel_detects),
		cmocka_unit_test(kernel_sends),
		cmocka_unit_test(admin_down),
		cmocka_unit_test(peer_admin_down),
		cmocka_unit_test(reports),
		cmocka_unit_test(passive),
		cmocka_unit_test(peer_in_demand),
		cmocka_unit_test(path),
		cmocka_unit_test(echo),
		cmocka_unit_test(flood),
		cmocka_unit_test(odd_values),
		cmocka_unit_test(add_without_interface),
		cmocka_unit_test(new_discriminator),
		cmocka_unit_test(kernel_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
