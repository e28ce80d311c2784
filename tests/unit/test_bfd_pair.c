/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sessions talk to each other in simulated time, over a wire that delays, loses and reorders,
 * while their configuration changes at random. Each end may have a reflector, as the kernel half is
 * by the contract of bpf/fx_bfd.h. Every packet is held against RFC 5880 6.8.7, every verdict
 * against 6.8.4. Seeds are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bfddp-xdp/bfd_session.h"

#define US    1000ull
#define MS    1000000ull
#define SEC   1000000000ull
#define QUEUE 256

struct flight {
	uint64_t arrives; /* 0: no packet */
	int to;
	uint8_t bytes[FX_BFD_CONTROL_LEN];
};

struct end {
	struct bfd_session s;
	struct fx_bfd_sess map;	    /* what the kernel half has */
	uint64_t least_tx, most_tx; /* of the interval, since the last packet */
	uint64_t last_any; /* the last packet, and the last one that was no answer with F */
	uint64_t last_sent;
	uint64_t last_arrival;
	uint8_t content[FX_BFD_CONTROL_LEN];
	bool fresh; /* new, or the path came back: the first packet is due at once */
	unsigned int by_kernel, by_daemon, notified;
};

struct world {
	uint64_t now;
	uint32_t seed;
	unsigned int loss; /* of 1000 */
	bool reorder, cut;
	uint64_t delay; /* at most */
	struct end ends[2];
	struct flight wire[QUEUE];
};

static uint32_t draw(struct world *w)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 17;
	w->seed ^= w->seed << 5;
	return w->seed;
}

static struct dp_session conf_of(int at, uint32_t lid)
{
	struct dp_session conf = {
		.local = { FX_AF_INET, { 10, 0, 0, (uint8_t)(1 + at) } },
		.peer = { FX_AF_INET, { 10, 0, 0, (uint8_t)(2 - at) } },
		.lid = lid,
		.min_tx_us = 300000,
		.min_rx_us = 300000,
		.min_ttl = 255,
		.mult = 3,
		.ifindex = 1,
	};

	return conf;
}

static void put_on_wire(struct world *w, int from, const uint8_t *bytes)
{
	struct end *to = &w->ends[1 - from];
	uint64_t arrives = w->now + 1 + draw(w) % w->delay;

	if (w->cut || draw(w) % 1000 < w->loss)
		return;
	if (!w->reorder && arrives <= to->last_arrival)
		arrives = to->last_arrival + 1;
	to->last_arrival = arrives;
	for (int i = 0; i < QUEUE; i++) {
		if (w->wire[i].arrives)
			continue;
		w->wire[i] = (struct flight){ .arrives = arrives, .to = 1 - from };
		memcpy(w->wire[i].bytes, bytes, sizeof(w->wire[i].bytes));
		return;
	}
	fail_msg("more packets under way than any interval allows");
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void note_interval(struct end *e)
{
	uint64_t interval = bfd_session_tx_ns(&e->s);

	e->least_tx = least(e->least_tx, interval);
	e->most_tx = most(e->most_tx, interval);
}

/* RFC 5880 6.8.7: periodic packets keep between 75 and 100 % of the interval; news and answers to a
 * poll come at once. */
static void check_pace(struct world *w, int from, const uint8_t *bytes)
{
	struct end *e = &w->ends[from];
	uint64_t gap = w->now - e->last_sent, interval = bfd_session_tx_ns(&e->s);
	uint8_t content[FX_BFD_CONTROL_LEN];
	bool news;

	memcpy(content, bytes, sizeof(content));
	content[1] &= (uint8_t) ~(BFD_BIT_POLL | BFD_BIT_FINAL);
	news = memcmp(content, e->content, sizeof(content));
	assert_int_not_equal(bytes[1] & 0x30, 0x30);
	assert_int_equal(bfd_wire_check(bytes, FX_BFD_CONTROL_LEN), FX_BFD_REJ_NONE);
	note_interval(e);
	if (e->least_tx && !e->fresh) {
		if (!news && !(bytes[1] & BFD_BIT_FINAL))
			assert_true(gap >= e->least_tx / 4 * 3);
		assert_true(w->now - e->last_any <= e->most_tx);
	}
	memcpy(e->content, content, sizeof(content));
	e->fresh = false;
	e->last_any = w->now;
	e->least_tx = e->most_tx = interval;
	if (!(bytes[1] & BFD_BIT_FINAL) || !e->s.polling)
		e->last_sent = w->now;
}

static void send_now(struct world *w, int from, const uint8_t *bytes)
{
	struct end *e = &w->ends[from];

	check_pace(w, from, bytes);
	e->map.tx_gaps.last_ns = w->now;
	e->map.next_due = w->now + e->map.tx_interval_ns * e->map.jitter_min / 1024;
	put_on_wire(w, from, bytes);
}

static void act(struct world *w, int at, uint32_t todo)
{
	struct end *e = &w->ends[at];
	uint8_t bytes[FX_BFD_CONTROL_LEN];
	struct dp_state told;

	note_interval(e);
	if (todo & BFD_DO_KERNEL) {
		uint64_t last_rx = e->map.last_rx;

		bfd_session_kernel(&e->s, &e->map);
		e->map.last_rx = most(e->map.last_rx, last_rx);
	}
	if (todo & BFD_DO_SEND) {
		bfd_session_take(&e->s, w->now, draw(w), bytes);
		send_now(w, at, bytes);
		e->by_daemon++;
	}
	if (todo & BFD_DO_NOTIFY) {
		bfd_session_report(&e->s, &told);
		e->notified++;
	}
}

/* The kernel half: true if the packet needs no decision. */
static bool reflector(struct world *w, int at, const uint8_t *bytes)
{
	struct end *e = &w->ends[at];
	uint8_t send[FX_BFD_CONTROL_LEN];

	if (!e->s.kernel || memcmp(bytes, e->map.expect, FX_BFD_CONTROL_LEN))
		return false;
	e->map.last_rx = w->now;
	if ((e->map.flags & FX_BFD_F_REFLECT) && w->now >= e->map.next_due) {
		memcpy(send, e->map.send, sizeof(send));
		send_now(w, at, send);
		e->by_kernel++;
	}
	return true;
}

static void arrive(struct world *w, struct flight *flight)
{
	struct end *e = &w->ends[flight->to];
	struct flight f = *flight;
	enum fx_bfd_reject why;
	struct bfd_packet packet;
	uint32_t disc = bfd_wire_your_disc(f.bytes);

	flight->arrives = 0;
	if (w->cut || (disc && disc != e->s.local_disc && disc != e->s.old_disc))
		return;
	if (reflector(w, f.to, f.bytes))
		return;
	bfd_session_seen(&e->s, e->map.last_rx, e->map.tx_gaps.last_ns, draw(w));
	bfd_wire_get(f.bytes, &packet);
	act(w, f.to, bfd_session_rx(&e->s, &packet, w->now, draw(w), &why));
}

static struct flight *next_flight(struct world *w)
{
	struct flight *first = NULL;

	for (int i = 0; i < QUEUE; i++) {
		struct flight *f = &w->wire[i];

		if (f->arrives && (!first || f->arrives < first->arrives))
			first = f;
	}
	return first;
}

static void timer(struct world *w, int at)
{
	struct end *e = &w->ends[at];
	uint64_t detect, heard;
	uint32_t flaps = e->s.flaps;

	bfd_session_seen(&e->s, e->map.last_rx, e->map.tx_gaps.last_ns, draw(w));
	detect = bfd_session_detect_ns(&e->s);
	heard = e->s.last_rx_ns;
	act(w, at, bfd_session_timer(&e->s, w->now, draw(w)));
	if (e->s.flaps > flaps) /* RFC 5880 6.8.4: neither early nor late */
		assert_int_equal(w->now, heard + detect);
}

static void run_until(struct world *w, uint64_t end)
{
	for (;;) {
		struct flight *f = next_flight(w);
		uint64_t a = bfd_session_deadline(&w->ends[0].s);
		uint64_t b = bfd_session_deadline(&w->ends[1].s);
		uint64_t next = least(least(a, b), f ? f->arrives : BFD_NEVER);

		if (next >= end)
			break;
		w->now = most(w->now, next);
		if (f && f->arrives == next)
			arrive(w, f);
		else
			timer(w, next == a ? 0 : 1);
	}
	w->now = end;
}

static void start_end(struct world *w, int at, uint32_t lid, bool kernel)
{
	struct end *e = &w->ends[at];
	struct dp_session conf = conf_of(at, lid);

	*e = (struct end){ .last_arrival = e->last_arrival }; /* the wire goes on */
	bfd_session_init(&e->s, &conf, w->now, draw(w));
	e->s.kernel = kernel;
	e->fresh = true;
	act(w, at, bfd_session_path(&e->s, false, w->now, draw(w)));
}

static void start(struct world *w, uint32_t seed, bool kernel_a, bool kernel_b)
{
	memset(w, 0, sizeof(*w));
	w->now = 100 * SEC;
	w->seed = seed;
	w->delay = MS;
	start_end(w, 0, 0xa0000001, kernel_a);
	start_end(w, 1, 0xb0000001, kernel_b);
}

static bool both_up(const struct world *w)
{
	return w->ends[0].s.state == BFD_STATE_UP && w->ends[1].s.state == BFD_STATE_UP;
}

static void change_conf(struct world *w, int at)
{
	struct end *e = &w->ends[at];
	struct dp_session conf = e->s.conf;

	switch (draw(w) % 3) {
	case 0:
		conf.min_tx_us = 20000 + draw(w) % 980000;
		break;
	case 1:
		conf.min_rx_us = 20000 + draw(w) % 980000;
		break;
	case 2:
		conf.mult = (uint8_t)(1 + draw(w) % 5);
		break;
	}
	bfd_session_seen(&e->s, e->map.last_rx, e->map.tx_gaps.last_ns, draw(w));
	act(w, at, bfd_session_configure(&e->s, &conf, w->now, draw(w)));
}

static void assert_negotiated(const struct world *w)
{
	for (int i = 0; i < 2; i++) {
		const struct bfd_session *a = &w->ends[i].s, *b = &w->ends[1 - i].s;
		uint64_t interval = most(a->conf.min_tx_us, b->conf.min_rx_us) * US;

		assert_false(a->polling);
		assert_int_equal(a->remote_disc, b->local_disc);
		assert_int_equal(bfd_session_tx_ns(a), interval);
		assert_int_equal(bfd_session_detect_ns(b), interval * a->conf.mult);
	}
}

/* Bits 0 and 1 of the variant: which end has a reflector. */
static void steady(void **state)
{
	for (unsigned int v = 0; v < 4; v++) {
		struct world w;

		start(&w, 0x1234567 + v, v & 1, v & 2);
		run_until(&w, w.now + 4 * SEC);
		assert_true(both_up(&w));
		for (int i = 0; i < 2; i++)
			w.ends[i].by_kernel = w.ends[i].by_daemon = w.ends[i].notified = 0;
		run_until(&w, w.now + 600 * SEC);
		assert_true(both_up(&w));
		assert_negotiated(&w);
		for (int i = 0; i < 2; i++) {
			const struct end *e = &w.ends[i];
			unsigned int sent = e->by_daemon + e->by_kernel;

			print_message("variant %u end %d: daemon %u, kernel %u\n", v, i,
				      e->by_daemon, e->by_kernel);
			assert_in_range(sent, 2000, 2667);
			assert_int_equal(e->s.flaps, 0);
			assert_int_equal(e->notified, 0);
			if (!e->s.kernel)
				assert_int_equal(e->by_kernel, 0);
		}
		/* what a reflector leaves to its daemon, beside a peer that has a clock; two
		 * reflectors need the clock of one of them */
		if (v == 1 || v == 2)
			assert_in_range(w.ends[v - 1].by_daemon, 0, 150);
		if (v == 3)
			assert_in_range(w.ends[0].by_kernel + w.ends[1].by_kernel, 2000, 2667);
	}
}

static void renegotiation(void **state)
{
	for (unsigned int v = 0; v < 32; v++) {
		struct world w;

		start(&w, 0xabcdef01 + v, v & 1, v & 2);
		run_until(&w, w.now + 4 * SEC);
		assert_true(both_up(&w));
		for (int k = 0; k < 100; k++) {
			change_conf(&w, draw(&w) & 1);
			run_until(&w, w.now + draw(&w) % 5000 * MS);
			assert_true(both_up(&w));
		}
		run_until(&w, w.now + 6 * SEC);
		assert_negotiated(&w);
		/* without loss no change of values takes a session down */
		assert_int_equal(w.ends[0].s.flaps + w.ends[1].s.flaps, 0);
	}
}

static void lossy(void **state)
{
	unsigned int flaps = 0;

	for (unsigned int v = 0; v < 32; v++) {
		struct world w;

		start(&w, 0x55aa1234 + v, v & 1, v & 2);
		w.reorder = true;
		w.loss = 200;
		w.delay = 20 * MS;
		for (int k = 0; k < 100; k++) {
			change_conf(&w, draw(&w) & 1);
			run_until(&w, w.now + draw(&w) % 3000 * MS);
		}
		flaps += w.ends[0].s.flaps + w.ends[1].s.flaps;
		w.loss = 0;
		w.reorder = false;
		w.delay = MS;
		run_until(&w, w.now + 20 * SEC);
		assert_true(both_up(&w));
		assert_negotiated(&w);
	}
	print_message("%u flaps\n", flaps);
	assert_true(flaps > 0);
}

static void cut_and_healed(void **state)
{
	for (unsigned int v = 0; v < 32; v++) {
		struct world w;

		start(&w, 0x77665544 + v, v & 1, v & 2);
		run_until(&w, w.now + 4 * SEC + v * 37 * MS);
		assert_true(both_up(&w));
		w.cut = true;
		run_until(&w, w.now + 900 * MS - 300 * MS - 2 * MS);
		assert_true(both_up(&w)); /* not before two intervals are missing */
		run_until(&w, w.now + 302 * MS);
		assert_int_equal(w.ends[0].s.state, BFD_STATE_DOWN);
		assert_int_equal(w.ends[1].s.state, BFD_STATE_DOWN);
		assert_int_equal(w.ends[0].s.local_diag, BFD_DIAG_DETECT_EXPIRED);
		assert_int_equal(w.ends[0].s.remote_disc, 0);
		w.cut = false;
		run_until(&w, w.now + 2 * SEC);
		assert_true(both_up(&w));
		run_until(&w, w.now + 2 * SEC);
		assert_negotiated(&w);
	}
}

static void restarted(void **state)
{
	for (unsigned int v = 0; v < 32; v++) {
		struct world w;

		start(&w, 0x31415926 + v, v & 1, v & 2);
		for (uint32_t k = 2; k < 20; k++) {
			run_until(&w, w.now + 4 * SEC + draw(&w) % 1000 * MS);
			assert_true(both_up(&w));
			start_end(&w, (int)(k & 1), 0xc0000000 + k, v & 1);
		}
		run_until(&w, w.now + 4 * SEC);
		assert_true(both_up(&w));
		run_until(&w, w.now + 2 * SEC);
		assert_negotiated(&w);
	}
}

/* bfdd comes back with another discriminator, at both ends, again and again: no one notices. */
static void renamed(void **state)
{
	for (unsigned int v = 0; v < 8; v++) {
		struct world w;

		start(&w, 0x27182818 + v, v & 1, v & 2);
		run_until(&w, w.now + 4 * SEC);
		for (uint32_t k = 0; k < 50; k++) {
			struct end *e = &w.ends[k & 1];
			struct dp_session conf = e->s.conf;

			conf.lid = 0xd0000000 + k;
			bfd_session_seen(&e->s, e->map.last_rx, e->map.tx_gaps.last_ns, draw(&w));
			act(&w, (int)(k & 1), bfd_session_configure(&e->s, &conf, w.now, draw(&w)));
			run_until(&w, w.now + draw(&w) % 1000 * MS);
			assert_true(both_up(&w));
		}
		assert_int_equal(w.ends[0].s.flaps + w.ends[1].s.flaps, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady),    cmocka_unit_test(renegotiation),
		cmocka_unit_test(lossy),     cmocka_unit_test(cut_and_healed),
		cmocka_unit_test(restarted), cmocka_unit_test(renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
