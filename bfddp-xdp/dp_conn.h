/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams to bfdd: one connection, and the place where bfdd's come in. Edge. Which connections
 * there are to be is bfdxd_dp.c's to decide.
 *
 * Only whole messages go out. bfdd blocks while we do not read (FRR 8.4 to 10.7), so reading goes
 * on whatever happens; what bfdd does not read is kept up to DP_CONN_QUEUE bytes, then the
 * connection ends.
 */
#ifndef FX_BFDDP_DP_CONN_H
#define FX_BFDDP_DP_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "bfddp-xdp/bfddp_codec.h"
#include "bfddp-xdp/dp_addr.h"

#define DP_CONN_QUEUE (4u << 20)
#define DP_CONN_WHY   96

struct loop;
struct dp_conn;
struct dp_listen;

struct dp_conn_ops {
	void (*up)(void *arg, struct dp_conn *conn);
	void (*message)(void *arg, struct dp_conn *conn, const struct dp_msg *msg);
	/* The end, never from within another call; why is a text for the log. The connection is to
	 * be freed, now or later. */
	void (*down)(void *arg, struct dp_conn *conn, const char *why);
	/* bfdd has come to us; a new connection that is up already. */
	void (*accepted)(void *arg, struct dp_conn *conn);
};

/* Connects, without waiting. id: the caller's. NULL with errno: it fails at once. */
struct dp_conn *dp_conn_open(struct loop *loop, const struct dp_addr *addr, uint32_t id,
			     const struct dp_conn_ops *ops, void *arg);
void dp_conn_free(struct dp_conn *conn); /* closes; NULL ok; not from within message() of conn */

bool dp_conn_is_up(const struct dp_conn *conn);
uint32_t dp_conn_id(const struct dp_conn *conn);
void dp_conn_set_id(struct dp_conn *conn, uint32_t id);

/* The version that bfdd speaks goes back to it. Failure ends the connection, by down() later. */
void dp_conn_send(struct dp_conn *conn, struct dp_msg *msg);

/* For `ipv4c:` and the like. NULL with errno. */
struct dp_listen *dp_listen_new(struct loop *loop, const struct dp_addr *addr,
				const struct dp_conn_ops *ops, void *arg);
void dp_listen_free(struct dp_listen *listen);

#endif
