/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/bfd_programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpf/fx_abi.h"
#include "bpf/fx_bfd.h"
#include "bpf/xdp_bfd.skel.h"
#include "bpf/xdp_root.skel.h"

struct bfd_programs {
	struct xdp_bfd *bfd;
	struct xdp_root *root;
	struct bfd_maps maps;
};

static int bfd_programs_open_maps(struct bfd_programs *programs)
{
	const struct bpf_object *obj = programs->bfd->obj;
	struct bfd_maps *maps = &programs->maps;
	struct {
		struct bpfmap *map;
		const char *name;
		bool mapped;
	} all[] = {
		{ &maps->slots, "fx_slots", false },
		{ &maps->meta, "fx_bfd_meta", true },
		{ &maps->sess, "fx_bfd_sess", true },
		{ &maps->events, "fx_bfd_events", false },
		{ &maps->by_disc, "fx_bfd_by_disc", false },
		{ &maps->by_addr, "fx_bfd_by_addr", false },
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
	rc = bpfmap_open(&maps->ifaces, programs->root->obj, "fx_ifaces");
	return rc < 0 ? rc : bpfmap_mmap(&maps->ifaces);
}

static int bfd_programs_load(struct bfd_programs *programs, const char *dir, char *why)
{
	int rc = bpfobj_check(dir, why);

	if (rc < 0)
		return rc;
	programs->maps.adopted = rc & BPFOBJ_BFD;
	programs->bfd = xdp_bfd__open();
	programs->root = xdp_root__open();
	if (!programs->bfd || !programs->root) {
		snprintf(why, BPFOBJ_WHY_SIZE, "cannot open the programs: %s", strerror(errno));
		return -errno;
	}
	rc = bpfobj_load(programs->root->obj, dir, why);
	return rc < 0 ? rc : bpfobj_load(programs->bfd->obj, dir, why);
}

static int bfd_programs_kernel(struct bfd_programs *programs, const char *dir, char *why)
{
	int lock = bpfobj_lock(dir);
	struct fx_bfd_meta *meta;
	int rc = lock;

	if (lock < 0)
		snprintf(why, BPFOBJ_WHY_SIZE, "%s: %s", dir, strerror(-lock));
	else
		rc = bfd_programs_load(programs, dir, why);
	if (rc >= 0) {
		rc = bfd_programs_open_maps(programs);
		if (rc < 0)
			snprintf(why, BPFOBJ_WHY_SIZE, "cannot open the maps: %s", strerror(-rc));
	}
	if (rc >= 0) {
		meta = bpfmap_entry(&programs->maps.meta, 0);
		meta->netns = bpfobj_netns();
		programs->maps.timer_prog = bpf_program__fd(programs->bfd->progs.fx_bfd_timer);
		programs->maps.kernel = true;
	}
	if (lock >= 0)
		close(lock);
	return rc;
}

static int bfd_programs_memory(struct bfd_programs *programs, char *why)
{
	struct bfd_maps *maps = &programs->maps;
	int rc = bpfmap_memory(&maps->meta, sizeof(struct fx_bfd_meta), 1);

	if (!rc)
		rc = bpfmap_memory(&maps->sess, sizeof(struct fx_bfd_sess), FX_BFD_MAX_SESSIONS);
	if (rc < 0)
		snprintf(why, BPFOBJ_WHY_SIZE, "out of memory");
	return rc;
}

struct bfd_programs *bfd_programs_new(const char *dir, char *why)
{
	struct bfd_programs *programs = calloc(1, sizeof(*programs));
	int rc;

	if (!programs) {
		snprintf(why, BPFOBJ_WHY_SIZE, "out of memory");
		return NULL;
	}
	bpfobj_quiet();
	rc = dir ? bfd_programs_kernel(programs, dir, why) : bfd_programs_memory(programs, why);
	if (rc < 0) {
		bfd_programs_free(programs);
		return NULL;
	}
	return programs;
}

void bfd_programs_free(struct bfd_programs *programs)
{
	if (!programs)
		return;
	bpfmap_done(&programs->maps.meta);
	bpfmap_done(&programs->maps.sess);
	bpfmap_done(&programs->maps.ifaces);
	xdp_root__destroy(programs->root);
	xdp_bfd__destroy(programs->bfd);
	free(programs);
}

struct bfd_maps *bfd_programs_maps(struct bfd_programs *programs)
{
	return &programs->maps;
}

int bfd_programs_root_fd(const struct bfd_programs *programs)
{
	return bpf_program__fd(programs->root->progs.fx_root);
}

int bfd_programs_start(struct bfd_programs *programs)
{
	uint32_t slot = FX_SLOT_BFD;
	uint32_t fd;

	if (!programs->maps.kernel)
		return 0;
	fd = (uint32_t)bpf_program__fd(programs->bfd->progs.fx_bfd);
	return bpfmap_update(&programs->maps.slots, &slot, &fd);
}

void bfd_programs_stop(struct bfd_programs *programs)
{
	uint32_t slot = FX_SLOT_BFD;

	if (programs->maps.kernel)
		bpfmap_delete(&programs->maps.slots, &slot);
}
