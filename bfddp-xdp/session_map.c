/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "bfddp-xdp/session_map.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>

#include "bpf/bfd_count.h"

#define SESSION_TRIES 3

/* What of a session the indexes hold. */
struct session_keys {
	uint32_t disc;			   /* 0: not there */
	struct fx_bfd_addr_key addr, echo; /* family 0: not there */
};

struct session_map {
	struct bfd_maps *maps;
	uint64_t armed[FX_BFD_MAX_SESSIONS]; /* the detection time when it was; 0: no timer */
	struct session_keys keys[FX_BFD_MAX_SESSIONS];
};

struct session_map *session_map_new(struct bfd_maps *maps)
{
	struct session_map *map = calloc(1, sizeof(*map));
	struct fx_bfd_meta *meta = bpfmap_entry(&maps->meta, 0);

	if (!map)
		return NULL;
	map->maps = maps;
	meta->abi = FX_BFD_ABI_VERSION;
	return map;
}

void session_map_free(struct session_map *map)
{
	free(map);
}

struct fx_bfd_sess *session_map_entry(const struct session_map *map, uint32_t slot)
{
	return bpfmap_entry(&map->maps->sess, slot);
}

uint16_t session_map_sport(uint32_t slot)
{
	return (uint16_t)(SESSION_MAP_SPORT + slot);
}

/* ---- the entry ---- */

#define SESSION_FIRST_WORD (offsetof(struct fx_bfd_sess, flags) / 4)
#define SESSION_END_WORD   (offsetof(struct fx_bfd_sess, next_due) / 4)

/* Between two raises of seq: a reader that saw it odd, or two values of it, does not believe what
 * it has read. Words that stay are not touched. */
static void session_map_words(struct fx_bfd_sess *entry, const struct fx_bfd_sess *want)
{
	uint32_t *to = (uint32_t *)(void *)entry;
	uint32_t value, seq = __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) | 1;
	size_t i;

	__atomic_store_n(&entry->seq, seq, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = SESSION_FIRST_WORD; i < SESSION_END_WORD; i++) {
		memcpy(&value, (const uint8_t *)want + i * 4, sizeof(value));
		if (__atomic_load_n(&to[i], __ATOMIC_RELAXED) != value)
			__atomic_store_n(&to[i], value, __ATOMIC_RELAXED);
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->seq, seq + 1, __ATOMIC_RELEASE);
}

static void session_map_raise(__u64 *word, uint64_t value)
{
	__u64 old = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	while (value > old && !__atomic_compare_exchange_n(word, &old, value, false,
							   __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE))
		;
}

/* ---- indexes ---- */

static int session_map_index(struct bpfmap *index, void *have, const void *want, size_t size,
			     bool is_set, uint32_t slot)
{
	static const uint8_t none[sizeof(struct fx_bfd_addr_key)];
	uint32_t holder;
	int rc;

	if (!memcmp(have, is_set ? want : none, size))
		return 0;
	/* Two sessions with the same key: the index holds one, and it is that one's to take out. */
	if (memcmp(have, none, size) != 0 && !bpfmap_lookup(index, have, &holder) && holder == slot)
		bpfmap_delete(index, have);
	memset(have, 0, size);
	if (!is_set)
		return 0;
	rc = bpfmap_update(index, want, &slot);
	if (!rc)
		memcpy(have, want, size);
	return rc;
}

/* The keys under which an entry is found. */
static void session_map_keys(const struct fx_bfd_sess *entry, struct session_keys *ret)
{
	*ret = (struct session_keys){
		.disc = entry->my_disc,
		.addr.ifindex = entry->ifindex,
		.addr.family = entry->flags & FX_BFD_F_IPV6 ? FX_BFD_INET6 : FX_BFD_INET,
	};
	memcpy(ret->addr.peer, entry->peer, sizeof(entry->peer));
	ret->echo = ret->addr;
	ret->echo.kind = FX_BFD_ECHO;
	ret->addr.kind = entry->flags & FX_BFD_F_MULTIHOP ? FX_BFD_MULTI_HOP : FX_BFD_SINGLE_HOP;
	memcpy(ret->addr.local, entry->local, sizeof(entry->local));
}

static int session_map_indexes(struct session_map *map, uint32_t slot,
			       const struct fx_bfd_sess *want)
{
	struct session_keys *have = &map->keys[slot], keys;
	bool active = want->flags & FX_BFD_F_ACTIVE;
	int rc;

	session_map_keys(want, &keys);
	rc = session_map_index(&map->maps->by_disc, &have->disc, &keys.disc, sizeof(keys.disc),
			       active, slot);
	if (!rc)
		rc = session_map_index(&map->maps->by_addr, &have->addr, &keys.addr,
				       sizeof(keys.addr), active, slot);
	if (!rc)
		rc = session_map_index(&map->maps->by_addr, &have->echo, &keys.echo,
				       sizeof(keys.echo), want->flags & FX_BFD_F_ECHO_RX, slot);
	return rc;
}

void session_map_adopt(struct session_map *map, uint32_t slot)
{
	const struct fx_bfd_sess *entry = session_map_entry(map, slot);

	session_map_keys(entry, &map->keys[slot]);
	if (!(entry->flags & FX_BFD_F_ECHO_RX))
		memset(&map->keys[slot].echo, 0, sizeof(map->keys[slot].echo));
}

/* ---- timers ---- */

/*
 * A timer's first order allocates without being allowed to wait (bpf_timer_init(): GFP_ATOMIC, and
 * kmalloc_nolock() in Linux 6.18), and fails when many come at once; a moment later it does not.
 */
static int session_map_order(struct session_map *map, uint32_t slot, uint32_t op)
{
	static const struct timespec moment = { .tv_nsec = 50000 };
	struct fx_bfd_timer_cmd cmd = { .slot = slot, .op = op };
	int tries, rc = -ENOMEM;

	for (tries = 0; rc == -ENOMEM && tries < SESSION_TRIES; tries++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &cmd, .ctx_size_in = sizeof(cmd));

		if (tries)
			nanosleep(&moment, NULL);
		rc = bpf_prog_test_run_opts(map->maps->timer_prog, &opts);
		if (!rc)
			rc = (int)opts.retval;
	}
	return rc;
}

/* A longer time needs no order: the timer looks for itself when it fires. */
static int session_map_timer(struct session_map *map, uint32_t slot, const struct fx_bfd_sess *want)
{
	uint64_t detect = want->flags & FX_BFD_F_DETECT ? want->detect_ns : 0;
	uint64_t armed = map->armed[slot];
	int rc;

	if (detect == armed)
		return 0;
	map->armed[slot] = detect;
	if (armed && detect > armed)
		return 0;
	rc = session_map_order(map, slot, detect ? FX_BFD_TIMER_ARM : FX_BFD_TIMER_CANCEL);
	if (rc < 0)
		map->armed[slot] = 0;
	return rc;
}

/*
 * A packet may have been claimed since *want was made, and next_due then is the later one. Only
 * when the interval has become shorter is the old time too late; one that changes meanwhile stays.
 */
static void session_map_due(struct fx_bfd_sess *entry, uint64_t due, bool shorter)
{
	__u64 old = __atomic_load_n(&entry->next_due, __ATOMIC_ACQUIRE);

	if (!due)
		__atomic_store_n(&entry->next_due, 0, __ATOMIC_SEQ_CST);
	else if (shorter && due < old)
		__atomic_compare_exchange_n(&entry->next_due, &old, due, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_ACQUIRE);
	else
		session_map_raise(&entry->next_due, due);
}

int session_map_put(struct session_map *map, uint32_t slot, const struct fx_bfd_sess *want)
{
	struct fx_bfd_sess *entry = session_map_entry(map, slot);
	bool shorter = want->tx_interval_ns < entry->tx_interval_ns;
	int rc;

	session_map_raise(&entry->last_rx, want->last_rx);
	session_map_words(entry, want);
	/* The kernel's verdict stands until the daemon has written what came of it. */
	if (!(want->flags & FX_BFD_F_DETECT))
		__atomic_store_n(&entry->expired, 0, __ATOMIC_SEQ_CST);
	session_map_due(entry, want->next_due, shorter);
	if (!map->maps->kernel)
		return 0;
	rc = session_map_indexes(map, slot, want);
	return rc < 0 ? rc : session_map_timer(map, slot, want);
}

void session_map_clear(struct session_map *map, uint32_t slot)
{
	struct fx_bfd_sess *entry = session_map_entry(map, slot);
	uint32_t seq = entry->seq | 1;

	if (entry->my_disc)
		session_map_keys(entry, &map->keys[slot]);
	__atomic_store_n(&entry->flags, 0, __ATOMIC_SEQ_CST);
	if (map->maps->kernel) {
		session_map_indexes(map, slot, &(struct fx_bfd_sess){ 0 });
		session_map_order(map, slot, FX_BFD_TIMER_CANCEL);
	}
	map->armed[slot] = 0;
	__atomic_store_n(&entry->seq, seq, __ATOMIC_SEQ_CST);
	memset((uint8_t *)entry + sizeof(entry->seq), 0, sizeof(*entry) - sizeof(entry->seq));
	__atomic_store_n(&entry->seq, seq + 1, __ATOMIC_SEQ_CST);
}

/* ---- packets ---- */

bool session_map_claim(struct session_map *map, uint32_t slot, uint64_t now_ns, uint64_t delay,
		       bool out_of_turn)
{
	struct fx_bfd_sess *entry = session_map_entry(map, slot);
	uint64_t due = __atomic_load_n(&entry->next_due, __ATOMIC_ACQUIRE);

	if (!due)
		return true; /* nobody but the daemon sends */
	if (out_of_turn) {
		session_map_raise(&entry->next_due, now_ns + delay);
		return true;
	}
	return due <= now_ns &&
	       __atomic_compare_exchange_n(&entry->next_due, &due, now_ns + delay, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool session_map_take_over(struct session_map *map, uint32_t slot, uint64_t due, uint64_t now_ns,
			   uint64_t delay)
{
	__u64 old = due;

	return __atomic_compare_exchange_n(&session_map_entry(map, slot)->next_due, &old,
					   now_ns + delay, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

void session_map_sent(struct session_map *map, uint32_t slot, uint64_t now_ns, uint32_t bytes)
{
	struct fx_bfd_sess *entry = session_map_entry(map, slot);

	bfd_gap(&entry->tx_gaps, now_ns);
	BFD_ADD(entry->tx_pkts[FX_BFD_BY_DAEMON], 1);
	BFD_ADD(entry->tx_bytes, bytes);
}

void session_map_received(struct session_map *map, uint32_t slot, uint64_t now_ns, uint32_t bytes)
{
	struct fx_bfd_sess *entry = session_map_entry(map, slot);

	session_map_raise(&entry->last_rx, now_ns);
	bfd_gap(&entry->rx_gaps, now_ns);
	BFD_ADD(entry->rx_pkts, 1);
	BFD_ADD(entry->rx_bytes, bytes);
}

void session_map_heartbeat(struct session_map *map, uint64_t now_ns, uint64_t dead_man_ns)
{
	struct fx_bfd_meta *meta = bpfmap_entry(&map->maps->meta, 0);

	__atomic_store_n(&meta->dead_man_ns, dead_man_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&meta->heartbeat_ns, now_ns, __ATOMIC_RELEASE);
}
