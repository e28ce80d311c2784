/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lookup engine: {VRF, prefix} to group id, over the kernel's LPM tries. Edge.
 *
 * This interface is all that the rest knows of lookups, so that a faster engine can take its place
 * and keep this one as the reference. fx_meta.fib_epoch is raised after every change: what the
 * kernel half remembers of lookups is stale then.
 */
#ifndef FX_FPM_LPM_H
#define FX_FPM_LPM_H

#include <stddef.h>
#include <stdint.h>

#include "fpm-xdp/fwd_maps.h"
#include "lib/addr.h"

#define LPM_RUN 256u /* entries per call, at most */

struct lpm_entry {
	uint32_t vrf;
	struct fx_prefix prefix;
	uint32_t gid;
};

/*
 * Adds or changes (put), or removes (del; gid is not used, one that is not there is no error)
 * n <= LPM_RUN entries of one family. How many were done before the first failure, which is then
 * in *ret_error.
 */
size_t lpm_put(struct fwd_maps *maps, const struct lpm_entry *entries, size_t n, int *ret_error);
size_t lpm_del(struct fwd_maps *maps, const struct lpm_entry *entries, size_t n, int *ret_error);

/* Every entry of both families. A result other than 0 ends the walk and is returned. */
int lpm_walk(const struct fwd_maps *maps, int (*fn)(void *arg, const struct lpm_entry *entry),
	     void *arg);

#endif
