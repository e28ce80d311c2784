/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel half: loads the programs, takes over the pinned maps, pins what is new. Edge.
 */
#ifndef FX_FPM_PROGRAMS_H
#define FX_FPM_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "fpm-xdp/fwd_maps.h"
#include "lib/bpfobj.h"

struct programs;

#define PROGRAMS_WHY_SIZE BPFOBJ_WHY_SIZE

/*
 * Loads into the folder dir, which exists. NULL: the reason is in why (PROGRAMS_WHY_SIZE bytes).
 * Nothing forwards yet that did not before: see programs_start().
 */
struct programs *programs_new(const char *dir, char *why);
void programs_free(struct programs *programs); /* NULL ok. What is pinned stays */

struct fwd_maps *programs_maps(struct programs *programs);
int programs_root_fd(const struct programs *programs);
/* Whether the maps were a predecessor's. */
bool programs_adopted(const struct programs *programs);

/* Puts the forwarding program in its slot, in a predecessor's place if there was one. */
int programs_start(struct programs *programs);

#endif
