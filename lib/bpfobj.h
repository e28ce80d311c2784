/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs into the kernel, with the maps that are pinned already: what both daemons do alike.
 * Edge.
 */
#ifndef FX_LIB_BPFOBJ_H
#define FX_LIB_BPFOBJ_H

#include <stdint.h>

struct bpf_object;

#define BPFOBJ_WHY_SIZE 256

/* libbpf's warnings go to the log, level debug; nothing else of it. */
void bpfobj_quiet(void);

/*
 * Holds the folder dir for this process, so that daemons that start at the same time do not both
 * make the maps that they share. A descriptor, to be closed when all is loaded; negative errno.
 */
int bpfobj_lock(const char *dir);

/* One object: maps pinned in dir taken over, loaded, the rest pinned. 0, or negative errno with the
 * reason in why (BPFOBJ_WHY_SIZE bytes). */
int bpfobj_load(struct bpf_object *obj, const char *dir, char *why);

/*
 * What is pinned in dir, under its lock, before anything is loaded. What serves another network
 * namespace is left alone while that one lives, and thrown away after.
 *
 * BPFOBJ_* of what a predecessor left whole; negative errno with the reason in why: it is another
 * version's, or serves another namespace.
 */
#define BPFOBJ_FORWARDING (1 << 0) /* fpm-xdp's state */
#define BPFOBJ_BFD	  (1 << 1) /* bfddp-xdp's */

int bpfobj_check(const char *dir, char *why);

/* A number for this network namespace, unique for as long as the machine runs, which pins do not
 * outlive. 0: the kernel has none. */
uint64_t bpfobj_netns(void);

#endif
