/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XDP programs on interfaces. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <linux/if_link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/daemon.h"
#include "lib/xdp_attach.h"

#define XDP_PIN_PREFIX "link_"

const char *xdp_mode_name(enum xdp_mode mode)
{
	switch (mode) {
	case XDP_MODE_NONE:
		return "none";
	case XDP_MODE_NATIVE:
		return "native";
	case XDP_MODE_GENERIC:
		return "generic";
	case XDP_MODE_OTHER:
		break;
	}
	return "other";
}

static void xdp_pin_path(char *buf, size_t size, const char *dir, uint32_t ifindex)
{
	/* By index: names may hold dots, which bpffs refuses. */
	snprintf(buf, size, "%s/" XDP_PIN_PREFIX "%u", dir, ifindex);
}

/* Our pinned link, if it is alive on this interface. A descriptor; -ENOENT; negative errno. */
static int xdp_link_open(const char *dir, uint32_t ifindex, struct bpf_link_info *info)
{
	__u32 len = sizeof(*info);
	char path[256];
	int fd, rc;

	xdp_pin_path(path, sizeof(path), dir, ifindex);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return fd;
	memset(info, 0, sizeof(*info));
	rc = bpf_obj_get_info_by_fd(fd, info, &len);
	/* A link whose device went away has index 0; the number may be another device's by now. */
	if (!rc && (info->type != BPF_LINK_TYPE_XDP || info->xdp.ifindex != ifindex))
		rc = -ENOENT;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

static void xdp_prog_name(uint32_t id, char ret[16])
{
	struct bpf_prog_info info = { 0 };
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	ret[0] = '\0';
	if (fd < 0)
		return;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len))
		snprintf(ret, 16, "%s", info.name);
	close(fd);
}

static enum xdp_mode xdp_mode_of(uint8_t attached)
{
	switch (attached) {
	case XDP_ATTACHED_NONE:
		return XDP_MODE_NONE;
	case XDP_ATTACHED_DRV:
		return XDP_MODE_NATIVE;
	case XDP_ATTACHED_SKB:
		return XDP_MODE_GENERIC;
	}
	return XDP_MODE_OTHER;
}

int xdp_state(const char *dir, uint32_t ifindex, struct xdp_state *ret)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct xdp_state state = { 0 };
	struct bpf_link_info info;
	int fd, rc;

	rc = bpf_xdp_query((int)ifindex, 0, &query);
	if (rc < 0)
		return rc;
	state.mode = xdp_mode_of(query.attach_mode);
	state.prog_id = query.prog_id;
	if (!state.prog_id && state.mode == XDP_MODE_OTHER)
		state.prog_id = query.drv_prog_id ? query.drv_prog_id : query.skb_prog_id;
	if (state.prog_id)
		xdp_prog_name(state.prog_id, state.prog_name);
	fd = xdp_link_open(dir, ifindex, &info);
	if (fd >= 0) {
		/* In another network namespace the same index is another device, with another
		 * program. */
		state.ours = info.prog_id == state.prog_id;
		close(fd);
	}
	*ret = state;
	return 0;
}

/* Whether the instance in dir has this program on the interface. */
static bool xdp_is_of(const char *dir, uint32_t ifindex, uint32_t prog_id)
{
	struct bpf_link_info info;
	int fd = xdp_link_open(dir, ifindex, &info);

	if (fd < 0)
		return false;
	close(fd);
	return info.prog_id == prog_id;
}

bool xdp_owner(uint32_t ifindex, uint32_t prog_id, char name[XDP_OWNER_SIZE])
{
	struct dirent *entry;
	bool found = false;
	char path[256];
	DIR *stream;

	name[0] = '\0';
	if (xdp_is_of(DAEMON_BPF_DIR, ifindex, prog_id))
		return true;
	stream = opendir(DAEMON_BPF_DIR);
	while (stream && !found && (entry = readdir(stream))) {
		if (!daemon_pathspace_valid(entry->d_name))
			continue;
		daemon_path(path, DAEMON_BPF_DIR, entry->d_name, NULL);
		found = xdp_is_of(path, ifindex, prog_id);
		if (found)
			snprintf(name, XDP_OWNER_SIZE, "%.32s", entry->d_name);
	}
	if (stream)
		closedir(stream);
	return found;
}

static void xdp_explain_busy(uint32_t ifindex, const struct xdp_state *state, char *why)
{
	char name[XDP_OWNER_SIZE];

	if (strcmp(state->prog_name, XDP_ROOT_NAME) != 0)
		snprintf(
			why, XDP_WHY_SIZE,
			"another XDP program is attached (id %u, name \"%s\", %s): remove it first",
			state->prog_id, state->prog_name, xdp_mode_name(state->mode));
	else if (xdp_owner(ifindex, state->prog_id, name))
		snprintf(
			why, XDP_WHY_SIZE,
			"another instance of fpm-xdp or bfddp-xdp has it: `frr-xdp%s%s detach` ends "
			"that",
			*name ? " -N " : "", name);
	else
		snprintf(
			why, XDP_WHY_SIZE,
			"another instance of fpm-xdp or bfddp-xdp has it, with pins in a bpffs that "
			"is not mounted here (program id %u)",
			state->prog_id);
}

/* What an error of link creation means, and what helps. */
static void xdp_explain(int error, uint32_t ifindex, const struct xdp_state *state, bool generic,
			char *why)
{
	switch (-error) {
	case EBUSY:
	case EEXIST:
		xdp_explain_busy(ifindex, state, why);
		return;
	case EOPNOTSUPP:
		snprintf(why, XDP_WHY_SIZE, "%s",
			 generic ? "the kernel refuses generic XDP here (LRO or GRO_HW on? "
				   "ethtool -K IF lro off rx-gro-hw off)"
				 : "the driver has no native XDP for programs of several buffers: "
				   "use \"xdp mode generic\", at a cost, or another interface");
		return;
	case EINVAL:
	case ERANGE:
		snprintf(
			why, XDP_WHY_SIZE,
			"the driver refuses XDP with the present settings (%s): lower the MTU (of a "
			"veth: of its peer), switch LRO off, or see the kernel log",
			strerror(-error));
		return;
	case ENOMEM:
	case ENOSPC:
		snprintf(
			why, XDP_WHY_SIZE,
			"the driver lacks queues or memory for XDP (%s): it needs one transmit queue per "
			"CPU, see ethtool -l and -L",
			strerror(-error));
		return;
	case EPERM:
	case EACCES:
		snprintf(why, XDP_WHY_SIZE, "not permitted: needs CAP_NET_ADMIN and CAP_BPF");
		return;
	case ENODEV:
		snprintf(why, XDP_WHY_SIZE, "no such interface");
		return;
	}
	snprintf(why, XDP_WHY_SIZE, "%s", strerror(-error));
}

static int xdp_attach_new(const char *dir, uint32_t ifindex, int prog_fd, bool generic)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .flags = generic ? XDP_FLAGS_SKB_MODE : XDP_FLAGS_DRV_MODE);
	char path[256];
	int fd, rc;

	xdp_pin_path(path, sizeof(path), dir, ifindex);
	fd = bpf_link_create(prog_fd, (int)ifindex, BPF_XDP, &opts);
	if (fd < 0)
		return fd;
	unlink(path); /* a dead link's */
	rc = bpf_obj_pin(fd, path);
	/* Without a pin the link dies with this descriptor. */
	close(fd);
	return rc;
}

int xdp_attach(const char *dir, uint32_t ifindex, int prog_fd, bool generic, char *why)
{
	enum xdp_mode want = generic ? XDP_MODE_GENERIC : XDP_MODE_NATIVE;
	struct xdp_state state = { 0 };
	struct bpf_link_info info;
	int fd, rc;

	rc = xdp_state(dir, ifindex, &state);
	if (!rc && state.ours && state.mode == want) {
		fd = xdp_link_open(dir, ifindex, &info);
		rc = fd < 0 ? fd : bpf_link_update(fd, prog_fd, NULL);
		if (fd >= 0)
			close(fd);
	} else if (!rc && state.prog_id && !state.ours) {
		rc = -EBUSY;
	} else if (!rc) {
		/* The mode of a link cannot be changed. */
		if (state.ours)
			xdp_detach(dir, ifindex);
		rc = xdp_attach_new(dir, ifindex, prog_fd, generic);
	}
	if (rc < 0)
		xdp_explain(rc, ifindex, &state, generic, why);
	return rc == -EEXIST ? -EBUSY : rc;
}

int xdp_detach(const char *dir, uint32_t ifindex)
{
	struct bpf_link_info info;
	char path[256];
	int fd, rc;

	fd = xdp_link_open(dir, ifindex, &info);
	if (fd >= 0) {
		rc = bpf_link_detach(fd);
		close(fd);
		if (rc < 0)
			return rc;
	}
	xdp_pin_path(path, sizeof(path), dir, ifindex);
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

struct xdp_alive {
	const char *dir;
	bool some;
};

static void xdp_look_alive(void *arg, uint32_t ifindex)
{
	struct xdp_alive *alive = arg;
	struct bpf_link_info info;
	int fd = xdp_link_open(alive->dir, ifindex, &info);

	if (fd < 0)
		return;
	alive->some = true;
	close(fd);
}

bool xdp_any_alive(const char *dir)
{
	struct xdp_alive alive = { .dir = dir };

	xdp_pinned(dir, xdp_look_alive, &alive);
	return alive.some;
}

int xdp_pinned(const char *dir, void (*fn)(void *arg, uint32_t ifindex), void *arg)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	unsigned long ifindex;
	char *end;

	if (!stream)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(stream))) {
		if (strncmp(entry->d_name, XDP_PIN_PREFIX, strlen(XDP_PIN_PREFIX)) != 0)
			continue;
		ifindex = strtoul(entry->d_name + strlen(XDP_PIN_PREFIX), &end, 10);
		if (!*end && ifindex > 0 && ifindex <= INT32_MAX)
			fn(arg, (uint32_t)ifindex);
	}
	closedir(stream);
	return 0;
}
