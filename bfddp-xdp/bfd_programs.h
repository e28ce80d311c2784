/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel half: loads the programs, takes over the pinned maps, pins what is new. Edge. */
#ifndef FX_BFDDP_BFD_PROGRAMS_H
#define FX_BFDDP_BFD_PROGRAMS_H

#include "bfddp-xdp/bfd_maps.h"
#include "lib/bpfobj.h"

struct bfd_programs;

/*
 * Loads into the folder dir, which exists; dir NULL: no kernel half, memory in place of the maps.
 * NULL: the reason is in why (BPFOBJ_WHY_SIZE bytes). No packet meets the program before
 * bfd_programs_start().
 */
struct bfd_programs *bfd_programs_new(const char *dir, char *why);
void bfd_programs_free(struct bfd_programs *programs); /* NULL ok. What is pinned stays */

struct bfd_maps *bfd_programs_maps(struct bfd_programs *programs);
int bfd_programs_root_fd(const struct bfd_programs *programs);

/* Puts the program in its slot, in a predecessor's place if there was one. */
int bfd_programs_start(struct bfd_programs *programs);
/* Takes it out. */
void bfd_programs_stop(struct bfd_programs *programs);

#endif
