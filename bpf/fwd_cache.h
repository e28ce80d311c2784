/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a remembered answer of a trie is good. The daemon raises fx_meta.fib_epoch after each change
 * of a trie, and lets a grace period pass after that before an id means something else. So an
 * answer may be used again as long as the epoch is the one that was read before the trie was asked:
 * read after it, an old answer could be kept under the new epoch for ever.
 */
#ifndef FX_BPF_FWD_CACHE_H
#define FX_BPF_FWD_CACHE_H

#include "bpf/fx_maps.h"
#include "bpf/fx_parse.h"

/* Words that the daemon changes under us are read once. */
#define FWD_READ(x) (*(const volatile __typeof__(x) *)&(x))

/* Keeps the reads before it before those behind it on every CPU: an atomic that gives back a value
 * is a full barrier in the BPF memory model. Its own stack word, so that no other CPU is disturbed.
 */
static FX_INLINE __u64 fwd_fence(void)
{
	__u64 word = 0;

	return __sync_fetch_and_add(&word, 0);
}

/* The epoch to remember an answer under, read before the trie. */
static FX_INLINE __u64 fwd_epoch_before(__u64 epoch)
{
	return epoch + fwd_fence();
}

#endif
