// SPDX-License-Identifier: GPL-2.0-or-later
/* What comes before the IP header counts: the root's slots, the interface, the Ethernet header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <string.h>

#include "tests/bpf/bed.h"

#define ALL (FX_IF_ATTACHED | FX_IF_FWD4 | FX_IF_FWD6)

static void ethertype(struct frame *f, unsigned int type)
{
	f->bytes[12] = type >> 8 & 0xff;
	f->bytes[13] = type & 0xff;
}

static void arp(struct frame *f)
{
	memset(f->bytes, 0xff, 6);
	ethertype(f, 0x0806);
}

static void lldp(struct frame *f)
{
	static const uint8_t nearest_bridge[] = { 0x01, 0x80, 0xc2, 0, 0, 0x0e };

	memcpy(f->bytes, nearest_bridge, 6);
	ethertype(f, 0x88cc);
}

static void mpls(struct frame *f)
{
	ethertype(f, 0x8847);
}

static void llc(struct frame *f)
{
	ethertype(f, 100);
}

static void vlan(struct frame *f)
{
	ethertype(f, 0x8100);
}

static void vlan_ad(struct frame *f)
{
	ethertype(f, 0x88a8);
}

static void broadcast(struct frame *f)
{
	memset(f->bytes, 0xff, 6);
}

static void multicast(struct frame *f)
{
	static const uint8_t ospf[] = { 0x01, 0, 0x5e, 0, 0, 5 };

	memcpy(f->bytes, ospf, 6);
}

static void mac_first_byte(struct frame *f)
{
	f->bytes[0] ^= 0x04;
}

static void mac_last_byte(struct frame *f)
{
	f->bytes[5] ^= 0x80;
}

static void mac_and_vlan(struct frame *f)
{
	mac_last_byte(f);
	vlan(f);
}

static const struct bed_row rows[] = {
	{ "ARP", { .dst = "10.0.1.1" }, arp, FX_V_NOT_IP, 0 },
	{ "LLDP", { .dst = "10.0.1.1" }, lldp, FX_V_NOT_IP, 0 },
	{ "MPLS", { .dst = "10.0.1.1" }, mpls, FX_V_NOT_IP, 0 },
	{ "a length instead of an ethertype", { .dst = "10.0.1.1" }, llc, FX_V_NOT_IP, 0 },
	{ "an 802.1Q tag", { .dst = "10.0.1.1" }, vlan, FX_V_VLAN, 0 },
	{ "an 802.1ad tag", { .dst = "10.0.1.1" }, vlan_ad, FX_V_VLAN, 0 },
	{ "a tag is a tag whatever the MAC address",
	  { .dst = "10.0.1.1" },
	  mac_and_vlan,
	  FX_V_VLAN,
	  0 },
	{ "broadcast MAC address, IPv4", { .dst = "10.0.1.1" }, broadcast, FX_V_OTHER_HOST, 0 },
	{ "multicast MAC address, IPv4", { .dst = "224.0.0.5" }, multicast, FX_V_OTHER_HOST, 0 },
	{ "broadcast MAC address, IPv6",
	  { .dst = "2001:db8:1::1" },
	  broadcast,
	  FX_V_OTHER_HOST,
	  0 },
	{ "MAC address that differs in its first byte",
	  { .dst = "10.0.1.1" },
	  mac_first_byte,
	  FX_V_OTHER_HOST,
	  0 },
	{ "MAC address that differs in its last byte",
	  { .dst = "10.0.1.1" },
	  mac_last_byte,
	  FX_V_OTHER_HOST,
	  0 },
};

static struct frame frame4, frame6;
static struct bed_result got;

static void expect_silence(struct bed *bed, int prog)
{
	bed_run(bed, prog, &frame4, &got);
	assert_int_equal(got.action, XDP_PASS);
	assert_int_equal(got.verdict, FX_V_COUNT);
	assert_int_equal(got.out.len, frame4.len);
	assert_memory_equal(got.out.bytes, frame4.bytes, frame4.len);
}

static void test_interface_that_is_not_ours(void **state)
{
	bed_iface(*state, BED_IN, 0);
	expect_silence(*state, bed_fd_fwd(*state));
	expect_silence(*state, bed_fd_root(*state));
	bed_iface(*state, BED_IN, FX_IF_FWD4 | FX_IF_FWD6);
	expect_silence(*state, bed_fd_fwd(*state));
	bed_iface(*state, BED_IN, ALL);
}

static void test_families_apart(void **state)
{
	bed_iface(*state, BED_IN, FX_IF_ATTACHED);
	bed_expect(*state, &frame4, FX_V_NOT_ELIGIBLE, 0);
	bed_expect(*state, &frame6, FX_V_NOT_ELIGIBLE, 0);
	bed_iface(*state, BED_IN, FX_IF_ATTACHED | FX_IF_FWD4);
	bed_expect(*state, &frame4, FX_V_FORWARDED, BED_ADJ_PLAIN);
	bed_expect(*state, &frame6, FX_V_NOT_ELIGIBLE, 0);
	bed_iface(*state, BED_IN, FX_IF_ATTACHED | FX_IF_FWD6);
	bed_expect(*state, &frame4, FX_V_NOT_ELIGIBLE, 0);
	bed_expect(*state, &frame6, FX_V_FORWARDED, BED_ADJ_PLAIN);
	bed_iface(*state, BED_IN, ALL);
}

static void test_maps_of_another_version(void **state)
{
	bed_meta(*state)->abi = FX_ABI_VERSION + 1;
	bed_expect(*state, &frame4, FX_V_NOT_READY, 0);
	bed_meta(*state)->abi = 0;
	bed_expect(*state, &frame6, FX_V_NOT_READY, 0);
	bed_meta(*state)->abi = FX_ABI_VERSION;
	bed_expect(*state, &frame4, FX_V_FORWARDED, BED_ADJ_PLAIN);
}

static void test_root_with_empty_slots(void **state)
{
	bed_run(*state, bed_fd_root(*state), &frame4, &got);
	assert_int_equal(got.action, XDP_PASS);
	assert_int_equal(got.verdict, FX_V_NOT_READY);
	assert_int_equal(got.out.len, frame4.len);
	assert_memory_equal(got.out.bytes, frame4.bytes, frame4.len);
}

/* Each slot that the root knows takes the packet when those before it are empty. */
static void test_root_hands_over(void **state)
{
	static const uint32_t slots[] = { FX_SLOT_FWD, FX_SLOT_FILTER, FX_SLOT_BFD };
	struct bed *bed = *state;
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		bed_slot(bed, slots[i], bed_fd_fwd(bed));
		bed_run(bed, bed_fd_root(bed), &frame4, &got);
		assert_int_equal(got.action, XDP_REDIRECT);
		assert_int_equal(got.verdict, FX_V_FORWARDED);
		assert_int_equal(got.adj_packets, 1);
		bed_slot(bed, slots[i], -1);
	}
	test_root_with_empty_slots(state);
}

static void test_root_leaves_other_slots_alone(void **state)
{
	struct bed *bed = *state;
	uint32_t slot;

	for (slot = FX_SLOT_FWD + 1; slot < FX_SLOT_COUNT; slot++) {
		bed_slot(bed, slot, bed_fd_fwd(bed));
		test_root_with_empty_slots(state);
		bed_slot(bed, slot, -1);
	}
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_interface_that_is_not_ours),
		cmocka_unit_test(test_families_apart),
		cmocka_unit_test(test_maps_of_another_version),
		cmocka_unit_test(test_root_with_empty_slots),
		cmocka_unit_test(test_root_hands_over),
		cmocka_unit_test(test_root_leaves_other_slots_alone),
	};
	struct bed *bed = bed_new();
	int status;

	frame_build(&frame4, &(struct frame_spec){ .dst = "10.0.1.1" });
	frame_build(&frame6, &(struct frame_spec){ .dst = "2001:db8:1::1" });
	status = bed_main(bed, rows, sizeof(rows) / sizeof(rows[0]), others,
			  sizeof(others) / sizeof(others[0]));
	bed_free(bed);
	return status;
}
