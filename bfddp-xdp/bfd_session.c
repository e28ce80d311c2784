/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a session: RFC 5880 6.8. Each event notes what was, changes the state variables,
 * and ends in settle(), which draws all conclusions: intervals and poll sequences, the next packet,
 * what bfdd has to know. So no event can forget one.
 */
#include <errno.h>
#include <string.h>

#include "bfddp-xdp/bfd_session.h"
#include "bfddp-xdp/bfd_timing.h"

/* Packets out of turn: so many at once, then one a gap. What anyone makes us answer is no more than
 * the pace that BFD_FLOOR_US allows, and RFC 5880 6.8.7 wants the gap of such a limit to be within
 * the advertised interval. */
#define SOON_BURST  8u
#define SOON_GAP_NS (BFD_FLOOR_US * 1000ull)

struct was {
	uint8_t state;
	uint64_t tx_ns, echo_ns;
};

/* ---- when ---- */

static void schedule(struct bfd_session *s, uint64_t now_ns, uint32_t random)
{
	if (!bfd_session_tx_ns(s))
		s->next_tx_ns = 0;
	else
		s->next_tx_ns = s->last_tx_ns ? s->last_tx_ns + bfd_session_wait_ns(s, random)
					      : now_ns;
}

/* A packet out of turn, at once unless there were too many lately. soon_limit_ns runs ahead of the
 * time by a gap for each, and may do so by the burst. */
static void send_soon(struct bfd_session *s, uint64_t now_ns)
{
	uint64_t limit;

	if (s->soon_ns)
		return; /* it will carry the latest */
	limit = (s->soon_limit_ns > now_ns ? s->soon_limit_ns : now_ns) + SOON_GAP_NS;
	s->soon_limit_ns = limit;
	s->soon_ns = limit > now_ns + SOON_BURST * SOON_GAP_NS ? limit - SOON_BURST * SOON_GAP_NS
							       : now_ns;
}

/* ---- conclusions ---- */

/*
 * RFC 5880 6.8.3. While Up a change takes a poll sequence, during which the larger transmit and the
 * smaller receive interval are only advertised. While not Up every packet carries the values, no
 * one depends on the old ones, and the change is done with.
 */
static void advertise(struct bfd_session *s)
{
	bool up = s->state == BFD_STATE_UP;
	uint32_t tx = bfd_timing_min_tx_us(s->conf.min_tx_us, up);
	uint32_t rx = bfd_timing_min_rx_us(s->conf.min_rx_us);
	bool changed = tx != s->min_tx_us || rx != s->min_rx_us;

	s->min_tx_us = tx;
	s->min_rx_us = rx;
	s->min_echo_rx_us = bfd_session_has(s, DP_F_MULTIHOP)
				    ? 0
				    : bfd_timing_min_rx_us(s->conf.min_echo_rx_us);
	if (!up) {
		s->polling = false;
	} else if (changed) {
		s->poll_again = s->polling;
		s->polling = true;
	}
	if (!s->polling) {
		s->poll_again = false;
		s->used_tx_us = tx;
		s->used_rx_us = rx;
	}
	if (tx < s->used_tx_us)
		s->used_tx_us = tx;
	if (rx > s->used_rx_us || !rx) /* 0 is "none", so larger than all */
		s->used_rx_us = rx;
}

static void final_received(struct bfd_session *s)
{
	/* RFC 5880 6.5: the answer may be to the values before the last change; ask again */
	if (s->poll_again)
		s->poll_again = false;
	else
		s->polling = false;
}

static void note_change(struct bfd_session *s, uint8_t from, enum bfd_event event, uint64_t now_ns)
{
	memmove(s->history + 1, s->history, sizeof(s->history) - sizeof(s->history[0]));
	s->history[0] = (struct bfd_change){
		.time_ns = now_ns,
		.from = from,
		.to = s->state,
		.event = (uint8_t)event,
		.local_diag = s->local_diag,
		.remote_diag = s->remote_diag,
	};
	s->nchanges++;
	if (from == BFD_STATE_UP) {
		s->flaps++;
		s->down_since_ns = now_ns;
	}
	if (s->state == BFD_STATE_UP)
		s->up_since_ns = now_ns;
}

static void step(struct bfd_session *s, enum bfd_event event, uint64_t now_ns)
{
	struct bfd_step next = bfd_fsm_step(s->state, event);
	uint8_t from = s->state;

	s->state = next.state;
	if (next.diag >= 0)
		s->local_diag = (uint8_t)next.diag;
	if (s->state != from)
		note_change(s, from, event, now_ns);
}

/* RFC 5880 6.8.1: nothing valid for a detection time, the peer's discriminator is forgotten; and
 * with it what it asked of us, which starts anew from the initial values. */
static void forget_peer(struct bfd_session *s)
{
	s->remote_disc = 0;
	s->remote_state = BFD_STATE_DOWN;
	s->remote_min_rx_us = 1;
	s->remote_bits = 0;
}

static struct was note_was(const struct bfd_session *s)
{
	return (struct was){ s->state, bfd_session_tx_ns(s), bfd_session_echo_ns(s) };
}

static bool is_told(const struct bfd_session *s)
{
	const struct dp_state *told = &s->told;
	struct dp_state now;

	bfd_session_describe(s, &now);
	return now.lid == told->lid && now.rid == told->rid && now.state == told->state &&
	       now.diag == told->diag && now.remote_flags == told->remote_flags &&
	       now.remote_mult == told->remote_mult &&
	       now.remote_min_tx_us == told->remote_min_tx_us &&
	       now.remote_min_rx_us == told->remote_min_rx_us &&
	       now.remote_min_echo_rx_us == told->remote_min_echo_rx_us;
}

static uint32_t due(const struct bfd_session *s, uint64_t now_ns)
{
	if ((s->soon_ns && s->soon_ns <= now_ns) || (s->next_tx_ns && s->next_tx_ns <= now_ns))
		return BFD_DO_SEND;
	return 0;
}

static uint32_t settle(struct bfd_session *s, const struct was *was, uint64_t now_ns,
		       uint32_t random)
{
	uint8_t content[FX_BFD_CONTROL_LEN];
	uint64_t echo_ns = bfd_session_echo_ns(s);
	uint32_t todo = 0;

	advertise(s);
	if (bfd_session_tx_ns(s) != was->tx_ns)
		schedule(s, now_ns, random);	  /* RFC 5880 6.8.3: from the last packet on */
	if (echo_ns && echo_ns != was->echo_ns) { /* what was sent at another pace proves nothing */
		s->last_echo_rx_ns = now_ns;
		s->next_echo_ns = now_ns + bfd_timing_wait_ns(echo_ns, s->conf.mult, random);
		todo |= BFD_DO_ECHO;
	}
	bfd_session_content(s, content);
	if (!bfd_session_may_send(s)) {
		s->final = false;
		s->soon_ns = 0;
	} else if (s->final || memcmp(content, s->said, sizeof(content))) {
		send_soon(s, now_ns); /* RFC 5880 6.8.7 */
	}
	if (!is_told(s))
		todo |= BFD_DO_NOTIFY;
	if (s->state != was->state)
		todo |= BFD_DO_LOG;
	return todo | due(s, now_ns);
}

/* ---- events ---- */

int bfd_session_check(const struct dp_session *conf, const char **ret_why)
{
	const uint8_t *peer = conf->peer.bytes;
	bool multicast = conf->peer.family == FX_AF_INET6 ? peer[0] == 0xff : peer[0] >= 0xe0;

	if (!conf->lid)
		*ret_why = "discriminator 0";
	else if (!conf->mult)
		*ret_why = "detection multiplier 0";
	else if (fx_addr_is_zero(&conf->peer) || multicast)
		*ret_why = "the peer's address is no unicast address";
	else
		return 0;
	return -EINVAL;
}

uint32_t bfd_session_init(struct bfd_session *s, const struct dp_session *conf, uint64_t now_ns,
			  uint32_t random)
{
	bool disabled = conf->flags & DP_F_SHUTDOWN;
	struct was was;

	*s = (struct bfd_session){
		.conf = *conf,
		.local = conf->local,
		.ifindex = conf->flags & DP_F_MULTIHOP ? 0 : conf->ifindex,
		.path_down = true,
		.state = disabled ? BFD_STATE_ADMIN_DOWN : BFD_STATE_DOWN,
		.local_diag = disabled ? BFD_DIAG_ADMIN_DOWN : BFD_DIAG_NONE,
		.remote_state = BFD_STATE_DOWN,
		.local_disc = conf->lid,
		.remote_min_rx_us = 1,
		.down_since_ns = now_ns,
	};
	bfd_session_untold(s);
	was = note_was(s);
	return settle(s, &was, now_ns, random) | BFD_DO_KERNEL;
}

uint32_t bfd_session_untold(struct bfd_session *s)
{
	s->told = (struct dp_state){ .lid = s->conf.lid, .state = BFD_STATE_DOWN };
	return is_told(s) ? 0 : BFD_DO_NOTIFY;
}

static bool same_conf(const struct dp_session *a, const struct dp_session *b)
{
	return a->flags == b->flags && a->lid == b->lid && a->min_tx_us == b->min_tx_us &&
	       a->min_rx_us == b->min_rx_us && a->min_echo_tx_us == b->min_echo_tx_us &&
	       a->min_echo_rx_us == b->min_echo_rx_us && a->min_ttl == b->min_ttl &&
	       a->mult == b->mult && a->ifindex == b->ifindex &&
	       fx_addr_equal(&a->local, &b->local) && fx_addr_equal(&a->peer, &b->peer) &&
	       !strcmp(a->ifname, b->ifname);
}

static void rename_disc(struct bfd_session *s, uint32_t lid)
{
	if (s->local_disc == lid)
		return;
	s->old_disc = s->remote_disc ? s->local_disc : 0;
	s->local_disc = lid;
}

uint32_t bfd_session_configure(struct bfd_session *s, const struct dp_session *conf,
			       uint64_t now_ns, uint32_t random)
{
	struct was was = note_was(s);
	struct dp_session next = *conf;
	bool moved;

	/* FRR 10.3 to 10.7 leave the interface out when they send all sessions to a new connection.
	 * It is part of a session's key in bfdd, so it cannot have been taken away. */
	if (!next.ifindex && !next.ifname[0]) {
		next.ifindex = s->conf.ifindex;
		memcpy(next.ifname, s->conf.ifname, sizeof(next.ifname));
	}
	if (same_conf(&next, &s->conf))
		return 0;
	moved = next.ifindex != s->conf.ifindex || !fx_addr_equal(&next.local, &s->conf.local);
	rename_disc(s, next.lid);
	s->conf = next;
	if (moved) /* what bfdd leaves open stays where the route put it */
		bfd_session_place(s, fx_addr_is_zero(&next.local) ? &s->local : &next.local,
				  next.ifindex ? next.ifindex : s->ifindex);
	step(s, bfd_session_has(s, DP_F_SHUTDOWN) ? BFD_EV_DISABLE : BFD_EV_ENABLE, now_ns);
	return settle(s, &was, now_ns, random) | BFD_DO_KERNEL;
}

uint32_t bfd_session_rx(struct bfd_session *s, const struct bfd_packet *packet, uint64_t now_ns,
			uint32_t random, enum fx_bfd_reject *ret_reject)
{
	bool discarded = s->state == BFD_STATE_ADMIN_DOWN;
	struct was was = note_was(s);

	*ret_reject = discarded ? FX_BFD_REJ_ADMIN_DOWN : FX_BFD_REJ_NONE;
	if (s->path_down) { /* it was under way when the link went, and must not bring us Up */
		*ret_reject = FX_BFD_REJ_INTERFACE;
		return 0;
	}
	/* in the order of RFC 5880 6.8.6 */
	s->remote_disc = packet->my_disc;
	s->remote_state = packet->state;
	s->remote_diag = packet->diag;
	s->remote_bits = packet->bits & (BFD_BIT_DEMAND | BFD_BIT_CPI);
	s->remote_mult = packet->mult;
	s->remote_min_tx_us = packet->min_tx_us;
	s->remote_min_rx_us = packet->min_rx_us;
	s->remote_min_echo_rx_us = packet->min_echo_rx_us;
	if (s->polling && (packet->bits & BFD_BIT_FINAL))
		final_received(s);
	if (packet->your_disc == s->local_disc)
		s->old_disc = 0;
	s->last_rx_ns = now_ns;
	if (!discarded) {
		step(s, (enum bfd_event)packet->state, now_ns);
		s->final |= packet->bits & BFD_BIT_POLL;
	}
	return settle(s, &was, now_ns, random) | BFD_DO_KERNEL;
}

void bfd_session_echo_rx(struct bfd_session *s, uint64_t now_ns)
{
	if (now_ns > s->last_echo_rx_ns)
		s->last_echo_rx_ns = now_ns;
}

uint32_t bfd_session_expired(struct bfd_session *s, uint64_t time_ns, uint32_t random)
{
	struct was was = note_was(s);

	if (s->state != BFD_STATE_INIT && s->state != BFD_STATE_UP)
		return BFD_DO_KERNEL; /* the event and our own change crossed */
	step(s, BFD_EV_DETECT, time_ns);
	forget_peer(s);
	return settle(s, &was, time_ns, random) | BFD_DO_KERNEL;
}

void bfd_session_seen(struct bfd_session *s, uint64_t last_rx_ns, uint64_t last_tx_ns,
		      uint32_t random)
{
	if (last_rx_ns > s->last_rx_ns)
		s->last_rx_ns = last_rx_ns;
	if (last_tx_ns > s->last_tx_ns) {
		s->last_tx_ns = last_tx_ns;
		s->clock = false;
		schedule(s, last_tx_ns, random);
	}
}

void bfd_session_later(struct bfd_session *s, uint64_t time_ns)
{
	if (s->next_tx_ns && s->next_tx_ns < time_ns)
		s->next_tx_ns = time_ns;
}

uint32_t bfd_session_timer(struct bfd_session *s, uint64_t now_ns, uint32_t random)
{
	uint64_t detect_ns = bfd_session_detect_ns(s), echo_ns = bfd_session_echo_ns(s);
	struct was was = note_was(s);
	uint32_t todo = 0;

	if (detect_ns && now_ns >= s->last_rx_ns + detect_ns) {
		step(s, BFD_EV_DETECT, now_ns);
		forget_peer(s);
		todo = BFD_DO_KERNEL;
	} else if (echo_ns && now_ns >= s->last_echo_rx_ns + echo_ns * s->conf.mult) {
		step(s, BFD_EV_ECHO, now_ns);
		todo = BFD_DO_KERNEL;
	} else if (echo_ns && now_ns >= s->next_echo_ns) {
		s->next_echo_ns = now_ns + bfd_timing_wait_ns(echo_ns, s->conf.mult, random);
		todo = BFD_DO_ECHO;
	}
	return settle(s, &was, now_ns, random) | todo;
}

uint32_t bfd_session_path(struct bfd_session *s, bool down, uint64_t now_ns, uint32_t random)
{
	struct was was = note_was(s);

	if (s->path_down == down)
		return 0;
	s->path_down = down;
	if (down)
		step(s, BFD_EV_PATH_DOWN, now_ns);
	return settle(s, &was, now_ns, random) | BFD_DO_KERNEL;
}

uint32_t bfd_session_place(struct bfd_session *s, const struct fx_addr *local, uint32_t ifindex)
{
	uint32_t at = bfd_session_has(s, DP_F_MULTIHOP) ? 0 : ifindex;

	if (fx_addr_equal(&s->local, local) && s->ifindex == at)
		return 0;
	s->local = *local;
	s->ifindex = at;
	return BFD_DO_KERNEL;
}

uint32_t bfd_session_event(struct bfd_session *s, enum bfd_event event, uint64_t now_ns,
			   uint32_t random)
{
	struct was was = note_was(s);

	step(s, event, now_ns);
	return settle(s, &was, now_ns, random) | BFD_DO_KERNEL;
}

void bfd_session_take(struct bfd_session *s, uint64_t now_ns, uint32_t random,
		      uint8_t ret[FX_BFD_CONTROL_LEN])
{
	bool final = s->final;

	bfd_session_content(s, ret);
	memcpy(s->said, ret, sizeof(s->said));
	if (final)
		ret[1] |= BFD_BIT_FINAL;
	else if (s->polling)
		ret[1] |= BFD_BIT_POLL;
	s->final = false;
	s->soon_ns = 0;
	s->last_tx_ns = now_ns;
	s->clock = true;
	/* with F there is no P: our own poll must not wait for the end of the peer's */
	if (!final || !s->polling)
		schedule(s, now_ns, random);
}
