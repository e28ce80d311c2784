/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon: construction, plan, sweeps, grace period, adoption. */
#include "config.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fpm-xdp/fpmd.h"
#include "lib/bpfmap.h"
#include "lib/ctl.h"
#include "lib/loop.h"
#include "lib/xdp_attach.h"

#define FPMD_PLAN_MS	   10u /* a slice of the plan at least so often */
#define FPMD_SECOND_MS	   1000u
#define FPMD_JUDGE_MS	   10000u /* for facts of interfaces that cannot be read at once */
#define FPMD_REPLAY_MAX_MS 300000u
#define FPMD_ADOPT_MS	   90000u /* for a zebra that is on another machine to come back */

/* ---- signals ---- */

static int fpmd_on_hup(void *arg, unsigned int what)
{
	fpmd_reload(arg);
	return 0;
}

static int fpmd_on_term(void *arg, unsigned int what)
{
	struct fpmd *fpmd = arg;

	log_info("fpmd", "stopping, the kernel forwards on signal=%u", what);
	loop_exit(fpmd->loop, 0);
	return 0;
}

/* ---- plan ---- */

/* How many steps were done; 0: maps and model agree. */
static size_t fpmd_slice(struct fpmd *fpmd)
{
	size_t n;

	if (fpmd->synced && fib_has_own_nets(fpmd->fib) != fpmd->own_nets) {
		fpmd->own_nets = !fpmd->own_nets;
		fpmd_ifaces_apply(fpmd);
	}
	n = fib_plan(fpmd->fib, fpmd->steps, MAP_WRITER_STEPS);
	map_writer_run(fpmd->maps, fpmd->fib, fpmd->steps, n);
	return n;
}

static void fpmd_set_ready(struct fpmd *fpmd)
{
	struct fpmd_ifaces_count count;

	fpmd->ready = true;
	map_writer_ready(fpmd->maps);
	fpmd_ifaces_count(fpmd, &count);
	log_info("fpmd", "routes complete interfaces=%u forward-ipv4=%u forward-ipv6=%u",
		 count.attached, count.forward4, count.forward6);
	if (!count.forward4 && !count.forward6)
		log_warning("fpmd", "no interface forwards in XDP: see `frr-xdp show interface`");
}

static void fpmd_agreed(struct fpmd *fpmd)
{
	if (fpmd->synced && !fpmd->ready && fpmd_ifaces_judged(fpmd))
		fpmd_set_ready(fpmd);
	if (fib_resync_wanted(fpmd->fib))
		kernel_view_resync(fpmd->view);
	fpmd_replies(fpmd);
}

static int fpmd_on_plan_idle(void *arg, unsigned int what)
{
	struct fpmd *fpmd = arg;

	if (fpmd_slice(fpmd) > 0)
		return 1;
	loop_timer_stop(fpmd->plan_timer);
	fpmd_agreed(fpmd);
	return 0;
}

/* Streams go before the plan, but must not keep it waiting for ever: one slice every FPMD_PLAN_MS.
 */
static int fpmd_on_plan_timer(void *arg, unsigned int what)
{
	struct fpmd *fpmd = arg;

	if (fpmd_slice(fpmd) > 0)
		loop_timer_set(fpmd->plan_timer, FPMD_PLAN_MS);
	return 0;
}

void fpmd_kick(struct fpmd *fpmd)
{
	loop_idle_set(fpmd->plan_idle, true);
	if (!loop_timer_armed(fpmd->plan_timer))
		loop_timer_set(fpmd->plan_timer, FPMD_PLAN_MS);
}

/* ---- resync, adoption, grace ---- */

static void fpmd_adopt_end(struct fpmd *fpmd)
{
	if (!fpmd->adopting)
		return;
	fpmd->adopting = false;
	loop_timer_stop(fpmd->adopt_timer);
	fib_adopt_end(fpmd->fib);
	fpmd_kick(fpmd);
	log_info("fpmd", "adoption over");
}

static int fpmd_on_adopt_timer(void *arg, unsigned int what)
{
	fpmd_adopt_end(arg);
	return 0;
}

static void fpmd_kernel_resync_begin(void *arg)
{
	struct fpmd *fpmd = arg;

	fib_resync_begin(fpmd->fib, FIB_KERNEL);
}

static void fpmd_kernel_resync_end(void *arg)
{
	struct fpmd *fpmd = arg;
	size_t swept = fib_resync_sweep(fpmd->fib, FIB_KERNEL);

	log_debug("kernel", "resynchronised swept=%zu", swept);
	if (!fpmd->synced) {
		fpmd->synced = true;
		fpmd->own_nets = fib_has_own_nets(fpmd->fib);
		fpmd_ifaces_apply(fpmd);
	}
	/* What only zebra knows is forwarded in the other mode alone, and needs zebra to confirm
	 * it. */
	if (fpmd->kernel_first)
		fpmd_adopt_end(fpmd);
	fpmd_kick(fpmd);
}

/* How long zebra's replay may still be under way. It has no end marker: it is over when zebra has
 * said nothing for a while. Nobody is ever silent under constant churn, but no replay takes that
 * long. */
static uint64_t fpmd_replay_left(const struct fpmd *fpmd)
{
	uint64_t now = loop_now_ms();
	uint64_t silent = now - fpmd->peer.last_message_ms;
	uint64_t quiet = fpmd->options->quiet_ms;

	if (!fpmd->peer.routes)
		return quiet;
	if (silent >= quiet || now - fpmd->peer.connected_ms >= FPMD_REPLAY_MAX_MS)
		return 0;
	return quiet - silent;
}

static int fpmd_on_sweep(void *arg, unsigned int what)
{
	struct fpmd *fpmd = arg;
	uint64_t left = fpmd_replay_left(fpmd);
	size_t swept;

	if (left) {
		loop_timer_set(fpmd->sweep_timer, left);
		return 0;
	}
	fpmd->peer.swept = true;
	swept = fib_resync_sweep(fpmd->fib, FIB_FPM);
	log_info("fpm", "zebra's replay is over swept=%zu", swept);
	fpmd_adopt_end(fpmd);
	fpmd_kick(fpmd);
	return 0;
}

void fpmd_set_kernel_first(struct fpmd *fpmd, bool on)
{
	if (on == fpmd->kernel_first)
		return;
	fpmd->kernel_first = on;
	map_writer_kernel_first(fpmd->maps, on);
	fib_kernel_first(fpmd->fib, on);
	log_info("fpm", "zebra is %s", on ? "local: a route must be in the kernel, too" : "remote");
}

/* Ids that were freed may be used again when every packet that was under way has left: XDP runs
 * with softirqs off, which membarrier() (synchronize_rcu()) waits for. */
static void fpmd_grace(struct fpmd *fpmd)
{
	if (fpmd->grace) {
		fpmd->grace = false;
		fib_grace_end(fpmd->fib);
		fpmd_kick(fpmd);
	}
	if (!fib_grace_begin(fpmd->fib))
		return;
	/* Refused on kernels with nohz_full CPUs: then a second will do. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0) {
		fpmd->grace = true;
		return;
	}
	fib_grace_end(fpmd->fib);
	if (fib_dirty(fpmd->fib))
		fpmd_kick(fpmd);
}

static int fpmd_on_second(void *arg, unsigned int what)
{
	struct fpmd *fpmd = arg;

	fpmd_grace(fpmd);
	fpmd_neigh_second(fpmd);
	if (loop_now_ms() - fpmd->start_ms > FPMD_JUDGE_MS)
		fpmd_ifaces_judge(fpmd);
	loop_timer_set(fpmd->second_timer, FPMD_SECOND_MS);
	return 0;
}

/* ---- construction ---- */

static const struct kernel_view_ops fpmd_view_ops = {
	.link = fpmd_link,
	.link_del = fpmd_link_del,
	.addr_del = fpmd_addr_del,
	.neigh = fpmd_neigh,
	.neigh_del = fpmd_neigh_del,
	.route = fpmd_kernel_route,
	.resync_begin = fpmd_kernel_resync_begin,
	.resync_end = fpmd_kernel_resync_end,
	.eligible = fpmd_eligible,
};

/* Tells the first failure. */
static int fpmd_fail(const char *what, int error)
{
	log_error("fpmd", "%s error=\"%s\"%s", what, strerror(-error),
		  error == -EACCES || error == -EPERM ? ": fpm-xdp needs root" : "");
	return error;
}

/* One daemon per pathspace, seen by its locked pid file. */
static int fpmd_init_dirs(struct fpmd *fpmd)
{
	const char *pathspace = fpmd->options->pathspace;
	char path[DAEMON_PATH_SIZE];
	int rc;

	daemon_path(fpmd->run_dir, DAEMON_RUN_DIR, pathspace, NULL);
	daemon_path(fpmd->bpf_dir, DAEMON_BPF_DIR, pathspace, NULL);
	rc = daemon_make_dir(DAEMON_RUN_DIR, pathspace);
	if (rc < 0)
		return fpmd_fail("cannot make " DAEMON_RUN_DIR, rc);
	daemon_path(path, DAEMON_RUN_DIR, pathspace, "fpm-xdp.pid");
	fpmd->pid_fd = daemon_pid_file(path);
	/* A predecessor that is just leaving may have taken the folder with it. */
	if (fpmd->pid_fd == -ENOENT && !daemon_make_dir(DAEMON_RUN_DIR, pathspace))
		fpmd->pid_fd = daemon_pid_file(path);
	if (fpmd->pid_fd == -EBUSY)
		return fpmd_fail("another fpm-xdp runs here (-N gives each its own place)", -EBUSY);
	if (fpmd->pid_fd < 0)
		return fpmd_fail("cannot write the pid file", fpmd->pid_fd);
	rc = bpfmap_mount();
	if (rc < 0)
		return fpmd_fail("no bpffs, and it cannot be mounted on /sys/fs/bpf", rc);
	if (rc > 0)
		log_warning("fpmd",
			    "bpffs is mounted for this mount namespace alone (ip netns exec "
			    "makes one): what is pinned goes with it, a restart finds nothing "
			    "and frr-xdp elsewhere sees nothing; start with nsenter "
			    "--net=/run/netns/NAME instead");
	rc = daemon_make_dir(DAEMON_BPF_DIR, pathspace);
	return rc < 0 ? fpmd_fail("cannot make " DAEMON_BPF_DIR, rc) : 0;
}

static int fpmd_init_loop(struct fpmd *fpmd)
{
	static const int numbers[] = { SIGTERM, SIGINT, SIGHUP };
	struct loop *loop = loop_new();
	bool whole = true;
	size_t i;

	if (!loop)
		return fpmd_fail("no event loop", -errno);
	fpmd->loop = loop;
	fpmd->plan_idle = loop_idle(loop, "plan", fpmd_on_plan_idle, fpmd);
	fpmd->plan_timer = loop_timer(loop, "plan share", LOOP_PRIO_SIGNAL, fpmd_on_plan_timer,
				      fpmd);
	fpmd->second_timer = loop_timer(loop, "second", LOOP_PRIO_INPUT, fpmd_on_second, fpmd);
	fpmd->sweep_timer = loop_timer(loop, "sweep", LOOP_PRIO_NORMAL, fpmd_on_sweep, fpmd);
	fpmd->adopt_timer = loop_timer(loop, "adoption", LOOP_PRIO_NORMAL, fpmd_on_adopt_timer,
				       fpmd);
	for (i = 0; i < 3; i++) {
		fpmd->signals[i] = loop_signal(loop, "signal", numbers[i],
					       numbers[i] == SIGHUP ? fpmd_on_hup : fpmd_on_term,
					       fpmd);
		whole = whole && fpmd->signals[i];
	}
	if (!fpmd->plan_idle || !fpmd->plan_timer || !fpmd->second_timer || !fpmd->sweep_timer ||
	    !fpmd->adopt_timer || !whole)
		return fpmd_fail("no event loop", -ENOMEM);
	return 0;
}

static int fpmd_init_kernel_half(struct fpmd *fpmd)
{
	char why[PROGRAMS_WHY_SIZE];
	int rc;

	fpmd->programs = programs_new(fpmd->bpf_dir, why);
	if (!fpmd->programs) {
		log_error("programs", "%s", why);
		return -EIO;
	}
	fpmd->maps = programs_maps(fpmd->programs);
	rc = map_writer_init(fpmd->maps);
	if (rc < 0)
		return fpmd_fail("cannot write the maps", rc);
	fpmd->adopting = true;
	/* Until a remote zebra speaks there is nothing in the maps that the kernel does not have.
	 */
	if (!programs_adopted(fpmd->programs))
		map_writer_kernel_first(fpmd->maps, true);
	fpmd->kernel_first = map_writer_is_kernel_first(fpmd->maps);
	fib_kernel_first(fpmd->fib, fpmd->kernel_first);
	rc = map_writer_adopt(fpmd->maps, fpmd->fib);
	if (!rc)
		rc = programs_start(fpmd->programs);
	if (rc < 0)
		return fpmd_fail("cannot take over the maps", rc);
	log_info("programs", "loaded dir=%s maps=%s", fpmd->bpf_dir,
		 programs_adopted(fpmd->programs) ? "adopted" : "new");
	return 0;
}

static int fpmd_init_model(struct fpmd *fpmd)
{
	struct fib_limits limits = { .prefixes = fpmd->conf.max_prefixes };

	fpmd->fib = fib_new(&limits);
	fpmd->ifaces = iface_table_new();
	fpmd->neighs = neigh_use_new();
	if (!fpmd->fib || !fpmd->ifaces || !fpmd->neighs)
		return fpmd_fail("no memory for the model", -ENOMEM);
	if (fpmd->conf.offload_status)
		fib_status_enable(fpmd->fib, true);
	return 0;
}

int fpmd_listen_failed(const struct conf *conf, int error)
{
	char text[FX_ADDR_STRLEN];

	log_error("fpm", "cannot listen for zebra address=%s port=%u error=\"%s\"%s",
		  fx_addr_str(&conf->fpm_addr, text), conf->fpm_port, strerror(-error),
		  error == -EADDRINUSE ? ": `ss -ltnp` shows who does" : "");
	return error;
}

static int fpmd_init_edges(struct fpmd *fpmd)
{
	int rc;

	fpmd->conn = fpm_conn_new(fpmd->loop, &fpmd->conf.fpm_addr, fpmd->conf.fpm_port,
				  &fpmd_conn_ops, fpmd);
	if (!fpmd->conn)
		return fpmd_listen_failed(&fpmd->conf, -errno);
	rc = fpmd_ctl_start(fpmd);
	return rc < 0 ? fpmd_fail("cannot make the control socket", rc) : 0;
}

int fpmd_init(struct fpmd *fpmd, const struct fpmd_options *options)
{
	int rc;

	*fpmd = (struct fpmd){ .options = options, .pid_fd = -1, .start_ms = loop_now_ms() };
	conf_init(&fpmd->conf);
	rc = fpmd_read_conf(options, &fpmd->conf);
	if (!rc && fpmd_ifaces_check(&fpmd->conf, options->conf_path) < 0)
		rc = -EINVAL;
	if (!rc)
		rc = fpmd_init_dirs(fpmd);
	if (!rc)
		rc = fpmd_init_loop(fpmd);
	if (!rc)
		rc = fpmd_init_model(fpmd);
	if (!rc)
		rc = fpmd_init_edges(fpmd);
	if (!rc)
		rc = fpmd_init_kernel_half(fpmd);
	if (rc < 0)
		return rc;
	fpmd->view = kernel_view_new(fpmd->loop, &fpmd_view_ops, fpmd);
	if (!fpmd->view)
		return fpmd_fail("cannot read the kernel's tables", -errno);
	loop_timer_set(fpmd->second_timer, FPMD_SECOND_MS);
	loop_timer_set(fpmd->adopt_timer, FPMD_ADOPT_MS);
	return 0;
}

int fpmd_run(struct fpmd *fpmd)
{
	return loop_run(fpmd->loop);
}

static void fpmd_detach_one(void *arg, uint32_t ifindex)
{
	struct fpmd *fpmd = arg;
	int rc = xdp_detach(fpmd->bpf_dir, ifindex);

	if (rc < 0)
		log_error("iface", "not detached ifindex=%u error=\"%s\"", ifindex, strerror(-rc));
}

void fpmd_detach(struct fpmd *fpmd)
{
	fpmd->detached = true;
	xdp_pinned(fpmd->bpf_dir, fpmd_detach_one, fpmd);
	bpfmap_unpin(fpmd->bpf_dir, "fx_");
	rmdir(fpmd->bpf_dir); /* stays when other instances are below it */
	log_info("fpmd", "detached, nothing of ours is left in the kernel");
}

/* The control socket is gone already; a folder with more in it stays. */
static void fpmd_leave_run_dir(struct fpmd *fpmd)
{
	char path[DAEMON_PATH_SIZE];

	unlink(daemon_path(path, DAEMON_RUN_DIR, fpmd->options->pathspace, "fpm-xdp.pid"));
	rmdir(fpmd->run_dir);
	close(fpmd->pid_fd);
}

void fpmd_done(struct fpmd *fpmd)
{
	size_t i;

	kernel_view_free(fpmd->view);
	ctl_free(fpmd->ctl);
	fpm_conn_free(fpmd->conn);
	neigh_use_free(fpmd->neighs);
	iface_table_free(fpmd->ifaces);
	fib_free(fpmd->fib);
	programs_free(fpmd->programs);
	for (i = 0; i < 3; i++)
		loop_source_free(fpmd->signals[i]);
	loop_source_free(fpmd->plan_idle);
	loop_source_free(fpmd->plan_timer);
	loop_source_free(fpmd->second_timer);
	loop_source_free(fpmd->sweep_timer);
	loop_source_free(fpmd->adopt_timer);
	loop_free(fpmd->loop);
	if (fpmd->pid_fd >= 0)
		fpmd_leave_run_dir(fpmd);
	conf_done(&fpmd->conf);
}
