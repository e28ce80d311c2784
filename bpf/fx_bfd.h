/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BFD between daemon and kernel half: sessions, indexes, events. Compiled for BPF and for
 * userspace.
 *
 * The split. The daemon runs the RFC 5880 state machine; the kernel half does what needs no
 * decision. For each session the daemon writes down the control packet that the peer sends while
 * nothing changes (`expect`) and the one that we send (`send`), 24 bytes each. A packet that equals
 * `expect` is the steady state: it refreshes `last_rx`, and when our own packet is due it is turned
 * round with `send` in it. Any other valid packet goes to the daemon as an event, which answers by
 * writing new words; in state Init or Up it refreshes `last_rx` too (RFC 5880 6.8.4 asks for any
 * valid packet), and if its state is still that of `expect`, our packet goes out on it too. So no
 * RFC state is decided in two places, and a starving daemon delays changes but no packet and no
 * detection.
 *
 * fx_bfd_sess[slot]: array, mmapable. The daemon writes the fields
 * of its part between two raises of `seq` (odd: being written; readers take the packet as
 * "changed"). A field whose value stays is not touched: checks read single fields at any time.
 *
 * `next_due` is claimed by compare-and-swap by whoever sends: reflector, daemon, tick. Nothing is
 * ever sent twice, and nothing before it is due. It is the earliest moment that jitter allows, so
 * that a peer at our own pace meets each of our packets due and none is left for the daemon. Who
 * sends without a packet of the peer waits longer: until tx_gaps.last_ns and a delay drawn anew by
 * fx_bfd_delay() with rx_gap 0; next_due has moved by then if another sent.
 */
#ifndef FX_BPF_FX_BFD_H
#define FX_BPF_FX_BFD_H

#include <linux/bpf.h>
#include <linux/types.h>

#define FX_BFD_ABI_VERSION  1

#define FX_BFD_MAX_SESSIONS 8192u /* slot 0 is never used */
#define FX_BFD_CONTROL_LEN  24u	  /* RFC 5880 4.1, without authentication */
#define FX_BFD_WORDS	    6u
#define FX_BFD_EVENTS_SIZE  (1u << 20) /* bytes of the ring: an expiry of every session at once */

#define FX_BFD_INET	    2u
#define FX_BFD_INET6	    10u

#define FX_BFD_PORT	    3784u /* RFC 5881 4 */
#define FX_BFD_PORT_ECHO    3785u
#define FX_BFD_PORT_MH	    4784u /* RFC 5883 5 */

/*
 * Rejects of received control packets, in the order of RFC 5880 6.8.6; the text is the JSON key.
 * What is rejected and comes from a session's peer to its address is dropped. Any other may be
 * somebody else's, or on its way to another router: it goes on as if it were no BFD.
 */
#define FX_BFD_REJECTS(FX_R)                                                                       \
	FX_R(TTL, "ttl")	       /* RFC 5881 5: not 255; RFC 5883 5: below the minimum */    \
	FX_R(SHORT, "too-short")       /* UDP or IP shorter than the packet's own length */        \
	FX_R(CHECKSUM, "bad-checksum") /* UDP */                                                   \
	FX_R(VERSION, "bad-version")                                                               \
	FX_R(LENGTH, "bad-length") /* below 24 (26 with the A bit), or beyond the payload */       \
	FX_R(MULTIPLIER, "zero-multiplier")                                                        \
	FX_R(MULTIPOINT, "multipoint")                                                             \
	FX_R(MY_DISC, "zero-my-discriminator")                                                     \
	FX_R(YOUR_DISC, "unknown-discriminator")                                                   \
	FX_R(NO_SESSION, "no-session") /* Your Discriminator 0 and no session by address */        \
	FX_R(STATE, "zero-discriminator-state") /* Your Discriminator 0 in Init or Up */           \
	FX_R(AUTH, "authentication")		/* the A bit, and we have no keys */               \
	FX_R(ADDRESS, "wrong-address")		/* the session's, but from elsewhere */            \
	FX_R(INTERFACE, "wrong-interface")                                                         \
	FX_R(ADMIN_DOWN, "admin-down") /* we are AdminDown: RFC 5880 6.8.6 discards it */

enum fx_bfd_reject {
	FX_BFD_REJ_NONE,
#define FX_R(name, text) FX_BFD_REJ_##name,
	FX_BFD_REJECTS(FX_R)
#undef FX_R
		FX_BFD_REJ_COUNT,
};

#define FX_BFD_REJ_SLOTS 16u

enum fx_bfd_sender {
	FX_BFD_BY_REFLECTOR,
	FX_BFD_BY_DAEMON,
	FX_BFD_BY_TICK,
	FX_BFD_BY_COUNT,
};

/* Gaps between two packets, in powers of two of 2^16 ns (65 us): bucket i holds [2^(16+i),
 * 2^(17+i)), the first also less, the last also more. */
#define FX_BFD_GAPS 20u

struct fx_bfd_gaps {
	__u64 last_ns; /* CLOCK_MONOTONIC of the last packet; 0: none since the session came up.
			* tx_gaps': written by whoever sends */
	__u64 max_ns;
	__u32 count[FX_BFD_GAPS];
};

#define FX_BFD_F_ACTIVE	 (1u << 0) /* the slot is a session */
#define FX_BFD_F_REFLECT (1u << 1) /* `send` may go out by whoever finds it due */
#define FX_BFD_F_DETECT                                                                            \
	(1u << 2) /* the detection timer runs: state Init or Up, or Up with echo                   \
		   */
#define FX_BFD_F_IPV6	    (1u << 3)
#define FX_BFD_F_MULTIHOP   (1u << 4)
#define FX_BFD_F_ECHO_RX    (1u << 5) /* the peer's echo packets are turned round */
#define FX_BFD_F_ADMIN_DOWN (1u << 6)

struct fx_bfd_sess {
	/* the daemon's part */
	__u32 seq;
	__u32 flags; /* FX_BFD_F_* */
	__u32 my_disc;
	__u32 ifindex;	/* single hop: where the peer is; 0: any (multihop) */
	__u8 local[16]; /* IPv4: the first 4 bytes */
	__u8 peer[16];
	__be32 expect[FX_BFD_WORDS]; /* the peer's steady packet, as on the wire */
	__be32 send[FX_BFD_WORDS];   /* our packet, as on the wire, P and F clear */
	__u64 tx_interval_ns;	     /* before jitter: max(our desired, peer's required) */
	__u32 jitter_min;	     /* of 1024: 768 (75 %) */
	__u32 jitter_span;	     /* of 1024: 256, with multiplier 1: 154 (RFC 5880 6.8.7) */
	__u64 detect_ns;	     /* detection time; 0: none */
	__u16 sport;		     /* our source port, host order */
	__u8 min_ttl;
	__u8 pad0[5];

	/* shared words: atomic access only */
	__u64 next_due; /* CLOCK_MONOTONIC ns; 0: nothing is due */
	__u64 last_rx;	/* of the last packet that counts for detection; set it before
			   FX_BFD_F_DETECT */
	__u64 expired;	/* when the kernel declared it down; 0: it did not. The daemon clears it.
			 * Otherwise nothing is reflected any more */
	__u64 echo_last_rx; /* of the last echo packet of ours that came back */

	/* the kernel's part; the daemon reads, and adds what it sends itself. Bytes: IP packets */
	__u64 rx_pkts, rx_bytes; /* valid control packets, steady or not */
	__u64 tx_pkts[FX_BFD_BY_COUNT], tx_bytes;
	__u64 echo_rx, echo_tx; /* our echo packets: come back, sent */
	__u64 echo_looped;	/* the peer's, turned round */
	__u64 rejects[FX_BFD_REJ_SLOTS];
	struct fx_bfd_gaps rx_gaps, tx_gaps;
	__u64 graced; /* the last_rx that was given a second chance: bfd_detect.h */
};

/*
 * From one packet of ours to the next, in ns: RFC 5880 6.8.7. What the peer's own pace leaves of
 * the jitter is drawn: with rx_gap between its packets a reflector may come that much later than it
 * wants to, and must not be late. rx_gap 0: the whole jitter, for who sends by a clock.
 */
static inline __u64 fx_bfd_delay(__u64 interval, __u32 jitter_min, __u32 jitter_span, __u64 rx_gap,
				 __u32 random)
{
	__u64 room = interval * jitter_span >> 10;

	room = room > rx_gap ? room - rx_gap : 0;
	return (interval * jitter_min >> 10) + (room * (random >> 16) >> 16);
}

/* fx_bfd_timers[slot]: array, the detection timers. Apart from the sessions, as Linux maps no array
 * with a timer into userspace (bpf_map_mmap() in kernel/bpf/syscall.c, 6.1 to 6.18). */
struct fx_bfd_timer {
	struct bpf_timer timer;
};

/* What the detection timer is told: argument of the program fx_bfd_timer, run by
 * bpf_prog_test_run_opts() with ctx_in alone. */
enum fx_bfd_timer_op {
	FX_BFD_TIMER_ARM, /* from last_rx and detect_ns; again after either got smaller */
	FX_BFD_TIMER_CANCEL,
};

struct fx_bfd_timer_cmd {
	__u32 slot;
	__u32 op;
};

/*
 * fx_bfd_by_disc: hash, our discriminator (host order) -> slot; an old one may lead there too.
 * fx_bfd_by_addr: hash, for Your Discriminator 0, and for the peer's echo packets -> slot.
 * A slot's entries are removed before it becomes another session's, and made after that is written.
 */
enum fx_bfd_kind {
	FX_BFD_SINGLE_HOP,
	FX_BFD_MULTI_HOP,
	FX_BFD_ECHO, /* a session with FX_BFD_F_ECHO_RX is entered once more, with local zero */
};

struct fx_bfd_addr_key {
	__u32 ifindex; /* 0 for multihop */
	__u16 family;  /* FX_BFD_INET* */
	__u16 kind;    /* enum fx_bfd_kind */
	__u8 peer[16];
	__u8 local[16]; /* zero: any local address (a session without one) */
};

/*
 * Our own echo packets, UDP payload: by offset, network order. Those that come back with this
 * discriminator on the session's interface and TTL 254 or 255 refresh echo_last_rx.
 *
 * The first two bytes are version and length as in FRR's own: bfdd 10.7 sends back nothing else.
 * bfdd answers over IPv6 only, to a packet from the echo port to its address with hop limit 255.
 * Over IPv4 it leaves echo packets to its kernel's forwarding: source and destination address are
 * ours, the MAC address is the peer's, as bfdd itself sends them (8.4 to 10.7).
 */
#define FX_BFD_ECHO_LEN	     24u
#define FX_BFD_ECHO_AT_MAGIC 0u		 /* u32 */
#define FX_BFD_ECHO_AT_DISC  4u		 /* u32, my_disc */
#define FX_BFD_ECHO_AT_TIME  8u		 /* u64, the sender's own; the rest is zero */
#define FX_BFD_ECHO_MAGIC    0x01184658u /* version 1, 24 bytes, "FX" */

/* fx_bfd_events: ring buffer. */
enum fx_bfd_event_type {
	FX_BFD_EV_PACKET,  /* a valid packet that is not the steady one */
	FX_BFD_EV_EXPIRED, /* the detection time ran out: Down in the kernel already */
};

struct fx_bfd_event {
	__u32 type;
	__u32 slot;
	__u32 my_disc;
	__u32 ifindex;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u8 packet[FX_BFD_CONTROL_LEN];
	__u8 peer[16]; /* where the packet came from, and to */
	__u8 local[16];
	__u8 ttl;
	__u8 pad[7];
};

/* fx_bfd_meta: one entry, mmapable. */
struct fx_bfd_meta {
	__u32 abi;
	__u32 pad;
	__u64 heartbeat_ns; /* the daemon was there, CLOCK_MONOTONIC */
	__u64 dead_man_ns;  /* without a heartbeat for so long nothing is reflected any more */
	__u64 lost_events;  /* the ring buffer was full */
	__u64 rejects[FX_BFD_REJ_SLOTS]; /* of packets that belong to no session */
	__u64 netns;			 /* the network namespace of the daemon: SO_NETNS_COOKIE */
};

_Static_assert(FX_BFD_REJ_COUNT <= FX_BFD_REJ_SLOTS, "rejects outgrow their slots");
_Static_assert(sizeof(struct fx_bfd_gaps) == 96, "fx_bfd_gaps");
_Static_assert(sizeof(struct fx_bfd_addr_key) == 40, "fx_bfd_addr_key");
_Static_assert(sizeof(struct fx_bfd_event) == 88, "fx_bfd_event");
_Static_assert(sizeof(struct fx_bfd_timer) == 16, "fx_bfd_timer");
_Static_assert(sizeof(struct fx_bfd_timer_cmd) == 8, "fx_bfd_timer_cmd");
_Static_assert(sizeof(struct fx_bfd_sess) % 8 == 0, "fx_bfd_sess");

#endif
