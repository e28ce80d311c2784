/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many connections to bfdd there are, and when it is told what.
 *
 * More than one, since FRR 8.4 to 10.7 offer no more than BFDXD_BURST sessions to a new connection:
 * as long as the last one got so many, another is opened. A configuration that is read while we are
 * connected meets the same limit: so many at once, and the rest waits for another connection.
 *
 * Twice, since FRR 10.3 to 10.7 leave interface and VRF out of what a new connection is offered:
 * when a connection ends, bfdd resolves both anew and gives its sessions to one that is there
 * already. So as many again are opened and the first ones closed, before bfdd is told anything that
 * it would have to take back.
 *
 * And one in the end: a connection that is lost makes bfdd give its sessions to another; when that
 * is lost, too, it tells their peers Down (FRR 8.4 to 10.7). If all are on one connection, and that
 * ends because we do, the peers hear nothing from it but Up. So the connections are closed one
 * after the other, as fast as their sessions reappear on the first.
 *
 * Where bfdd is the client ("ipv4c:") there is one connection, and bfdd's coming back takes its
 * place (3 s): worth it only for link-local peers, which are nowhere without an interface.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/loop.h"

#define DP_RETRY_MS  1000u
#define DP_SETTLE_MS 150u   /* without an ADD for so long, the burst is over */
#define DP_SILENT_MS 10000u /* without an answer to our ECHO_REQUESTs */
#define DP_AGAIN_S   64u    /* Up is said again at least so often */

const char *bfdxd_phase_name(enum bfdxd_phase phase)
{
	switch (phase) {
	case BFDXD_APART:
		return "not-connected";
	case BFDXD_GATHER:
	case BFDXD_SPREAD:
	case BFDXD_MOVE:
	case BFDXD_JOIN:
		return "gathering";
	case BFDXD_STEADY:
		break;
	}
	return "connected";
}

static struct bfdxd_conn *bfdxd_conn(struct bfdxd *d, const struct dp_conn *conn)
{
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++)
		if (d->peer.conns[i].conn == conn)
			return &d->peer.conns[i];
	return NULL;
}

static struct bfdxd_conn *bfdxd_conn_by_id(struct bfdxd *d, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++)
		if (dp_conn_id(d->peer.conns[i].conn) == id)
			return &d->peer.conns[i];
	return NULL;
}

static void bfdxd_conn_add(struct bfdxd *d, struct dp_conn *conn)
{
	d->peer.conns[d->peer.nconns++] = (struct bfdxd_conn){ .conn = conn };
}

static uint32_t bfdxd_next_id(struct bfdxd *d)
{
	if (++d->peer.last_id == BFD_TABLE_NO_OWNER)
		d->peer.last_id++;
	return d->peer.last_id;
}

/* Its sessions wait for another to claim them. How many. */
static uint32_t bfdxd_conn_drop(struct bfdxd *d, struct bfdxd_conn *c)
{
	uint32_t n = bfd_table_orphan(d->table, dp_conn_id(c->conn), bfdxd_now(),
				      d->options->grace_s * BFDXD_NS_PER_S);

	dp_conn_free(c->conn);
	d->peer.nconns--;
	memmove(c, c + 1, (size_t)(&d->peer.conns[d->peer.nconns] - c) * sizeof(*c));
	return n;
}

/* ---- phases ---- */

static void bfdxd_tell_all(struct bfdxd *d)
{
	struct bfd_entry *entry = NULL;

	while ((entry = bfd_table_next(d->table, entry)))
		if (entry->owner != BFD_TABLE_NO_OWNER)
			bfdxd_do(d, entry, bfd_session_untold(&entry->session));
}

static void bfdxd_steady(struct bfdxd *d)
{
	d->peer.phase = BFDXD_STEADY;
	log_info("bfdd", "connected connections=%u sessions=%u", d->peer.nconns,
		 bfd_table_count(d->table));
	if (d->peer.listen && d->peer.conns[0].adds >= BFDXD_BURST)
		log_warning("bfdd",
			    "FRR up to 10.7 gives no more than %u sessions to a data plane that it "
			    "connects to: use unix: in its --dplaneaddr if sessions are missing",
			    BFDXD_BURST);
	bfdxd_tell_all(d);
}

static const struct dp_conn_ops bfdxd_conn_ops;

static bool bfdxd_open(struct bfdxd *d)
{
	struct dp_conn *conn;

	if (d->peer.nconns == BFDXD_CONNS_MAX)
		return false;
	conn = dp_conn_open(d->loop, &d->options->dplane, bfdxd_next_id(d), &bfdxd_conn_ops, d);
	if (conn)
		bfdxd_conn_add(d, conn);
	return conn;
}

static bool bfdxd_all_up(const struct bfdxd *d)
{
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++)
		if (!dp_conn_is_up(d->peer.conns[i].conn))
			return false;
	return true;
}

static void bfdxd_spread(struct bfdxd *d)
{
	uint32_t i, n = d->peer.nconns;

	d->peer.moved = true;
	d->peer.phase = BFDXD_SPREAD;
	for (i = 0; i < n; i++)
		d->peer.conns[i].old = true;
	for (i = 0; i < n; i++)
		bfdxd_open(d);
}

/* Oldest first: bfdd offers each one's sessions to the oldest that has room. */
static void bfdxd_move(struct bfdxd *d)
{
	uint32_t i;

	d->peer.phase = BFDXD_MOVE;
	for (i = 0; i < d->peer.nconns;)
		if (d->peer.conns[i].old)
			bfdxd_conn_drop(d, &d->peer.conns[i]);
		else
			i++;
}

static void bfdxd_join(struct bfdxd *d)
{
	d->peer.phase = BFDXD_JOIN;
	d->peer.joining = 0;
	while (d->peer.nconns > 1 && !d->peer.joining)
		d->peer.joining = bfdxd_conn_drop(d, &d->peer.conns[d->peer.nconns - 1]);
	if (!d->peer.joining)
		bfdxd_steady(d);
}

/* bfdd is the client: it comes back, with all interfaces. */
static void bfdxd_send_away(struct bfdxd *d)
{
	d->peer.moved = true;
	d->peer.phase = BFDXD_APART;
	while (d->peer.nconns)
		bfdxd_conn_drop(d, &d->peer.conns[0]);
	log_info("bfdd", "sent away once, to come back with the interfaces of link-local peers");
}

/* The next phase, once nothing has come for a while. */
static void bfdxd_settled(struct bfdxd *d)
{
	const struct bfdxd_conn *last = &d->peer.conns[d->peer.nconns - 1];

	switch (d->peer.phase) {
	case BFDXD_GATHER:
		if (!d->peer.listen && last->adds >= BFDXD_BURST && bfdxd_open(d))
			return;
		if (!d->peer.listen && d->peer.nameless && !d->peer.moved)
			bfdxd_spread(d);
		else if (d->peer.listen && d->peer.nameless_local && !d->peer.moved)
			bfdxd_send_away(d);
		else
			bfdxd_join(d);
		break;
	case BFDXD_SPREAD:
		bfdxd_move(d);
		break;
	case BFDXD_MOVE:
	case BFDXD_JOIN:
		bfdxd_join(d);
		break;
	case BFDXD_APART:
	case BFDXD_STEADY:
		break;
	}
}

/* Ones that are not told yet are all that the new connection gets and joining moves: nothing goes
 * down by it, and joining brings their interfaces. */
static void bfdxd_burst_over(struct bfdxd *d)
{
	bool full = false;
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++) {
		full |= d->peer.conns[i].burst >= BFDXD_BURST;
		d->peer.conns[i].burst = 0;
	}
	if (!full || d->peer.listen)
		return;
	d->peer.moved = true;
	d->peer.phase = BFDXD_GATHER;
	bfdxd_open(d);
}

static int bfdxd_on_settle(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;

	if (!d->peer.nconns)
		return 0;
	if (d->peer.phase == BFDXD_STEADY)
		bfdxd_burst_over(d);
	else if (bfdxd_all_up(d))
		bfdxd_settled(d);
	if (d->peer.phase != BFDXD_STEADY && d->peer.phase != BFDXD_APART)
		loop_timer_set(d->peer.settle, DP_SETTLE_MS);
	return 0;
}

void bfdxd_dp_added(struct bfdxd *d, struct dp_conn *conn, const struct dp_session *conf)
{
	struct bfdxd_conn *c = bfdxd_conn(d, conn);
	const uint8_t *peer = conf->peer.bytes;

	if (c)
		c->adds++;
	if (d->peer.phase == BFDXD_STEADY) {
		if (c)
			c->burst++;
		loop_timer_set(d->peer.settle, DP_SETTLE_MS);
		return;
	}
	if (!(conf->flags & DP_F_MULTIHOP) && !conf->ifindex && !conf->ifname[0]) {
		d->peer.nameless = true;
		if (conf->flags & DP_F_IPV6 && peer[0] == 0xfe && (peer[1] & 0xc0) == 0x80)
			d->peer.nameless_local = true;
	}
	if (d->peer.phase == BFDXD_JOIN && d->peer.joining && !--d->peer.joining)
		loop_timer_set(d->peer.settle, 0);
	else
		loop_timer_set(d->peer.settle, DP_SETTLE_MS);
}

/* ---- connections come and go ---- */

static void bfdxd_arrived(struct bfdxd *d)
{
	d->peer.connections++;
	if (d->peer.phase == BFDXD_APART) {
		d->peer.phase = BFDXD_GATHER;
		d->peer.nameless = d->peer.nameless_local = false;
	}
	loop_timer_set(d->peer.settle, DP_SETTLE_MS);
}

static void bfdxd_conn_up(void *arg, struct dp_conn *conn)
{
	struct bfdxd *d = arg;

	bfdxd_conn(d, conn)->replied_ms = loop_now_ms();
	bfdxd_arrived(d);
}

static void bfdxd_conn_accepted(void *arg, struct dp_conn *conn)
{
	struct bfdxd *d = arg;

	if (d->peer.nconns == BFDXD_CONNS_MAX) {
		dp_conn_free(conn);
		return;
	}
	dp_conn_set_id(conn, bfdxd_next_id(d));
	bfdxd_conn_add(d, conn);
	bfdxd_conn_up(arg, conn);
}

static void bfdxd_conn_down(void *arg, struct dp_conn *conn, const char *why)
{
	struct bfdxd *d = arg;
	struct bfdxd_conn *c = bfdxd_conn(d, conn);
	enum bfdxd_phase was = d->peer.phase;
	char text[DP_CONN_WHY];
	uint32_t n;

	if (!c)
		return;
	snprintf(text, sizeof(text), "%s", why); /* goes with the connection */
	n = bfdxd_conn_drop(d, c);
	if (was != BFDXD_APART)
		log_warning("bfdd", "connection lost why=\"%s\" sessions=%u grace=%us", text, n,
			    d->options->grace_s);
	else
		log_limited(&d->peer.limit, LOG_LEVEL_DEBUG, "bfdd", "cannot connect error=\"%s\"",
			    text);
	if (d->peer.nconns)
		return;
	if (!d->peer.listen || was == BFDXD_STEADY)
		d->peer.moved = false; /* it may be another bfdd that comes */
	d->peer.phase = BFDXD_APART;
	loop_timer_stop(d->peer.settle);
	if (!d->peer.listen)
		loop_timer_set(d->peer.retry, DP_RETRY_MS);
}

static const struct dp_conn_ops bfdxd_conn_ops = {
	.up = bfdxd_conn_up,
	.message = bfdxd_message,
	.down = bfdxd_conn_down,
	.accepted = bfdxd_conn_accepted,
};

static int bfdxd_on_retry(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;

	if (!d->peer.nconns && !bfdxd_open(d))
		loop_timer_set(d->peer.retry, DP_RETRY_MS);
	return 0;
}

int bfdxd_dp_start(struct bfdxd *d)
{
	d->peer.retry = loop_timer(d->loop, "bfdd retry", LOOP_PRIO_NORMAL, bfdxd_on_retry, d);
	d->peer.settle = loop_timer(d->loop, "bfdd settle", LOOP_PRIO_NORMAL, bfdxd_on_settle, d);
	if (!d->peer.retry || !d->peer.settle)
		return -ENOMEM;
	if (!d->options->dplane.listen)
		return loop_timer_set(d->peer.retry, 0);
	d->peer.listen = dp_listen_new(d->loop, &d->options->dplane, &bfdxd_conn_ops, d);
	return d->peer.listen ? 0 : -errno;
}

void bfdxd_dp_done(struct bfdxd *d)
{
	while (d->peer.nconns)
		dp_conn_free(d->peer.conns[--d->peer.nconns].conn);
	dp_listen_free(d->peer.listen);
	loop_source_free(d->peer.retry);
	loop_source_free(d->peer.settle);
}

static void bfdxd_dp_tell(struct bfdxd *d, struct bfd_entry *entry, uint32_t again_s)
{
	struct bfdxd_conn *c = bfdxd_conn_by_id(d, entry->owner);
	struct bfdxd_slot *slot = &d->slots[entry->slot];
	struct dp_msg msg = { .type = DP_MSG_STATE };

	/* bfdxd_tell_all() makes up for it */
	if (!c || d->peer.phase != BFDXD_STEADY)
		return;
	bfd_session_report(&entry->session, &msg.state);
	dp_conn_send(c->conn, &msg);
	slot->again_s = again_s;
	slot->again_ms = loop_now_ms() + again_s * 1000ull;
}

void bfdxd_dp_notify(struct bfdxd *d, struct bfd_entry *entry)
{
	bfdxd_dp_tell(d, entry, 1);
}

/*
 * FRR 8.4 to 10.7: when a client takes its interest in a session back, as bgpd does to renew it
 * with its own address, bfdd believes the session Down and says nothing of it. So Up is said again,
 * soon at first and then ever less often; bfdd's clients ignore what they know (lib/bfd.c).
 */
static void bfdxd_dp_repeat(struct bfdxd *d, uint64_t now_ms)
{
	struct bfd_entry *entry = NULL;

	while ((entry = bfd_table_next(d->table, entry))) {
		const struct bfdxd_slot *slot = &d->slots[entry->slot];

		if (entry->session.state == BFD_STATE_UP && slot->again_s &&
		    now_ms >= slot->again_ms)
			bfdxd_dp_tell(d, entry,
				      slot->again_s < DP_AGAIN_S ? 2 * slot->again_s : DP_AGAIN_S);
	}
}

/* Nothing else tells whether bfdd still lives; and its answer to us lets FRR 8.4 to 10.7 move what
 * is left in its input buffer. */
void bfdxd_dp_second(struct bfdxd *d)
{
	struct dp_msg msg = {
		.type = DP_MSG_ECHO_REQUEST,
		.echo.dp_us = bfdxd_now() / 1000,
	};
	uint64_t now = loop_now_ms();
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++) {
		struct bfdxd_conn *c = &d->peer.conns[i];

		dp_conn_send(c->conn, &msg);
		if (!dp_conn_is_up(c->conn) || c->silent || now - c->replied_ms < DP_SILENT_MS)
			continue;
		c->silent = true;
		log_warning("bfdd", "does not answer since=%llus",
			    (unsigned long long)(now - c->replied_ms) / 1000);
	}
	bfdxd_dp_repeat(d, now);
}
