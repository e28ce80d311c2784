/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sessions. Entries stand at their map slot; two chained hashes lead to them, by discriminator
 * and by the peer's address. A session has two discriminators while a peer may still use the one
 * from before a restart of bfdd, so it has two nodes in the first.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bfddp-xdp/bfd_table.h"

#define BUCKETS	  4096u /* of each hash: two sessions a chain at the limit */

/* What of the flags makes another session; the rest is a change of the same. */
#define KEY_FLAGS (DP_F_MULTIHOP | DP_F_IPV6)

struct disc_node {
	uint32_t disc; /* 0: not in the hash */
	uint32_t next;
};

struct held {
	struct bfd_entry entry;
	struct disc_node disc, old;
	struct held *next_peer;
};

/* Nodes in the discriminators' hash by number: twice the slot, and one more for the old. 0: none.
 */
struct bfd_table {
	uint32_t limit, count;
	struct held **slots; /* [limit + 1] */
	uint32_t *free;	     /* a ring of free slots: [limit] */
	uint32_t free_at, free_count;
	uint32_t by_disc[BUCKETS];
	struct held *by_peer[BUCKETS];
};

/* ---- hashes ---- */

static uint32_t mix(uint32_t x)
{
	x *= 0x9e3779b1u;
	return x >> 20; /* of BUCKETS */
}

static uint32_t peer_bucket(const struct fx_addr *peer)
{
	uint32_t word, sum = peer->family;

	for (size_t i = 0; i < sizeof(peer->bytes); i += sizeof(word)) {
		memcpy(&word, peer->bytes + i, sizeof(word));
		sum = (sum ^ word) * 0x85ebca6bu;
		sum ^= sum >> 15;
	}
	return mix(sum);
}

static struct disc_node *node(const struct bfd_table *table, uint32_t number)
{
	struct held *held = table->slots[number / 2];

	return number & 1 ? &held->old : &held->disc;
}

static void disc_unlink(struct bfd_table *table, uint32_t number)
{
	struct disc_node *gone = node(table, number);
	uint32_t *at;

	if (!gone->disc)
		return;
	for (at = &table->by_disc[mix(gone->disc)]; *at != number; at = &node(table, *at)->next)
		;
	*at = gone->next;
	gone->disc = 0;
}

static void disc_link(struct bfd_table *table, uint32_t number, uint32_t disc)
{
	struct disc_node *at = node(table, number);

	if (at->disc == disc)
		return;
	disc_unlink(table, number);
	if (!disc)
		return;
	at->disc = disc;
	at->next = table->by_disc[mix(disc)];
	table->by_disc[mix(disc)] = number;
}

static void peer_unlink(struct bfd_table *table, struct held *held)
{
	struct held **at = &table->by_peer[peer_bucket(&held->entry.session.conf.peer)];

	while (*at != held)
		at = &(*at)->next_peer;
	*at = held->next_peer;
}

static void peer_link(struct bfd_table *table, struct held *held)
{
	uint32_t bucket = peer_bucket(&held->entry.session.conf.peer);

	held->next_peer = table->by_peer[bucket];
	table->by_peer[bucket] = held;
}

/* ---- slots ---- */

static uint32_t slot_take(struct bfd_table *table)
{
	uint32_t slot = table->free[table->free_at];

	table->free_at = (table->free_at + 1) % table->limit;
	table->free_count--;
	return slot;
}

static void slot_give(struct bfd_table *table, uint32_t slot)
{
	table->free[(table->free_at + table->free_count++) % table->limit] = slot;
}

/* Takes this very slot out of the ring: for a predecessor's. */
static bool slot_claim(struct bfd_table *table, uint32_t slot)
{
	uint32_t i, at;

	for (i = 0; i < table->free_count; i++) {
		at = (table->free_at + i) % table->limit;
		if (table->free[at] != slot)
			continue;
		table->free[at] = table->free[table->free_at];
		slot_take(table);
		return true;
	}
	return false;
}

struct bfd_table *bfd_table_new(uint32_t limit)
{
	struct bfd_table *table = calloc(1, sizeof(*table));

	if (!table)
		return NULL;
	if (limit > FX_BFD_MAX_SESSIONS - 1)
		limit = FX_BFD_MAX_SESSIONS - 1;
	table->limit = limit ? limit : 1;
	table->slots = calloc(table->limit + 1, sizeof(*table->slots));
	table->free = calloc(table->limit, sizeof(*table->free));
	if (!table->slots || !table->free) {
		bfd_table_free(table);
		return NULL;
	}
	for (uint32_t slot = 1; slot <= limit; slot++)
		slot_give(table, slot);
	return table;
}

void bfd_table_free(struct bfd_table *table)
{
	if (!table)
		return;
	for (uint32_t slot = 1; table->slots && slot <= table->limit; slot++)
		free(table->slots[slot]);
	free(table->slots);
	free(table->free);
	free(table);
}

static struct held *hold(struct bfd_table *table, uint32_t slot, const struct bfd_session *session)
{
	struct held *held = calloc(1, sizeof(*held));

	if (!held)
		return NULL;
	held->entry.session = *session;
	held->entry.slot = slot;
	table->slots[slot] = held;
	table->count++;
	disc_link(table, slot * 2, session->local_disc);
	peer_link(table, held);
	return held;
}

void bfd_table_remove(struct bfd_table *table, struct bfd_entry *entry)
{
	uint32_t slot = entry->slot;

	disc_unlink(table, slot * 2);
	disc_unlink(table, slot * 2 + 1);
	peer_unlink(table, table->slots[slot]);
	free(table->slots[slot]);
	table->slots[slot] = NULL;
	slot_give(table, slot);
	table->count--;
}

/* ---- look-ups ---- */

struct bfd_entry *bfd_table_slot(const struct bfd_table *table, uint32_t slot)
{
	return slot <= table->limit && table->slots[slot] ? &table->slots[slot]->entry : NULL;
}

struct bfd_entry *bfd_table_disc(const struct bfd_table *table, uint32_t disc)
{
	uint32_t at;

	if (!disc)
		return NULL;
	for (at = table->by_disc[mix(disc)]; at; at = node(table, at)->next) {
		if (node(table, at)->disc == disc)
			return bfd_table_slot(table, at / 2);
	}
	return NULL;
}

struct bfd_entry *bfd_table_next(const struct bfd_table *table, const struct bfd_entry *entry)
{
	uint32_t slot;

	for (slot = entry ? entry->slot + 1 : 1; slot <= table->limit; slot++) {
		if (table->slots[slot])
			return &table->slots[slot]->entry;
	}
	return NULL;
}

uint32_t bfd_table_count(const struct bfd_table *table)
{
	return table->count;
}

/* How much of local address and interface a session names and shares with the path; negative: it
 * names another. */
static int fits(const struct bfd_session *s, const struct bfd_path *path)
{
	bool any_local = fx_addr_is_zero(&s->conf.local);

	if (!fx_addr_equal(&s->conf.peer, &path->peer) ||
	    !!(s->conf.flags & DP_F_MULTIHOP) != path->multihop)
		return -1;
	if (!any_local && !fx_addr_equal(&s->local, &path->local))
		return -1;
	if (s->ifindex && s->ifindex != path->ifindex)
		return -1;
	return !any_local + !!s->ifindex;
}

struct bfd_entry *bfd_table_addr(const struct bfd_table *table, const struct bfd_path *path)
{
	struct held *held, *best = NULL;
	int most = -1;

	for (held = table->by_peer[peer_bucket(&path->peer)]; held; held = held->next_peer) {
		int n = fits(&held->entry.session, path);

		if (n > most) {
			most = n;
			best = held;
		}
	}
	return best ? &best->entry : NULL;
}

static enum fx_bfd_reject check_path(const struct bfd_session *s, const struct bfd_path *path)
{
	bool multihop = s->conf.flags & DP_F_MULTIHOP;

	if (path->ttl < (multihop ? s->conf.min_ttl : 255))
		return FX_BFD_REJ_TTL;
	if (s->ifindex && s->ifindex != path->ifindex)
		return FX_BFD_REJ_INTERFACE;
	if (multihop != path->multihop || !fx_addr_equal(&s->conf.peer, &path->peer))
		return FX_BFD_REJ_ADDRESS;
	if (!fx_addr_is_zero(&s->conf.local) && !fx_addr_equal(&s->local, &path->local))
		return FX_BFD_REJ_ADDRESS;
	return FX_BFD_REJ_NONE;
}

struct bfd_entry *bfd_table_demux(const struct bfd_table *table, const uint8_t *packet, size_t len,
				  const struct bfd_path *path, enum fx_bfd_reject *ret_reject)
{
	uint32_t your_disc, why = FX_BFD_REJ_NONE;
	struct bfd_entry *entry = NULL;

	/* RFC 5881 5: GTSM goes before everything; the minimum of several hops is the session's */
	if (!path->multihop && path->ttl != 255)
		why = FX_BFD_REJ_TTL;
	else if (len < BFD_LEN_MIN)
		why = FX_BFD_REJ_SHORT;
	else
		why = bfd_wire_check(packet, len > UINT8_MAX ? UINT8_MAX : (uint32_t)len);
	if (why == FX_BFD_REJ_NONE) {
		your_disc = bfd_wire_your_disc(packet);
		entry = your_disc ? bfd_table_disc(table, your_disc) : bfd_table_addr(table, path);
		if (!entry)
			why = your_disc ? FX_BFD_REJ_YOUR_DISC : FX_BFD_REJ_NO_SESSION;
	}
	if (entry)
		why = bfd_wire_check_auth(packet);
	if (entry && why == FX_BFD_REJ_NONE)
		why = check_path(&entry->session, path);
	*ret_reject = (enum fx_bfd_reject)why;
	return why == FX_BFD_REJ_NONE ? entry : NULL;
}

/* ---- bfdd ---- */

/* How well a session fits an ADD: 1, and 1 more for the same local address and for the same
 * interface; 0 not at all. Either may be unknown: a local address that the route chose, an
 * interface that FRR 10.3 to 10.7 leave out when they send all sessions to a new connection. */
static int likeness(const struct bfd_session *s, const struct dp_session *conf)
{
	const struct dp_session *have = &s->conf;
	bool local = fx_addr_equal(&conf->local, &have->local);
	bool link = conf->ifindex == s->ifindex || conf->ifindex == have->ifindex;

	if (!fx_addr_equal(&conf->peer, &have->peer) ||
	    (conf->flags & KEY_FLAGS) != (have->flags & KEY_FLAGS))
		return 0;
	if (!local && !fx_addr_is_zero(&conf->local) && !fx_addr_is_zero(&have->local))
		return 0;
	if (!link && conf->ifindex && s->ifindex)
		return 0;
	return 1 + local + link;
}

/* The orphan that an ADD with an unknown discriminator is for; none if two are as likely. */
static struct held *find_orphan(const struct bfd_table *table, const struct dp_session *conf)
{
	struct held *held, *best = NULL;
	int most = 0;

	for (held = table->by_peer[peer_bucket(&conf->peer)]; held; held = held->next_peer) {
		int n = likeness(&held->entry.session, conf);

		if (held->entry.owner != BFD_TABLE_NO_OWNER || n < most || !n)
			continue;
		best = n > most ? held : NULL;
		most = n;
	}
	return best;
}

/* owner changes: bfdd forgets a session's state with the connection, so it is told anew. */
static int take_over(struct bfd_table *table, struct bfd_entry *entry,
		     const struct dp_session *conf, uint32_t owner, uint64_t now_ns,
		     uint32_t random, uint32_t *ret_do)
{
	bool adopted = entry->owner != owner;

	*ret_do = bfd_session_configure(&entry->session, conf, now_ns, random);
	bfd_table_refresh(table, entry);
	if (!adopted)
		return BFD_ADD_UPDATED;
	*ret_do |= bfd_session_untold(&entry->session);
	entry->owner = owner;
	entry->orphan_ns = 0;
	return BFD_ADD_ADOPTED;
}

void bfd_table_refresh(struct bfd_table *table, const struct bfd_entry *entry)
{
	disc_link(table, entry->slot * 2, entry->session.local_disc);
	disc_link(table, entry->slot * 2 + 1, entry->session.old_disc);
}

static int refuse(int err, const char *why, const char **ret_why)
{
	*ret_why = why;
	return err;
}

int bfd_table_add(struct bfd_table *table, const struct dp_session *conf, uint32_t owner,
		  uint64_t now_ns, uint32_t random, struct bfd_entry **ret, uint32_t *ret_do,
		  const char **ret_why)
{
	struct bfd_entry *entry = bfd_table_disc(table, conf->lid);
	struct bfd_session session;
	struct held *held;

	if (bfd_session_check(conf, ret_why) < 0)
		return -EINVAL;
	if (entry && !fx_addr_equal(&entry->session.conf.peer, &conf->peer))
		return refuse(-EEXIST, "the discriminator is another session's", ret_why);
	held = entry ? NULL : find_orphan(table, conf);
	if (held)
		entry = &held->entry;
	if (entry) {
		*ret = entry;
		return take_over(table, entry, conf, owner, now_ns, random, ret_do);
	}
	if (!table->free_count)
		return refuse(-ENOSPC, "the limit of sessions is reached", ret_why);
	*ret_do = bfd_session_init(&session, conf, now_ns, random);
	held = hold(table, table->free[table->free_at], &session);
	if (!held)
		return refuse(-ENOMEM, "out of memory", ret_why);
	slot_take(table);
	held->entry.owner = owner;
	*ret = &held->entry;
	return BFD_ADD_NEW;
}

uint32_t bfd_table_orphan(struct bfd_table *table, uint32_t owner, uint64_t now_ns,
			  uint64_t grace_ns)
{
	struct bfd_entry *entry;
	uint32_t n = 0;

	for (entry = bfd_table_next(table, NULL); entry; entry = bfd_table_next(table, entry)) {
		if (entry->owner != owner)
			continue;
		entry->owner = BFD_TABLE_NO_OWNER;
		entry->orphan_ns = now_ns + grace_ns;
		n++;
	}
	return n;
}

static struct bfd_entry *first_orphan(const struct bfd_table *table)
{
	struct bfd_entry *entry, *first = NULL;

	for (entry = bfd_table_next(table, NULL); entry; entry = bfd_table_next(table, entry)) {
		if (entry->owner == BFD_TABLE_NO_OWNER &&
		    (!first || entry->orphan_ns < first->orphan_ns))
			first = entry;
	}
	return first;
}

struct bfd_entry *bfd_table_given_up(const struct bfd_table *table, uint64_t now_ns)
{
	struct bfd_entry *entry = first_orphan(table);

	return entry && entry->orphan_ns <= now_ns ? entry : NULL;
}

uint64_t bfd_table_orphan_deadline(const struct bfd_table *table)
{
	const struct bfd_entry *entry = first_orphan(table);

	return entry ? entry->orphan_ns : BFD_NEVER;
}

int bfd_table_restore(struct bfd_table *table, uint32_t slot, const struct fx_bfd_sess *map,
		      uint64_t now_ns, uint64_t grace_ns, struct bfd_entry **ret)
{
	struct bfd_session session;
	struct held *held;

	if (!slot || slot > table->limit)
		return -ENOSPC;
	if (!bfd_session_restore(&session, map, now_ns))
		return -ENOENT;
	if (table->slots[slot] || bfd_table_disc(table, session.local_disc))
		return -EEXIST;
	held = hold(table, slot, &session);
	if (!held)
		return -ENOMEM;
	slot_claim(table, slot);
	held->entry.orphan_ns = now_ns + grace_ns;
	*ret = &held->entry;
	return 0;
}
