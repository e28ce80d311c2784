/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel half tells: its ring buffer. Edge. */
#ifndef FX_BFDDP_BFD_EVENTS_H
#define FX_BFDDP_BFD_EVENTS_H

#include "bpf/fx_bfd.h"

struct loop;
struct bfd_events;

/* fd: of the map fx_bfd_events. What was in it before is told, too. NULL with errno. */
struct bfd_events *bfd_events_new(struct loop *loop, int fd,
				  void (*event)(void *arg, const struct fx_bfd_event *event),
				  void *arg);
void bfd_events_free(struct bfd_events *events); /* NULL ok */

#endif
