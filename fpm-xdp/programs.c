/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel half: programs and maps. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/fx_abi.h"
/* bpftool's text, not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "bpf/xdp_fwd.skel.h"
#include "bpf/xdp_root.skel.h"
#pragma GCC diagnostic pop
#include "fpm-xdp/programs.h"
#include "lib/log.h"
#include "lib/xdp_attach.h"

struct programs {
	const char *dir;
	struct xdp_fwd *fwd;
	struct xdp_root *root;
	struct fwd_maps maps;
	bool adopted;
};

static int programs_print(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[512];
	size_t len;

	if (!log_enabled(LOG_LEVEL_DEBUG))
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	len = strcspn(line, "\n");
	line[len] = '\0';
	log_debug("libbpf", "%s", line);
	return 0;
}

/* Unique for as long as the machine runs, which pins do not outlive. 0: the kernel has none. */
static uint64_t programs_netns(void)
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

/* What serves another network namespace is left alone while that one lives, and of no use after. */
static int programs_check_netns(struct programs *programs, const struct fx_meta *meta, char *why)
{
	if (!meta->netns || meta->netns == programs_netns())
		return 0;
	if (xdp_any_alive(programs->dir)) {
		snprintf(
			why, PROGRAMS_WHY_SIZE,
			"the maps in %s serve another network namespace: -N gives this one its own",
			programs->dir);
		return -EBUSY;
	}
	log_warning("programs", "maps of a network namespace that is gone removed dir=%s",
		    programs->dir);
	bpfmap_unpin(programs->dir, "fx_");
	bpfmap_unpin(programs->dir, "link_");
	programs->adopted = false;
	return 0;
}

/* Maps that another version left behind cannot be used, and must not be thrown away unasked: they
 * may be forwarding. */
static int programs_check(struct programs *programs, char *why)
{
	struct fx_meta meta = { 0 };
	int rc;

	rc = bpfmap_peek(programs->dir, "fx_meta", &meta, sizeof(meta));
	if (rc == -EPROTO || (!rc && meta.abi && meta.abi != FX_ABI_VERSION)) {
		snprintf(why, PROGRAMS_WHY_SIZE,
			 "the maps in %s are of another version (ABI %u, this one is %d): stop "
			 "forwarding with `frr-xdp detach`, then start again",
			 programs->dir, meta.abi, FX_ABI_VERSION);
		return -EPROTO;
	}
	if (rc < 0 && rc != -ENOENT) {
		snprintf(why, PROGRAMS_WHY_SIZE, "cannot read %s/fx_meta: %s", programs->dir,
			 strerror(-rc));
		return rc;
	}
	programs->adopted = meta.abi != 0;
	return programs_check_netns(programs, &meta, why);
}

/* One object: maps taken over, loaded, the rest pinned. */
static int programs_load(struct programs *programs, struct bpf_object *obj, char *why)
{
	const char *name = NULL;
	int rc;

	rc = bpfmap_reuse(obj, programs->dir, &name);
	if (rc < 0) {
		snprintf(why, PROGRAMS_WHY_SIZE,
			 "map %s/%s cannot be used (%s): `frr-xdp detach` removes it",
			 programs->dir, name,
			 rc == -EPROTO ? "it is of another version" : strerror(-rc));
		return rc;
	}
	rc = bpf_object__load(obj);
	if (rc < 0) {
		snprintf(
			why, PROGRAMS_WHY_SIZE,
			"the kernel does not take the program %s: %s (--log-level debug shows why)",
			bpf_object__name(obj), strerror(-rc));
		return rc;
	}
	rc = bpfmap_pin(obj, programs->dir);
	if (rc < 0)
		snprintf(why, PROGRAMS_WHY_SIZE, "cannot pin the maps in %s: %s", programs->dir,
			 strerror(-rc));
	return rc;
}

static int programs_open_maps(struct programs *programs)
{
	const struct bpf_object *obj = programs->fwd->obj;
	struct fwd_maps *maps = &programs->maps;
	struct {
		struct bpfmap *map;
		const char *name;
		bool mapped;
	} all[] = {
		{ &maps->slots, "fx_slots", false },	    { &maps->meta, "fx_meta", true },
		{ &maps->ifaces, "fx_ifaces", true },	    { &maps->ifstats, "fx_ifstats", false },
		{ &maps->ports, "fx_ports", false },	    { &maps->lpm4, "fx_lpm4", false },
		{ &maps->lpm6, "fx_lpm6", false },	    { &maps->groups, "fx_groups", true },
		{ &maps->buckets, "fx_buckets", true },	    { &maps->adjs, "fx_adjs", true },
		{ &maps->adjstats, "fx_adjstats", false },  { &maps->neigh4, "fx_neigh4", false },
		{ &maps->neigh6, "fx_neigh6", false },	    { &maps->own4, "fx_own4", false },
		{ &maps->own4_hint, "fx_own4_hint", true },
	};
	size_t i;
	int rc;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		rc = bpfmap_open(all[i].map, obj, all[i].name);
		if (!rc && all[i].mapped)
			rc = bpfmap_mmap(all[i].map);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int programs_init(struct programs *programs, char *why)
{
	int rc;

	rc = programs_check(programs, why);
	if (rc < 0)
		return rc;
	programs->fwd = xdp_fwd__open();
	programs->root = xdp_root__open();
	if (!programs->fwd || !programs->root) {
		snprintf(why, PROGRAMS_WHY_SIZE, "cannot open the programs: %s", strerror(errno));
		return -errno;
	}
	/* The forwarding program first: the root then finds the maps that both use. */
	rc = programs_load(programs, programs->fwd->obj, why);
	if (!rc)
		rc = programs_load(programs, programs->root->obj, why);
	if (rc < 0)
		return rc;
	rc = programs_open_maps(programs);
	if (rc < 0)
		snprintf(why, PROGRAMS_WHY_SIZE, "cannot open the maps: %s", strerror(-rc));
	else
		bpfmap_store64(&programs->maps.meta, 0, FWD_META_NETNS, programs_netns());
	return rc;
}

struct programs *programs_new(const char *dir, char *why)
{
	struct programs *programs = calloc(1, sizeof(*programs));

	if (!programs) {
		snprintf(why, PROGRAMS_WHY_SIZE, "out of memory");
		return NULL;
	}
	programs->dir = dir;
	libbpf_set_print(programs_print);
	if (programs_init(programs, why) < 0) {
		programs_free(programs);
		return NULL;
	}
	return programs;
}

void programs_free(struct programs *programs)
{
	struct fwd_maps *maps;

	if (!programs)
		return;
	maps = &programs->maps;
	bpfmap_done(&maps->meta);
	bpfmap_done(&maps->ifaces);
	bpfmap_done(&maps->groups);
	bpfmap_done(&maps->buckets);
	bpfmap_done(&maps->adjs);
	bpfmap_done(&maps->own4_hint);
	xdp_root__destroy(programs->root);
	xdp_fwd__destroy(programs->fwd);
	free(programs);
}

struct fwd_maps *programs_maps(struct programs *programs)
{
	return &programs->maps;
}

int programs_root_fd(const struct programs *programs)
{
	return bpf_program__fd(programs->root->progs.fx_root);
}

bool programs_adopted(const struct programs *programs)
{
	return programs->adopted;
}

int programs_start(struct programs *programs)
{
	uint32_t slot = FX_SLOT_FWD;
	uint32_t fd = (uint32_t)bpf_program__fd(programs->fwd->progs.fx_fwd);

	return bpfmap_update(&programs->maps.slots, &slot, &fd);
}
