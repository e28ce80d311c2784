/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfdd's messages. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "bfddp-xdp/bfdxd.h"
#include "lib/loop.h"

static void bfdxd_log_add(const struct dp_session *conf, uint32_t owner)
{
	char peer[FX_ADDR_STRLEN], local[FX_ADDR_STRLEN];

	log_debug("bfdd",
		  "session connection=%u peer=%s local=%s interface=%u/%s discriminator=%u "
		  "flags=%#x tx=%u rx=%u echo=%u/%u multiplier=%u ttl=%u",
		  owner, fx_addr_str(&conf->peer, peer), fx_addr_str(&conf->local, local),
		  conf->ifindex, conf->ifname, conf->lid, conf->flags, conf->min_tx_us,
		  conf->min_rx_us, conf->min_echo_tx_us, conf->min_echo_rx_us, conf->mult,
		  conf->min_ttl);
}

static void bfdxd_add(struct bfdxd *d, struct dp_conn *conn, const struct dp_session *conf)
{
	uint32_t owner = dp_conn_id(conn), todo = 0;
	struct bfd_entry *entry = bfd_table_disc(d->table, conf->lid);
	char text[FX_ADDR_STRLEN];
	const char *why = "";
	int rc;

	bfdxd_log_add(conf, owner);
	if (entry)
		bfdxd_sync(d, entry); /* a new interval counts from the last packet on */
	rc = bfd_table_add(d->table, conf, owner, bfdxd_now(), bfdxd_random(d), &entry, &todo,
			   &why);
	if (rc < 0) {
		d->peer.refused++;
		log_limited(&d->add_limit, LOG_LEVEL_ERROR, "session",
			    "refused peer=%s discriminator=%u why=\"%s\"",
			    fx_addr_str(&conf->peer, text), conf->lid, why);
		return;
	}
	if (rc == BFD_ADD_NEW)
		session_map_clear(d->map, entry->slot);
	if (rc == BFD_ADD_ADOPTED)
		todo |= bfd_session_untold(&entry->session);
	if (conf->flags & ~DP_F_KNOWN)
		log_limited(&d->add_limit, LOG_LEVEL_WARNING, "session",
			    "flags that are not known are ignored peer=%s flags=%#x",
			    fx_addr_str(&conf->peer, text), conf->flags);
	/* bfdd tells of a configuration line by line, an ADD each: what is to be sent waits for all
	 * that has come, or a passive session would speak first. The timer is due at once. */
	todo |= bfdxd_path(d, entry);
	bfdxd_do(d, entry, todo & ~BFD_DO_SEND);
}

static void bfdxd_delete(struct bfdxd *d, struct dp_conn *conn, const struct dp_session *conf)
{
	struct bfd_entry *entry = bfd_table_disc(d->table, conf->lid);

	if (entry && entry->session.local_disc == conf->lid &&
	    (entry->owner == dp_conn_id(conn) || entry->owner == BFD_TABLE_NO_OWNER))
		bfdxd_remove(d, entry, "bfdd has deleted it");
}

/* Always, and at once: bfdd stands still until it has the answer (FRR 8.4 to 10.7). */
static void bfdxd_counters(struct bfdxd *d, struct dp_conn *conn, const struct dp_msg *request)
{
	struct dp_msg reply = {
		.type = DP_MSG_COUNTERS,
		.id = request->id,
		.counters.lid = request->lid,
	};
	const struct bfd_entry *entry = bfd_table_disc(d->table, request->lid);
	const struct fx_bfd_sess *map;

	if (entry) {
		map = session_map_entry(d->map, entry->slot);
		reply.counters.in_pkts = map->rx_pkts;
		reply.counters.in_bytes = map->rx_bytes;
		reply.counters.out_pkts = map->tx_pkts[FX_BFD_BY_REFLECTOR] +
					  map->tx_pkts[FX_BFD_BY_DAEMON] +
					  map->tx_pkts[FX_BFD_BY_TICK];
		reply.counters.out_bytes = map->tx_bytes;
		reply.counters.echo_in_pkts = map->echo_rx;
		reply.counters.echo_out_pkts = map->echo_tx;
		/* FRR 8.4 to 10.7 print the bytes where they say packets, and use them nowhere
		 * else */
		reply.counters.echo_in_bytes = map->echo_rx;
		reply.counters.echo_out_bytes = map->echo_tx;
	}
	dp_conn_send(conn, &reply);
}

static void bfdxd_replied(struct bfdxd *d, const struct dp_conn *conn)
{
	uint32_t i;

	for (i = 0; i < d->peer.nconns; i++) {
		if (d->peer.conns[i].conn != conn)
			continue;
		d->peer.conns[i].replied_ms = loop_now_ms();
		d->peer.conns[i].silent = false;
	}
}

void bfdxd_message(void *arg, struct dp_conn *conn, const struct dp_msg *msg)
{
	struct bfdxd *d = arg;
	struct dp_msg reply;

	d->peer.messages[msg->type]++;
	switch (msg->type) {
	case DP_MSG_ADD:
		bfdxd_add(d, conn, &msg->session);
		bfdxd_dp_added(d, conn, &msg->session);
		break;
	case DP_MSG_DELETE:
		bfdxd_delete(d, conn, &msg->session);
		break;
	case DP_MSG_COUNTERS_REQUEST:
		bfdxd_counters(d, conn, msg);
		break;
	case DP_MSG_ECHO_REQUEST:
		reply = *msg;
		reply.type = DP_MSG_ECHO_REPLY;
		dp_conn_send(conn, &reply);
		break;
	case DP_MSG_ECHO_REPLY:
		bfdxd_replied(d, conn);
		break;
	case DP_MSG_STATE:
	case DP_MSG_COUNTERS:
	case DP_MSG_OTHER:
		break; /* not for us, or of a later version */
	}
}
