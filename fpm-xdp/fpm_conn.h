/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The FPM connection: listens for zebra, reads eagerly, cuts the stream into frames. Edge.
 *
 * One zebra at a time. A second connection is accepted and left unread; it takes over when the
 * first is gone (a restarted zebra is usually there before the old connection's end is seen), or
 * has not sent one frame in 10 s.
 * Reading never waits for what is done with the frames: zebra 10.0 and newer resets a connection
 * that is not drained for 15 s, older ones delay their route acknowledgements
 * (doc/fpm-protocol.md).
 */
#ifndef FX_FPM_FPM_CONN_H
#define FX_FPM_FPM_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/fpm_frame.h"
#include "lib/addr.h"

struct loop;
struct fpm_conn;

#define FPM_CONN_PEER_SIZE 64
#define FPM_CONN_QUEUE_MAX (1u << 20) /* bytes that wait for zebra to read them */

struct fpm_conn_ops {
	void (*connected)(void *arg);
	/* One whole frame. 0, or the framing error of a message in it: the connection is then
	 * closed; *ret_offset is where in the frame. */
	enum fpm_reject (*frame)(void *arg, const struct fpm_frame *frame, size_t *ret_offset);
	/* There is room again after fpm_conn_has_room() said no. */
	void (*writable)(void *arg);
	void (*closed)(void *arg);
};

struct fpm_conn_stats {
	bool connected;
	char peer[FPM_CONN_PEER_SIZE]; /* ADDRESS:PORT of the present or last one; "": none yet */
	char listen[FPM_CONN_PEER_SIZE];
	uint64_t frames;
	uint64_t bytes;
	uint64_t connections;
	uint64_t rejects[FPM_REJ_COUNT];
};

/* Listens. NULL with errno set. */
struct fpm_conn *fpm_conn_new(struct loop *loop, const struct fx_addr *addr, uint16_t port,
			      const struct fpm_conn_ops *ops, void *arg);
void fpm_conn_free(struct fpm_conn *conn); /* NULL ok; no callback */

/* Whether fpm_conn_send() would take len bytes now. false without a zebra. */
bool fpm_conn_has_room(struct fpm_conn *conn, size_t len);
/* Queues bytes for zebra. 0, -ENOTCONN, -ENOBUFS (nothing was queued), -ENOMEM. */
int fpm_conn_send(struct fpm_conn *conn, const void *data, size_t len);

void fpm_conn_stats(const struct fpm_conn *conn, struct fpm_conn_stats *ret);

#endif
