/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps of the kernel half, opened: filled by programs.c, written by lpm.c and map_writer.c. */
#ifndef FX_FPM_FWD_MAPS_H
#define FX_FPM_FWD_MAPS_H

#include "lib/bpfmap.h"

struct fwd_maps {
	struct bpfmap slots;
	struct bpfmap meta;
	struct bpfmap ifaces;
	struct bpfmap ifstats;
	struct bpfmap ports;
	struct bpfmap lpm4;
	struct bpfmap lpm6;
	struct bpfmap groups;
	struct bpfmap buckets;
	struct bpfmap adjs;
	struct bpfmap adjstats;
	struct bpfmap neigh4;
	struct bpfmap neigh6;
	struct bpfmap own4;
	struct bpfmap own4_hint;
};

/* 32-bit and 64-bit words of struct fx_meta. */
#define FWD_META_ABI	   0 /* u32 */
#define FWD_META_HASH_SEED 1 /* u32 */
#define FWD_META_EPOCH	   1 /* u64 */
#define FWD_META_FLAGS	   4 /* u32 */
#define FWD_META_NETNS	   3 /* u64 */

#endif
