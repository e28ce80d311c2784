/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon: one struct that owns all, and the sequences between its parts. The parts of `main` in
 * the sense of doc/architecture.md: the edge modules (fpm_conn, kernel_view, map_writer, programs,
 * lib/ctl) know nothing of each other, their results come here and are taken on.
 *
 *	fpmd.c		 construction, plan, sweeps, grace period, adoption
 *	fpmd_conf.c	 the configuration file, again on SIGHUP
 *	fpmd_route.c	 FPM frames and kernel routes into the model, states back to zebra
 *	fpmd_iface.c	 links: attach, eligibility, what packets may do where
 *	fpmd_neigh.c	 neighbours in use are kept resolved
 *	fpmd_ctl.c	 requests, answered by show*.c
 */
#ifndef FX_FPM_FPMD_H
#define FX_FPM_FPMD_H

#include <stdbool.h>
#include <stdint.h>

#include "fpm-xdp/fib.h"
#include "fpm-xdp/fpm_conn.h"
#include "fpm-xdp/fpm_origin.h"
#include "fpm-xdp/iface.h"
#include "fpm-xdp/kernel_view.h"
#include "fpm-xdp/map_writer.h"
#include "fpm-xdp/neigh_use.h"
#include "fpm-xdp/pb_decode.h"
#include "fpm-xdp/programs.h"
#include "fpm-xdp/rtnl_decode.h"
#include "lib/conf.h"
#include "lib/daemon.h"
#include "lib/log.h"

struct ctl;
struct loop;
struct loop_source;

/* What the command line says; stands for as long as the process does. */
struct fpmd_options {
	const char *pathspace; /* NULL: none */
	const char *conf_path;
	bool conf_named;       /* by -f: it must exist */
	struct conf overrides; /* set words of it count, see `given` */
	struct {
		bool fpm, offload_status, generic, max_prefixes;
	} given;
	uint32_t quiet_ms; /* without a message for so long, zebra's replay is over */
};

/* How the messages of zebra were counted. */
struct fpmd_counters {
	uint64_t messages;
	uint64_t rtnl_rejects[RTNL_REJ_COUNT];
	uint64_t pb_rejects[PB_REJ_COUNT];
	uint64_t skips[RT_SKIP_COUNT];
	uint64_t refused; /* by the model: table full, memory */
};

/* zebra, seen over one connection. */
struct fpmd_peer {
	struct fpm_origin origin;
	enum fpm_type type; /* of the last frame; 0: none yet */
	bool sender_known;
	bool swept;
	bool routes; /* at least one route message came */
	uint64_t connected_ms;
	uint64_t last_message_ms;
};

struct fpmd {
	const struct fpmd_options *options;
	struct conf conf; /* file and options together */
	struct loop *loop;
	struct programs *programs;
	struct fwd_maps *maps; /* programs' */
	struct fib *fib;
	struct kernel_view *view;
	struct fpm_conn *conn;
	struct ctl *ctl;
	struct iface_table *ifaces;
	struct neigh_use *neighs;

	char run_dir[DAEMON_PATH_SIZE];
	char bpf_dir[DAEMON_PATH_SIZE];
	int pid_fd;
	uint64_t start_ms;

	struct loop_source *plan_idle;
	struct loop_source *plan_timer; /* has a share even when streams never pause */
	struct loop_source *second_timer;
	struct loop_source *sweep_timer;
	struct loop_source *adopt_timer;
	struct loop_source *signals[3];

	bool synced; /* the kernel's first dump is in the model */
	bool ready;  /* ... and in the maps */
	bool adopting;
	bool kernel_first;
	bool own_nets; /* see fib_has_own_nets() */
	bool grace;    /* a grace period is under way, to be over in the next second */
	bool detached; /* nothing of ours is left in the kernel: the end */

	struct fpmd_peer peer;
	struct fpmd_counters counters;
	struct log_limit limit;
	uint64_t full_told_ms; /* when the log last said that there are too many routes; 0: never */
	struct rt_op op;       /* decoding space */
	struct fib_step steps[MAP_WRITER_STEPS];
};

/* fpmd.c */
/* 0, or negative errno: told on stderr. -EINVAL: what the operator asked for cannot be. */
int fpmd_init(struct fpmd *fpmd, const struct fpmd_options *options);
int fpmd_run(struct fpmd *fpmd);
void fpmd_done(struct fpmd *fpmd);
/* Tells it; returns error. */
int fpmd_listen_failed(const struct conf *conf, int error);
void fpmd_kick(struct fpmd *fpmd); /* the model changed: plan soon */
void fpmd_set_kernel_first(struct fpmd *fpmd, bool on);
/* Takes everything of ours out of the kernel; the daemon has no further use then. */
void fpmd_detach(struct fpmd *fpmd);

/* fpmd_conf.c */
/* Options over the file at options->conf_path, into *ret (initialised). 0; -EINVAL (told). */
int fpmd_read_conf(const struct fpmd_options *options, struct conf *ret);
/* The file again; one with an error changes nothing. */
void fpmd_reload(struct fpmd *fpmd);

/* fpmd_route.c */
extern const struct fpm_conn_ops fpmd_conn_ops;
void fpmd_kernel_route(void *arg, const struct rt_op *op);
void fpmd_replies(struct fpmd *fpmd); /* states of routes to zebra, as long as there is room */

/* fpmd_iface.c */
void fpmd_link(void *arg, const struct kv_link *link);
void fpmd_link_del(void *arg, uint32_t ifindex);
void fpmd_addr_del(void *arg, uint32_t ifindex);
void fpmd_eligible(void *arg, uint32_t ifindex, const struct eligibility *eligibility);
/* The interface's word in fx_ifaces, all considered. */
uint64_t fpmd_iface_word0(const struct fpmd *fpmd, const struct iface *iface);
/* Why packets of a family (FX_AF_*) that come in there are left to Linux, attached or not: bits
 * 1 << enum eligibility_reason. */
uint32_t fpmd_iface_why(const struct fpmd *fpmd, const struct iface *iface, uint8_t family);
bool fpmd_iface_forwards(const struct fpmd *fpmd, const struct iface *iface, uint8_t family);
void fpmd_ifaces_apply(struct fpmd *fpmd); /* after a change of the configuration or own_nets */
struct fpmd_ifaces_count {
	uint32_t attached, forward4, forward6;
};

void fpmd_ifaces_count(const struct fpmd *fpmd, struct fpmd_ifaces_count *ret);
bool fpmd_ifaces_judged(const struct fpmd *fpmd); /* all that are attached */
/* No fact is waited for any more: what a predecessor allowed and nobody confirmed ends. */
void fpmd_ifaces_judge(struct fpmd *fpmd);
/* 0; -ENODEV (told): a chosen interface that does not exist. */
int fpmd_ifaces_check(const struct conf *conf, const char *path);

/* fpmd_neigh.c */
void fpmd_neigh(void *arg, uint32_t ifindex, const struct fx_addr *addr, const uint8_t mac[6],
		uint16_t nud);
void fpmd_neigh_del(void *arg, uint32_t ifindex, const struct fx_addr *addr);
void fpmd_neigh_second(struct fpmd *fpmd);

/* fpmd_ctl.c */
int fpmd_ctl_start(struct fpmd *fpmd); /* 0 or negative errno */

#endif
