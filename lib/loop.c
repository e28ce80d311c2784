/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event loop: sources over libevent. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <event2/event.h>

#include "lib/log.h"
#include "lib/loop.h"

enum loop_kind {
	LOOP_KIND_FD,
	LOOP_KIND_TIMER,
	LOOP_KIND_SIGNAL,
	LOOP_KIND_IDLE,
};

struct loop {
	struct event_base *base;
	int status;
};

struct loop_source {
	struct loop *loop;
	struct event *event;
	const char *name;
	enum loop_kind kind;
	enum loop_priority priority;
	unsigned int events; /* LOOP_KIND_FD: what is asked for */
	int fd;		     /* LOOP_KIND_SIGNAL: ours to close */
	loop_cb cb;
	void *arg;
};

/* A zero timeout is ready at the loop's next look, and only then: idle work that asks for another
 * turn is thus always behind a fresh look at the descriptors. */
static const struct timeval loop_at_once;

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->base = event_base_new();
	if (!loop->base || event_base_priority_init(loop->base, LOOP_PRIO_COUNT) < 0) {
		loop_free(loop);
		errno = ENOMEM;
		return NULL;
	}
	return loop;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->base)
		event_base_free(loop->base);
	free(loop);
}

int loop_run(struct loop *loop)
{
	if (event_base_dispatch(loop->base) < 0)
		return -EIO;
	return loop->status;
}

void loop_exit(struct loop *loop, int status)
{
	loop->status = status;
	event_base_loopbreak(loop->base);
}

uint64_t loop_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

/* Reads the pending signal away; 0: there was none. */
static unsigned int loop_take_signal(int fd)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info) ? info.ssi_signo : 0;
}

static void loop_dispatch(evutil_socket_t fd, short what, void *arg)
{
	struct loop_source *source = arg;
	enum loop_kind kind = source->kind;
	const char *name = source->name;
	unsigned int flags = 0;
	int rc;

	switch (kind) {
	case LOOP_KIND_FD:
		flags = (what & EV_READ ? LOOP_READ : 0) | (what & EV_WRITE ? LOOP_WRITE : 0);
		break;
	case LOOP_KIND_SIGNAL:
		flags = loop_take_signal(fd);
		if (!flags)
			return;
		break;
	case LOOP_KIND_TIMER:
	case LOOP_KIND_IDLE:
		break;
	}
	rc = source->cb(source->arg, flags);
	/* With 0 the source may be gone. */
	if (rc > 0 && kind == LOOP_KIND_IDLE)
		event_add(source->event, &loop_at_once);
	if (rc < 0) {
		log_error("loop", "source disabled name=%s error=\"%s\"", name, strerror(-rc));
		event_del(source->event);
	}
}

static struct loop_source *loop_source_new(struct loop *loop, const char *name, enum loop_kind kind,
					   enum loop_priority priority, loop_cb cb, void *arg)
{
	struct loop_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->loop = loop;
	source->name = name;
	source->kind = kind;
	source->priority = priority;
	source->fd = -1;
	source->cb = cb;
	source->arg = arg;
	return source;
}

/* (Re)makes the event; add: arms it, without a timeout. */
static int loop_source_bind(struct loop_source *source, int fd, short what, bool add)
{
	if (source->event)
		event_free(source->event);
	source->event = event_new(source->loop->base, fd, what, loop_dispatch, source);
	if (!source->event)
		return -ENOMEM;
	event_priority_set(source->event, (int)source->priority);
	if (add && event_add(source->event, NULL) < 0)
		return -EBADF;
	return 0;
}

/* Fails a half-made source. */
static struct loop_source *loop_source_fail(struct loop_source *source, int error)
{
	loop_source_free(source);
	errno = -error;
	return NULL;
}

int loop_fd_events(struct loop_source *source, unsigned int events)
{
	short what = EV_PERSIST;

	if (source->events == events)
		return 0;
	source->events = events;
	if (events & LOOP_READ)
		what |= EV_READ;
	if (events & LOOP_WRITE)
		what |= EV_WRITE;
	return loop_source_bind(source, source->fd, what, events != 0);
}

struct loop_source *loop_fd(struct loop *loop, const char *name, enum loop_priority priority,
			    int fd, unsigned int events, loop_cb cb, void *arg)
{
	struct loop_source *source = loop_source_new(loop, name, LOOP_KIND_FD, priority, cb, arg);
	int rc;

	if (!source)
		return NULL;
	source->fd = fd;
	rc = loop_fd_events(source, events);
	return rc < 0 ? loop_source_fail(source, rc) : source;
}

struct loop_source *loop_timer(struct loop *loop, const char *name, enum loop_priority priority,
			       loop_cb cb, void *arg)
{
	struct loop_source *source = loop_source_new(loop, name, LOOP_KIND_TIMER, priority, cb,
						     arg);
	int rc;

	if (!source)
		return NULL;
	rc = loop_source_bind(source, -1, 0, false);
	return rc < 0 ? loop_source_fail(source, rc) : source;
}

struct loop_source *loop_signal(struct loop *loop, const char *name, int signo, loop_cb cb,
				void *arg)
{
	struct loop_source *source;
	sigset_t set;
	int rc;

	source = loop_source_new(loop, name, LOOP_KIND_SIGNAL, LOOP_PRIO_SIGNAL, cb, arg);
	if (!source)
		return NULL;
	sigemptyset(&set);
	sigaddset(&set, signo);
	sigprocmask(SIG_BLOCK, &set, NULL);
	source->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (source->fd < 0)
		return loop_source_fail(source, -errno);
	rc = loop_source_bind(source, source->fd, EV_READ | EV_PERSIST, true);
	return rc < 0 ? loop_source_fail(source, rc) : source;
}

struct loop_source *loop_idle(struct loop *loop, const char *name, loop_cb cb, void *arg)
{
	struct loop_source *source;
	int rc;

	source = loop_source_new(loop, name, LOOP_KIND_IDLE, LOOP_PRIO_IDLE, cb, arg);
	if (!source)
		return NULL;
	rc = loop_source_bind(source, -1, 0, false);
	return rc < 0 ? loop_source_fail(source, rc) : source;
}

void loop_source_free(struct loop_source *source)
{
	if (!source)
		return;
	if (source->event)
		event_free(source->event);
	if (source->kind == LOOP_KIND_SIGNAL && source->fd >= 0)
		close(source->fd);
	free(source);
}

int loop_timer_set(struct loop_source *source, uint64_t ms)
{
	struct timeval tv = { .tv_sec = (time_t)(ms / 1000),
			      .tv_usec = (suseconds_t)(ms % 1000 * 1000) };

	return event_add(source->event, &tv) < 0 ? -ENOMEM : 0;
}

void loop_timer_stop(struct loop_source *source)
{
	event_del(source->event);
}

bool loop_timer_armed(const struct loop_source *source)
{
	return event_pending(source->event, EV_TIMEOUT, NULL);
}

int loop_idle_set(struct loop_source *source, bool on)
{
	if (!on)
		return event_del(source->event) < 0 ? -EINVAL : 0;
	if (event_pending(source->event, EV_TIMEOUT, NULL))
		return 0;
	return event_add(source->event, &loop_at_once) < 0 ? -ENOMEM : 0;
}
