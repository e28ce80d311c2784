/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/bfd_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "lib/loop.h"

struct bfd_events {
	struct ring_buffer *ring;
	struct loop_source *source;
	void (*event)(void *arg, const struct fx_bfd_event *event);
	void *arg;
};

static int bfd_events_one(void *arg, void *data, size_t size)
{
	struct bfd_events *events = arg;
	struct fx_bfd_event event;

	if (size >= sizeof(event)) {
		memcpy(&event, data, sizeof(event));
		events->event(events->arg, &event);
	}
	return 0;
}

static int bfd_events_ready(void *arg, unsigned int what)
{
	struct bfd_events *events = arg;
	int n = ring_buffer__consume(events->ring);

	return n < 0 ? n : 0;
}

struct bfd_events *bfd_events_new(struct loop *loop, int fd,
				  void (*event)(void *arg, const struct fx_bfd_event *event),
				  void *arg)
{
	struct bfd_events *events = calloc(1, sizeof(*events));
	int err;

	if (!events)
		return NULL;
	events->event = event;
	events->arg = arg;
	events->ring = ring_buffer__new(fd, bfd_events_one, events, NULL);
	if (events->ring)
		events->source = loop_fd(loop, "events", LOOP_PRIO_SIGNAL,
					 ring_buffer__epoll_fd(events->ring), LOOP_READ,
					 bfd_events_ready, events);
	if (!events->source) {
		err = errno;
		bfd_events_free(events);
		errno = err;
		return NULL;
	}
	return events;
}

void bfd_events_free(struct bfd_events *events)
{
	if (!events)
		return;
	loop_source_free(events->source);
	ring_buffer__free(events->ring);
	free(events);
}
