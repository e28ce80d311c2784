/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the bench of BFD and its own BPF program share. */
#ifndef FX_BENCH_BFD_FRAME_H
#define FX_BENCH_BFD_FRAME_H

/* A control packet over IPv4, over IPv6. */
#define BFD_FRAME4_LEN 66u
#define BFD_FRAME6_LEN 86u

#endif
