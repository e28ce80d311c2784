/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All sessions: found by discriminator, by address, by map slot; who among bfdd's connections owns
 * which; sessions that wait for their bfdd to come back. Pure; owns the sessions.
 */
#ifndef FX_BFDDP_BFD_TABLE_H
#define FX_BFDDP_BFD_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bfddp-xdp/bfd_session.h"

#define BFD_TABLE_LIMIT	   FX_BFD_MAX_SESSIONS /* default; slot 0 is never used */
#define BFD_TABLE_NO_OWNER 0u

struct bfd_table;

struct bfd_entry {
	struct bfd_session session;
	uint32_t slot;	    /* in fx_bfd_sess: 1.. */
	uint32_t owner;	    /* the connection's number; BFD_TABLE_NO_OWNER: an orphan */
	uint64_t orphan_ns; /* an orphan is given up then */
};

/* limit: sessions, at most FX_BFD_MAX_SESSIONS - 1 are made. NULL: no memory. */
struct bfd_table *bfd_table_new(uint32_t limit);
void bfd_table_free(struct bfd_table *table); /* NULL is fine */

#define BFD_ADD_NEW	(1)
#define BFD_ADD_ADOPTED (2) /* an orphan: same session, new owner, maybe a new discriminator */
#define BFD_ADD_UPDATED (3) /* *ret_do is 0 for an identical one */

/*
 * An ADD from connection owner (not 0). BFD_ADD_*, *ret set, *ret_do what is to be done with it.
 * The discriminator's or an orphan with the same peer, local address, interface and flags; else a
 * new one.
 * -EINVAL: bfd_session_check() says no. -ENOSPC: the limit. -EEXIST: the change would be to another
 * peer, which is another session. -ENOMEM. *ret_why then is a text for the log.
 */
int bfd_table_add(struct bfd_table *table, const struct dp_session *conf, uint32_t owner,
		  uint64_t now_ns, uint32_t random, struct bfd_entry **ret, uint32_t *ret_do,
		  const char **ret_why);

/* To be called when bfd_session_rx() was: the peer may have left the old discriminator. */
void bfd_table_refresh(struct bfd_table *table, const struct bfd_entry *entry);

/* The slot is given out again as late as can be. The caller who wants the peer to know that this is
 * no failure (RFC 5880 6.8.16) sends what bfd_session_event(BFD_EV_DISABLE) asks for, before. */
void bfd_table_remove(struct bfd_table *table, struct bfd_entry *entry);

struct bfd_entry *bfd_table_slot(const struct bfd_table *table, uint32_t slot);
/* By Your Discriminator: ours, or the one before a restart of bfdd. */
struct bfd_entry *bfd_table_disc(const struct bfd_table *table, uint32_t disc);
/* How a packet came. */
struct bfd_path {
	struct fx_addr peer, local;
	uint32_t ifindex;
	uint8_t ttl;
	bool multihop; /* by the port: 4784 */
};

/* By address, for Your Discriminator 0. A session without local address or interface takes any; the
 * one that names most wins. */
struct bfd_entry *bfd_table_addr(const struct bfd_table *table, const struct bfd_path *path);

/* The session that a packet of len bytes is for: RFC 5880 6.8.6, RFC 5881 4. All checks,
 * in the RFC's order. NULL: *ret_reject says why. */
struct bfd_entry *bfd_table_demux(const struct bfd_table *table, const uint8_t *packet, size_t len,
				  const struct bfd_path *path, enum fx_bfd_reject *ret_reject);

/* The connection is gone: its sessions run on until grace_ns from now. How many. */
uint32_t bfd_table_orphan(struct bfd_table *table, uint32_t owner, uint64_t now_ns,
			  uint64_t grace_ns);
/* An orphan whose time is over, or NULL; to be removed by the caller. */
struct bfd_entry *bfd_table_given_up(const struct bfd_table *table, uint64_t now_ns);
/* When the next one is; BFD_NEVER: there is none. */
uint64_t bfd_table_orphan_deadline(const struct bfd_table *table);

/* A predecessor's session, out of the map: an orphan in its old slot. 0, -EEXIST (slot or
 * discriminator in use), -ENOENT (bfd_session_restore() says no), -ENOSPC, -ENOMEM. */
int bfd_table_restore(struct bfd_table *table, uint32_t slot, const struct fx_bfd_sess *map,
		      uint64_t now_ns, uint64_t grace_ns, struct bfd_entry **ret);

/* All, in the order of slots: NULL begins, and NULL ends. The current one may be removed. */
struct bfd_entry *bfd_table_next(const struct bfd_table *table, const struct bfd_entry *entry);
uint32_t bfd_table_count(const struct bfd_table *table);

#endif
