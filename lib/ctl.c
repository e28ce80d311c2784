/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control socket, the daemon's side. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/ctl.h"
#include "lib/log.h"
#include "lib/loop.h"

#define CTL_CHUNK 65536u /* the reply is made further when less than this waits to be taken */

struct ctl_client {
	struct ctl *ctl;
	struct ctl_client *next;
	struct loop_source *source;
	struct loop_source *timer; /* silence, or CTL_LATER */
	int fd;
	char request[CTL_MAX_REQUEST];
	size_t request_len;
	bool asked;   /* the request was taken, reply runs */
	bool waiting; /* the timer stands for CTL_LATER */
	bool done;    /* reply has no more */
	struct ctl_reply reply;
	struct strbuf out;
};

struct ctl {
	struct loop *loop;
	struct loop_source *source;
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	ctl_handler handler;
	void *arg;
	struct ctl_client *clients;
	unsigned int nclients;
	struct log_limit limit;
};

/* Bytes that nobody reads would make the close a reset, which takes the reply with it. */
static void ctl_drain(int fd)
{
	char buf[4096];
	int reads;

	for (reads = 0; reads < 16 && recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0; reads++)
		;
}

static void ctl_client_free(struct ctl_client *client)
{
	struct ctl_client **at = &client->ctl->clients;

	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	client->ctl->nclients--;
	loop_fd_events(client->ctl->source, LOOP_READ);
	if (client->reply.free)
		client->reply.free(client->reply.state);
	loop_source_free(client->source);
	loop_source_free(client->timer);
	strbuf_done(&client->out);
	ctl_drain(client->fd);
	close(client->fd);
	free(client);
}

static void ctl_error(struct ctl_client *client, const char *text)
{
	strbuf_puts(&client->out, "{\"error\":\"");
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_puts(&client->out, "\\");
		if ((unsigned char)*text >= ' ')
			strbuf_add(&client->out, text, 1);
	}
	strbuf_puts(&client->out, "\"}\n");
	client->done = true;
}

/* Makes one more piece of the reply: the loop has its turn between two. */
static void ctl_produce(struct ctl_client *client)
{
	enum ctl_next next = client->reply.next(client->reply.state, &client->out);

	client->done = next == CTL_DONE;
	client->waiting = next == CTL_LATER;
}

/* Writes what the client takes. 0; negative errno: the client is gone. */
static int ctl_flush(struct ctl_client *client)
{
	ssize_t n;

	if (client->out.failed)
		return -ENOMEM;
	if (!client->out.len)
		return 0;
	n = send(client->fd, client->out.text, client->out.len, MSG_NOSIGNAL);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	strbuf_consume(&client->out, (size_t)n);
	return 0;
}

/* One piece of the reply is made and written; the loop comes back for the next. Frees a client that
 * is done or gone. */
static void ctl_reply_step(struct ctl_client *client)
{
	if (!client->done && !client->waiting && client->out.len < CTL_CHUNK)
		ctl_produce(client);
	if (ctl_flush(client) < 0 || (client->done && !client->out.len)) {
		ctl_client_free(client);
		return;
	}
	loop_timer_set(client->timer, client->waiting ? CTL_LATER_MS : CTL_TIMEOUT_MS);
	/* With nothing to write a writable socket would wake us for ever. */
	loop_fd_events(client->source, client->waiting && !client->out.len ? 0 : LOOP_WRITE);
}

static void ctl_take_request(struct ctl_client *client)
{
	const char *error = NULL;
	char *argv[CTL_MAX_WORDS + 1];
	char *save = NULL;
	int argc = 0, rc;
	char *word;

	client->asked = true;
	for (word = strtok_r(client->request, " \t\r", &save); word && argc < CTL_MAX_WORDS;
	     word = strtok_r(NULL, " \t\r", &save))
		argv[argc++] = word;
	argv[argc] = NULL;
	rc = word ? -E2BIG : argc ? 0 : -EINVAL;
	if (!rc)
		rc = client->ctl->handler(client->ctl->arg, argc, argv, &client->reply, &error);
	if (rc < 0)
		ctl_error(client, error ? error : strerror(-rc));
	ctl_reply_step(client);
}

/* Reads up to the end of the request line; -1: the client was freed. */
static int ctl_read_request(struct ctl_client *client)
{
	size_t room = sizeof(client->request) - client->request_len;
	char *end;
	ssize_t n;

	n = recv(client->fd, client->request + client->request_len, room, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		ctl_client_free(client);
		return -1;
	}
	client->request_len += (size_t)n;
	end = memchr(client->request, '\n', client->request_len);
	if (end) {
		*end = '\0';
		ctl_take_request(client);
	} else if (client->request_len == sizeof(client->request)) {
		client->asked = true;
		ctl_error(client, "request too long");
		ctl_reply_step(client);
	}
	return 0;
}

static int ctl_on_client(void *arg, unsigned int what)
{
	struct ctl_client *client = arg;

	if (client->asked)
		ctl_reply_step(client);
	else
		ctl_read_request(client);
	return 0;
}

static int ctl_on_timer(void *arg, unsigned int what)
{
	struct ctl_client *client = arg;

	if (client->waiting) {
		client->waiting = false;
		ctl_reply_step(client);
	} else {
		ctl_client_free(client);
	}
	return 0;
}

static void ctl_client_new(struct ctl *ctl, int fd)
{
	struct ctl_client *client = calloc(1, sizeof(*client));

	if (!client) {
		close(fd);
		return;
	}
	client->ctl = ctl;
	client->fd = fd;
	client->next = ctl->clients;
	ctl->clients = client;
	ctl->nclients++;
	client->source = loop_fd(ctl->loop, "control client", LOOP_PRIO_INPUT, fd, LOOP_READ,
				 ctl_on_client, client);
	client->timer = loop_timer(ctl->loop, "control client timer", LOOP_PRIO_NORMAL,
				   ctl_on_timer, client);
	if (!client->source || !client->timer || loop_timer_set(client->timer, CTL_TIMEOUT_MS) < 0)
		ctl_client_free(client);
}

static int ctl_on_accept(void *arg, unsigned int what)
{
	struct ctl *ctl = arg;
	int fd;

	fd = accept4(ctl->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		/* EMFILE and friends pass; the listener must not be lost for them. */
		if (errno != EAGAIN && errno != EINTR)
			log_limited(&ctl->limit, LOG_LEVEL_WARNING, "ctl",
				    "accept failed error=\"%s\"", strerror(errno));
		return 0;
	}
	ctl_client_new(ctl, fd);
	/* Any further ones wait until one is done or dropped. */
	if (ctl->nclients >= CTL_MAX_CLIENTS)
		loop_fd_events(ctl->source, 0);
	return 0;
}

/* Whether somebody listens at this address. */
static bool ctl_alive(const struct sockaddr_un *addr)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool alive;

	if (fd < 0)
		return false;
	alive = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) == 0;
	close(fd);
	return alive;
}

static int ctl_bind(struct ctl *ctl)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	memcpy(addr.sun_path, ctl->path, sizeof(addr.sun_path));
	ctl->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (ctl->fd < 0)
		return -errno;
	if (ctl_alive(&addr)) {
		ctl->path[0] = '\0'; /* not ours to remove */
		return -EADDRINUSE;
	}
	unlink(ctl->path);
	if (bind(ctl->fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    chmod(ctl->path, 0660) < 0 || listen(ctl->fd, 16) < 0)
		return -errno;
	return 0;
}

struct ctl *ctl_new(struct loop *loop, const char *path, ctl_handler handler, void *arg)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));
	int rc = -ENAMETOOLONG;

	if (!ctl)
		return NULL;
	ctl->loop = loop;
	ctl->handler = handler;
	ctl->arg = arg;
	ctl->fd = -1;
	if (strlen(path) < sizeof(ctl->path)) {
		strcpy(ctl->path, path);
		rc = ctl_bind(ctl);
	}
	if (!rc) {
		ctl->source = loop_fd(loop, "control socket", LOOP_PRIO_INPUT, ctl->fd, LOOP_READ,
				      ctl_on_accept, ctl);
		rc = ctl->source ? 0 : -errno;
	}
	if (rc < 0) {
		ctl_free(ctl);
		errno = -rc;
		return NULL;
	}
	return ctl;
}

void ctl_free(struct ctl *ctl)
{
	if (!ctl)
		return;
	while (ctl->clients)
		ctl_client_free(ctl->clients);
	loop_source_free(ctl->source);
	if (ctl->fd >= 0) {
		close(ctl->fd);
		if (ctl->path[0])
			unlink(ctl->path);
	}
	free(ctl);
}
