// SPDX-License-Identifier: GPL-2.0-or-later
/* Echo packets: the peer's are looped as a router would, ours are recognised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <string.h>

#include "tests/bpf/bfd_bed.h"

enum { IP = 14, UDP4 = 34, UDP6 = 54, PORT = 3785 };

static struct frame frame, want;
static struct bfd_result got;

static struct bfd_bed *reset(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].flags |= FX_BFD_F_ECHO_RX;
	bed->sess[BED_V6].flags |= FX_BFD_F_ECHO_RX;
	bed->sess[BED_LL].flags |= FX_BFD_F_ECHO_RX;
	return bed;
}

static void swap_macs(struct frame *f)
{
	memcpy(f->bytes, frame_host_mac, 6);
	memcpy(f->bytes + 6, frame_router_mac, 6);
}

static void expect_looped(struct bfd_bed *bed, uint32_t slot)
{
	uint64_t looped = bed->sess[slot].echo_looped;

	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.action, XDP_TX);
	assert_int_equal(got.events, 0);
	assert_int_equal(bed->sess[slot].echo_looped, looped + 1);
	assert_int_equal(got.out.len, want.len);
	assert_memory_equal(got.out.bytes, want.bytes, want.len);
}

/* Addressed to the peer itself, which is how FRR does it over IPv4: as forwarded, padding and all.
 */
static void test_routed_back(void **state)
{
	static const struct {
		uint32_t slot;
		const char *src, *dst;
	} cases[] = {
		{ BED_V4, "10.9.0.2", "10.9.0.2" },
		{ BED_V4, "192.0.2.9", "10.9.0.2" },
		{ BED_V6, "2001:db8:9::2", "2001:db8:9::2" },
		{ BED_LL, "fe80::2", "fe80::2" },
	};
	static const int ttls[] = { 255, 254, 64, 2 };
	struct bfd_bed *bed = reset(state);
	size_t i, t;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (t = 0; t < sizeof(ttls) / sizeof(ttls[0]); t++) {
			bfd_frame(&frame, &(struct bfd_spec){ .slot = cases[i].slot,
							      .src = cases[i].src,
							      .dst = cases[i].dst,
							      .ttl = ttls[t],
							      .dport = PORT,
							      .padding = 4 });
			want = frame;
			swap_macs(&want);
			if (cases[i].slot == BED_V4) {
				want.bytes[IP + 8]--;
				frame_fix_csum(&want);
			} else {
				want.bytes[IP + 7]--;
			}
			expect_looped(bed, cases[i].slot);
		}
	}
}

/* Addressed to us: back to the sender, once. */
static void test_sent_back(void **state)
{
	static const uint32_t slots[] = { BED_V4, BED_V6, BED_LL };
	struct bfd_bed *bed = reset(state);
	uint32_t i, slot, udp;

	for (i = 0; i < 3; i++) {
		slot = slots[i];
		udp = bfd_udp_at(slot);
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot, .dport = PORT, .payload = 61 });
		want = frame;
		swap_macs(&want);
		if (slot == BED_V4) {
			memcpy(want.bytes + IP + 12, frame.bytes + IP + 16, 4);
			memcpy(want.bytes + IP + 16, frame.bytes + IP + 12, 4);
			want.bytes[IP + 8] = 254;
			frame_fix_csum(&want);
		} else {
			memcpy(want.bytes + IP + 8, frame.bytes + IP + 24, 16);
			memcpy(want.bytes + IP + 24, frame.bytes + IP + 8, 16);
			want.bytes[IP + 7] = 254;
		}
		memcpy(want.bytes + udp, frame.bytes + udp + 2, 2);
		memcpy(want.bytes + udp + 2, frame.bytes + udp, 2);
		assert_int_equal(bfd_udp_sum(&want), 0xffff);
		expect_looped(bed, slot);
		/* what has been sent back already would go to and fro */
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot, .dport = PORT, .ttl = 254 });
		bfd_expect_untouched(bed, &frame);
	}
}

/* A checksum left to a device is finished, as nobody does it later. */
static void test_partial_checksum(void **state)
{
	struct bfd_bed *bed = reset(state);

	bfd_frame(&frame,
		  &(struct bfd_spec){
			  .slot = BED_V4, .dst = "10.9.0.2", .payload = 33, .dport = PORT });
	want = frame;
	swap_macs(&want);
	want.bytes[IP + 8]--;
	frame_fix_csum(&want);
	/* 0a09 + 0002 + 0a09 + 0002 + 17 + 41 */
	frame.bytes[UDP4 + 6] = 0x14;
	frame.bytes[UDP4 + 7] = 0x50;
	expect_looped(bed, BED_V4);
	/* none is none */
	frame.bytes[UDP4 + 6] = frame.bytes[UDP4 + 7] = 0;
	want.bytes[UDP4 + 6] = want.bytes[UDP4 + 7] = 0;
	expect_looped(bed, BED_V4);
}

static void test_not_for_us(void **state)
{
	static const struct bfd_spec specs[] = {
		{ .slot = BED_V4, .src = "10.9.0.3", .dst = "10.9.0.3", .dport = PORT },
		{ .slot = BED_V4, .dst = "10.9.0.3", .dport = PORT },
		{ .slot = BED_V4, .dst = "10.9.0.2", .ttl = 1, .dport = PORT },
		{ .slot = BED_ANY, .dst = "10.7.0.2", .dport = PORT }, /* no echo there */
		{ .slot = BED_MH4, .dst = "10.8.0.2", .dport = PORT }, /* nor over hops */
		{ .slot = BED_V6, .src = "2001:db8:9::3", .dport = PORT },
	};
	struct bfd_bed *bed = reset(state);
	size_t i;

	for (i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		bfd_frame(&frame, &specs[i]);
		bfd_expect_untouched(bed, &frame);
	}
	/* the peer was told not to */
	bed->sess[BED_V4].flags &= ~FX_BFD_F_ECHO_RX;
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4, .dst = "10.9.0.2", .dport = PORT });
	bfd_expect_untouched(bed, &frame);
}

/* ---- ours ---- */

static void own(uint8_t *p)
{
	static const uint8_t head[8] = { 1, 24, 'F', 'X', 0x11, 0x11, 0, BED_V4 };

	memcpy(p, head, sizeof(head));
}

static void own6(uint8_t *p)
{
	own(p);
	p[7] = BED_V6;
}

static void own_of_another(uint8_t *p)
{
	own(p);
	p[7] = 99;
}

static void expect_own(struct bfd_bed *bed, const struct bfd_spec *spec)
{
	struct fx_bfd_sess *s = &bed->sess[spec->slot];
	uint64_t count = s->echo_rx, now = bfd_bed_now();

	bfd_frame(&frame, spec);
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(s->echo_rx, count + 1);
	assert_in_range(s->echo_last_rx, now, bfd_bed_now());
	assert_int_equal(s->echo_looped, 0);
	assert_int_equal(s->last_rx, 0);
}

static void test_own(void **state)
{
	struct bfd_bed *bed = reset(state);

	/* looped by a router, sent back by FRR */
	expect_own(bed, &(struct bfd_spec){ .slot = BED_V4,
					    .src = "10.9.0.1",
					    .ttl = 254,
					    .dport = PORT,
					    .edit = own });
	expect_own(bed,
		   &(struct bfd_spec){ .slot = BED_V4, .ttl = 254, .dport = PORT, .edit = own });
	expect_own(bed,
		   &(struct bfd_spec){ .slot = BED_V6, .ttl = 254, .dport = PORT, .edit = own6 });
}

static void test_not_own(void **state)
{
	struct bfd_bed *bed = reset(state);
	const struct bfd_spec from_afar = {
		.slot = BED_V4, .src = "10.9.0.1", .ttl = 253, .dport = PORT, .edit = own
	};
	const struct bfd_spec another = {
		.slot = BED_V4, .src = "10.9.0.1", .ttl = 254, .dport = PORT, .edit = own_of_another
	};

	bfd_frame(&frame, &from_afar);
	bfd_expect_untouched(bed, &frame);
	bfd_frame(&frame, &another);
	bfd_expect_untouched(bed, &frame);
	bed->sess[BED_V4].ifindex = BED_IN + 1;
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4,
					      .src = "10.9.0.1",
					      .ttl = 254,
					      .dport = PORT,
					      .edit = own });
	bfd_expect_untouched(bed, &frame);
}

static void test_truncated(void **state)
{
	struct bfd_bed *bed = reset(state);
	uint32_t slot;

	for (slot = BED_V4; slot <= BED_V6; slot++) {
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot, .dport = PORT });
		while (--frame.len >= 14)
			bfd_expect_untouched(bed, &frame);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routed_back),
		cmocka_unit_test(test_sent_back),
		cmocka_unit_test(test_partial_checksum),
		cmocka_unit_test(test_not_for_us),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_not_own),
		cmocka_unit_test(test_truncated),
	};
	static struct bfd_bed bed;
	int status;

	bfd_bed_init(&bed);
	bfd_bed_addr(&bed, BED_V4, FX_BFD_ECHO, "10.9.0.2", NULL);
	bfd_bed_addr(&bed, BED_V6, FX_BFD_ECHO, "2001:db8:9::2", NULL);
	bfd_bed_addr(&bed, BED_LL, FX_BFD_ECHO, "fe80::2", NULL);
	status = bfd_bed_main(&bed, tests, sizeof(tests) / sizeof(tests[0]));
	bfd_bed_done(&bed);
	return status;
}
