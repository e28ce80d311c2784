/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon: one struct that owns all, and the sequences between its parts. The parts of `main` in
 * the sense of doc/architecture.md: the edge modules (dp_conn, session_map, bfd_sock, bfd_events,
 * net_view, bfd_programs) know nothing of each other, their results come here and are taken on.
 *
 *	bfdxd.c		construction, clocks, adoption of a predecessor's sessions
 *	bfdxd_dp.c	how many connections to bfdd there are, and when it is told what
 *	bfdxd_msg.c	bfdd's messages
 *	bfdxd_session.c	what a session wants done; packets in and out
 *	bfdxd_path.c	links, addresses, routes: where a session runs, and whether it can
 *	bfdxd_iface.c	where the kernel half is attached
 *	bfdxd_show.c	requests of the control socket
 */
#ifndef FX_BFDDP_BFDXD_H
#define FX_BFDDP_BFDXD_H

#include <stdbool.h>
#include <stdint.h>

#include "bfddp-xdp/bfd_events.h"
#include "bfddp-xdp/bfd_programs.h"
#include "bfddp-xdp/bfd_sock.h"
#include "bfddp-xdp/bfd_table.h"
#include "bfddp-xdp/deadline.h"
#include "bfddp-xdp/dp_conn.h"
#include "bfddp-xdp/net_view.h"
#include "bfddp-xdp/session_map.h"
#include "lib/conf.h"
#include "lib/daemon.h"
#include "lib/log.h"
#include "lib/xdp_attach.h"

struct ctl;
struct loop;
struct loop_source;

#define BFDXD_NS_PER_S	1000000000ull
#define BFDXD_NS_PER_MS 1000000ull

/* What the command line says; stands for as long as the process does. */
struct bfdxd_options {
	const char *pathspace; /* NULL: none */
	const char *conf_path;
	bool conf_named; /* by -f: it must exist */
	struct dp_addr dplane;
	uint32_t grace_s, dead_man_s;
	uint32_t max_sessions;
	bool no_xdp;
};

/* An interface on which sessions are, or were of late. */
struct bfdxd_iface {
	uint32_t ifindex;
	uint32_t sessions;
	uint64_t idle_ms; /* without sessions since then */
	bool attached;
	char why[XDP_WHY_SIZE]; /* not attached */
};

/* What the daemon knows of a session beyond the session itself; by slot. */
struct bfdxd_slot {
	uint32_t ifindex;     /* of its interface in d->ifaces; 0: none */
	const char *path_why; /* path down: a constant text; NULL: it is up */
	uint64_t claimed_ns;  /* until then, as found when a packet was overdue */
	uint8_t mac[6];	      /* the peer's, for IPv4 echo packets */
	bool asks;	      /* the kernel's routes, for its address or interface */
	uint32_t again_s;     /* what bfdd was told is said again after so many seconds, */
	uint64_t again_ms;    /* which is then */
};

/* FRR 8.4 to 10.7 put no more ADDs than their output buffer of 8192 bytes holds on a new
 * connection, and forget the rest: each further connection is offered what is left. */
#define BFDXD_BURST	58u
#define BFDXD_CONNS_MAX (FX_BFD_MAX_SESSIONS / BFDXD_BURST + 2)

struct bfdxd_conn {
	struct dp_conn *conn;
	uint32_t adds;	     /* since it came up */
	uint32_t burst;	     /* of them, one soon after the other, since it was settled */
	bool old;	     /* to be closed as soon as newer ones are up */
	uint64_t replied_ms; /* to our last ECHO_REQUEST */
	bool silent;	     /* told */
};

enum bfdxd_phase {
	BFDXD_APART,  /* no connection */
	BFDXD_GATHER, /* sessions come; more connections as long as there may be more of them */
	BFDXD_SPREAD, /* connections are opened that the sessions are to move to */
	BFDXD_MOVE,   /* the old ones are closed, the sessions come again */
	BFDXD_JOIN,   /* one after the other is closed, its sessions go to the first */
	BFDXD_STEADY,
};

struct bfdxd_peer {
	enum bfdxd_phase phase;
	struct bfdxd_conn conns[BFDXD_CONNS_MAX]; /* the oldest first, as bfdd has them */
	uint32_t nconns;
	uint32_t joining; /* sessions that have not come to another connection yet */
	uint32_t last_id;
	bool moved;	     /* since bfdd came */
	bool nameless;	     /* an ADD named no interface */
	bool nameless_local; /* ... of a link-local peer, which needs one */
	struct dp_listen *listen;
	struct loop_source *retry, *settle;
	uint64_t connections, messages[DP_MSG_OTHER + 1], refused;
	struct log_limit limit;
};

struct bfdxd {
	const struct bfdxd_options *options;
	struct conf conf;
	struct loop *loop;
	struct bfd_programs *programs;
	struct bfd_maps *maps; /* programs' */
	struct session_map *map;
	struct bfd_table *table;
	struct deadline *deadlines;
	struct bfd_sock *sock;
	struct bfd_events *events;
	struct net_view *net;
	struct ctl *ctl;
	struct bfdxd_peer peer;
	struct bfdxd_slot slots[FX_BFD_MAX_SESSIONS];
	struct bfdxd_iface *ifaces;
	uint32_t nifaces;

	char bpf_dir[DAEMON_PATH_SIZE];
	int pid_fd;
	int timer_fd;
	uint64_t veth_ms;  /* their other ends are looked at again then */
	uint64_t armed_ns; /* the timer's time; BFD_NEVER: not armed */
	uint64_t random;
	uint64_t start_ms;
	bool detached;
	bool watches_routes;

	struct loop_source *due;	  /* the timer's */
	struct loop_source *second_timer; /* heartbeats, orphans */
	struct loop_source *path_timer;	  /* routes or addresses have changed */
	struct loop_source *signals[2];
	struct log_limit send_limit, add_limit, kernel_limit;
	uint64_t send_errors;
};

/* bfdxd.c */
int bfdxd_init(struct bfdxd *d,
	       const struct bfdxd_options *options); /* 0 or negative errno: told */
int bfdxd_run(struct bfdxd *d);
void bfdxd_done(struct bfdxd *d);
void bfdxd_detach(struct bfdxd *d); /* nothing of ours stays in the kernel; the end */
uint64_t bfdxd_now(void);	    /* CLOCK_MONOTONIC, ns */
uint32_t bfdxd_random(struct bfdxd *d);
void bfdxd_arm(struct bfdxd *d); /* the timer, for the nearest deadline */

/* bfdxd_dp.c */
int bfdxd_dp_start(struct bfdxd *d);
void bfdxd_dp_done(struct bfdxd *d);
void bfdxd_dp_second(struct bfdxd *d);
void bfdxd_dp_added(struct bfdxd *d, struct dp_conn *conn, const struct dp_session *conf);
/* The session's state to bfdd, unless it is not to be told yet. */
void bfdxd_dp_notify(struct bfdxd *d, struct bfd_entry *entry);
const char *bfdxd_phase_name(enum bfdxd_phase phase);

/* bfdxd_msg.c */
void bfdxd_message(void *arg, struct dp_conn *conn, const struct dp_msg *msg);

/* bfdxd_session.c */
/* todo: BFD_DO_*. Also moves the session's deadline. */
void bfdxd_do(struct bfdxd *d, struct bfd_entry *entry, uint32_t todo);
/* What the kernel half did meanwhile; whether it has declared the session down. */
bool bfdxd_sync(struct bfdxd *d, struct bfd_entry *entry);
void bfdxd_look(struct bfdxd *d, struct bfd_entry *entry,
		uint64_t now_ns); /* its deadline is near */
void bfdxd_event(void *arg, const struct fx_bfd_event *event);
void bfdxd_datagram(void *arg, const struct bfd_datagram *datagram);
void bfdxd_remove(struct bfdxd *d, struct bfd_entry *entry, const char *why);

/* bfdxd_path.c */
extern const struct net_view_ops bfdxd_net_ops;
/* Finds out where the session runs and whether it can; the BFD_DO_* that come of it. */
uint32_t bfdxd_path(struct bfdxd *d, struct bfd_entry *entry);
int bfdxd_on_path_timer(void *arg, unsigned int what);

/* bfdxd_iface.c */
/* The session is on this interface now (0: on none); whether the kernel half carries it there. */
bool bfdxd_iface_use(struct bfdxd *d, struct bfd_entry *entry, uint32_t ifindex);
void bfdxd_iface_link(struct bfdxd *d, const struct net_link *link);
void bfdxd_iface_gone(struct bfdxd *d, uint32_t ifindex);
void bfdxd_iface_second(struct bfdxd *d);
void bfdxd_iface_forget(struct bfdxd *d); /* takes our wish off all interfaces */
const struct bfdxd_iface *bfdxd_iface_find(const struct bfdxd *d, uint32_t ifindex);

/* bfdxd_show.c */
int bfdxd_ctl_start(struct bfdxd *d);

#endif
