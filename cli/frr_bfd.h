/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bfdd's options, and what is known of handing its sessions out, by version of FRR. Pure. */
#ifndef FX_CLI_FRR_BFD_H
#define FX_CLI_FRR_BFD_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/frr_version.h"

#define FRR_BFD_DPLANE_SIZE 128

/* The value of --dplaneaddr among words, or in a line of them. false: there is none. */
bool frr_bfd_dplane(const char *const *words, size_t n, char buf[FRR_BFD_DPLANE_SIZE]);
bool frr_bfd_dplane_line(const char *line, char buf[FRR_BFD_DPLANE_SIZE]);

/* What is known of this address with this version (NULL: not known). */
void frr_bfd_report(const char *dplane, const struct version *version, const char *subject,
		    struct report *report);

#endif
