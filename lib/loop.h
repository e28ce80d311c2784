/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event loop: a thin cover over libevent. Edge.
 *
 * A source has a name (for the log), a priority and one callback. Of the sources that are ready
 * only those of the best priority run before the loop looks again, so a burst on one never delays a
 * better one by more than one callback. One thread.
 */
#ifndef FX_LIB_LOOP_H
#define FX_LIB_LOOP_H

#include <stdbool.h>
#include <stdint.h>

enum loop_priority {
	LOOP_PRIO_SIGNAL, /* signals, and timers that keep others honest */
	LOOP_PRIO_INPUT,  /* streams that must be drained: FPM, netlink */
	LOOP_PRIO_NORMAL, /* all else: control clients, housekeeping */
	LOOP_PRIO_IDLE,	  /* deferred work; loop_idle() has this one always */
	LOOP_PRIO_COUNT,
};

#define LOOP_READ  (1u << 0)
#define LOOP_WRITE (1u << 1)

struct loop;
struct loop_source;

/*
 * what: LOOP_READ and LOOP_WRITE for a descriptor, the signal's number for a signal, else 0.
 * A negative errno disables the source and is logged. A callback may free its own source; it must
 * then return 0.
 */
typedef int (*loop_cb)(void *arg, unsigned int what);

struct loop *loop_new(void);	   /* NULL: no memory or no descriptor, errno set */
void loop_free(struct loop *loop); /* NULL ok; sources must be freed before */
int loop_run(
	struct loop *loop); /* until loop_exit(): its status; negative errno if the loop fails */
void loop_exit(struct loop *loop, int status);
uint64_t loop_now_ms(void); /* CLOCK_MONOTONIC */

/* All four return NULL with errno set on failure. name must outlive the source. */
struct loop_source *loop_fd(struct loop *loop, const char *name, enum loop_priority priority,
			    int fd, unsigned int events, loop_cb cb, void *arg);
/* Made stopped; loop_timer_set() arms it once. */
struct loop_source *loop_timer(struct loop *loop, const char *name, enum loop_priority priority,
			       loop_cb cb, void *arg);
/* Blocks the signal's default action: it is read as a descriptor, no handler runs. */
struct loop_source *loop_signal(struct loop *loop, const char *name, int signo, loop_cb cb,
				void *arg);
/* Deferred work: made stopped; runs once nothing else is ready. A callback that returns more than 0
 * runs again (after another look at all other sources). */
struct loop_source *loop_idle(struct loop *loop, const char *name, loop_cb cb, void *arg);

void loop_source_free(struct loop_source *source); /* NULL ok; a descriptor stays open */

int loop_fd_events(struct loop_source *source, unsigned int events); /* 0: none. 0 or -errno */
int loop_timer_set(struct loop_source *source, uint64_t ms); /* from now, replaces; 0 or -errno */
void loop_timer_stop(struct loop_source *source);
bool loop_timer_armed(const struct loop_source *source);
int loop_idle_set(struct loop_source *source, bool on);

#endif
