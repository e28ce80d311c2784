/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/dp_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/loop.h"
#include "lib/strbuf.h"

#define DP_CONN_READS  16 /* of a buffer, per wake-up */
#define DP_CONN_BUFFER (2 * BFDDP_LEN_MAX)

union dp_sockaddr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

struct dp_conn {
	struct loop *loop;
	const struct dp_conn_ops *ops;
	void *arg;
	uint32_t id;
	int fd;
	bool up;
	uint8_t version; /* as last received */
	struct loop_source *source;
	struct loop_source *end; /* to tell the end later */
	char why[DP_CONN_WHY];	 /* of the end */
	uint64_t offset;	 /* of in[0] in the stream */
	size_t have;
	uint8_t in[DP_CONN_BUFFER];
	struct strbuf out;
};

struct dp_listen {
	struct loop *loop;
	const struct dp_conn_ops *ops;
	void *arg;
	int fd;
	char path[DP_ADDR_PATH_SIZE]; /* unix: to be removed */
	struct loop_source *source;
};

static socklen_t dp_sockaddr(const struct dp_addr *addr, union dp_sockaddr *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (addr->is_unix) {
		ret->un.sun_family = AF_UNIX;
		strcpy(ret->un.sun_path, addr->path);
		return sizeof(ret->un);
	}
	if (addr->addr.family == FX_AF_INET) {
		ret->in.sin_family = AF_INET;
		ret->in.sin_port = htons(addr->port);
		memcpy(&ret->in.sin_addr, addr->addr.bytes, 4);
		return sizeof(ret->in);
	}
	ret->in6.sin6_family = AF_INET6;
	ret->in6.sin6_port = htons(addr->port);
	memcpy(&ret->in6.sin6_addr, addr->addr.bytes, 16);
	return sizeof(ret->in6);
}

/* ---- the end ---- */

static int dp_conn_on_end(void *arg, unsigned int what)
{
	struct dp_conn *conn = arg;

	conn->ops->down(conn->arg, conn, conn->why);
	return 0;
}

/* Nothing is read or written any more; down() follows from the loop. The first reason counts. */
static void dp_conn_finish(struct dp_conn *conn, const char *why)
{
	if (conn->why[0])
		return;
	snprintf(conn->why, sizeof(conn->why), "%s", why);
	conn->up = false;
	loop_source_free(conn->source);
	conn->source = NULL;
	loop_timer_set(conn->end, 0);
}

void dp_conn_free(struct dp_conn *conn)
{
	if (!conn)
		return;
	loop_source_free(conn->source);
	loop_source_free(conn->end);
	if (conn->fd >= 0)
		close(conn->fd);
	strbuf_done(&conn->out);
	free(conn);
}

/* ---- writing ---- */

static void dp_conn_flush(struct dp_conn *conn)
{
	ssize_t n;

	while (conn->out.len) {
		n = send(conn->fd, conn->out.text, conn->out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0) {
			dp_conn_finish(conn, strerror(errno));
			return;
		}
		strbuf_consume(&conn->out, (size_t)n);
	}
	loop_fd_events(conn->source, LOOP_READ | (conn->out.len ? LOOP_WRITE : 0));
}

void dp_conn_send(struct dp_conn *conn, struct dp_msg *msg)
{
	uint8_t buf[BFDDP_ENCODED_MAX];
	bool idle = !conn->out.len;
	int n;

	if (!conn->up)
		return;
	msg->version = conn->version;
	n = bfddp_encode(msg, buf, sizeof(buf));
	if (n < 0)
		return;
	if (conn->out.len + (size_t)n > DP_CONN_QUEUE) {
		dp_conn_finish(conn, "bfdd does not read");
		return;
	}
	strbuf_add(&conn->out, (const char *)buf, (size_t)n);
	if (conn->out.failed)
		dp_conn_finish(conn, "out of memory");
	else if (idle)
		dp_conn_flush(conn);
}

/* ---- reading ---- */

static void dp_conn_reject(struct dp_conn *conn, enum dp_reject reject, size_t at)
{
	char why[DP_CONN_WHY];

	snprintf(why, sizeof(why), "not bfddp: %s at offset %llu", dp_reject_name(reject),
		 (unsigned long long)(conn->offset + at + dp_reject_offset(reject)));
	dp_conn_finish(conn, why);
}

/* All whole messages of the buffer. */
static void dp_conn_decode(struct dp_conn *conn)
{
	enum dp_reject reject;
	struct dp_msg msg;
	size_t at = 0;
	int n;

	while (!conn->why[0]) {
		n = bfddp_decode(conn->in + at, conn->have - at, &msg, &reject);
		if (n < 0)
			dp_conn_reject(conn, reject, at);
		if (n <= 0)
			break;
		at += (size_t)n;
		conn->version = msg.version;
		conn->ops->message(conn->arg, conn, &msg);
	}
	memmove(conn->in, conn->in + at, conn->have - at);
	conn->have -= at;
	conn->offset += at;
}

static void dp_conn_read(struct dp_conn *conn)
{
	ssize_t n;
	int i;

	for (i = 0; i < DP_CONN_READS && !conn->why[0]; i++) {
		n = recv(conn->fd, conn->in + conn->have, sizeof(conn->in) - conn->have,
			 MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			dp_conn_finish(conn, n < 0 ? strerror(errno) : "bfdd has closed");
			return;
		}
		conn->have += (size_t)n;
		dp_conn_decode(conn);
	}
}

/* ---- connecting ---- */

/* A port of the range that the kernel gives to clients: a connect to one's own machine may meet
 * itself there, when nobody listens. */
static bool dp_conn_is_self(int fd)
{
	union dp_sockaddr own, peer;
	socklen_t own_len = sizeof(own), peer_len = sizeof(peer);

	memset(&own, 0, sizeof(own));
	memset(&peer, 0, sizeof(peer));
	if (getsockname(fd, &own.sa, &own_len) < 0 || getpeername(fd, &peer.sa, &peer_len) < 0)
		return false;
	return own.sa.sa_family != AF_UNIX && own_len == peer_len && !memcmp(&own, &peer, own_len);
}

static void dp_conn_established(struct dp_conn *conn)
{
	int one = 1, err = 0;
	socklen_t len = sizeof(err);

	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &err, &len) < 0)
		err = errno;
	if (err) {
		dp_conn_finish(conn, strerror(err));
		return;
	}
	if (dp_conn_is_self(conn->fd)) {
		dp_conn_finish(conn, "nobody listens there, the connection met itself");
		return;
	}
	setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* not for unix */
	conn->up = true;
	loop_fd_events(conn->source, LOOP_READ);
	conn->ops->up(conn->arg, conn);
}

static int dp_conn_ready(void *arg, unsigned int what)
{
	struct dp_conn *conn = arg;

	if (!conn->up) {
		dp_conn_established(conn);
		return 0;
	}
	if (what & LOOP_READ)
		dp_conn_read(conn);
	if (what & LOOP_WRITE && conn->up)
		dp_conn_flush(conn);
	return 0;
}

/* Takes fd over in any case. */
static struct dp_conn *dp_conn_new(struct loop *loop, int fd, unsigned int events,
				   const struct dp_conn_ops *ops, void *arg)
{
	struct dp_conn *conn = calloc(1, sizeof(*conn));
	int err;

	if (!conn) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	conn->loop = loop;
	conn->fd = fd;
	conn->ops = ops;
	conn->arg = arg;
	conn->version = BFDDP_VERSION;
	conn->end = loop_timer(loop, "bfdd end", LOOP_PRIO_INPUT, dp_conn_on_end, conn);
	conn->source = loop_fd(loop, "bfdd", LOOP_PRIO_INPUT, fd, events, dp_conn_ready, conn);
	if (!conn->end || !conn->source) {
		err = errno;
		dp_conn_free(conn);
		errno = err;
		return NULL;
	}
	return conn;
}

static int dp_socket(const struct dp_addr *addr)
{
	int family = addr->is_unix ? AF_UNIX : addr->addr.family;

	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

struct dp_conn *dp_conn_open(struct loop *loop, const struct dp_addr *addr, uint32_t id,
			     const struct dp_conn_ops *ops, void *arg)
{
	union dp_sockaddr sa;
	socklen_t len = dp_sockaddr(addr, &sa);
	struct dp_conn *conn;
	int fd, err;

	fd = dp_socket(addr);
	if (fd < 0)
		return NULL;
	if (connect(fd, &sa.sa, len) < 0 && errno != EINPROGRESS) {
		err = errno;
		close(fd);
		errno = err;
		return NULL;
	}
	conn = dp_conn_new(loop, fd, LOOP_WRITE, ops, arg);
	if (conn)
		conn->id = id;
	return conn;
}

bool dp_conn_is_up(const struct dp_conn *conn)
{
	return conn->up;
}

uint32_t dp_conn_id(const struct dp_conn *conn)
{
	return conn->id;
}

void dp_conn_set_id(struct dp_conn *conn, uint32_t id)
{
	conn->id = id;
}

/* ---- listening ---- */

static int dp_listen_ready(void *arg, unsigned int what)
{
	struct dp_listen *listen = arg;
	struct dp_conn *conn;
	int one = 1, fd;

	fd = accept4(listen->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return 0;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	conn = dp_conn_new(listen->loop, fd, LOOP_READ, listen->ops, listen->arg);
	if (!conn)
		return 0;
	conn->up = true;
	listen->ops->accepted(listen->arg, conn);
	return 0;
}

static int dp_listen_bind(struct dp_listen *l, const struct dp_addr *addr)
{
	union dp_sockaddr sa;
	socklen_t len = dp_sockaddr(addr, &sa);
	int one = 1;

	l->fd = dp_socket(addr);
	if (l->fd < 0)
		return -errno;
	if (addr->is_unix)
		unlink(addr->path); /* of a process that has gone: the pid file is locked */
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(l->fd, &sa.sa, len) < 0 || listen(l->fd, 16) < 0)
		return -errno;
	if (addr->is_unix)
		strcpy(l->path, addr->path);
	l->source = loop_fd(l->loop, "bfdd listen", LOOP_PRIO_INPUT, l->fd, LOOP_READ,
			    dp_listen_ready, l);
	return l->source ? 0 : -errno;
}

struct dp_listen *dp_listen_new(struct loop *loop, const struct dp_addr *addr,
				const struct dp_conn_ops *ops, void *arg)
{
	struct dp_listen *listen = calloc(1, sizeof(*listen));
	int rc;

	if (!listen)
		return NULL;
	listen->loop = loop;
	listen->ops = ops;
	listen->arg = arg;
	rc = dp_listen_bind(listen, addr);
	if (rc < 0) {
		dp_listen_free(listen);
		errno = -rc;
		return NULL;
	}
	return listen;
}

void dp_listen_free(struct dp_listen *listen)
{
	if (!listen)
		return;
	loop_source_free(listen->source);
	if (listen->fd >= 0)
		close(listen->fd);
	if (listen->path[0])
		unlink(listen->path);
	free(listen);
}
