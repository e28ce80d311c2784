/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What to type against what `show interface` and the doctor name. Pure. */
#ifndef FX_CLI_ADVICE_H
#define FX_CLI_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#define ADVICE_TYPE_SIZE 256

/*
 * Why an interface is not eligible (fpm-xdp/eligibility.h), in plain words: into *ret_words, and
 * what to type into buf ("": nothing can be typed). ipv6: of which family. A reason of a newer
 * daemon is given back as its own words.
 */
void advice_reason(const char *reason, const char *ifname, bool ipv6, const char **ret_words,
		   char *buf, size_t size);

/* Whether a driver of this name (ETHTOOL_GDRVINFO) is known to have native XDP in Linux 6.1: for
 * kernels before 6.3, which cannot be asked. */
bool advice_driver_has_xdp(const char *driver);

#endif
