/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes a process a daemon: paths of its instance, background, pid file, readiness. Edge. */
#ifndef FX_LIB_DAEMON_H
#define FX_LIB_DAEMON_H

#include <stdbool.h>
#include <stddef.h>

#define DAEMON_RUN_DIR	 FX_RUNSTATEDIR "/frr-xdp"
#define DAEMON_BPF_DIR	 "/sys/fs/bpf/frr-xdp"
#define DAEMON_CONF_DIR	 FX_SYSCONFDIR "/frr-xdp"
#define DAEMON_CONF	 DAEMON_CONF_DIR "/frr-xdp.conf"

#define DAEMON_PATH_SIZE 108 /* sun_path of struct sockaddr_un */

/*
 * Whether this may name an instance (-N): letters, digits, "-" and "_", at most 32. It becomes a
 * folder in DAEMON_RUN_DIR and DAEMON_BPF_DIR, and bpffs takes no dots.
 */
bool daemon_pathspace_valid(const char *name);

/* BASE[/PATHSPACE][/FILE] into buf (DAEMON_PATH_SIZE bytes), which is returned. pathspace and file
 * may be NULL. */
char *daemon_path(char *buf, const char *base, const char *pathspace, const char *file);

/* The configuration file of an instance: DAEMON_CONF, or as FRR's daemons have it the one in a
 * folder of its name. Into buf, as above. */
char *daemon_conf_path(char *buf, const char *pathspace);

/* Makes base, with what it is in, and base/pathspace if missing. 0 or negative errno. */
int daemon_make_dir(const char *base, const char *pathspace);

/*
 * -d: to be called before any descriptor or signal is set up. Forks; returns in the child only,
 * with a descriptor for daemon_ready(). The parent waits and exits with status 0 once the child is
 * ready, else with the child's own status: whoever started us may rely on the sockets from then on.
 */
int daemon_background(void);

/* The sockets are bound: lets the parent of daemon_background() go (fd >= 0, closed; stdio goes to
 * /dev/null then) and tells the service manager ($NOTIFY_SOCKET), if there is one. */
void daemon_ready(int background_fd);
/* Another line for the service manager: "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=...". */
void daemon_notify(const char *state);

/* Writes and locks the pid file. The descriptor, to be kept open; -EBUSY: held by another process.
 */
int daemon_pid_file(const char *path);

/* Reads a whole file. 0 (*ret_text is the caller's to free, NUL-terminated) or negative errno;
 * -EFBIG above max bytes. */
int daemon_read_file(const char *path, size_t max, char **ret_text, size_t *ret_len);

#endif
