/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon: construction, clocks, adoption of a predecessor's sessions. */
#include "config.h"

#include "bfddp-xdp/bfdxd.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "bpf/fx_abi.h"
#include "lib/bpfmap.h"
#include "lib/ctl.h"
#include "lib/loop.h"

#define BFDXD_CONF_MAX	(1u << 20) /* bytes of a configuration file */
#define BFDXD_SECOND_MS 1000u
#define BFDXD_NICE	(-15)
#define BFDXD_BUDGET	256 /* sessions per wake-up */

/* Sessions that the kernel half sends for are looked at so much before their time: nearly always it
 * has sent meanwhile, and one wake-up serves many. */
#define BFDXD_EARLY_NS	(7 * BFDXD_NS_PER_MS)

uint64_t bfdxd_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * BFDXD_NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* xorshift64*: for jitter, which wants to be spread and not to be secret. */
uint32_t bfdxd_random(struct bfdxd *d)
{
	d->random ^= d->random >> 12;
	d->random ^= d->random << 25;
	d->random ^= d->random >> 27;
	return (uint32_t)(d->random * 0x2545f4914f6cdd1dull >> 32);
}

/* ---- the timer ---- */

void bfdxd_arm(struct bfdxd *d)
{
	struct itimerspec its = { 0 };
	uint64_t first;
	uint32_t slot;

	first = deadline_first(d->deadlines, &slot);
	/* too early only costs a look */
	if (first >= d->armed_ns)
		return;
	d->armed_ns = first;
	its.it_value.tv_sec = (time_t)(first / BFDXD_NS_PER_S);
	its.it_value.tv_nsec = first ? (long)(first % BFDXD_NS_PER_S) : 1;
	timerfd_settime(d->timer_fd, TFD_TIMER_ABSTIME, &its, NULL);
}

/* Whether the first deadline was near enough to be worth a look, and moved by it. */
static bool bfdxd_next(struct bfdxd *d, uint64_t now)
{
	struct bfd_entry *entry;
	uint64_t first;
	uint32_t slot;

	first = deadline_first(d->deadlines, &slot);
	if (first == BFD_NEVER || first > now + BFDXD_EARLY_NS)
		return false;
	entry = bfd_table_slot(d->table, slot);
	if (first > now && !(entry->session.kernel && bfd_session_reflects(&entry->session)))
		return false;
	bfdxd_look(d, entry, now);
	return deadline_first(d->deadlines, &slot) != first;
}

static int bfdxd_on_due(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;
	uint64_t expirations;
	int i;

	if (read(d->timer_fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		return -errno;
	d->armed_ns = 0; /* no arming within the walk */
	for (i = 0; i < BFDXD_BUDGET; i++)
		if (!bfdxd_next(d, bfdxd_now()))
			break;
	d->armed_ns = BFD_NEVER;
	bfdxd_arm(d);
	return 0;
}

static int bfdxd_on_second(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;
	uint64_t now = bfdxd_now();
	struct bfd_entry *entry;

	session_map_heartbeat(d->map, now, d->options->dead_man_s * BFDXD_NS_PER_S);
	while ((entry = bfd_table_given_up(d->table, now)))
		bfdxd_remove(d, entry, "no bfdd has claimed it");
	bfdxd_dp_second(d);
	bfdxd_iface_second(d);
	loop_timer_set(d->second_timer, BFDXD_SECOND_MS);
	return 0;
}

static int bfdxd_on_term(void *arg, unsigned int what)
{
	struct bfdxd *d = arg;

	log_info("bfdxd", "stopping, the kernel half answers for %us signal=%u",
		 d->maps->kernel ? d->options->dead_man_s : 0, what);
	loop_exit(d->loop, 0);
	return 0;
}

/* ---- adoption ---- */

/* Sessions that were Up and still are go on, in their slots; of the others nothing stays. */
static void bfdxd_adopt(struct bfdxd *d)
{
	uint64_t now = bfdxd_now(), grace = d->options->grace_s * BFDXD_NS_PER_S;
	struct bfd_entry *entry;
	uint32_t slot, kept = 0, dropped = 0;

	for (slot = 1; slot < FX_BFD_MAX_SESSIONS; slot++) {
		const struct fx_bfd_sess *map = session_map_entry(d->map, slot);

		if (!map->my_disc)
			continue;
		if (bfd_table_restore(d->table, slot, map, now, grace, &entry) < 0) {
			session_map_clear(d->map, slot);
			dropped++;
			continue;
		}
		session_map_adopt(d->map, slot);
		bfdxd_do(d, entry, bfdxd_path(d, entry) | BFD_DO_KERNEL);
		kept++;
	}
	if (kept || dropped)
		log_info("bfdxd", "sessions of a predecessor kept=%u dropped=%u ms=%llu", kept,
			 dropped, (unsigned long long)(bfdxd_now() - now) / BFDXD_NS_PER_MS);
}

/* ---- construction ---- */

static int bfdxd_fail(const char *what, int error)
{
	log_error("bfdxd", "%s error=\"%s\"", what, strerror(-error));
	return error;
}

static int bfdxd_init_conf(struct bfdxd *d)
{
	const struct bfdxd_options *options = d->options;
	struct conf_error error;
	char *text = NULL;
	size_t len = 0;
	int rc;

	rc = daemon_read_file(options->conf_path, BFDXD_CONF_MAX, &text, &len);
	if (rc == -ENOENT && !options->conf_named)
		return 0;
	if (rc < 0) {
		log_error("conf", "%s: %s", options->conf_path, strerror(-rc));
		return -EINVAL;
	}
	rc = conf_parse(text, len, &d->conf, &error);
	free(text);
	if (rc == -EINVAL)
		log_error("conf", "%s:%u: %s", options->conf_path, error.line, error.text);
	return rc;
}

/* One daemon per pathspace, seen by its locked pid file. */
static int bfdxd_init_dirs(struct bfdxd *d)
{
	const char *pathspace = d->options->pathspace;
	char path[DAEMON_PATH_SIZE];
	int rc;

	daemon_path(d->bpf_dir, DAEMON_BPF_DIR, pathspace, NULL);
	rc = daemon_make_dir(DAEMON_RUN_DIR, pathspace);
	if (rc < 0)
		return bfdxd_fail("cannot make " DAEMON_RUN_DIR, rc);
	daemon_path(path, DAEMON_RUN_DIR, pathspace, "bfddp-xdp.pid");
	d->pid_fd = daemon_pid_file(path);
	if (d->pid_fd == -EBUSY)
		return bfdxd_fail("another bfddp-xdp runs here (-N gives each its own place)",
				  -EBUSY);
	if (d->pid_fd < 0)
		return bfdxd_fail("cannot write the pid file", d->pid_fd);
	if (d->options->no_xdp)
		return 0;
	rc = bpfmap_mount();
	if (rc < 0)
		return bfdxd_fail("no bpffs, and it cannot be mounted on /sys/fs/bpf", rc);
	if (rc > 0)
		log_warning("bfdxd",
			    "bpffs is mounted for this mount namespace alone (ip netns exec "
			    "makes one): what is pinned goes with it; start with nsenter "
			    "--net=/run/netns/NAME instead");
	rc = daemon_make_dir(DAEMON_BPF_DIR, pathspace);
	return rc < 0 ? bfdxd_fail("cannot make " DAEMON_BPF_DIR, rc) : 0;
}

static int bfdxd_init_loop(struct bfdxd *d)
{
	static const int numbers[] = { SIGTERM, SIGINT };
	size_t i;

	d->loop = loop_new();
	if (!d->loop)
		return bfdxd_fail("no event loop", -errno);
	/* What it does is little and must be on time. Not being allowed to is no failure. */
	setpriority(PRIO_PROCESS, 0, BFDXD_NICE);
	d->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (d->timer_fd < 0)
		return bfdxd_fail("no timer", -errno);
	d->due = loop_fd(d->loop, "due", LOOP_PRIO_SIGNAL, d->timer_fd, LOOP_READ, bfdxd_on_due, d);
	d->second_timer = loop_timer(d->loop, "second", LOOP_PRIO_SIGNAL, bfdxd_on_second, d);
	d->path_timer = loop_timer(d->loop, "paths", LOOP_PRIO_NORMAL, bfdxd_on_path_timer, d);
	for (i = 0; i < 2; i++)
		d->signals[i] = loop_signal(d->loop, "signal", numbers[i], bfdxd_on_term, d);
	if (!d->due || !d->second_timer || !d->path_timer || !d->signals[0] || !d->signals[1])
		return bfdxd_fail("no event loop", -ENOMEM);
	return 0;
}

static int bfdxd_init_model(struct bfdxd *d)
{
	if (getrandom(&d->random, sizeof(d->random), 0) != sizeof(d->random) || !d->random)
		d->random = bfdxd_now() | 1;
	d->table = bfd_table_new(d->options->max_sessions);
	d->deadlines = deadline_new(FX_BFD_MAX_SESSIONS);
	return d->table && d->deadlines ? 0 : bfdxd_fail("no memory for sessions", -ENOMEM);
}

static int bfdxd_init_edges(struct bfdxd *d)
{
	char why[BPFOBJ_WHY_SIZE];
	int rc;

	d->sock = bfd_sock_new(d->loop, bfdxd_datagram, d, why);
	if (!d->sock) {
		log_error("sock", "%s", why);
		return -EADDRINUSE;
	}
	d->programs = bfd_programs_new(d->options->no_xdp ? NULL : d->bpf_dir, why);
	if (!d->programs) {
		log_error("programs", "%s", why);
		return -EIO;
	}
	d->maps = bfd_programs_maps(d->programs);
	d->map = session_map_new(d->maps);
	d->net = net_view_new(d->loop, &bfdxd_net_ops, d);
	if (!d->net)
		return bfdxd_fail("cannot read links and addresses", -errno);
	if (!d->map)
		return bfdxd_fail("no memory for sessions", -ENOMEM);
	rc = bfdxd_ctl_start(d);
	return rc < 0 ? bfdxd_fail("cannot make the control socket", rc) : 0;
}

/* The heartbeat is the last before sessions may be reflected: a predecessor's may be old. */
static int bfdxd_init_start(struct bfdxd *d)
{
	int rc;

	bfdxd_adopt(d);
	bfdxd_on_second(d, 0);
	if (d->maps->kernel) {
		rc = bfd_programs_start(d->programs);
		if (rc < 0)
			return bfdxd_fail("cannot put the program in its slot", rc);
		d->events = bfd_events_new(d->loop, d->maps->events.fd, bfdxd_event, d);
		if (!d->events)
			return bfdxd_fail("cannot read the kernel half's events", -errno);
		log_info("programs", "loaded dir=%s maps=%s", d->bpf_dir,
			 d->maps->adopted ? "adopted" : "new");
	}
	rc = bfdxd_dp_start(d);
	return rc < 0 ? bfdxd_fail("cannot listen for bfdd", rc) : 0;
}

int bfdxd_init(struct bfdxd *d, const struct bfdxd_options *options)
{
	int rc;

	*d = (struct bfdxd){
		.options = options,
		.pid_fd = -1,
		.timer_fd = -1,
		.armed_ns = BFD_NEVER,
		.start_ms = loop_now_ms(),
	};
	conf_init(&d->conf);
	rc = bfdxd_init_conf(d);
	if (!rc)
		rc = bfdxd_init_dirs(d);
	if (!rc)
		rc = bfdxd_init_loop(d);
	if (!rc)
		rc = bfdxd_init_model(d);
	if (!rc)
		rc = bfdxd_init_edges(d);
	return rc < 0 ? rc : bfdxd_init_start(d);
}

int bfdxd_run(struct bfdxd *d)
{
	return loop_run(d->loop);
}

void bfdxd_detach(struct bfdxd *d)
{
	d->detached = true;
	if (!d->maps->kernel)
		return;
	bfd_programs_stop(d->programs);
	bfdxd_iface_forget(d);
	bpfmap_unpin(d->bpf_dir, "fx_bfd_");
	log_info("bfdxd", "detached, nothing of ours is left in the kernel");
}

void bfdxd_done(struct bfdxd *d)
{
	ctl_free(d->ctl);
	bfdxd_dp_done(d);
	bfd_events_free(d->events);
	net_view_free(d->net);
	bfd_sock_free(d->sock);
	session_map_free(d->map);
	bfd_programs_free(d->programs);
	deadline_free(d->deadlines);
	bfd_table_free(d->table);
	free(d->ifaces);
	loop_source_free(d->due);
	loop_source_free(d->second_timer);
	loop_source_free(d->path_timer);
	loop_source_free(d->signals[0]);
	loop_source_free(d->signals[1]);
	loop_free(d->loop);
	if (d->timer_fd >= 0)
		close(d->timer_fd);
	if (d->pid_fd >= 0)
		close(d->pid_fd);
	conf_done(&d->conf);
}
