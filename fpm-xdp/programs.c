/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel half: programs and maps. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

struct programs {
	const char *dir;
	struct xdp_fwd *fwd;
	struct xdp_root *root;
	struct fwd_maps maps;
	bool adopted;
};

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

static int programs_load(struct programs *programs, char *why)
{
	int rc = bpfobj_check(programs->dir, why);

	if (rc < 0)
		return rc;
	programs->adopted = rc & BPFOBJ_FORWARDING;
	programs->fwd = xdp_fwd__open();
	programs->root = xdp_root__open();
	if (!programs->fwd || !programs->root) {
		snprintf(why, PROGRAMS_WHY_SIZE, "cannot open the programs: %s", strerror(errno));
		return -errno;
	}
	/* The forwarding program first: the root then finds the maps that both use. */
	rc = bpfobj_load(programs->fwd->obj, programs->dir, why);
	return rc < 0 ? rc : bpfobj_load(programs->root->obj, programs->dir, why);
}

static int programs_init(struct programs *programs, char *why)
{
	int lock = bpfobj_lock(programs->dir);
	int rc = lock;

	if (lock < 0)
		snprintf(why, PROGRAMS_WHY_SIZE, "%s: %s", programs->dir, strerror(-lock));
	else
		rc = programs_load(programs, why);
	if (rc >= 0) {
		rc = programs_open_maps(programs);
		if (rc < 0)
			snprintf(why, PROGRAMS_WHY_SIZE, "cannot open the maps: %s", strerror(-rc));
		else
			bpfmap_store64(&programs->maps.meta, 0, FWD_META_NETNS, bpfobj_netns());
	}
	if (lock >= 0)
		close(lock);
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
	bpfobj_quiet();
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
