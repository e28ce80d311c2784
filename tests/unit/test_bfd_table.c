/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of sessions: who is found, who is refused, who is adopted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bfddp-xdp/bfd_table.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SEC	      1000000000ull
#define T0	      (100 * SEC)

static struct dp_session conf_of(uint32_t lid, const char *peer, const char *local,
				 uint32_t ifindex)
{
	struct dp_session conf = {
		.lid = lid,
		.min_tx_us = 300000,
		.min_rx_us = 300000,
		.min_ttl = 255,
		.mult = 3,
		.ifindex = ifindex,
	};

	assert_int_equal(fx_addr_parse(peer, &conf.peer), 0);
	conf.local.family = conf.peer.family;
	if (local)
		assert_int_equal(fx_addr_parse(local, &conf.local), 0);
	if (conf.peer.family == FX_AF_INET6)
		conf.flags |= DP_F_IPV6;
	if (ifindex)
		memcpy(conf.ifname, "d0", 3);
	return conf;
}

static struct bfd_path path_of(const char *peer, const char *local, uint32_t ifindex)
{
	struct bfd_path path = { .ifindex = ifindex, .ttl = 255 };

	assert_int_equal(fx_addr_parse(peer, &path.peer), 0);
	assert_int_equal(fx_addr_parse(local, &path.local), 0);
	return path;
}

static int add(struct bfd_table *table, const struct dp_session *conf, uint32_t owner,
	       struct bfd_entry **ret)
{
	const char *why = NULL;
	uint32_t todo;
	int n = bfd_table_add(table, conf, owner, T0, 0, ret, &todo, &why);

	if (n < 0)
		assert_non_null(why);
	return n;
}

static struct bfd_entry *must_add(struct bfd_table *table, uint32_t lid, const char *peer,
				  const char *local, uint32_t ifindex)
{
	struct dp_session conf = conf_of(lid, peer, local, ifindex);
	struct bfd_entry *entry = NULL;

	assert_int_equal(add(table, &conf, 1, &entry), BFD_ADD_NEW);
	bfd_session_path(&entry->session, false, T0, 0);
	return entry;
}

static void by_slot_and_discriminator(void **state)
{
	struct bfd_table *table = bfd_table_new(4);
	struct bfd_entry *a, *b, *c;

	a = must_add(table, 1, "10.0.0.2", NULL, 5);
	b = must_add(table, 2, "10.0.0.3", NULL, 5);
	assert_int_equal(a->slot, 1);
	assert_int_equal(b->slot, 2);
	assert_ptr_equal(bfd_table_slot(table, 2), b);
	assert_null(bfd_table_slot(table, 0));
	assert_null(bfd_table_slot(table, 3));
	assert_null(bfd_table_slot(table, 5));
	assert_ptr_equal(bfd_table_disc(table, 1), a);
	assert_null(bfd_table_disc(table, 3));
	assert_null(bfd_table_disc(table, 0));
	print_message("a slot is used again as late as can be\n");
	bfd_table_remove(table, a);
	assert_null(bfd_table_disc(table, 1));
	c = must_add(table, 3, "10.0.0.4", NULL, 5);
	assert_int_equal(c->slot, 3);
	c = must_add(table, 4, "10.0.0.5", NULL, 5);
	assert_int_equal(c->slot, 4);
	c = must_add(table, 5, "10.0.0.6", NULL, 5);
	assert_int_equal(c->slot, 1);
	assert_int_equal(bfd_table_count(table), 4);
	bfd_table_free(table);
	bfd_table_free(NULL);
}

static void at_the_limit(void **state)
{
	struct bfd_table *table = bfd_table_new(1u << 20);
	struct dp_session conf = conf_of(1, "10.0.0.0", NULL, 1);
	struct bfd_entry *entry;
	uint32_t n = 0;

	print_message("10,000 sessions: those beyond the limit are refused, the others work\n");
	for (uint32_t i = 1; i <= 10000; i++) {
		conf.lid = i * 2654435761u;
		conf.peer.bytes[2] = (uint8_t)(i >> 8);
		conf.peer.bytes[3] = (uint8_t)i;
		if (add(table, &conf, 1, &entry) == BFD_ADD_NEW)
			n++;
		else
			assert_int_equal(add(table, &conf, 1, &entry), -ENOSPC);
	}
	assert_int_equal(n, FX_BFD_MAX_SESSIONS - 1);
	assert_int_equal(bfd_table_count(table), n);
	for (uint32_t i = 1; i <= n; i++)
		assert_int_equal(bfd_table_disc(table, i * 2654435761u)->session.conf.peer.bytes[3],
				 i & 255);
	print_message("an ADD for one that is there is no new one\n");
	conf = bfd_table_slot(table, 77)->session.conf;
	assert_int_equal(add(table, &conf, 1, &entry), BFD_ADD_UPDATED);
	print_message("all removed, all slots free again\n");
	while ((entry = bfd_table_next(table, NULL)))
		bfd_table_remove(table, entry);
	assert_int_equal(bfd_table_count(table), 0);
	must_add(table, 1, "10.0.0.2", NULL, 1);
	bfd_table_free(table);
}

static void refused(void **state)
{
	struct bfd_table *table = bfd_table_new(4);
	struct dp_session conf = conf_of(7, "10.0.0.2", NULL, 1);
	struct bfd_entry *entry = NULL;

	conf.mult = 0;
	assert_int_equal(add(table, &conf, 1, &entry), -EINVAL);
	conf = conf_of(0, "10.0.0.2", NULL, 1);
	assert_int_equal(add(table, &conf, 1, &entry), -EINVAL);
	must_add(table, 7, "10.0.0.2", NULL, 1);
	conf = conf_of(7, "10.0.0.3", NULL, 1);
	assert_int_equal(add(table, &conf, 1, &entry), -EEXIST);
	assert_null(entry);
	assert_int_equal(bfd_table_count(table), 1);
	bfd_table_free(table);
}

struct addr_case {
	const char *what;
	const char *peer, *local;
	uint32_t ifindex;
	bool multihop;
	uint32_t lid; /* 0: none */
};

static const struct addr_case addr_cases[] = {
	{ "any local address, this interface", "10.0.0.2", "10.0.0.1", 5, false, 1 },
	{ "... but not another", "10.0.0.2", "10.0.0.1", 6, false, 0 },
	{ "the one that names the local address wins", "10.0.0.3", "10.0.0.1", 5, false, 3 },
	{ "... for any other the one that does not", "10.0.0.3", "10.0.0.9", 5, false, 2 },
	{ "link-local on two interfaces, the first", "fe80::2", "fe80::1", 5, false, 4 },
	{ "link-local on two interfaces, the second", "fe80::2", "fe80::1", 6, false, 5 },
	{ "several hops", "10.9.0.2", "10.0.0.1", 99, true, 6 },
	{ "... by the port", "10.9.0.2", "10.0.0.1", 99, false, 0 },
	{ "... from the address that it names", "10.9.0.2", "10.0.0.7", 99, true, 0 },
	{ "an IPv4 address is no IPv6 one", "a00:2::", "::1", 5, false, 0 },
	{ "nobody", "10.0.0.77", "10.0.0.1", 5, false, 0 },
};

static void by_address(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct dp_session conf = conf_of(6, "10.9.0.2", "10.0.0.1", 0);
	struct bfd_entry *entry;

	must_add(table, 1, "10.0.0.2", NULL, 5);
	must_add(table, 2, "10.0.0.3", NULL, 5);
	must_add(table, 3, "10.0.0.3", "10.0.0.1", 5);
	must_add(table, 4, "fe80::2", NULL, 5);
	must_add(table, 5, "fe80::2", NULL, 6);
	conf.flags |= DP_F_MULTIHOP;
	conf.min_ttl = 250;
	assert_int_equal(add(table, &conf, 1, &entry), BFD_ADD_NEW);
	for (size_t i = 0; i < ARRAY_SIZE(addr_cases); i++) {
		const struct addr_case *c = &addr_cases[i];
		struct bfd_path path = path_of(c->peer, c->local, c->ifindex);

		print_message("%s\n", c->what);
		path.multihop = c->multihop;
		entry = bfd_table_addr(table, &path);
		assert_int_equal(entry ? entry->session.conf.lid : 0, c->lid);
	}
	bfd_table_free(table);
}

struct demux_case {
	const char *what; /* RFC 5880 6.8.6, RFC 5881 4 and 5, RFC 5883 */
	const char *peer, *local;
	uint32_t ifindex;
	uint8_t ttl;
	bool multihop;
	uint8_t state, mult, bits;
	uint32_t my_disc, your_disc;
	size_t len;
	enum fx_bfd_reject reject;
};

#define P4 "10.0.0.2", "10.0.0.1", 5
#define MH "10.9.0.2", "10.0.0.1", 5

static const struct demux_case demux_cases[] = {
	{ "by discriminator", P4, 255, false, 3, 3, 0, 9, 1, 24, FX_BFD_REJ_NONE },
	{ "by address", P4, 255, false, 1, 3, 0, 9, 0, 24, FX_BFD_REJ_NONE },
	{ "TTL 254", P4, 254, false, 3, 3, 0, 9, 1, 24, FX_BFD_REJ_TTL },
	{ "23 bytes", P4, 255, false, 3, 3, 0, 9, 1, 23, FX_BFD_REJ_SHORT },
	{ "multiplier 0", P4, 255, false, 3, 0, 0, 9, 1, 24, FX_BFD_REJ_MULTIPLIER },
	{ "multipoint", P4, 255, false, 3, 3, 1, 9, 1, 24, FX_BFD_REJ_MULTIPOINT },
	{ "My Discriminator 0", P4, 255, false, 3, 3, 0, 0, 1, 24, FX_BFD_REJ_MY_DISC },
	{ "Your Discriminator unknown", P4, 255, false, 3, 3, 0, 9, 8, 24, FX_BFD_REJ_YOUR_DISC },
	{ "nobody's", "10.0.0.77", "10.0.0.1", 5, 255, false, 1, 3, 0, 9, 0, 24,
	  FX_BFD_REJ_NO_SESSION },
	{ "Your Discriminator 0 in Up", P4, 255, false, 3, 3, 0, 9, 0, 24, FX_BFD_REJ_STATE },
	{ "A bit, 26 bytes missing", P4, 255, false, 3, 3, 4, 9, 1, 24, FX_BFD_REJ_LENGTH },
	{ "A bit", P4, 255, false, 3, 3, 4, 9, 1, 52, FX_BFD_REJ_AUTH },
	{ "from elsewhere", "10.0.0.66", "10.0.0.1", 5, 255, false, 3, 3, 0, 9, 1, 24,
	  FX_BFD_REJ_ADDRESS },
	{ "on another interface", "10.0.0.2", "10.0.0.1", 6, 255, false, 3, 3, 0, 9, 1, 24,
	  FX_BFD_REJ_INTERFACE },
	{ "several hops, TTL at the minimum", MH, 250, true, 3, 3, 0, 9, 6, 24, FX_BFD_REJ_NONE },
	{ "several hops, TTL below", MH, 249, true, 3, 3, 0, 9, 6, 24, FX_BFD_REJ_TTL },
	{ "several hops to the port of one", MH, 255, false, 3, 3, 0, 9, 6, 24,
	  FX_BFD_REJ_ADDRESS },
	{ "several hops, to another address", "10.9.0.2", "10.0.0.7", 5, 250, true, 3, 3, 0, 9, 6,
	  24, FX_BFD_REJ_ADDRESS },
};

static void demux(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct dp_session conf = conf_of(6, "10.9.0.2", "10.0.0.1", 0);
	struct bfd_entry *entry;

	must_add(table, 1, "10.0.0.2", NULL, 5);
	conf.flags |= DP_F_MULTIHOP;
	conf.min_ttl = 250;
	assert_int_equal(add(table, &conf, 1, &entry), BFD_ADD_NEW);
	for (size_t i = 0; i < ARRAY_SIZE(demux_cases); i++) {
		const struct demux_case *c = &demux_cases[i];
		struct bfd_path path = path_of(c->peer, c->local, c->ifindex);
		const struct bfd_packet packet = { .state = c->state,
						   .mult = c->mult,
						   .bits = c->bits,
						   .my_disc = c->my_disc,
						   .your_disc = c->your_disc };
		enum fx_bfd_reject why = FX_BFD_REJ_COUNT;
		uint8_t bytes[64] = { 0 };

		print_message("%s\n", c->what);
		path.ttl = c->ttl;
		path.multihop = c->multihop;
		bfd_wire_put(bytes, &packet);
		if (c->len > 24)
			bytes[3] = (uint8_t)c->len;
		entry = bfd_table_demux(table, bytes, c->len, &path, &why);
		assert_int_equal(why, c->reject);
		assert_int_equal(entry != NULL, c->reject == FX_BFD_REJ_NONE);
	}
	bfd_table_free(table);
}

static void bring_up(struct bfd_entry *entry, uint32_t his)
{
	struct bfd_packet packet = { .state = BFD_STATE_INIT,
				     .mult = 3,
				     .my_disc = his,
				     .your_disc = entry->session.local_disc,
				     .min_tx_us = 300000,
				     .min_rx_us = 300000 };
	enum fx_bfd_reject rejected;
	struct dp_state told;

	bfd_session_rx(&entry->session, &packet, T0, 0, &rejected);
	packet.state = BFD_STATE_UP;
	packet.bits = BFD_BIT_FINAL;
	bfd_session_rx(&entry->session, &packet, T0, 0, &rejected);
	bfd_session_report(&entry->session, &told);
	assert_int_equal(told.state, BFD_STATE_UP);
}

static void bfdd_restarts(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct bfd_entry *up = must_add(table, 1, "10.0.0.2", NULL, 5), *entry;
	struct dp_session conf = conf_of(100, "10.0.0.2", NULL, 5);
	enum fx_bfd_reject rejected;
	struct bfd_packet packet;
	uint8_t bytes[24];
	const char *why;
	uint32_t todo;

	bring_up(up, 9);
	must_add(table, 2, "10.0.0.3", NULL, 5);
	print_message("the connection is lost: the sessions stay for a grace time\n");
	assert_int_equal(bfd_table_orphan_deadline(table), BFD_NEVER);
	assert_int_equal(bfd_table_orphan(table, 7, T0, SEC), 0);
	assert_int_equal(bfd_table_orphan(table, 1, T0, 10 * SEC), 2);
	assert_int_equal(bfd_table_orphan_deadline(table), T0 + 10 * SEC);
	assert_null(bfd_table_given_up(table, T0 + 10 * SEC - 1));
	print_message("bfdd is back, with another discriminator for the same peer\n");
	assert_int_equal(bfd_table_add(table, &conf, 2, T0 + SEC, 0, &entry, &todo, &why),
			 BFD_ADD_ADOPTED);
	assert_ptr_equal(entry, up);
	assert_int_equal(entry->session.state, BFD_STATE_UP);
	assert_int_equal(entry->owner, 2);
	assert_true(todo & BFD_DO_NOTIFY);
	assert_true(todo & BFD_DO_SEND);
	print_message("both discriminators lead to it until the peer has changed\n");
	assert_ptr_equal(bfd_table_disc(table, 100), up);
	assert_ptr_equal(bfd_table_disc(table, 1), up);
	bfd_session_take(&entry->session, T0 + SEC, 0, bytes);
	bfd_wire_get(bytes, &packet);
	packet = (struct bfd_packet){ .state = BFD_STATE_UP,
				      .mult = 3,
				      .my_disc = 9,
				      .your_disc = packet.my_disc,
				      .min_tx_us = 300000,
				      .min_rx_us = 300000 };
	bfd_session_rx(&entry->session, &packet, T0 + SEC, 0, &rejected);
	bfd_table_refresh(table, entry);
	assert_null(bfd_table_disc(table, 1));
	assert_ptr_equal(bfd_table_disc(table, 100), up);
	print_message("what did not come back is given up\n");
	entry = bfd_table_given_up(table, T0 + 10 * SEC);
	assert_int_equal(entry->session.conf.lid, 2);
	bfd_table_remove(table, entry);
	assert_null(bfd_table_given_up(table, T0 + 10 * SEC));
	assert_int_equal(bfd_table_count(table), 1);
	bfd_table_free(table);
}

static void hand_over(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct bfd_entry *first = must_add(table, 1, "10.0.0.2", NULL, 5), *entry;
	struct dp_session conf = conf_of(1, "10.0.0.2", NULL, 5);
	const char *why;
	uint32_t todo;

	print_message("an identical ADD on the same connection changes nothing\n");
	assert_int_equal(bfd_table_add(table, &conf, 1, T0, 0, &entry, &todo, &why),
			 BFD_ADD_UPDATED);
	assert_int_equal(todo, 0);
	print_message(
		"on another connection the session moves there, and its state is told again\n");
	bring_up(first, 9);
	assert_int_equal(bfd_table_add(table, &conf, 2, T0, 0, &entry, &todo, &why),
			 BFD_ADD_ADOPTED);
	assert_int_equal(todo, BFD_DO_NOTIFY);
	assert_ptr_equal(entry, first);
	print_message("the loss of the old connection is nothing to it\n");
	assert_int_equal(bfd_table_orphan(table, 1, T0, SEC), 0);
	bfd_table_free(table);
}

/* The way round FRR 10.3 to 10.7: the first connection's ADDs lack the interface, the second's do
 * not. */
static void interface_comes_later(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct bfd_entry *entry, *again;
	struct dp_session conf = conf_of(1, "fe80::2", NULL, 0);
	uint32_t todo;
	const char *why;

	assert_int_equal(add(table, &conf, 1, &entry), BFD_ADD_NEW);
	assert_int_equal(entry->session.ifindex, 0);
	bfd_table_orphan(table, 1, T0, SEC);
	conf = conf_of(1, "fe80::2", NULL, 5);
	assert_int_equal(bfd_table_add(table, &conf, 2, T0, 0, &again, &todo, &why),
			 BFD_ADD_ADOPTED);
	assert_ptr_equal(again, entry);
	assert_int_equal(entry->session.ifindex, 5);
	assert_int_equal(todo, BFD_DO_KERNEL);
	bfd_table_free(table);
}

static void which_orphan(void **state)
{
	struct bfd_table *table = bfd_table_new(16);
	struct bfd_entry *five = must_add(table, 5, "fe80::2", NULL, 5), *entry;
	struct bfd_entry *six = must_add(table, 6, "fe80::2", NULL, 6);
	struct dp_session conf = conf_of(100, "fe80::2", NULL, 6);

	bfd_table_orphan(table, 1, T0, SEC);
	print_message("the same link-local peer on two interfaces: the interface decides\n");
	assert_int_equal(add(table, &conf, 2, &entry), BFD_ADD_ADOPTED);
	assert_ptr_equal(entry, six);
	bfd_table_orphan(table, 2, T0, SEC);
	print_message("without one nothing decides, and none is taken\n");
	conf = conf_of(101, "fe80::2", NULL, 0);
	assert_int_equal(add(table, &conf, 3, &entry), BFD_ADD_NEW);
	bfd_table_remove(table, entry);
	print_message("but the only one is\n");
	bfd_table_remove(table, six);
	assert_int_equal(add(table, &conf, 3, &entry), BFD_ADD_ADOPTED);
	assert_ptr_equal(entry, five);
	assert_int_equal(entry->session.ifindex, 5);
	print_message("another kind of session is another session\n");
	bfd_table_orphan(table, 3, T0, SEC);
	conf.lid = 102;
	conf.flags |= DP_F_MULTIHOP;
	assert_int_equal(add(table, &conf, 4, &entry), BFD_ADD_NEW);
	bfd_table_free(table);
}

static void after_us(void **state)
{
	struct bfd_table *table = bfd_table_new(16), *next = bfd_table_new(16);
	struct bfd_entry *entry = must_add(table, 1, "10.0.0.2", "10.0.0.1", 5), *again = NULL;
	struct dp_session conf = entry->session.conf;
	struct fx_bfd_sess map = { 0 };
	struct dp_state told;

	bring_up(entry, 9);
	bfd_session_kernel(&entry->session, &map);
	print_message("a restart of ours: from the map into the same slot\n");
	assert_int_equal(bfd_table_restore(next, 3, &map, T0, SEC, &again), 0);
	assert_int_equal(again->slot, 3);
	assert_int_equal(again->session.state, BFD_STATE_UP);
	assert_int_equal(bfd_table_restore(next, 3, &map, T0, SEC, &again), -EEXIST);
	assert_int_equal(bfd_table_restore(next, 4, &map, T0, SEC, &again), -EEXIST);
	assert_int_equal(bfd_table_restore(next, 0, &map, T0, SEC, &again), -ENOSPC);
	assert_int_equal(bfd_table_restore(next, 17, &map, T0, SEC, &again), -ENOSPC);
	print_message("bfdd's ADD finds it, and is told that it is Up\n");
	assert_int_equal(add(next, &conf, 1, &entry), BFD_ADD_ADOPTED);
	assert_ptr_equal(entry, again);
	bfd_session_report(&entry->session, &told);
	assert_int_equal(told.state, BFD_STATE_UP);
	print_message("the slot is not given to another\n");
	for (uint32_t i = 0; i < 15; i++) {
		conf.lid = 1000 + i;
		conf.peer.bytes[3] = (uint8_t)(100 + i);
		assert_int_equal(add(next, &conf, 1, &entry), BFD_ADD_NEW);
		assert_int_not_equal(entry->slot, 3);
	}
	map.expired = 1;
	assert_int_equal(bfd_table_restore(next, 4, &map, T0, SEC, &again), -ENOENT);
	bfd_table_free(table);
	bfd_table_free(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_slot_and_discriminator),
		cmocka_unit_test(at_the_limit),
		cmocka_unit_test(refused),
		cmocka_unit_test(by_address),
		cmocka_unit_test(demux),
		cmocka_unit_test(bfdd_restarts),
		cmocka_unit_test(hand_over),
		cmocka_unit_test(interface_comes_later),
		cmocka_unit_test(which_orphan),
		cmocka_unit_test(after_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
