/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes the model's plan on the maps, and reads back what a predecessor left in them. Edge.
 *
 * Words of arrays that packets read are stored one by one, each in one piece (bpf/fx_abi.h); of an
 * adjacency the word that says what it is comes last.
 */
#ifndef FX_FPM_MAP_WRITER_H
#define FX_FPM_MAP_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/fx_abi.h"
#include "fpm-xdp/fib.h"
#include "fpm-xdp/fwd_maps.h"

#define MAP_WRITER_STEPS 256u

/* The constant groups, the hash seed (when there is none yet), the hints of own4. 0 or -errno. */
int map_writer_init(struct fwd_maps *maps);
/* The state in the maps is whole from now on: packets may use it (fx_meta.abi). */
void map_writer_ready(struct fwd_maps *maps);
void map_writer_kernel_first(struct fwd_maps *maps, bool on);
bool map_writer_is_kernel_first(const struct fwd_maps *maps);

/* Tells the model what the maps hold. 0 or negative errno. */
int map_writer_adopt(const struct fwd_maps *maps, struct fib *fib);

/* Executes n <= MAP_WRITER_STEPS steps of fib_plan() in order, then answers each. */
void map_writer_run(struct fwd_maps *maps, struct fib *fib, const struct fib_step *steps, size_t n);

/* An interface as packets see it (fx_iface_word0()); word0 of 0 takes it out. mac: 6 bytes. */
void map_writer_iface(struct fwd_maps *maps, uint32_t ifindex, uint64_t word0,
		      const uint8_t mac[6]);
uint64_t map_writer_iface_word0(const struct fwd_maps *maps, uint32_t ifindex);
/* Whether bfddp-xdp wants the root program there, too. */
bool map_writer_iface_is_shared(const struct fwd_maps *maps, uint32_t ifindex);
/* Whether packets may be sent to this device. 0 or negative errno. */
int map_writer_port(struct fwd_maps *maps, uint32_t ifindex, bool on);

#endif
