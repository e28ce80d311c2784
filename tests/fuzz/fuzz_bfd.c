/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What peers, links and the kernel half may do to sessions. The input is a list of events, each a
 * byte that says what and who, and its operands; see event(). Sessions 1 to 3 are there: IPv4, IPv6
 * link-local with echo, several hops in the passive role.
 */
#include <string.h>

#include "tests/fuzz/fuzz_sessions.h"

#define SEC 1000000000ull

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *data;
	size_t left;
};

static uint8_t take_byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static void take_bytes(struct input *in, uint8_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ret[i] = take_byte(in);
}

static struct dp_session conf_of(uint32_t lid)
{
	static const char *const peers[] = { "10.0.0.2", "fe80::2", "10.9.0.2" };
	static const uint32_t flags[] = { 0, DP_F_IPV6 | DP_F_ECHO | DP_F_CBIT,
					  DP_F_MULTIHOP | DP_F_PASSIVE };
	struct dp_session conf = {
		.flags = flags[lid - 1],
		.lid = lid,
		.min_tx_us = 300000,
		.min_rx_us = 300000,
		.min_echo_tx_us = 50000,
		.min_echo_rx_us = 50000,
		.min_ttl = lid == 3 ? 250 : 255,
		.mult = 3,
		.ifindex = lid == 3 ? 0 : 5,
	};

	fx_addr_parse(peers[lid - 1], &conf.peer);
	conf.local.family = conf.peer.family;
	return conf;
}

static void packet(struct fuzz_sessions *f, struct input *in, uint32_t lid)
{
	struct dp_session conf = conf_of(lid);
	struct bfd_path path = { .peer = conf.peer, .local = conf.peer, .ttl = 255 };
	enum fx_bfd_reject why = FX_BFD_REJ_NONE;
	uint8_t how = take_byte(in), bytes[32];
	struct bfd_packet values;
	struct bfd_entry *entry;

	path.multihop = lid == 3;
	path.ifindex = how & 1 ? 6 : 5;
	path.ttl -= how >> 5;
	take_bytes(in, bytes, FX_BFD_CONTROL_LEN);
	if (how & 2) /* else the fuzzer has to guess it */
		bfd_wire_put_u32(bytes + 8, lid);
	entry = bfd_table_demux(f->table, bytes, how & 4 ? 23 : FX_BFD_CONTROL_LEN, &path, &why);
	fuzz_require((entry != NULL) == (why == FX_BFD_REJ_NONE), "a session, or a reason");
	if (!entry)
		return;
	bfd_wire_get(bytes, &values);
	fuzz_sessions_act(f, entry,
			  bfd_session_rx(&entry->session, &values, f->now_ns, f->random, &why));
	fuzz_require(why == FX_BFD_REJ_NONE || why == FX_BFD_REJ_ADMIN_DOWN ||
			     entry->session.path_down,
		     "what a session itself may discard");
}

static void configure(struct fuzz_sessions *f, struct input *in, uint32_t lid)
{
	struct dp_msg msg = { .version = 1, .type = DP_MSG_ADD, .session = conf_of(lid) };
	uint8_t bytes[14];

	take_bytes(in, bytes, sizeof(bytes));
	msg.session.flags ^= bytes[0] & (DP_F_SHUTDOWN | DP_F_PASSIVE | DP_F_ECHO | DP_F_CBIT);
	msg.session.min_tx_us = bfd_wire_u32(bytes + 1);
	msg.session.min_rx_us = bfd_wire_u32(bytes + 5);
	msg.session.min_echo_rx_us = bfd_wire_u32(bytes + 9);
	msg.session.mult = bytes[13];
	fuzz_sessions_message(f, &msg);
}

static void restore(struct fuzz_sessions *f, struct input *in, struct bfd_entry *entry)
{
	struct bfd_entry *again = NULL;
	struct fx_bfd_sess map;
	uint32_t slot = entry->slot;

	memset(&map, 0, sizeof(map));
	bfd_session_kernel(&entry->session, &map);
	((uint8_t *)map.expect)[take_byte(in) % 24] ^= take_byte(in);
	((uint8_t *)map.send)[take_byte(in) % 24] ^= take_byte(in);
	bfd_table_remove(f->table, entry);
	if (!bfd_table_restore(f->table, slot, &map, f->now_ns, SEC, &again))
		fuzz_sessions_act(f, again, 0);
}

static void event(struct fuzz_sessions *f, struct input *in)
{
	uint8_t what = take_byte(in), operand;
	uint32_t lid = 1 + what % 3, todo = 0;
	struct bfd_entry *entry = bfd_table_disc(f->table, lid);

	if (what / 3 % 8 == 0)
		packet(f, in, lid);
	else if (what / 3 % 8 == 1)
		configure(f, in, lid);
	if (what / 3 % 8 < 2 || !entry)
		return;
	operand = take_byte(in);
	switch (what / 3 % 8) {
	case 2:
		fuzz_sessions_advance(f, operand * 20000000ull);
		return;
	case 3:
		todo = bfd_session_path(&entry->session, operand & 1, f->now_ns, f->random);
		break;
	case 4:
		todo = bfd_session_expired(&entry->session, f->now_ns, f->random);
		break;
	case 5:
		bfd_session_echo_rx(&entry->session, f->now_ns);
		bfd_session_seen(&entry->session, f->now_ns - operand, f->now_ns - operand,
				 f->random);
		break;
	case 6:
		bfd_table_orphan(f->table, FUZZ_OWNER, f->now_ns, SEC);
		break;
	case 7:
		restore(f, in, entry);
		return;
	}
	fuzz_sessions_act(f, entry, todo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct fuzz_sessions f;

	fuzz_sessions_init(&f);
	for (uint32_t lid = 1; lid <= 3; lid++) {
		struct dp_msg msg = { .version = 1, .type = DP_MSG_ADD, .session = conf_of(lid) };

		fuzz_sessions_message(&f, &msg);
	}
	while (in.left)
		event(&f, &in);
	fuzz_sessions_done(&f);
	return 0;
}
