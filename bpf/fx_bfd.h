/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BFD between daemon and kernel half: sessions, indexes, events. Compiled for BPF and for userspace.
 *
 * The split. The daemon runs the RFC 5880 state machine; the kernel half does what needs no
 * decision. For each session the daemon writes down the control packet that the peer sends while
 * nothing changes (`expect`) and the one that we send (`send`), 24 bytes each. A packet that equals
 * `expect` is the steady state: it refreshes `last_rx`, and when our own packet is due it is turned
 * round with `send` in it. Any other valid packet goes to the daemon as an event, which answers by
 * writing new words. So no RFC state is decided in two places, and a starving daemon delays changes
 * but no packet and no detection.
 *
 * fx_bfd_sess[slot]: array, mmapable, with a bpf_timer for detection. The daemon writes the fields of
 * its part between two raises of `seq` (odd: being written; readers take the packet as "changed").
 * `next_due` is claimed by compare-and-swap by whoever sends: reflector, daemon, tick. Nothing is
 * ever sent twice, and nothing before it is due.
 */
#ifndef FX_BPF_FX_BFD_H
#define FX_BPF_FX_BFD_H

#include <linux/types.h>

#define FX_BFD_ABI_VERSION 1

#define FX_BFD_MAX_SESSIONS 8192u /* slot 0 is never used */
#define FX_BFD_CONTROL_LEN  24u	  /* RFC 5880 4.1, without authentication */
#define FX_BFD_WORDS	    6u

#define FX_BFD_PORT	 3784u /* RFC 5881 4 */
#define FX_BFD_PORT_ECHO 3785u
#define FX_BFD_PORT_MH	 4784u /* RFC 5883 5 */

/* Rejects of received control packets, in the order of RFC 5880 6.8.6; the text is the JSON key. */
#define FX_BFD_REJECTS(FX_R)                                                                        \
	FX_R(TTL, "ttl")		     /* RFC 5881 5: not 255; RFC 5883 5: below the minimum */ \
	FX_R(SHORT, "too-short")	     /* UDP or IP shorter than the packet's own length */   \
	FX_R(CHECKSUM, "bad-checksum")	     /* UDP */                                              \
	FX_R(VERSION, "bad-version")                                                                \
	FX_R(LENGTH, "bad-length")	     /* below 24 (26 with the A bit), or beyond the payload */ \
	FX_R(MULTIPLIER, "zero-multiplier")                                                         \
	FX_R(MULTIPOINT, "multipoint")                                                              \
	FX_R(MY_DISC, "zero-my-discriminator")                                                      \
	FX_R(YOUR_DISC, "unknown-discriminator")                                                    \
	FX_R(NO_SESSION, "no-session")	     /* Your Discriminator 0 and no session by address */   \
	FX_R(STATE, "zero-discriminator-state") /* Your Discriminator 0 in Init or Up */            \
	FX_R(AUTH, "authentication")	     /* the A bit, and we have no keys */                   \
	FX_R(ADDRESS, "wrong-address")	     /* the session's, but from elsewhere */                \
	FX_R(INTERFACE, "wrong-interface")                                                          \
	FX_R(ADMIN_DOWN, "admin-down")	     /* we are AdminDown: RFC 5880 6.8.6 discards it */

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

/* Gaps between two packets, in powers of two of 2^16 ns (65 us): bucket i holds [2^(16+i), 2^(17+i)),
 * the first also less, the last also more. */
#define FX_BFD_GAPS 20u

struct fx_bfd_gaps {
	__u64 last_ns; /* CLOCK_MONOTONIC of the last packet; 0: none since the session came up */
	__u64 max_ns;
	__u32 count[FX_BFD_GAPS];
};

#define FX_BFD_F_ACTIVE	  (1u << 0) /* the slot is a session */
#define FX_BFD_F_REFLECT  (1u << 1) /* `send` may go out by whoever finds it due */
#define FX_BFD_F_DETECT	  (1u << 2) /* the detection timer runs: state Init or Up, or Up with echo */
#define FX_BFD_F_IPV6	  (1u << 3)
#define FX_BFD_F_MULTIHOP (1u << 4)
#define FX_BFD_F_ECHO_RX  (1u << 5) /* the peer's echo packets are turned round */
#define FX_BFD_F_ADMIN_DOWN (1u << 6)

struct fx_bfd_sess {
	/* the daemon's part */
	__u32 seq;
	__u32 flags; /* FX_BFD_F_* */
	__u32 my_disc;
	__u32 ifindex; /* single hop: where the peer is; 0: any (multihop) */
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
	__u64 next_due;	  /* CLOCK_MONOTONIC ns; 0: nothing is due */
	__u64 last_rx;	  /* of the last packet that counts for detection */
	__u64 expired;	  /* when the kernel declared it down; 0: it did not. The daemon clears it */

	/* the kernel's part; the daemon reads */
	__u64 rx_pkts, rx_bytes;
	__u64 tx_pkts[FX_BFD_BY_COUNT], tx_bytes;
	__u64 echo_rx, echo_tx;
	__u64 rejects[FX_BFD_REJ_SLOTS];
	struct fx_bfd_gaps rx_gaps, tx_gaps;
	__u64 timer[2]; /* struct bpf_timer: opaque */
};

/* fx_bfd_by_disc: hash, our discriminator (host order) -> slot.
 * fx_bfd_by_addr: hash, for Your Discriminator 0 -> slot. */
struct fx_bfd_addr_key {
	__u32 ifindex; /* 0 for multihop */
	__u16 family;  /* 2 or 10 */
	__u16 multihop;
	__u8 peer[16];
	__u8 local[16]; /* zero: any local address (a session without one) */
};

/* fx_bfd_events: ring buffer. */
enum fx_bfd_event_type {
	FX_BFD_EV_PACKET, /* a valid packet that is not the steady one */
	FX_BFD_EV_EXPIRED, /* the detection time ran out: Down in the kernel already */
};

struct fx_bfd_event {
	__u32 type;
	__u32 slot;
	__u32 my_disc;
	__u32 ifindex;
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u8 packet[FX_BFD_CONTROL_LEN];
	__u8 peer[16];	/* where the packet came from, and to */
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
};

_Static_assert(FX_BFD_REJ_COUNT <= FX_BFD_REJ_SLOTS, "rejects outgrow their slots");
_Static_assert(sizeof(struct fx_bfd_gaps) == 96, "fx_bfd_gaps");
_Static_assert(sizeof(struct fx_bfd_addr_key) == 40, "fx_bfd_addr_key");
_Static_assert(sizeof(struct fx_bfd_event) == 88, "fx_bfd_event");
_Static_assert(sizeof(struct fx_bfd_sess) % 8 == 0, "fx_bfd_sess");

#endif
