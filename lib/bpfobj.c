/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading programs with shared maps. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/fx_abi.h"
#include "bpf/fx_bfd.h"
#include "lib/bpfmap.h"
#include "lib/bpfobj.h"
#include "lib/log.h"
#include "lib/xdp_attach.h"

/* Its warnings: with the verifier's log when a program is refused, of many lines. */
static int bpfobj_print(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char *text, *line, *rest;

	if (level != LIBBPF_WARN || !log_enabled(LOG_LEVEL_DEBUG))
		return 0;
	if (vasprintf(&text, fmt, args) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		log_debug("libbpf", "%s", line);
	free(text);
	return 0;
}

void bpfobj_quiet(void)
{
	libbpf_set_print(bpfobj_print);
}

int bpfobj_lock(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX) < 0) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int bpfobj_load(struct bpf_object *obj, const char *dir, char *why)
{
	const char *name = NULL;
	int rc;

	rc = bpfmap_reuse(obj, dir, &name);
	if (rc < 0) {
		snprintf(why, BPFOBJ_WHY_SIZE,
			 "map %s/%s cannot be used (%s): `frr-xdp detach` removes it", dir, name,
			 rc == -EPROTO ? "it is of another version" : strerror(-rc));
		return rc;
	}
	rc = bpf_object__load(obj);
	if (rc < 0) {
		snprintf(
			why, BPFOBJ_WHY_SIZE,
			"the kernel does not take the program %s: %s (--log-level debug shows why)",
			bpf_object__name(obj), strerror(-rc));
		return rc;
	}
	rc = bpfmap_pin(obj, dir);
	if (rc < 0)
		snprintf(why, BPFOBJ_WHY_SIZE, "cannot pin the maps in %s: %s", dir, strerror(-rc));
	return rc;
}

uint64_t bpfobj_netns(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		cookie = 0;
	close(fd);
	return cookie;
}

/* Maps that another version left behind cannot be used, and must not be thrown away unasked: they
 * may be forwarding. Whether there are any, whole; negative errno with the reason in why. */
static int bpfobj_check_meta(const char *dir, const char *name, void *meta, size_t size, int abi,
			     char *why)
{
	int rc = bpfmap_peek(dir, name, meta, size);
	uint32_t found = 0;

	if (!rc)
		memcpy(&found, meta, sizeof(found));
	if (rc == -EPROTO || (found && found != (uint32_t)abi)) {
		snprintf(why, BPFOBJ_WHY_SIZE,
			 "the maps in %s are of another version (ABI %u, this one is %d): stop "
			 "forwarding with `frr-xdp detach`, then start again",
			 dir, found, abi);
		return -EPROTO;
	}
	if (rc < 0 && rc != -ENOENT) {
		snprintf(why, BPFOBJ_WHY_SIZE, "cannot read %s/%s: %s", dir, name, strerror(-rc));
		return rc;
	}
	return found != 0;
}

static int bpfobj_throw_away(const char *dir, char *why)
{
	if (xdp_any_alive(dir)) {
		snprintf(
			why, BPFOBJ_WHY_SIZE,
			"the maps in %s serve another network namespace: -N gives this one its own",
			dir);
		return -EBUSY;
	}
	log_warning("programs", "maps of a network namespace that is gone removed dir=%s", dir);
	bpfmap_unpin(dir, "fx_");
	bpfmap_unpin(dir, "link_");
	return 0;
}

int bpfobj_check(const char *dir, char *why)
{
	uint64_t netns = bpfobj_netns();
	struct fx_bfd_meta bfd = { 0 };
	struct fx_meta fwd = { 0 };
	int has_fwd, has_bfd;

	has_fwd = bpfobj_check_meta(dir, "fx_meta", &fwd, sizeof(fwd), FX_ABI_VERSION, why);
	if (has_fwd < 0)
		return has_fwd;
	has_bfd = bpfobj_check_meta(dir, "fx_bfd_meta", &bfd, sizeof(bfd), FX_BFD_ABI_VERSION, why);
	if (has_bfd < 0)
		return has_bfd;
	if ((fwd.netns && fwd.netns != netns) || (bfd.netns && bfd.netns != netns))
		return bpfobj_throw_away(dir, why);
	return (has_fwd ? BPFOBJ_FORWARDING : 0) | (has_bfd ? BPFOBJ_BFD : 0);
}
