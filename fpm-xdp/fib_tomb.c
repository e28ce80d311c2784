/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel routes that went while a dump of them was under way. The kernel puts each part of a dump
 * together before it queues it, and a notice that it sends in between comes first: a route whose
 * end was told may still stand in the part behind it (seen on Linux 6.18 under a changing table).
 * Such an entry of the dump is stale; without a memory of the end it would be taken for a new
 * route.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/fib_model.h"

struct fib_tomb {
	struct fx_hnode hnode;
	struct fib_kroute_key key;
};

static uint32_t tomb_hash(const struct fib_kroute_key *key)
{
	return fx_hash(key, sizeof(*key), 0);
}

static struct fib_tomb *tomb_find(const struct fib *fib, const struct fib_kroute_key *key)
{
	struct fx_hnode *node = fx_htable_first(&fib->tombs, tomb_hash(key));
	struct fib_tomb *tomb;

	for (; node; node = fx_htable_next(node)) {
		tomb = fx_container_of(node, struct fib_tomb, hnode);
		if (!memcmp(&tomb->key, key, sizeof(*key)))
			return tomb;
	}
	return NULL;
}

void fib_tomb_set(struct fib *fib, const struct fib_kroute_key *key)
{
	struct fib_tomb *tomb;

	if (!fib->kernel_dump || tomb_find(fib, key))
		return;
	tomb = calloc(1, sizeof(*tomb));
	if (!tomb) {
		fib->resync_wanted = true;
		return;
	}
	tomb->key = *key;
	if (fx_htable_add(&fib->tombs, &tomb->hnode, tomb_hash(key)) < 0) {
		fib->resync_wanted = true;
		free(tomb);
	}
}

bool fib_tomb_is(const struct fib *fib, const struct fib_kroute_key *key)
{
	return fib->tombs.count && tomb_find(fib, key);
}

static void tomb_remove(struct fib *fib, struct fib_tomb *tomb)
{
	fx_htable_remove(&fib->tombs, &tomb->hnode);
	free(tomb);
}

void fib_tomb_unset(struct fib *fib, const struct fib_kroute_key *key)
{
	struct fib_tomb *tomb = fib->tombs.count ? tomb_find(fib, key) : NULL;

	if (tomb)
		tomb_remove(fib, tomb);
}

void fib_tomb_clear(struct fib *fib)
{
	struct fx_hnode *node, *next;
	uint32_t i;

	for (i = 0; fib->tombs.heads && i <= fib->tombs.mask; i++) {
		for (node = fib->tombs.heads[i]; node; node = next) {
			next = node->next;
			free(fx_container_of(node, struct fib_tomb, hnode));
		}
	}
	fx_htable_done(&fib->tombs);
}
