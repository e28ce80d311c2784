/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session wants done, and the packets that come and go. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/loop.h"

#define ECHO_TTL       255u
#define BFDXD_AGAIN_MS 100u /* a session that the kernel half did not take */

static const char *bfdxd_peer_text(const struct bfd_session *s, char *buf)
{
	return fx_addr_str(&s->conf.peer, buf);
}

/* ---- what the kernel half did meanwhile ---- */

/* Whether the kernel has declared the session down. */
bool bfdxd_sync(struct bfdxd *d, struct bfd_entry *entry)
{
	const struct fx_bfd_sess *map = session_map_entry(d->map, entry->slot);
	struct bfd_session *s = &entry->session;

	bfd_session_echo_rx(s, __atomic_load_n(&map->echo_last_rx, __ATOMIC_ACQUIRE));
	bfd_session_seen(s, __atomic_load_n(&map->last_rx, __ATOMIC_ACQUIRE),
			 __atomic_load_n(&map->tx_gaps.last_ns, __ATOMIC_ACQUIRE), bfdxd_random(d));
	return s->state >= BFD_STATE_INIT && __atomic_load_n(&map->expired, __ATOMIC_ACQUIRE);
}

/* ---- out ---- */

static void bfdxd_publish(struct bfdxd *d, struct bfd_entry *entry)
{
	struct bfd_session *s = &entry->session;
	struct fx_bfd_sess want = { 0 };
	int rc;

	bfd_session_kernel(s, &want);
	want.sport = session_map_sport(entry->slot);
	if (!s->kernel) {
		want.flags &= ~(FX_BFD_F_REFLECT | FX_BFD_F_DETECT);
		want.next_due = 0;
	}
	rc = session_map_put(d->map, entry->slot, &want);
	if (rc < 0) {
		log_limited(&d->kernel_limit, LOG_LEVEL_DEBUG, "session",
			    "the kernel half does not take it (yet) slot=%u error=\"%s\"",
			    entry->slot, strerror(-rc));
		s->kernel = false;
		if (!loop_timer_armed(d->path_timer))
			loop_timer_set(d->path_timer, BFDXD_AGAIN_MS);
	}
}

static void bfdxd_sent(struct bfdxd *d, struct bfd_entry *entry, int rc)
{
	char text[FX_ADDR_STRLEN];

	if (rc >= 0)
		return;
	d->send_errors++;
	log_limited(&d->send_limit, LOG_LEVEL_INFO, "session", "not sent peer=%s error=\"%s\"",
		    bfdxd_peer_text(&entry->session, text), strerror(-rc));
}

/*
 * Another has claimed the time: either it has sent, or is about to, or it has claimed by an
 * interval that was longer a moment ago (the kernel half reads a session's words once per packet).
 * That shows when a whole interval is over and the same claim still stands without a packet.
 * Whether to send.
 */
static bool bfdxd_overdue(struct bfdxd *d, struct bfd_entry *entry, uint64_t now, uint64_t delay)
{
	struct bfdxd_slot *slot = &d->slots[entry->slot];
	struct bfd_session *s = &entry->session;
	uint64_t due = __atomic_load_n(&session_map_entry(d->map, entry->slot)->next_due,
				       __ATOMIC_ACQUIRE);
	uint64_t claimed = slot->claimed_ns, limit;

	bfdxd_sync(d, entry);
	slot->claimed_ns = 0;
	limit = s->last_tx_ns + bfd_session_tx_ns(s);
	if (limit > now) {
		bfd_session_later(s, due < limit ? due : limit);
		return false;
	}
	if (claimed == due)
		return session_map_take_over(d->map, entry->slot, due, now, delay);
	slot->claimed_ns = due;
	bfd_session_later(s, now + BFDXD_NS_PER_MS);
	return false;
}

/* Periodic packets are for whoever claims them; what is out of turn goes in any case, and the next
 * periodic one follows it. */
static void bfdxd_transmit(struct bfdxd *d, struct bfd_entry *entry, uint64_t now)
{
	struct bfd_session *s = &entry->session;
	bool out_of_turn = s->soon_ns && s->soon_ns <= now;
	uint8_t packet[FX_BFD_CONTROL_LEN];
	struct bfd_send send = {
		.peer = &s->conf.peer,
		.local = &s->local,
		.ifindex = s->ifindex,
		.sport = session_map_sport(entry->slot),
		.dport = s->conf.flags & DP_F_MULTIHOP ? FX_BFD_PORT_MH : FX_BFD_PORT,
		.ttl = 255,
		.data = packet,
		.len = sizeof(packet),
	};
	uint64_t delay = fx_bfd_delay(bfd_session_tx_ns(s), 768, 0, 0, 0);
	int rc;

	if (!session_map_claim(d->map, entry->slot, now, delay, out_of_turn) &&
	    !bfdxd_overdue(d, entry, now, delay))
		return;
	bfd_session_take(s, now, bfdxd_random(d), packet);
	rc = bfd_sock_send(d->sock, &send);
	bfdxd_sent(d, entry, rc);
	if (rc > 0)
		session_map_sent(d->map, entry->slot, now, (uint32_t)rc);
}

static void bfdxd_echo(struct bfdxd *d, struct bfd_entry *entry, uint64_t now)
{
	struct bfd_session *s = &entry->session;
	const struct net_link *link = net_view_link(d->net, s->ifindex);
	uint8_t data[FX_BFD_ECHO_LEN] = { 0 };
	struct bfd_send send = {
		.peer = &s->conf.peer,
		.local = &s->local,
		.ifindex = s->ifindex,
		/* also the source: FRR's bfdd sends it back to the port that it came from */
		.sport = FX_BFD_PORT_ECHO,
		.dport = FX_BFD_PORT_ECHO,
		.ttl = ECHO_TTL,
		.data = data,
		.len = sizeof(data),
	};
	int rc;

	if (!link)
		return;
	bfd_wire_put_u32(data + FX_BFD_ECHO_AT_MAGIC, FX_BFD_ECHO_MAGIC);
	bfd_wire_put_u32(data + FX_BFD_ECHO_AT_DISC, s->local_disc);
	bfd_wire_put_u32(data + FX_BFD_ECHO_AT_TIME, (uint32_t)(now >> 32));
	bfd_wire_put_u32(data + FX_BFD_ECHO_AT_TIME + 4, (uint32_t)now);
	/* IPv6: FRR's bfdd answers what is addressed to it, and expects no other (FRR 8.4 to 10.7)
	 */
	rc = s->conf.peer.family == FX_AF_INET
		     ? bfd_sock_loop(d->sock, &send, link->name, d->slots[entry->slot].mac)
		     : bfd_sock_send(d->sock, &send);
	bfdxd_sent(d, entry, rc);
	if (rc > 0)
		__atomic_fetch_add(&session_map_entry(d->map, entry->slot)->echo_tx, 1,
				   __ATOMIC_RELAXED);
}

static void bfdxd_log(struct bfdxd *d, const struct bfd_entry *entry)
{
	const struct bfd_session *s = &entry->session;
	const struct bfd_change *change = &s->history[0];
	const struct net_link *link = net_view_link(d->net, s->ifindex);
	struct fx_bfd_sess *map = session_map_entry(d->map, entry->slot);
	char text[FX_ADDR_STRLEN];

	log_info("session", "%s, was %s peer=%s interface=%s cause=\"%s\" diagnostic=\"%s\"",
		 bfd_state_name(change->to), bfd_state_name(change->from), bfdxd_peer_text(s, text),
		 link ? link->name : "-", bfd_event_name(change->event),
		 bfd_diag_name(change->local_diag));
	if (change->to != BFD_STATE_UP)
		return;
	/* Gaps are counted from packet to packet of a session that is Up. */
	__atomic_store_n(&map->rx_gaps.last_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&map->tx_gaps.last_ns, 0, __ATOMIC_RELAXED);
}

void bfdxd_do(struct bfdxd *d, struct bfd_entry *entry, uint32_t todo)
{
	struct bfd_session *s = &entry->session;

	if (todo & BFD_DO_LOG)
		bfdxd_log(d, entry);
	if (todo & BFD_DO_KERNEL)
		bfdxd_publish(d, entry);
	if (todo & BFD_DO_SEND)
		bfdxd_transmit(d, entry, bfdxd_now());
	if (todo & BFD_DO_ECHO)
		bfdxd_echo(d, entry, bfdxd_now());
	if (todo & BFD_DO_NOTIFY)
		bfdxd_dp_notify(d, entry);
	deadline_set(d->deadlines, entry->slot, bfd_session_deadline(s));
	bfdxd_arm(d);
}

void bfdxd_look(struct bfdxd *d, struct bfd_entry *entry, uint64_t now)
{
	struct bfd_session *s = &entry->session;
	uint32_t todo = 0;

	if (bfdxd_sync(d, entry))
		todo = bfd_session_expired(s, now, bfdxd_random(d));
	else if (bfd_session_deadline(s) <= now)
		todo = bfd_session_timer(s, now, bfdxd_random(d));
	bfdxd_do(d, entry, todo);
}

/* ---- in ---- */

static void bfdxd_packet(struct bfdxd *d, struct bfd_entry *entry, const uint8_t *data,
			 uint64_t time_ns)
{
	enum fx_bfd_reject reject;
	struct bfd_packet packet;
	uint32_t todo;

	bfdxd_sync(d, entry);
	bfd_wire_get(data, &packet);
	todo = bfd_session_rx(&entry->session, &packet, time_ns, bfdxd_random(d), &reject);
	bfd_table_refresh(d->table, entry);
	if (reject)
		__atomic_fetch_add(&session_map_entry(d->map, entry->slot)->rejects[reject], 1,
				   __ATOMIC_RELAXED);
	bfdxd_do(d, entry, todo);
}

void bfdxd_event(void *arg, const struct fx_bfd_event *event)
{
	struct bfdxd *d = arg;
	struct bfd_entry *entry = bfd_table_slot(d->table, event->slot);
	struct bfd_session *s = entry ? &entry->session : NULL;

	/* of a session that was in this slot before */
	if (!s || s->local_disc != event->my_disc)
		return;
	if (event->type == FX_BFD_EV_PACKET)
		bfdxd_packet(d, entry, event->packet, event->time_ns);
	/* ... or from before it came up again */
	else if (event->type == FX_BFD_EV_EXPIRED && event->time_ns > s->history[0].time_ns)
		bfdxd_do(d, entry, bfd_session_expired(s, event->time_ns, bfdxd_random(d)));
}

static void bfdxd_echo_back(struct bfdxd *d, struct bfd_entry *entry,
			    const struct bfd_datagram *datagram)
{
	const struct bfd_send send = {
		.peer = &datagram->peer,
		.local = &datagram->local,
		.ifindex = datagram->ifindex,
		.sport = FX_BFD_PORT_ECHO,
		.dport = datagram->sport,
		.ttl = ECHO_TTL - 1,
		.data = datagram->data,
		.len = datagram->len,
	};

	if (bfd_sock_send(d->sock, &send) > 0)
		__atomic_fetch_add(&session_map_entry(d->map, entry->slot)->echo_looped, 1,
				   __ATOMIC_RELAXED);
}

/* Echo packets that the kernel half did not take: as it treats them (bpf/bfd_echo.h). */
static void bfdxd_echo_in(struct bfdxd *d, const struct bfd_datagram *datagram,
			  const struct bfd_path *path)
{
	struct bfd_entry *entry;

	if (datagram->len >= FX_BFD_ECHO_LEN && datagram->ttl >= ECHO_TTL - 1 &&
	    bfd_wire_u32(datagram->data + FX_BFD_ECHO_AT_MAGIC) == FX_BFD_ECHO_MAGIC) {
		entry = bfd_table_disc(d->table,
				       bfd_wire_u32(datagram->data + FX_BFD_ECHO_AT_DISC));
		if (entry && entry->session.ifindex == datagram->ifindex) {
			bfd_session_echo_rx(&entry->session, bfdxd_now());
			__atomic_fetch_add(&session_map_entry(d->map, entry->slot)->echo_rx, 1,
					   __ATOMIC_RELAXED);
			return;
		}
	}
	entry = bfd_table_addr(d->table, path);
	/* What has been sent back before would go to and fro. */
	if (entry && entry->session.min_echo_rx_us && entry->session.state >= BFD_STATE_INIT &&
	    datagram->ttl == ECHO_TTL)
		bfdxd_echo_back(d, entry, datagram);
}

static void bfdxd_reject(struct bfdxd *d, uint32_t ifindex, enum fx_bfd_reject reject)
{
	const struct bfdxd_iface *iface = bfdxd_iface_find(d, ifindex);
	struct fx_bfd_meta *meta = bpfmap_entry(&d->maps->meta, 0);

	/* the kernel half has counted it */
	if (!iface || !iface->attached)
		__atomic_fetch_add(&meta->rejects[reject], 1, __ATOMIC_RELAXED);
}

void bfdxd_datagram(void *arg, const struct bfd_datagram *datagram)
{
	struct bfdxd *d = arg;
	struct bfd_path path = {
		.peer = datagram->peer,
		.local = datagram->local,
		.ifindex = datagram->ifindex,
		.ttl = datagram->ttl,
		.multihop = datagram->port == FX_BFD_PORT_MH,
	};
	uint32_t head = datagram->peer.family == FX_AF_INET ? 28 : 48;
	enum fx_bfd_reject reject;
	struct bfd_entry *entry;
	uint64_t now = bfdxd_now();

	if (datagram->port == FX_BFD_PORT_ECHO) {
		bfdxd_echo_in(d, datagram, &path);
		return;
	}
	entry = bfd_table_demux(d->table, datagram->data, datagram->len, &path, &reject);
	if (!entry) {
		bfdxd_reject(d, datagram->ifindex, reject);
		return;
	}
	session_map_received(d->map, entry->slot, now, head + (uint32_t)datagram->len);
	bfdxd_packet(d, entry, datagram->data, now);
}

/* ---- the end ---- */

/* The peer is told that it is by intent (RFC 5880 6.8.16), so that its clients keep their routes.
 */
void bfdxd_remove(struct bfdxd *d, struct bfd_entry *entry, const char *why)
{
	struct bfd_session *s = &entry->session;
	char text[FX_ADDR_STRLEN];
	uint32_t todo;

	log_info("session", "removed peer=%s why=\"%s\"", bfdxd_peer_text(s, text), why);
	if (s->state >= BFD_STATE_INIT) {
		todo = bfd_session_event(s, BFD_EV_DISABLE, bfdxd_now(), bfdxd_random(d));
		bfdxd_do(d, entry, todo & ~BFD_DO_NOTIFY);
	}
	deadline_set(d->deadlines, entry->slot, BFD_NEVER);
	bfdxd_iface_use(d, entry, 0);
	session_map_clear(d->map, entry->slot);
	d->slots[entry->slot] = (struct bfdxd_slot){ 0 };
	bfd_table_remove(d->table, entry);
}
