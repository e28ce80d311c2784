/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Promises of bfd_session.h and bfd_table.h, whatever bfdd and the peers send. */
#include <string.h>

#include "tests/fuzz/fuzz_sessions.h"

#define SESSIONS 8u
#define MS	 1000000ull

void fuzz_sessions_init(struct fuzz_sessions *f)
{
	*f = (struct fuzz_sessions){ .now_ns = 1000000 * MS, .random = 1 };
	f->table = bfd_table_new(SESSIONS);
	fuzz_require(f->table != NULL, "memory");
}

static void check_session(const struct bfd_entry *entry)
{
	const struct bfd_session *s = &entry->session;
	uint64_t tx_ns = bfd_session_tx_ns(s), detect_ns = bfd_session_detect_ns(s);
	struct fx_bfd_sess map;
	struct dp_state told;

	fuzz_require(s->state <= BFD_STATE_UP, "a state is one of four");
	fuzz_require(!(s->conf.flags & DP_F_SHUTDOWN) || s->state == BFD_STATE_ADMIN_DOWN,
		     "a session that is shut is AdminDown");
	fuzz_require(!s->path_down || s->state != BFD_STATE_UP, "no session is Up without a path");
	fuzz_require(!tx_ns || tx_ns >= MS, "no interval is below the floor");
	fuzz_require(!detect_ns || detect_ns >= MS, "no detection time is below the floor");
	fuzz_require(!s->polling || s->state == BFD_STATE_UP, "polls are for Up");
	fuzz_require(s->state == BFD_STATE_UP || s->path_down || !tx_ns || tx_ns >= 1000 * MS,
		     "slow until Up");
	bfd_session_describe(s, &told);
	fuzz_require(told.state <= BFD_STATE_UP, "bfdd takes four states");
	memset(&map, 0, sizeof(map));
	bfd_session_kernel(s, &map);
	fuzz_require(!(map.flags & FX_BFD_F_REFLECT) ||
			     (map.tx_interval_ns && s->state == BFD_STATE_UP && !s->polling),
		     "the kernel half sends in the steady state only");
}

void fuzz_sessions_act(struct fuzz_sessions *f, struct bfd_entry *entry, uint32_t todo)
{
	uint8_t bytes[FX_BFD_CONTROL_LEN];
	struct dp_state told;

	if (!entry)
		return;
	bfd_table_refresh(f->table, entry);
	f->random = f->random * 1103515245 + 12345;
	if (todo & BFD_DO_SEND) {
		bfd_session_take(&entry->session, f->now_ns, f->random, bytes);
		fuzz_require((bytes[1] & (BFD_BIT_POLL | BFD_BIT_FINAL)) !=
				     (BFD_BIT_POLL | BFD_BIT_FINAL),
			     "never P and F");
		fuzz_require(bfd_wire_check(bytes, sizeof(bytes)) == FX_BFD_REJ_NONE ||
				     !bfd_wire_your_disc(bytes),
			     "what we send is valid");
	}
	if (todo & BFD_DO_NOTIFY)
		bfd_session_report(&entry->session, &told);
	check_session(entry);
	fuzz_require(bfd_table_slot(f->table, entry->slot) == entry, "found by its slot");
	fuzz_require(bfd_table_disc(f->table, entry->session.local_disc) != NULL,
		     "found by its discriminator");
}

void fuzz_sessions_message(struct fuzz_sessions *f, const struct dp_msg *msg)
{
	struct bfd_entry *entry = NULL;
	const char *why = NULL;
	uint32_t todo = 0;
	int n;

	if (msg->type == DP_MSG_DELETE) {
		entry = bfd_table_disc(f->table, msg->session.lid);
		if (entry)
			bfd_table_remove(f->table, entry);
		return;
	}
	if (msg->type != DP_MSG_ADD)
		return;
	n = bfd_table_add(f->table, &msg->session, FUZZ_OWNER, f->now_ns, f->random, &entry, &todo,
			  &why);
	fuzz_require((n > 0) == (entry != NULL) && (n > 0) == (why == NULL), "taken, or why not");
	fuzz_sessions_act(f, entry, todo);
	if (n != BFD_ADD_NEW)
		return;
	todo = bfd_session_path(&entry->session, false, f->now_ns, f->random);
	fuzz_sessions_act(f, entry, todo);
	fuzz_require(bfd_table_count(f->table) <= SESSIONS, "the limit");
}

static void run_timer(struct fuzz_sessions *f, struct bfd_entry *entry)
{
	struct bfd_session *s = &entry->session;
	int turns;

	for (turns = 0; bfd_session_deadline(s) <= f->now_ns; turns++) {
		fuzz_require(turns < 4, "a timer that ran has moved on: no busy loop");
		fuzz_sessions_act(f, entry, bfd_session_timer(s, f->now_ns, f->random));
	}
}

void fuzz_sessions_advance(struct fuzz_sessions *f, uint64_t ns)
{
	struct bfd_entry *entry;

	f->now_ns += ns;
	for (entry = bfd_table_next(f->table, NULL); entry; entry = bfd_table_next(f->table, entry))
		run_timer(f, entry);
	while ((entry = bfd_table_given_up(f->table, f->now_ns)))
		bfd_table_remove(f->table, entry);
}

void fuzz_sessions_done(struct fuzz_sessions *f)
{
	for (int i = 0; i < 4; i++)
		fuzz_sessions_advance(f, 700 * MS);
	bfd_table_free(f->table);
}
