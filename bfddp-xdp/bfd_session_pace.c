/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a session sends, and how long it waits for the peer: RFC 5880 6.8.2 to 6.8.7, 6.8.9. */
#include "bfddp-xdp/bfd_session.h"
#include "bfddp-xdp/bfd_timing.h"

bool bfd_session_may_send(const struct bfd_session *s)
{
	/* RFC 5880 6.8.7: the passive role waits for a packet of the peer's */
	return !s->path_down && (s->remote_disc || !bfd_session_has(s, DP_F_PASSIVE));
}

/* RFC 5880 6.6: the peer does not want to hear of us while both are Up, but for a poll. */
static bool is_asked_to_be_quiet(const struct bfd_session *s)
{
	return (s->remote_bits & BFD_BIT_DEMAND) && s->state == BFD_STATE_UP &&
	       s->remote_state == BFD_STATE_UP && !s->polling;
}

uint64_t bfd_session_tx_ns(const struct bfd_session *s)
{
	if (!bfd_session_may_send(s) || is_asked_to_be_quiet(s))
		return 0;
	return bfd_timing_tx_ns(s->used_tx_us, s->remote_min_rx_us);
}

uint64_t bfd_session_detect_ns(const struct bfd_session *s)
{
	if (!s->remote_disc)
		return 0;
	return bfd_timing_detect_ns(s->remote_mult, s->used_rx_us, s->remote_min_tx_us);
}

/* RFC 5880 6.8.9; not over several hops: RFC 5883 3. */
uint64_t bfd_session_echo_ns(const struct bfd_session *s)
{
	if (s->state != BFD_STATE_UP || !bfd_session_has(s, DP_F_ECHO) ||
	    bfd_session_has(s, DP_F_MULTIHOP) || s->path_down || s->no_echo)
		return 0;
	return bfd_timing_echo_ns(s->conf.min_echo_tx_us, s->remote_min_echo_rx_us);
}

bool bfd_session_reflects(const struct bfd_session *s)
{
	return s->state == BFD_STATE_UP && s->remote_state == BFD_STATE_UP && !s->polling &&
	       bfd_session_tx_ns(s);
}

/* The peer's packets come often enough to carry ours back, each within our interval. */
static bool keeps_pace(const struct bfd_session *s)
{
	uint64_t peer = bfd_timing_tx_ns(s->remote_min_tx_us, s->min_rx_us);
	uint32_t min, span, peer_min, peer_span;

	bfd_timing_jitter(s->conf.mult, &min, &span);
	bfd_timing_jitter(s->remote_mult, &peer_min, &peer_span);
	return peer && peer * (peer_min + peer_span) <= bfd_session_tx_ns(s) * (min + span);
}

/*
 * From the last packet to the next by the daemon. Where the kernel half turns the peer's packets
 * round, theirs is the jitter, and the daemon is there for the one that did not come: at the end of
 * the interval. Then it is the clock, with jitter, until the kernel half sends again: two
 * reflectors that face each other would wait in step for each other otherwise, each time to the
 * end. The first to send is the clock of both. Its jitter is of the last quarter, which leaves the
 * peer's packets the rest to be found due in: the kernel half soon is the first again.
 */
uint64_t bfd_session_wait_ns(const struct bfd_session *s, uint32_t random)
{
	uint64_t interval = bfd_session_tx_ns(s);

	if (s->kernel && bfd_session_reflects(s) && keeps_pace(s))
		random = UINT32_MAX - (s->clock ? random / 4 : 0);
	return bfd_timing_wait_ns(interval, s->conf.mult, random);
}

uint64_t bfd_session_deadline(const struct bfd_session *s)
{
	uint64_t at[] = {
		s->soon_ns,
		s->next_tx_ns,
		bfd_session_detect_ns(s) ? s->last_rx_ns + bfd_session_detect_ns(s) : 0,
		bfd_session_echo_ns(s) ? s->next_echo_ns : 0,
		bfd_session_echo_ns(s) ? s->last_echo_rx_ns + bfd_session_echo_ns(s) * s->conf.mult
				       : 0,
	};
	uint64_t first = BFD_NEVER;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		if (at[i] && at[i] < first)
			first = at[i];
	}
	return first;
}
