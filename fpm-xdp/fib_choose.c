/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which member each hash bucket of a multipath group leads to: weighted rendezvous hashing. Each
 * bucket gives each member a score from nothing but the two of them; the best score has it. So a
 * member that goes takes only its own buckets with it, one that comes takes only what it gets, and
 * the result is the same after a restart, in another group with another id (FRR 8.4 to 10.7 give a
 * route a new group when a path is added) and whatever the order of events was.
 *
 * The score is -log2(u) / weight with u uniform in (0,1): the smallest wins, and each member's
 * share is its weight's ("Weighted distributed hash tables", Schindelhauer and Schomaker 2005).
 */
#include "fpm-xdp/fib_model.h"

#define CHOOSE_LOG2_FEW	 10u /* up to CHOOSE_FEW members */
#define CHOOSE_LOG2_MANY 14u
#define CHOOSE_FEW	 16u

/* The number of buckets depends on as little as possible: when it changes, flows move. */
unsigned int fib_choose_log2(uint16_t nmembers)
{
	return nmembers <= CHOOSE_FEW ? CHOOSE_LOG2_FEW : CHOOSE_LOG2_MANY;
}

static uint64_t member_key(const struct rt_path *path)
{
	uint32_t hash = fx_hash(path->gw.bytes, sizeof(path->gw.bytes), path->gw.family);

	return fx_mix64((uint64_t)path->ifindex << 32 | hash);
}

/* -log2((x + 1) / 2^32) in units of 2^-24; x of 32 bits. */
static uint64_t minus_log2(uint32_t x)
{
	uint64_t m = (uint64_t)x + 1, log = 0;
	int bit = 63 - __builtin_clzll(m);
	int i;

	m <<= 32 - bit; /* now 1.0 <= m / 2^32 < 2.0 */
	for (i = 1; i <= 24; i++) {
		m = (m >> 1) * (m >> 1) >> 30; /* (m / 2^32)^2 in 2^-32 */
		if (m >> 33) {
			log |= 1u << (24 - i);
			m >>= 1;
		}
	}
	return ((uint64_t)(32 - bit) << 24) - log;
}

static uint64_t member_score(uint64_t key, uint32_t bucket, uint16_t weight, bool even)
{
	uint64_t h = fx_mix64(key ^ bucket);

	if (even)
		return h;
	return (minus_log2((uint32_t)(h >> 32)) << 24) / (weight ? weight : 1);
}

static bool weights_are_even(const struct fib_member *members, uint16_t nmembers)
{
	uint16_t i;

	for (i = 1; i < nmembers; i++) {
		if (members[i].path.weight != members[0].path.weight)
			return false;
	}
	return true;
}

void fib_choose(const struct fib_member *members, const bool *alive, uint16_t nmembers,
		uint32_t *buckets, unsigned int log2)
{
	bool even = weights_are_even(members, nmembers), any = false;
	uint64_t best, score, keys[RT_MAX_PATHS];
	uint32_t bucket;
	uint16_t i;

	for (i = 0; i < nmembers; i++) {
		keys[i] = member_key(&members[i].path);
		any = any || alive[i];
	}
	for (bucket = 0; bucket < 1u << log2; bucket++) {
		best = UINT64_MAX;
		buckets[bucket] = 0;
		for (i = 0; i < nmembers; i++) {
			if (any && !alive[i])
				continue;
			score = member_score(keys[i], bucket, members[i].path.weight, even);
			if (score < best || !buckets[bucket]) {
				best = score;
				buckets[bucket] = members[i].adj->id;
			}
		}
	}
}
