/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model's plan on the maps. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "fpm-xdp/lpm.h"
#include "fpm-xdp/map_writer.h"

#define MAP_ADJ_WORD0 0
#define MAP_ADJ_DST   1
#define MAP_ADJ_SRC   2

/* ---- constants ---- */

static void map_writer_constants(struct fwd_maps *maps)
{
	static const struct {
		uint32_t gid;
		uint32_t kind;
		uint32_t verdict;
	} table[] = {
		{ FX_GID_LOCAL, FX_GROUP_PASS, FX_V_LOCAL },
		{ FX_GID_NOT_UNICAST, FX_GROUP_PASS, FX_V_NOT_UNICAST },
		{ FX_GID_BLACKHOLE, FX_GROUP_DROP, FX_V_BLACKHOLE },
		{ FX_GID_UNREACHABLE, FX_GROUP_PASS, FX_V_UNREACHABLE },
		{ FX_GID_TRAPPED, FX_GROUP_PASS, FX_V_TRAPPED },
		{ FX_GID_PENDING, FX_GROUP_PASS, FX_V_PENDING },
		{ FX_GID_NO_ROUTE, FX_GROUP_PASS, FX_V_NO_ROUTE },
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		bpfmap_store64(&maps->groups, table[i].gid, 0,
			       fx_group_word(table[i].kind, 0, table[i].verdict));
}

static uint32_t map_writer_hint(const void *addr_be)
{
	uint32_t addr;

	memcpy(&addr, addr_be, sizeof(addr));
	return fx_own4_slot(ntohl(addr));
}

static int map_writer_count_hint(void *arg, const void *key, const void *value)
{
	uint32_t *counts = arg;

	counts[map_writer_hint(key)]++;
	return 0;
}

/* A predecessor may have died between an address and its count. */
static int map_writer_hints(struct fwd_maps *maps)
{
	uint32_t counts[FX_OWN4_HINTS] = { 0 };
	uint32_t i;
	int rc;

	rc = bpfmap_walk(&maps->own4, map_writer_count_hint, counts);
	if (rc < 0)
		return rc;
	for (i = 0; i < FX_OWN4_HINTS; i++)
		bpfmap_store32(&maps->own4_hint, i, 0, counts[i]);
	return 0;
}

int map_writer_init(struct fwd_maps *maps)
{
	uint32_t seed;

	map_writer_constants(maps);
	/* A predecessor may have died between a trie and the epoch. */
	bpfmap_add64(&maps->meta, 0, FWD_META_EPOCH, 1);
	/* Kept for as long as the maps are: flows stay on their paths over a restart. */
	if (!bpfmap_load32(&maps->meta, 0, FWD_META_HASH_SEED)) {
		if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
			return -errno;
		bpfmap_store32(&maps->meta, 0, FWD_META_HASH_SEED, seed ? seed : 1);
	}
	return map_writer_hints(maps);
}

void map_writer_ready(struct fwd_maps *maps)
{
	bpfmap_store32(&maps->meta, 0, FWD_META_ABI, FX_ABI_VERSION);
}

void map_writer_kernel_first(struct fwd_maps *maps, bool on)
{
	bpfmap_store32(&maps->meta, 0, FWD_META_FLAGS, on ? FX_META_KERNEL_FIRST : 0);
}

bool map_writer_is_kernel_first(const struct fwd_maps *maps)
{
	return bpfmap_load32(&maps->meta, 0, FWD_META_FLAGS) & FX_META_KERNEL_FIRST;
}

/* ---- adoption ---- */

static int map_writer_adopt_prefix(void *arg, const struct lpm_entry *entry)
{
	return fib_adopt_prefix(arg, entry->vrf, &entry->prefix, entry->gid);
}

static int map_writer_adopt_neigh4(void *arg, const void *key, const void *value)
{
	const struct fx_neigh4_key *neigh = key;
	struct fx_addr addr = { .family = FX_AF_INET };
	uint32_t adj;

	memcpy(addr.bytes, &neigh->addr, sizeof(neigh->addr));
	memcpy(&adj, value, sizeof(adj));
	return fib_adopt_neigh(arg, neigh->ifindex, &addr, adj);
}

static int map_writer_adopt_neigh6(void *arg, const void *key, const void *value)
{
	const struct fx_neigh6_key *neigh = key;
	struct fx_addr addr = { .family = FX_AF_INET6 };
	uint32_t adj;

	memcpy(addr.bytes, neigh->addr, sizeof(neigh->addr));
	memcpy(&adj, value, sizeof(adj));
	return fib_adopt_neigh(arg, neigh->ifindex, &addr, adj);
}

static int map_writer_adopt_own4(void *arg, const void *key, const void *value)
{
	struct fx_addr addr = { .family = FX_AF_INET };

	memcpy(addr.bytes, key, 4);
	return fib_adopt_own4(arg, &addr);
}

int map_writer_adopt(const struct fwd_maps *maps, struct fib *fib)
{
	uint64_t word;
	uint32_t i;
	int rc;

	for (i = FX_GID_FIRST; i < FX_MAX_GROUPS; i++) {
		word = bpfmap_load64(&maps->groups, i, 0);
		if (word)
			fib_adopt_group(fib, i, word);
	}
	for (i = 1; i < FX_MAX_ADJS; i++)
		if (bpfmap_load64(&maps->adjs, i, MAP_ADJ_WORD0))
			fib_adopt_adj(fib, i);
	rc = lpm_walk(maps, map_writer_adopt_prefix, fib);
	if (!rc)
		rc = bpfmap_walk(&maps->neigh4, map_writer_adopt_neigh4, fib);
	if (!rc)
		rc = bpfmap_walk(&maps->neigh6, map_writer_adopt_neigh6, fib);
	if (!rc)
		rc = bpfmap_walk(&maps->own4, map_writer_adopt_own4, fib);
	return rc;
}

/* ---- steps ---- */

static void map_writer_adj(struct fwd_maps *maps, const struct fib_step *step)
{
	const struct fx_adj *value = &step->adj.value;
	uint32_t id = step->adj.id;

	if (step->adj.fresh)
		bpfmap_percpu_zero(&maps->adjstats, id);
	bpfmap_store64(&maps->adjs, id, MAP_ADJ_SRC, value->src);
	bpfmap_store64(&maps->adjs, id, MAP_ADJ_DST, value->dst);
	bpfmap_store64(&maps->adjs, id, MAP_ADJ_WORD0, value->word0);
}

static void map_writer_buckets(struct fwd_maps *maps, const struct fib_step *step)
{
	uint32_t i;

	for (i = 0; i < step->buckets.n; i++)
		bpfmap_store32(&maps->buckets, step->buckets.base + i, 0, step->buckets.ids[i]);
}

static int map_writer_neigh(struct fwd_maps *maps, const struct fib_step *step)
{
	const struct fx_addr *addr = &step->neigh.addr;
	bool is_ipv4 = addr->family == FX_AF_INET;
	struct bpfmap *map = is_ipv4 ? &maps->neigh4 : &maps->neigh6;
	struct fx_neigh4_key key4 = { .ifindex = step->neigh.ifindex };
	struct fx_neigh6_key key6 = { .ifindex = step->neigh.ifindex };
	const void *key = is_ipv4 ? (const void *)&key4 : (const void *)&key6;
	int rc;

	memcpy(&key4.addr, addr->bytes, sizeof(key4.addr));
	memcpy(key6.addr, addr->bytes, sizeof(key6.addr));
	if (step->type == FIB_STEP_NEIGH)
		return bpfmap_update(map, key, &step->neigh.adj);
	rc = bpfmap_delete(map, key);
	return rc == -ENOENT ? 0 : rc;
}

/* The hint is raised before the address is there and lowered after it is gone: 0 must be true. */
static int map_writer_own4(struct fwd_maps *maps, const struct fib_step *step)
{
	uint32_t hint = map_writer_hint(step->own4.bytes);
	uint32_t count = bpfmap_load32(&maps->own4_hint, hint, 0);
	bool had;
	uint32_t one = 1;
	int rc;

	had = bpfmap_lookup(&maps->own4, step->own4.bytes, &one) == 0;
	if (step->type == FIB_STEP_OWN4 && !had) {
		bpfmap_store32(&maps->own4_hint, hint, 0, count + 1);
		rc = bpfmap_update(&maps->own4, step->own4.bytes, &one);
		if (rc < 0)
			bpfmap_store32(&maps->own4_hint, hint, 0, count);
		return rc;
	}
	if (step->type == FIB_STEP_OWN4_DEL && had) {
		rc = bpfmap_delete(&maps->own4, step->own4.bytes);
		if (!rc)
			bpfmap_store32(&maps->own4_hint, hint, 0, count - 1);
		return rc;
	}
	return 0;
}

static int map_writer_one(struct fwd_maps *maps, const struct fib_step *step)
{
	switch (step->type) {
	case FIB_STEP_ADJ:
		map_writer_adj(maps, step);
		return 0;
	case FIB_STEP_BUCKETS:
		map_writer_buckets(maps, step);
		return 0;
	case FIB_STEP_GROUP:
		bpfmap_store64(&maps->groups, step->group.gid, 0, step->group.word);
		return 0;
	case FIB_STEP_NEIGH:
	case FIB_STEP_NEIGH_DEL:
		return map_writer_neigh(maps, step);
	case FIB_STEP_OWN4:
	case FIB_STEP_OWN4_DEL:
		return map_writer_own4(maps, step);
	case FIB_STEP_PREFIX:
	case FIB_STEP_PREFIX_DEL:
		break; /* in runs */
	}
	return -EINVAL;
}

static bool map_writer_is_prefix(const struct fib_step *step)
{
	return step->type == FIB_STEP_PREFIX || step->type == FIB_STEP_PREFIX_DEL;
}

/* Prefix steps of one type and family from the first on. How many; errors[] gets each one's. */
static size_t map_writer_run_prefixes(struct fwd_maps *maps, const struct fib_step *steps, size_t n,
				      int *errors)
{
	struct lpm_entry entries[MAP_WRITER_STEPS];
	uint8_t family = steps->prefix.prefix.family;
	size_t len, done = 0;
	int error;

	for (len = 0; len < n && steps[len].type == steps->type; len++) {
		if (steps[len].prefix.prefix.family != family)
			break;
		entries[len].vrf = steps[len].prefix.vrf;
		entries[len].prefix = steps[len].prefix.prefix;
		entries[len].gid = steps[len].prefix.gid;
		errors[len] = 0;
	}
	while (done < len) {
		if (steps->type == FIB_STEP_PREFIX)
			done += lpm_put(maps, entries + done, len - done, &error);
		else
			done += lpm_del(maps, entries + done, len - done, &error);
		if (error)
			errors[done++] = error;
	}
	return len;
}

void map_writer_run(struct fwd_maps *maps, struct fib *fib, const struct fib_step *steps, size_t n)
{
	int errors[MAP_WRITER_STEPS];
	size_t i = 0;

	while (i < n) {
		if (map_writer_is_prefix(&steps[i])) {
			i += map_writer_run_prefixes(maps, steps + i, n - i, errors + i);
			continue;
		}
		errors[i] = map_writer_one(maps, &steps[i]);
		i++;
	}
	/* Only now: a call into the model may end the life of a step's bucket list. */
	for (i = 0; i < n; i++)
		fib_step_done(fib, &steps[i], errors[i]);
}

/* ---- interfaces ---- */

static void map_writer_iface_store(struct fwd_maps *maps, uint32_t ifindex, uint64_t word0)
{
	uint64_t old;

	do {
		old = bpfmap_load64(&maps->ifaces, ifindex, 0);
	} while (!bpfmap_cas64(&maps->ifaces, ifindex, 0, old, word0 | (old & FX_IF_BFD)));
}

void map_writer_iface(struct fwd_maps *maps, uint32_t ifindex, uint64_t word0, const uint8_t mac[6])
{
	uint64_t mac_word = 0;

	if (ifindex >= FX_MAX_IFINDEX)
		return;
	memcpy(&mac_word, mac, 6);
	if (word0)
		bpfmap_store64(&maps->ifaces, ifindex, 1, mac_word);
	map_writer_iface_store(maps, ifindex, word0);
	if (!word0)
		bpfmap_store64(&maps->ifaces, ifindex, 1, 0);
}

bool map_writer_iface_is_shared(const struct fwd_maps *maps, uint32_t ifindex)
{
	return ifindex < FX_MAX_IFINDEX && bpfmap_load64(&maps->ifaces, ifindex, 0) & FX_IF_BFD;
}

uint64_t map_writer_iface_word0(const struct fwd_maps *maps, uint32_t ifindex)
{
	if (ifindex >= FX_MAX_IFINDEX)
		return 0;
	return bpfmap_load64(&maps->ifaces, ifindex, 0) & ~(uint64_t)FX_IF_BFD;
}

int map_writer_port(struct fwd_maps *maps, uint32_t ifindex, bool on)
{
	int rc;

	if (on)
		return bpfmap_update(&maps->ports, &ifindex, &ifindex);
	rc = bpfmap_delete(&maps->ports, &ifindex);
	return rc == -ENOENT ? 0 : rc;
}
