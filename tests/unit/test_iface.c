/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interface table: places for counters, who is wanted, what packets may do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/iface.h"

static struct iface *add(struct iface_table *table, uint32_t ifindex, const char *name)
{
	struct iface *iface = iface_add(table, ifindex);

	assert_non_null(iface);
	snprintf(iface->link.name, sizeof(iface->link.name), "%s", name);
	iface->link.type = 1; /* ARPHRD_ETHER */
	return iface;
}

static void test_table(void **state)
{
	static const uint32_t order[] = { 2, 7, 30, 500 };
	struct iface_table *table = iface_table_new();
	struct iface *iface;
	size_t n = 0;

	add(table, 30, "c");
	add(table, 2, "a");
	add(table, 500, "d");
	add(table, 7, "b");
	for (iface = iface_next(table, 0); iface; iface = iface_next(table, iface->link.ifindex))
		assert_int_equal(iface->link.ifindex, order[n++]);
	assert_int_equal(n, 4);
	assert_ptr_equal(iface_add(table, 7), iface_find(table, 7));
	assert_ptr_equal(iface_by_name(table, "d"), iface_find(table, 500));
	iface_del(table, 7);
	iface_del(table, 7);
	assert_null(iface_find(table, 7));
	assert_null(iface_by_name(table, "b"));
	iface_table_free(table);
}

static void test_slots(void **state)
{
	struct iface_table *table = iface_table_new();
	struct iface *iface;
	uint32_t i;

	iface = add(table, 1, "first");
	assert_true(iface_take_slot(table, iface, 17)); /* a predecessor's */
	assert_int_equal(iface->slot, 17);
	assert_true(iface_take_slot(table, iface, 18)); /* it has one */
	assert_int_equal(iface->slot, 17);
	iface = add(table, 2, "second");
	assert_true(iface_take_slot(table, iface, 17)); /* taken: another */
	assert_int_equal(iface->slot, 1);
	for (i = 3; i < FX_MAX_SLOTS; i++)
		assert_true(iface_take_slot(table, add(table, i, "more"), 0));
	iface = add(table, FX_MAX_SLOTS, "too many");
	assert_false(iface_take_slot(table, iface, 0));
	iface_del(table, 2);
	assert_true(iface_take_slot(table, iface, 0));
	assert_int_equal(iface->slot, 1);
	iface_table_free(table);
}

static void test_wanted(void **state)
{
	struct iface_table *table = iface_table_new();
	struct iface *eth = add(table, 2, "eth0"), *port = add(table, 3, "port");
	struct iface *bridge = add(table, 4, "br0"), *tun = add(table, 5, "tun0");
	struct conf conf;

	conf_init(&conf);
	port->link.master = 4;
	strcpy(bridge->link.kind, "bridge");
	tun->link.type = 65534; /* ARPHRD_NONE */
	/* nothing said: every Ethernet device that is nobody's port */
	assert_true(iface_is_wanted(eth, &conf));
	assert_false(iface_is_wanted(port, &conf));
	assert_false(iface_is_wanted(bridge, &conf));
	assert_false(iface_is_wanted(tun, &conf));
	/* one switched off: the others as before */
	assert_int_equal(conf_interface(&conf, "eth0", false, 0), 0);
	assert_false(iface_is_wanted(eth, &conf));
	/* some named: those and no others, whatever they are */
	assert_int_equal(conf_interface(&conf, "port", true, 0), 0);
	assert_true(iface_is_wanted(port, &conf));
	assert_int_equal(conf_interface(&conf, "eth0", true, 0), 0);
	assert_true(iface_is_wanted(eth, &conf));
	assert_false(iface_is_wanted(bridge, &conf));
	conf_done(&conf);
	iface_table_free(table);
}

static uint32_t flags_of(const struct iface *iface)
{
	return FX_IFACE_FLAGS(iface_word0(iface)) & (FX_IF_FWD4 | FX_IF_FWD6);
}

static void test_flags(void **state)
{
	struct iface_table *table = iface_table_new();
	struct iface *iface = add(table, 2, "eth0");

	assert_int_equal(iface_word0(iface), 0);
	iface->attached = true;
	iface->slot = 3;
	assert_int_equal(iface_word0(iface),
			 fx_iface_word0(FX_IF_ATTACHED, 3, FX_VRF_DEFAULT)); /* not judged yet */
	iface->judged = true;
	iface->eligibility = (struct eligibility){ 0, 0 };
	assert_int_equal(flags_of(iface), FX_IF_FWD4 | FX_IF_FWD6);
	iface->eligibility.why6 = 1u << ELIGIBLE_FORWARDING;
	assert_int_equal(flags_of(iface), FX_IF_FWD4);
	iface->link.vrf_table = 10;
	assert_int_equal(FX_IFACE_VRF(iface_word0(iface)), 10);
	iface_table_free(table);
}

/* What a predecessor allowed goes on until it is judged; what it forbade is not allowed earlier. */
static void test_inherited(void **state)
{
	struct iface_table *table = iface_table_new();
	struct iface *iface = add(table, 2, "eth0");

	iface->attached = true;
	iface->inherits = true;
	iface->inherited = FX_IF_FWD4;
	assert_int_equal(flags_of(iface), FX_IF_FWD4);
	iface->judged = true;
	iface->eligibility = (struct eligibility){ 0, 0 };
	assert_int_equal(flags_of(iface), FX_IF_FWD4);
	iface->eligibility.why4 = 1u << ELIGIBLE_NETFILTER;
	assert_int_equal(flags_of(iface), 0);
	iface->inherits = false;
	assert_int_equal(flags_of(iface), FX_IF_FWD6);
	iface_table_free(table);
}

static void test_link(void **state)
{
	struct iface_table *table = iface_table_new();
	struct iface *iface = add(table, 2, "eth0");
	struct fib_link link;

	iface->link.admin_up = iface->link.carrier = true;
	iface->link.xdp_tx = iface->link.xdp_sg = true;
	iface->link.mtu = 9000;
	iface_fib_link(iface, &link);
	assert_true(link.up && link.ether);
	assert_false(link.xdp_tx || link.xdp_sg); /* only where our program is */
	iface->attached = true;
	iface->link.carrier = false;
	iface_fib_link(iface, &link);
	assert_true(link.xdp_tx && link.xdp_sg);
	assert_false(link.up);
	assert_int_equal(link.mtu, 9000);
	assert_string_equal(link.name, "eth0");
	iface_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	  cmocka_unit_test(test_slots),
		cmocka_unit_test(test_wanted),	  cmocka_unit_test(test_flags),
		cmocka_unit_test(test_inherited), cmocka_unit_test(test_link),
	};

	return cmocka_run_group_tests_name("iface", tests, NULL, NULL);
}
