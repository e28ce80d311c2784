/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose the program on an interface is: several instances may run, and the pins of one may be in a
 * bpf file system that is not ours. Edge. */
#ifndef FX_CLI_HOLDER_H
#define FX_CLI_HOLDER_H

#include <stdint.h>

#include "lib/xdp_attach.h"

#define HOLDER_NAME_SIZE XDP_OWNER_SIZE

enum holder {
	HOLDER_NONE,	  /* no program, or none of fpm-xdp's */
	HOLDER_INSTANCE,  /* one whose pins are in our bpf file system */
	HOLDER_ELSEWHERE, /* a program of fpm-xdp's, whose pins are not to be found */
};

/* name: the instance's, "" for the one without -N; HOLDER_INSTANCE only. */
enum holder holder_find(uint32_t ifindex, char name[HOLDER_NAME_SIZE]);

#endif
