/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions in the kernel half's maps (bpf/fx_bfd.h): written, indexed, their timers armed, and what
 * the kernel did for them. Edge. Without a kernel half the same entries are kept in memory, for
 * their counters.
 */
#ifndef FX_BFDDP_SESSION_MAP_H
#define FX_BFDDP_SESSION_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "bfddp-xdp/bfd_maps.h"
#include "bpf/fx_bfd.h"

struct session_map;

#define SESSION_MAP_SPORT 49152u /* RFC 5881 4: 49152 to 65535, each session its own */

struct session_map *session_map_new(struct bfd_maps *maps); /* NULL: no memory */
void session_map_free(struct session_map *map);		    /* NULL ok; the maps stay as they are */

/* The entry itself, for its counters and shared words. */
struct fx_bfd_sess *session_map_entry(const struct session_map *map, uint32_t slot);
uint16_t session_map_sport(uint32_t slot);

/*
 * The daemon's part of the entry, as bfd_session_kernel() has filled *want, and what hangs on it:
 * indexes, detection timer, shared words. 0, or negative errno: the kernel half cannot carry it.
 */
int session_map_put(struct session_map *map, uint32_t slot, const struct fx_bfd_sess *want);
/* The slot's indexes are a predecessor's, as the entry says. */
void session_map_adopt(struct session_map *map, uint32_t slot);
/* A session that is new in this slot: nothing of an earlier one stays. */
void session_map_clear(struct session_map *map, uint32_t slot);

/* Whether a periodic packet may be sent now: it is due, and nobody else has sent it. The next is
 * due after `delay`; after a packet out of turn, too. */
bool session_map_claim(struct session_map *map, uint32_t slot, uint64_t now_ns, uint64_t delay,
		       bool out_of_turn);
/* The same although the time is claimed until `due`: whether it still was. */
bool session_map_take_over(struct session_map *map, uint32_t slot, uint64_t due, uint64_t now_ns,
			   uint64_t delay);
/* Counts a packet that the daemon has sent or received. bytes: of the IP packet. */
void session_map_sent(struct session_map *map, uint32_t slot, uint64_t now_ns, uint32_t bytes);
void session_map_received(struct session_map *map, uint32_t slot, uint64_t now_ns, uint32_t bytes);

/* The daemon lives; dead_man_ns after the last call the kernel half falls silent. */
void session_map_heartbeat(struct session_map *map, uint64_t now_ns, uint64_t dead_man_ns);

#endif
