/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon is told through the ring buffer. */
#ifndef FX_BPF_BFD_EVENT_H
#define FX_BPF_BFD_EVENT_H

#define FX_MAPS_BFD
#include "bpf/bfd_parse.h"
#include "bpf/fx_maps.h"

static FX_INLINE struct fx_bfd_meta *bfd_meta(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&fx_bfd_meta, &zero);
}

/* A zeroed event, to be submitted; NULL, and counted as lost, while the ring is full. */
static FX_INLINE struct fx_bfd_event *bfd_event_new(__u32 type, __u32 slot,
						    const struct fx_bfd_sess *s, __u64 now)
{
	struct fx_bfd_event *ev = bpf_ringbuf_reserve(&fx_bfd_events, sizeof(*ev), 0);
	struct fx_bfd_meta *meta;

	if (!ev) {
		meta = bfd_meta();
		if (meta)
			__sync_fetch_and_add(&meta->lost_events, 1);
		return 0;
	}
	__builtin_memset(ev, 0, sizeof(*ev));
	ev->type = type;
	ev->slot = slot;
	ev->my_disc = BFD_READ(s->my_disc);
	ev->time_ns = now;
	return ev;
}

/* A valid packet that is not the steady one. 0, or negative when the ring was full. */
static FX_INLINE int bfd_event_packet(__u32 slot, const struct fx_bfd_sess *s,
				      const struct bfd_pkt *pkt, const __u8 *control, __u64 now)
{
	struct fx_bfd_event *ev = bfd_event_new(FX_BFD_EV_PACKET, slot, s, now);

	if (!ev)
		return -1;
	ev->ifindex = pkt->ifindex;
	ev->ttl = (__u8)pkt->ttl;
	__builtin_memcpy(ev->packet, control, FX_BFD_CONTROL_LEN);
	__builtin_memcpy(ev->peer, pkt->peer, 16);
	__builtin_memcpy(ev->local, pkt->local, 16);
	bpf_ringbuf_submit(ev, 0);
	return 0;
}

static FX_INLINE void bfd_event_expired(__u32 slot, const struct fx_bfd_sess *s, __u64 now)
{
	struct fx_bfd_event *ev = bfd_event_new(FX_BFD_EV_EXPIRED, slot, s, now);

	if (ev)
		bpf_ringbuf_submit(ev, 0);
}

#endif
