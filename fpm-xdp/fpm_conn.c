/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The FPM connection. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fpm-xdp/fpm_conn.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/strbuf.h"

#define FPM_CONN_BUF	    (4u * 65536u) /* several times the largest frame */
#define FPM_CONN_SILENCE_MS 10000u
#define FPM_CONN_READS	    4 /* per wake-up, so that netlink has its turn */

struct fpm_conn {
	struct loop *loop;
	const struct fpm_conn_ops *ops;
	void *arg;
	int listen_fd;
	struct loop_source *listener;
	int fd; /* -1: no zebra */
	struct loop_source *source;
	bool heard;	/* it has sent a frame */
	int waiting_fd; /* the second one; -1: none */
	struct loop_source *silence;
	char waiting_peer[FPM_CONN_PEER_SIZE];
	struct strbuf out;
	bool full;	/* there was no room when it was asked for */
	uint64_t start; /* stats.bytes when this connection began */
	struct fpm_conn_stats stats;
	struct log_limit limit;
	size_t used;
	uint8_t buf[FPM_CONN_BUF];
};

static socklen_t fpm_conn_sockaddr(const struct fx_addr *addr, uint16_t port,
				   struct sockaddr_storage *ret)
{
	struct sockaddr_in6 *sin6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *sin = (struct sockaddr_in *)ret;

	memset(ret, 0, sizeof(*ret));
	if (addr->family == FX_AF_INET6) {
		sin6->sin6_family = AF_INET6;
		sin6->sin6_port = htons(port);
		memcpy(&sin6->sin6_addr, addr->bytes, 16);
		return sizeof(*sin6);
	}
	sin->sin_family = AF_INET;
	sin->sin_port = htons(port);
	memcpy(&sin->sin_addr, addr->bytes, 4);
	return sizeof(*sin);
}

static void fpm_conn_name(const struct sockaddr_storage *sa, char *ret)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)sa;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)sa;
	char text[INET6_ADDRSTRLEN];

	if (sa->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &sin6->sin6_addr, text, sizeof(text));
		snprintf(ret, FPM_CONN_PEER_SIZE, "[%s]:%u", text, ntohs(sin6->sin6_port));
	} else {
		inet_ntop(AF_INET, &sin->sin_addr, text, sizeof(text));
		snprintf(ret, FPM_CONN_PEER_SIZE, "%s:%u", text, ntohs(sin->sin_port));
	}
}

static int fpm_conn_on_stream(void *arg, unsigned int what);

static void fpm_conn_events(struct fpm_conn *conn)
{
	loop_fd_events(conn->source, LOOP_READ | (conn->out.len ? LOOP_WRITE : 0));
}

/* Takes a connection into use. */
static void fpm_conn_adopt(struct fpm_conn *conn, int fd, const char *peer)
{
	conn->source = loop_fd(conn->loop, "FPM connection", LOOP_PRIO_INPUT, fd, LOOP_READ,
			       fpm_conn_on_stream, conn);
	if (!conn->source) {
		log_error("fpm", "connection not taken peer=%s error=\"%s\"", peer,
			  strerror(errno));
		close(fd);
		return;
	}
	conn->fd = fd;
	conn->used = 0;
	conn->start = conn->stats.bytes;
	conn->full = false;
	conn->heard = false;
	conn->stats.connected = true;
	conn->stats.connections++;
	memmove(conn->stats.peer, peer, FPM_CONN_PEER_SIZE);
	log_info("fpm", "zebra connected peer=%s", peer);
	conn->ops->connected(conn->arg);
}

/* The end of this zebra; the one that waits takes over. */
static void fpm_conn_close(struct fpm_conn *conn)
{
	int waiting = conn->waiting_fd;

	loop_timer_stop(conn->silence);
	loop_source_free(conn->source);
	conn->source = NULL;
	close(conn->fd);
	conn->fd = -1;
	conn->stats.connected = false;
	strbuf_reset(&conn->out);
	conn->ops->closed(conn->arg);
	if (waiting < 0)
		return;
	conn->waiting_fd = -1;
	loop_fd_events(conn->listener, LOOP_READ);
	fpm_conn_adopt(conn, waiting, conn->waiting_peer);
}

static void fpm_conn_reject(struct fpm_conn *conn, enum fpm_reject reject, uint64_t offset)
{
	conn->stats.rejects[reject]++;
	log_limited(&conn->limit, LOG_LEVEL_WARNING, "fpm",
		    "bad stream, connection closed peer=%s reason=%s offset=%llu", conn->stats.peer,
		    fpm_reject_name(reject), (unsigned long long)offset);
	fpm_conn_close(conn);
}

/* Gives up all whole frames in the buffer. false: the connection was closed for what was in it. */
static bool fpm_conn_frames(struct fpm_conn *conn)
{
	uint64_t base = conn->stats.bytes - conn->start - conn->used;
	enum fpm_reject reject = FPM_REJ_NONE;
	struct fpm_frame frame;
	size_t done = 0, offset = 0;
	int n;

	while ((n = fpm_frame_next(conn->buf + done, conn->used - done, &frame, &reject)) > 0) {
		conn->stats.frames++;
		conn->heard = true;
		reject = conn->ops->frame(conn->arg, &frame, &offset);
		if (reject != FPM_REJ_NONE)
			break;
		done += (size_t)n;
	}
	if (n < 0)
		offset = fpm_reject_offset(reject);
	if (reject != FPM_REJ_NONE) {
		fpm_conn_reject(conn, reject, base + done + offset);
		return false;
	}
	conn->used -= done;
	memmove(conn->buf, conn->buf + done, conn->used);
	return true;
}

/* 1: there may be more; 0: no more for now, or closed. */
static int fpm_conn_read(struct fpm_conn *conn)
{
	size_t room = sizeof(conn->buf) - conn->used;
	ssize_t n;

	n = recv(conn->fd, conn->buf + conn->used, room, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		log_info("fpm", "zebra disconnected peer=%s unfinished=%zu%s%s%s", conn->stats.peer,
			 conn->used, n < 0 ? " error=\"" : "", n < 0 ? strerror(errno) : "",
			 n < 0 ? "\"" : "");
		fpm_conn_close(conn);
		return 0;
	}
	conn->used += (size_t)n;
	conn->stats.bytes += (size_t)n;
	if (!fpm_conn_frames(conn))
		return 0;
	return (size_t)n == room;
}

static void fpm_conn_flush(struct fpm_conn *conn)
{
	ssize_t n;

	n = send(conn->fd, conn->out.text, conn->out.len, MSG_NOSIGNAL);
	/* A broken connection shows at the next read. */
	if (n > 0)
		strbuf_consume(&conn->out, (size_t)n);
	fpm_conn_events(conn);
	if (conn->full && conn->out.len < FPM_CONN_QUEUE_MAX / 2) {
		conn->full = false;
		conn->ops->writable(conn->arg);
	}
}

static int fpm_conn_on_stream(void *arg, unsigned int what)
{
	struct fpm_conn *conn = arg;
	int reads;

	if (what & LOOP_WRITE)
		fpm_conn_flush(conn);
	if (what & LOOP_READ)
		for (reads = 0; reads < FPM_CONN_READS && fpm_conn_read(conn) > 0; reads++)
			;
	return 0;
}

/* A zebra on another machine may vanish without a word; after 25 s its place is free. */
static void fpm_conn_keepalive(int fd)
{
	int on = 1, idle = 10, interval = 5, count = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

/* zebra speaks as soon as it has connected. Who has said nothing by now is no zebra, and must not
 * keep one out. */
static int fpm_conn_on_silence(void *arg, unsigned int what)
{
	struct fpm_conn *conn = arg;

	if (conn->fd < 0 || conn->waiting_fd < 0 || conn->heard)
		return 0;
	log_limited(&conn->limit, LOG_LEVEL_WARNING, "fpm",
		    "silent connection makes room for the next peer=%s", conn->stats.peer);
	fpm_conn_close(conn);
	return 0;
}

static int fpm_conn_on_accept(void *arg, unsigned int what)
{
	struct fpm_conn *conn = arg;
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);
	char peer[FPM_CONN_PEER_SIZE];
	int fd;

	fd = accept4(conn->listen_fd, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR)
			log_limited(&conn->limit, LOG_LEVEL_WARNING, "fpm",
				    "accept failed error=\"%s\"", strerror(errno));
		return 0;
	}
	fpm_conn_keepalive(fd);
	fpm_conn_name(&sa, peer);
	if (conn->fd < 0) {
		fpm_conn_adopt(conn, fd, peer);
		return 0;
	}
	log_limited(&conn->limit, LOG_LEVEL_WARNING, "fpm",
		    "a second zebra waits until the first is gone peer=%s first=%s", peer,
		    conn->stats.peer);
	conn->waiting_fd = fd;
	memcpy(conn->waiting_peer, peer, sizeof(peer));
	if (!conn->heard)
		loop_timer_set(conn->silence, FPM_CONN_SILENCE_MS);
	/* Any further ones wait in the listen queue. */
	loop_fd_events(conn->listener, 0);
	return 0;
}

static int fpm_conn_listen(struct fpm_conn *conn, const struct fx_addr *addr, uint16_t port)
{
	struct sockaddr_storage sa;
	socklen_t len = fpm_conn_sockaddr(addr, port, &sa);
	int on = 1, off = 0;

	conn->listen_fd = socket(sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (conn->listen_fd < 0)
		return -errno;
	setsockopt(conn->listen_fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* "::" takes IPv4 too, whatever net.ipv6.bindv6only says. */
	if (sa.ss_family == AF_INET6)
		setsockopt(conn->listen_fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(conn->listen_fd, (struct sockaddr *)&sa, len) < 0 ||
	    listen(conn->listen_fd, 4) < 0)
		return -errno;
	fpm_conn_name(&sa, conn->stats.listen);
	conn->listener = loop_fd(conn->loop, "FPM listener", LOOP_PRIO_INPUT, conn->listen_fd,
				 LOOP_READ, fpm_conn_on_accept, conn);
	return conn->listener ? 0 : -errno;
}

struct fpm_conn *fpm_conn_new(struct loop *loop, const struct fx_addr *addr, uint16_t port,
			      const struct fpm_conn_ops *ops, void *arg)
{
	struct fpm_conn *conn = calloc(1, sizeof(*conn));
	int rc;

	if (!conn)
		return NULL;
	conn->loop = loop;
	conn->ops = ops;
	conn->arg = arg;
	conn->listen_fd = conn->fd = conn->waiting_fd = -1;
	conn->silence = loop_timer(loop, "FPM silence", LOOP_PRIO_NORMAL, fpm_conn_on_silence,
				   conn);
	rc = conn->silence ? fpm_conn_listen(conn, addr, port) : -ENOMEM;
	if (rc < 0) {
		fpm_conn_free(conn);
		errno = -rc;
		return NULL;
	}
	return conn;
}

void fpm_conn_free(struct fpm_conn *conn)
{
	if (!conn)
		return;
	loop_source_free(conn->source);
	loop_source_free(conn->listener);
	loop_source_free(conn->silence);
	if (conn->waiting_fd >= 0)
		close(conn->waiting_fd);
	if (conn->fd >= 0)
		close(conn->fd);
	if (conn->listen_fd >= 0)
		close(conn->listen_fd);
	strbuf_done(&conn->out);
	free(conn);
}

bool fpm_conn_has_room(struct fpm_conn *conn, size_t len)
{
	if (conn->fd < 0)
		return false;
	if (conn->out.len + len <= FPM_CONN_QUEUE_MAX)
		return true;
	conn->full = true;
	return false;
}

int fpm_conn_send(struct fpm_conn *conn, const void *data, size_t len)
{
	if (conn->fd < 0)
		return -ENOTCONN;
	if (!fpm_conn_has_room(conn, len))
		return -ENOBUFS;
	strbuf_add(&conn->out, data, len);
	if (conn->out.failed) {
		strbuf_reset(&conn->out);
		return -ENOMEM;
	}
	fpm_conn_events(conn);
	return 0;
}

void fpm_conn_stats(const struct fpm_conn *conn, struct fpm_conn_stats *ret)
{
	*ret = conn->stats;
}
