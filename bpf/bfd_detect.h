/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The detection time (RFC 5880 6.8.4), one timer per session. The timer does not follow each
 * packet: when it fires it looks at last_rx and goes to sleep for the rest. Once last_rx is too old
 * the session is declared down here, whether the daemon runs or not: nothing is reflected from then
 * on.
 */
#ifndef FX_BPF_BFD_DETECT_H
#define FX_BPF_BFD_DETECT_H

#include <linux/errno.h>
#include <linux/time.h>

#include "bpf/bfd_event.h"

/* How late a timer may be, and how much longer a session then waits: a sixteenth of its time. */
#define BFD_GRACE_SHIFT 4

/*
 * A timer that comes late says that this machine stood still, and the peer's packets may be waiting
 * in a queue: once per last_rx they get a little time to come out. Detection stays within 1.13
 * times the detection time.
 */
static FX_INLINE int bfd_detect_grace(struct fx_bfd_sess *s, __u64 last, __s64 late, __s64 detect)
{
	if (late <= detect >> BFD_GRACE_SHIFT || BFD_READ(s->graced) == last)
		return 0;
	BFD_WRITE(s->graced, last);
	return 1;
}

/* last_rx is read before the clock, so that it is never in the future; another CPU's may be. */
static int bfd_detect_fire(void *map, __u32 *slot, struct fx_bfd_timer *t)
{
	struct fx_bfd_sess *s = bpf_map_lookup_elem(&fx_bfd_sess, slot);
	__u64 last, now;
	__s64 detect, late;

	if (!s)
		return 0;
	last = BFD_READ(s->last_rx);
	now = bpf_ktime_get_ns();
	detect = (__s64)BFD_READ(s->detect_ns);
	late = (__s64)(now - last) - detect;
	if (!(BFD_READ(s->flags) & FX_BFD_F_DETECT) || !detect)
		return 0;
	if (late < 0)
		bpf_timer_start(&t->timer, (__u64)-late, 0);
	else if (bfd_detect_grace(s, last, late, detect))
		bpf_timer_start(&t->timer, (__u64)detect >> BFD_GRACE_SHIFT, 0);
	else if (!__sync_val_compare_and_swap(&s->expired, 0, now))
		bfd_event_expired(*slot, s, now);
	return 0;
}

static FX_INLINE int bfd_detect_arm(const struct fx_bfd_sess *s, struct bpf_timer *timer)
{
	__s64 rest = (__s64)(BFD_READ(s->last_rx) + BFD_READ(s->detect_ns) - bpf_ktime_get_ns());
	long err = bpf_timer_init(timer, &fx_bfd_timers, CLOCK_MONOTONIC);

	if (err && err != -EBUSY) /* busy: initialised before */
		return (int)err;
	err = bpf_timer_set_callback(timer, bfd_detect_fire);
	if (err)
		return (int)err;
	return (int)bpf_timer_start(timer, rest > 0 ? (__u64)rest : 0, 0);
}

/* The daemon's order; 0 or negative errno. A timer that never was is cancelled well. */
static FX_INLINE int bfd_detect(const struct fx_bfd_timer_cmd *cmd)
{
	__u32 slot = cmd->slot;
	const struct fx_bfd_sess *s = bpf_map_lookup_elem(&fx_bfd_sess, &slot);
	struct fx_bfd_timer *t = bpf_map_lookup_elem(&fx_bfd_timers, &slot);
	long err;

	if (!s || !t)
		return -ENOENT;
	switch (cmd->op) {
	case FX_BFD_TIMER_ARM:
		return bfd_detect_arm(s, &t->timer);
	case FX_BFD_TIMER_CANCEL:
		err = bpf_timer_cancel(&t->timer);
		return err < 0 && err != -EINVAL ? (int)err : 0;
	}
	return -EINVAL;
}

#endif
