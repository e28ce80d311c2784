/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One BFD session: configuration, the state variables of RFC 5880 6.8.1, and what happens to them.
 * Pure: the time (CLOCK_MONOTONIC, ns) and randomness come as arguments, and what is to be done is
 * the result, a set of BFD_DO_*.
 *
 * The kernel half sends and receives as well while nothing changes (bpf/fx_bfd.h). Whoever runs
 * with it tells the session what it did by bfd_session_seen(), before bfd_session_timer().
 */
#ifndef FX_BFDDP_BFD_SESSION_H
#define FX_BFDDP_BFD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "bfddp-xdp/bfd_fsm.h"
#include "bfddp-xdp/bfddp_codec.h"
#include "bpf/bfd_wire.h"
#include "bpf/fx_bfd.h"

#define BFD_NEVER     UINT64_MAX
#define BFD_HISTORY   8

/* What the caller is to do now, in this order. */
#define BFD_DO_KERNEL (1u << 0) /* write bfd_session_kernel() to the map, next_due too */
#define BFD_DO_SEND   (1u << 1) /* send bfd_session_take() */
#define BFD_DO_ECHO   (1u << 2) /* send an echo packet */
#define BFD_DO_NOTIFY (1u << 3) /* tell bfdd: bfd_session_report() */
#define BFD_DO_LOG    (1u << 4) /* the state has changed: history[0], and maybe [1] */

struct bfd_change {
	uint64_t time_ns;
	uint8_t from, to; /* enum bfd_state */
	uint8_t event;	  /* enum bfd_event */
	uint8_t local_diag, remote_diag;
};

struct bfd_session {
	/* as bfdd has it */
	struct dp_session conf;

	/* where the session really runs: conf's, or what the route said (bfd_session_place()) */
	struct fx_addr local;
	uint32_t ifindex; /* 0: none yet, or multihop */
	bool kernel;	  /* set by the caller: the kernel half reflects and detects for us here */
	bool clock;	  /* the daemon had to send the last packet, the peer's came too late */
	bool no_echo;	  /* set by the caller: echo packets of ours could not come back */
	bool path_down;	  /* no such interface, link down, or no route: nothing is sent */

	/* RFC 5880 6.8.1; read by all, written by bfd_session.c */
	uint8_t state, remote_state, local_diag, remote_diag;
	uint8_t remote_bits; /* CPI and demand, as last received */
	uint8_t remote_mult; /* 0: nothing received */
	uint32_t local_disc, remote_disc;
	uint32_t old_disc; /* the one before a restart of bfdd, while the peer may still use it; or
			      0 */
	uint32_t min_tx_us, min_rx_us, min_echo_rx_us; /* advertised */
	uint32_t used_tx_us, used_rx_us; /* in effect: they differ from advertised during a poll */
	uint32_t remote_min_tx_us, remote_min_rx_us, remote_min_echo_rx_us;
	bool polling;	 /* P goes out until F comes */
	bool poll_again; /* values changed during the poll */
	bool final;	 /* the next packet answers a P */

	/* times in ns; 0: never yet */
	uint64_t last_rx_ns, last_tx_ns;
	uint64_t next_tx_ns;	/* the periodic packet; in the map: next_due */
	uint64_t soon_ns;	/* a packet out of turn (F, news) is to go then; 0: none */
	uint64_t soon_limit_ns; /* see send_soon() */
	uint64_t last_echo_rx_ns, next_echo_ns;
	uint64_t up_since_ns, down_since_ns;

	uint32_t flaps; /* left Up */
	uint32_t nchanges;
	struct bfd_change history[BFD_HISTORY]; /* the newest first */

	struct dp_state told;		  /* what bfdd believes */
	uint8_t said[FX_BFD_CONTROL_LEN]; /* our last packet, without P and F */
};

/*
 * Whether a session can be made of it, or changed to it: 0, or -EINVAL for a discriminator of 0, a
 * multiplier of 0, a peer that is no unicast address. *ret_why is a constant text then.
 */
int bfd_session_check(const struct dp_session *conf, const char **ret_why);

/* A new session: Down, or AdminDown with DP_F_SHUTDOWN. conf has passed bfd_session_check().
 * Nothing is sent before bfd_session_path() says that there is a way. */
uint32_t bfd_session_init(struct bfd_session *s, const struct dp_session *conf, uint64_t now_ns,
			  uint32_t random);

/* An ADD for a session that is there. 0 if nothing changes by it. A new lid (bfdd has restarted)
 * becomes our discriminator without a change of state. */
uint32_t bfd_session_configure(struct bfd_session *s, const struct dp_session *conf,
			       uint64_t now_ns, uint32_t random);

/* bfdd knows nothing of the session any more: it believes it Down, and is to be told if it is not.
 */
uint32_t bfd_session_untold(struct bfd_session *s);

/* A packet that passed bfd_wire_check() and the choice of this session, the TTL, the addresses.
 * *ret_reject: FX_BFD_REJ_ADMIN_DOWN or _INTERFACE (there is no path at the moment) if it was
 * discarded, else FX_BFD_REJ_NONE. */
uint32_t bfd_session_rx(struct bfd_session *s, const struct bfd_packet *packet, uint64_t now_ns,
			uint32_t random, enum fx_bfd_reject *ret_reject);

/* One of our echo packets came back. */
void bfd_session_echo_rx(struct bfd_session *s, uint64_t now_ns);

/* FX_BFD_EV_EXPIRED: the kernel half has declared it down at time_ns. */
uint32_t bfd_session_expired(struct bfd_session *s, uint64_t time_ns, uint32_t random);

/* What the kernel half noted: the last packet that counts for detection, the last that was sent by
 * whom ever (fx_bfd_sess.last_rx, tx_gaps.last_ns). Times before what is known change nothing. */
void bfd_session_seen(struct bfd_session *s, uint64_t last_rx_ns, uint64_t last_tx_ns,
		      uint32_t random);

/* The periodic packet is not due before time_ns: somebody has claimed the time until then. */
void bfd_session_later(struct bfd_session *s, uint64_t time_ns);

/* To be called at bfd_session_deadline(), or at any time. */
uint32_t bfd_session_timer(struct bfd_session *s, uint64_t now_ns, uint32_t random);
/* When bfd_session_timer() has something to do; BFD_NEVER: nothing. */
uint64_t bfd_session_deadline(const struct bfd_session *s);

/* The link or the route: lost, or there (again). Down at once, with diagnostic Path Down. */
uint32_t bfd_session_path(struct bfd_session *s, bool down, uint64_t now_ns, uint32_t random);
/* Where it runs: for a session without local address or interface, and when an interface is
 * re-created with another index. local zero: not known. */
uint32_t bfd_session_place(struct bfd_session *s, const struct fx_addr *local, uint32_t ifindex);
/* Any event from outside: BFD_EV_DISABLE, BFD_EV_RESET, ... */
uint32_t bfd_session_event(struct bfd_session *s, enum bfd_event event, uint64_t now_ns,
			   uint32_t random);

/* Takes out the packet that is to be sent now and notes it as sent: 24 bytes. F goes before P, and
 * never both: RFC 5880 6.8.7. */
void bfd_session_take(struct bfd_session *s, uint64_t now_ns, uint32_t random,
		      uint8_t ret[FX_BFD_CONTROL_LEN]);

/* Our packet as it stands, without P and F. */
void bfd_session_content(const struct bfd_session *s, uint8_t ret[FX_BFD_CONTROL_LEN]);

/* Fills the daemon's part of a map entry, without seq and sport, and of the shared words next_due
 * and last_rx (to be written only if later than the map's). */
void bfd_session_kernel(const struct bfd_session *s, struct fx_bfd_sess *ret);

/* What bfdd is to be told; report() notes it as told. */
void bfd_session_describe(const struct bfd_session *s, struct dp_state *ret);
void bfd_session_report(struct bfd_session *s, struct dp_state *ret);

/*
 * Takes over what a predecessor left in the map. conf is made of it, as far as the map has it, for
 * adoption by the next ADD. true: the session was Up and still is. false: *s is untouched.
 */
bool bfd_session_restore(struct bfd_session *s, const struct fx_bfd_sess *entry, uint64_t now_ns);

static inline bool bfd_session_has(const struct bfd_session *s, uint32_t dp_flag)
{
	return s->conf.flags & dp_flag;
}

/* bfd_session_pace.c; in ns, 0: none, see bfd_timing.h. */
uint64_t bfd_session_tx_ns(const struct bfd_session *s);
uint64_t bfd_session_detect_ns(const struct bfd_session *s);
uint64_t bfd_session_echo_ns(const struct bfd_session *s); /* 0 also unless Up and wanted */
bool bfd_session_reflects(const struct bfd_session *s);	   /* the kernel half may send `send` */
bool bfd_session_may_send(const struct bfd_session *s);	   /* at all */
uint64_t bfd_session_wait_ns(const struct bfd_session *s, uint32_t random);

#endif
