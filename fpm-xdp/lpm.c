/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lookup engine over the kernel's LPM tries. */
#include <string.h>

#include "bpf/fx_abi.h"
#include "fpm-xdp/lpm.h"

#define LPM_VRF_BITS 32u

/* Keys lie densely, for batches. */
union lpm_keys {
	struct fx_lpm4_key v4[LPM_RUN];
	struct fx_lpm6_key v6[LPM_RUN];
};

static void lpm_key(union lpm_keys *keys, size_t i, const struct lpm_entry *entry)
{
	const struct fx_prefix *prefix = &entry->prefix;

	if (prefix->family == FX_AF_INET) {
		keys->v4[i].prefixlen = LPM_VRF_BITS + prefix->len;
		keys->v4[i].vrf = entry->vrf;
		memcpy(&keys->v4[i].addr, prefix->bytes, sizeof(keys->v4[i].addr));
	} else {
		keys->v6[i].prefixlen = LPM_VRF_BITS + prefix->len;
		keys->v6[i].vrf = entry->vrf;
		memcpy(keys->v6[i].addr, prefix->bytes, sizeof(keys->v6[i].addr));
	}
}

static struct bpfmap *lpm_map(struct fwd_maps *maps, const struct lpm_entry *entries)
{
	return entries->prefix.family == FX_AF_INET ? &maps->lpm4 : &maps->lpm6;
}

static void lpm_changed(struct fwd_maps *maps)
{
	bpfmap_add64(&maps->meta, 0, FWD_META_EPOCH, 1);
}

size_t lpm_put(struct fwd_maps *maps, const struct lpm_entry *entries, size_t n, int *ret_error)
{
	uint32_t gids[LPM_RUN];
	union lpm_keys keys;
	size_t i, done;

	for (i = 0; i < n; i++) {
		lpm_key(&keys, i, &entries[i]);
		gids[i] = entries[i].gid;
	}
	done = bpfmap_update_many(lpm_map(maps, entries), &keys, gids, n, ret_error);
	lpm_changed(maps);
	return done;
}

size_t lpm_del(struct fwd_maps *maps, const struct lpm_entry *entries, size_t n, int *ret_error)
{
	union lpm_keys keys;
	size_t i, done;

	for (i = 0; i < n; i++)
		lpm_key(&keys, i, &entries[i]);
	done = bpfmap_delete_many(lpm_map(maps, entries), &keys, n, ret_error);
	lpm_changed(maps);
	return done;
}

struct lpm_walk {
	int (*fn)(void *arg, const struct lpm_entry *entry);
	void *arg;
};

static int lpm_walk4(void *arg, const void *key, const void *value)
{
	const struct fx_lpm4_key *key4 = key;
	const struct lpm_walk *walk = arg;
	struct lpm_entry entry = { .vrf = key4->vrf };

	entry.prefix.family = FX_AF_INET;
	entry.prefix.len = (uint8_t)(key4->prefixlen - LPM_VRF_BITS);
	memcpy(entry.prefix.bytes, &key4->addr, sizeof(key4->addr));
	memcpy(&entry.gid, value, sizeof(entry.gid));
	return walk->fn(walk->arg, &entry);
}

static int lpm_walk6(void *arg, const void *key, const void *value)
{
	const struct fx_lpm6_key *key6 = key;
	const struct lpm_walk *walk = arg;
	struct lpm_entry entry = { .vrf = key6->vrf };

	entry.prefix.family = FX_AF_INET6;
	entry.prefix.len = (uint8_t)(key6->prefixlen - LPM_VRF_BITS);
	memcpy(entry.prefix.bytes, key6->addr, sizeof(key6->addr));
	memcpy(&entry.gid, value, sizeof(entry.gid));
	return walk->fn(walk->arg, &entry);
}

int lpm_walk(const struct fwd_maps *maps, int (*fn)(void *arg, const struct lpm_entry *entry),
	     void *arg)
{
	struct lpm_walk walk = { .fn = fn, .arg = arg };
	int rc;

	rc = bpfmap_walk(&maps->lpm4, lpm_walk4, &walk);
	return rc ? rc : bpfmap_walk(&maps->lpm6, lpm_walk6, &walk);
}
