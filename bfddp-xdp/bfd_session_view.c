/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What others see of a session: the peer, the kernel half, bfdd; and what a successor finds. */
#include <string.h>

#include "bfddp-xdp/bfd_session.h"
#include "bfddp-xdp/bfd_timing.h"

/* RFC 5880 6.8.7. The D bit is never set: we want the peer's packets. */
void bfd_session_content(const struct bfd_session *s, uint8_t ret[FX_BFD_CONTROL_LEN])
{
	const struct bfd_packet packet = {
		.state = s->state,
		.diag = s->local_diag,
		.bits = s->conf.flags & DP_F_CBIT ? BFD_BIT_CPI : 0,
		.mult = s->conf.mult,
		.my_disc = s->local_disc,
		.your_disc = s->remote_disc,
		.min_tx_us = s->min_tx_us,
		.min_rx_us = s->min_rx_us,
		.min_echo_rx_us = s->min_echo_rx_us,
	};

	bfd_wire_put(ret, &packet);
}

static void fill_expect(const struct bfd_session *s, uint8_t ret[FX_BFD_CONTROL_LEN])
{
	const struct bfd_packet packet = {
		.state = s->remote_state,
		.diag = s->remote_diag,
		.bits = s->remote_bits,
		.mult = s->remote_mult,
		.my_disc = s->remote_disc,
		.your_disc = s->local_disc,
		.min_tx_us = s->remote_min_tx_us,
		.min_rx_us = s->remote_min_rx_us,
		.min_echo_rx_us = s->remote_min_echo_rx_us,
	};

	bfd_wire_put(ret, &packet);
}

static uint32_t kernel_flags(const struct bfd_session *s)
{
	uint32_t flags = FX_BFD_F_ACTIVE;

	if (bfd_session_reflects(s))
		flags |= FX_BFD_F_REFLECT;
	if (s->state >= BFD_STATE_INIT && bfd_session_detect_ns(s))
		flags |= FX_BFD_F_DETECT;
	if (s->conf.flags & DP_F_IPV6)
		flags |= FX_BFD_F_IPV6;
	if (s->conf.flags & DP_F_MULTIHOP)
		flags |= FX_BFD_F_MULTIHOP;
	/* the peer may be Up, and send echoes, a packet before us */
	if (s->min_echo_rx_us && s->state >= BFD_STATE_INIT)
		flags |= FX_BFD_F_ECHO_RX;
	if (s->state == BFD_STATE_ADMIN_DOWN)
		flags |= FX_BFD_F_ADMIN_DOWN;
	return flags;
}

void bfd_session_kernel(const struct bfd_session *s, struct fx_bfd_sess *ret)
{
	uint8_t packet[FX_BFD_CONTROL_LEN];

	ret->flags = kernel_flags(s);
	ret->my_disc = s->local_disc;
	ret->ifindex = s->ifindex;
	memcpy(ret->local, s->local.bytes, sizeof(ret->local));
	memcpy(ret->peer, s->conf.peer.bytes, sizeof(ret->peer));
	/* In any other state a packet may change ours, even one that came before. */
	memset(ret->expect, 0, sizeof(ret->expect));
	if (s->state == BFD_STATE_UP && s->remote_state == BFD_STATE_UP) {
		fill_expect(s, packet);
		memcpy(ret->expect, packet, sizeof(ret->expect));
	}
	bfd_session_content(s, packet);
	memcpy(ret->send, packet, sizeof(ret->send));
	ret->tx_interval_ns = bfd_session_tx_ns(s);
	bfd_timing_jitter(s->conf.mult, &ret->jitter_min, &ret->jitter_span);
	ret->detect_ns = bfd_session_detect_ns(s);
	ret->min_ttl = s->conf.flags & DP_F_MULTIHOP ? s->conf.min_ttl : 255;
	ret->next_due = 0;
	if (bfd_session_reflects(s))
		ret->next_due = s->last_tx_ns +
				bfd_timing_wait_ns(ret->tx_interval_ns, s->conf.mult, 0);
	ret->last_rx = s->last_rx_ns;
}

/*
 * bfdd stores what it is told unchecked and tells its clients: Up, Down (Init too), or AdminDown.
 * The state is ours, but for one case: we are Down because the peer is AdminDown. As Down, BGP and
 * OSPF would be torn down for what is a decision of the peer's operator about BFD alone (RFC 5882
 * 3.2); bfdd's own software tells its clients AdminDown then (FRR 10.7), and over bfddp only state
 * 0 does that, though `show bfd peers` says "shutdown" for it.
 *
 * diag is shown as the peer's ("Remote diagnostics"); there is no field for ours (FRR 8.4 to 10.7).
 */
static uint8_t reported_state(const struct bfd_session *s)
{
	if (s->state == BFD_STATE_DOWN && s->remote_disc && s->remote_state == BFD_STATE_ADMIN_DOWN)
		return BFD_STATE_ADMIN_DOWN;
	return s->state;
}

void bfd_session_describe(const struct bfd_session *s, struct dp_state *ret)
{
	*ret = (struct dp_state){
		.lid = s->conf.lid,
		.rid = s->remote_disc,
		.remote_min_tx_us = s->remote_min_tx_us,
		.remote_min_rx_us = s->remote_disc ? s->remote_min_rx_us : 0,
		.remote_min_echo_rx_us = s->remote_min_echo_rx_us,
		.state = reported_state(s),
		.diag = s->remote_diag,
		.remote_mult = s->remote_mult,
	};
	if (s->remote_bits & BFD_BIT_CPI)
		ret->remote_flags |= DP_REMOTE_CPI;
	if (s->remote_bits & BFD_BIT_DEMAND)
		ret->remote_flags |= DP_REMOTE_DEMAND;
}

void bfd_session_report(struct bfd_session *s, struct dp_state *ret)
{
	bfd_session_describe(s, ret);
	s->told = *ret;
}

/* ---- out of the map ---- */

static void restore_conf(const struct fx_bfd_sess *entry, const struct bfd_packet *ours,
			 struct dp_session *ret)
{
	bool v6 = entry->flags & FX_BFD_F_IPV6;
	size_t len = v6 ? 16 : 4;

	*ret = (struct dp_session){
		.flags = (v6 ? DP_F_IPV6 : 0) | (ours->bits & BFD_BIT_CPI ? DP_F_CBIT : 0) |
			 (entry->flags & FX_BFD_F_MULTIHOP ? DP_F_MULTIHOP : 0),
		.local.family = v6 ? FX_AF_INET6 : FX_AF_INET,
		.peer.family = v6 ? FX_AF_INET6 : FX_AF_INET,
		.lid = entry->my_disc,
		.min_tx_us = ours->min_tx_us,
		.min_rx_us = ours->min_rx_us,
		.min_echo_rx_us = ours->min_echo_rx_us,
		.min_ttl = entry->min_ttl,
		.mult = ours->mult,
		.ifindex = entry->ifindex,
	};
	memcpy(ret->local.bytes, entry->local, len);
	memcpy(ret->peer.bytes, entry->peer, len);
}

static bool was_up(const struct fx_bfd_sess *entry, const uint8_t *send, const uint8_t *expect)
{
	return (entry->flags & FX_BFD_F_ACTIVE) && !entry->expired &&
	       !bfd_wire_check(send, FX_BFD_CONTROL_LEN) &&
	       !bfd_wire_check(expect, FX_BFD_CONTROL_LEN) &&
	       bfd_wire_state(send) == BFD_STATE_UP && bfd_wire_state(expect) == BFD_STATE_UP &&
	       bfd_wire_my_disc(send) == entry->my_disc &&
	       bfd_wire_your_disc(expect) == entry->my_disc &&
	       bfd_wire_my_disc(expect) == bfd_wire_your_disc(send);
}

bool bfd_session_restore(struct bfd_session *s, const struct fx_bfd_sess *entry, uint64_t now_ns)
{
	uint8_t send[FX_BFD_CONTROL_LEN], expect[FX_BFD_CONTROL_LEN];
	struct bfd_packet ours, peer;
	struct dp_session conf;
	const char *why;

	memcpy(send, entry->send, sizeof(send));
	memcpy(expect, entry->expect, sizeof(expect));
	if (!was_up(entry, send, expect))
		return false;
	bfd_wire_get(send, &ours);
	bfd_wire_get(expect, &peer);
	restore_conf(entry, &ours, &conf);
	if (bfd_session_check(&conf, &why) < 0)
		return false;
	bfd_session_init(s, &conf, now_ns, 0);
	s->kernel = true;
	s->path_down = false;
	s->state = BFD_STATE_UP;
	s->local_diag = ours.diag;
	s->min_tx_us = s->used_tx_us = ours.min_tx_us;
	s->min_rx_us = s->used_rx_us = ours.min_rx_us;
	s->min_echo_rx_us = ours.min_echo_rx_us;
	s->remote_state = peer.state;
	s->remote_diag = peer.diag;
	s->remote_bits = peer.bits;
	s->remote_mult = peer.mult;
	s->remote_disc = peer.my_disc;
	s->remote_min_tx_us = peer.min_tx_us;
	s->remote_min_rx_us = peer.min_rx_us;
	s->remote_min_echo_rx_us = peer.min_echo_rx_us;
	memcpy(s->said, send, sizeof(s->said));
	s->last_rx_ns = entry->last_rx;
	s->up_since_ns = now_ns;
	bfd_session_seen(s, entry->last_rx,
			 entry->tx_gaps.last_ns ? entry->tx_gaps.last_ns : now_ns, 0);
	return true;
}
