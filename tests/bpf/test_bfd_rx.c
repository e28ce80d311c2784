// SPDX-License-Identifier: GPL-2.0-or-later
/* Control packets through the loaded program: what is taken, each reject, what is not ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <linux/bpf.h>
#include <string.h>

#include "tests/bpf/bfd_bed.h"

enum { IP = 14, UDP4 = 34, UDP6 = 54 };

struct row {
	const char *what; /* a sentence */
	struct bfd_spec spec;
	void (*edit)(struct frame *frame); /* after the checksum */
	uint32_t rej;
	bool dropped; /* else passed on */
	bool nobody;  /* counted in fx_bfd_meta, else in the session */
};

/* ---- edits of the control packet ---- */

static void version_0(uint8_t *p)
{
	p[0] = 0x00;
}

static void version_2(uint8_t *p)
{
	p[0] = 0x40;
}

static void length_23(uint8_t *p)
{
	p[3] = 23;
}

static void length_25(uint8_t *p)
{
	p[3] = 25;
}

static void auth_25(uint8_t *p)
{
	p[1] |= 0x04;
	p[3] = 25;
}

static void auth_26(uint8_t *p)
{
	p[1] |= 0x04;
	p[3] = 26;
}

static void mult_0(uint8_t *p)
{
	p[2] = 0;
}

static void multipoint(uint8_t *p)
{
	p[1] |= 0x01;
}

static void my_disc_0(uint8_t *p)
{
	memset(p + 4, 0, 4);
}

static void your_disc_foreign(uint8_t *p)
{
	p[8] ^= 0x80;
}

static void your_disc_0(uint8_t *p)
{
	memset(p + 8, 0, 4);
}

static void your_disc_0_down(uint8_t *p)
{
	your_disc_0(p);
	p[1] = 0x40;
}

static void your_disc_0_init(uint8_t *p)
{
	your_disc_0(p);
	p[1] = 0x80;
}

static void version_2_multipoint(uint8_t *p)
{
	version_2(p);
	multipoint(p);
}

static void mult_0_multipoint(uint8_t *p)
{
	mult_0(p);
	multipoint(p);
}

/* ---- edits of the frame ---- */

static void bad_sum(struct frame *f)
{
	f->bytes[UDP4 + 6] ^= 0x01;
}

static void bad_sum6(struct frame *f)
{
	f->bytes[UDP6 + 7] ^= 0x01;
}

static void no_sum6(struct frame *f)
{
	f->bytes[UDP6 + 6] = f->bytes[UDP6 + 7] = 0;
}

static void last_byte(struct frame *f)
{
	f->bytes[f->len - 1] ^= 0x01;
}

static void udp_len_31(struct frame *f)
{
	f->bytes[UDP4 + 5] = 31;
	bfd_fix_udp(f);
}

static void udp_len_7(struct frame *f)
{
	f->bytes[UDP4 + 5] = 7;
}

static void udp_len_33(struct frame *f)
{
	f->bytes[UDP4 + 5] = 33;
}

static void ip_len_19(struct frame *f)
{
	f->bytes[IP + 3] = 19;
	frame_fix_csum(f);
}

static void ip_len_53(struct frame *f)
{
	f->bytes[IP + 3] = 53;
	frame_fix_csum(f);
}

#define AT(s)	   .spec.slot = BED_##s
#define REJ(r)	   .rej = FX_BFD_REJ_##r, .dropped = true
#define FOREIGN(r) .rej = FX_BFD_REJ_##r
#define NOBODY(r)  .rej = FX_BFD_REJ_##r, .nobody = true

static const struct row rows[] = {
	{ "TTL 254, single hop", AT(V4), .spec.ttl = 254, REJ(TTL) },
	{ "hop limit 254, single hop", AT(V6), .spec.ttl = 254, REJ(TTL) },
	{ "hop limit 1, link-local", AT(LL), .spec.ttl = 1, REJ(TTL) },
	{ "TTL below the minimum, multihop", AT(MH4), .spec.ttl = 249, REJ(TTL) },
	{ "hop limit below the minimum, multihop", AT(MH6), .spec.ttl = 249, REJ(TTL) },
	{ "TTL comes before the checksum", AT(V4), .spec.ttl = 254, .edit = bad_sum, REJ(TTL) },
	{ "TTL 254 of nobody", AT(V4), .spec.ttl = 254, .spec.edit = your_disc_foreign,
	  NOBODY(TTL) },
	{ "UDP length 31", AT(V4), .edit = udp_len_31, REJ(SHORT) },
	{ "UDP length 7", AT(V4), .edit = udp_len_7, REJ(SHORT) },
	{ "UDP length beyond IP's", AT(V4), .edit = udp_len_33, REJ(SHORT) },
	{ "IP length 19", AT(V4), .edit = ip_len_19, REJ(SHORT) },
	{ "IP length beyond the frame", AT(V4), .edit = ip_len_53, NOBODY(SHORT) },
	{ "UDP checksum, one bit", AT(V4), .edit = bad_sum, REJ(CHECKSUM) },
	{ "UDP checksum, IPv6", AT(V6), .edit = bad_sum6, REJ(CHECKSUM) },
	{ "no UDP checksum, IPv6", AT(V6), .edit = no_sum6, REJ(CHECKSUM) },
	{ "no UDP checksum, link-local", AT(LL), .edit = no_sum6, REJ(CHECKSUM) },
	{ "the last byte of the packet", AT(MH4), .edit = last_byte, REJ(CHECKSUM) },
	{ "the last of 25 bytes", AT(V4), .spec.payload = 25, .edit = last_byte, REJ(CHECKSUM) },
	{ "the last of 256 bytes", AT(V6), .spec.payload = 256, .edit = last_byte, REJ(CHECKSUM) },
	{ "longer than any BFD packet", AT(V4), .spec.payload = 257, REJ(CHECKSUM) },
	{ "version 0", AT(V4), .spec.edit = version_0, REJ(VERSION) },
	{ "version 2", AT(MH6), .spec.edit = version_2, REJ(VERSION) },
	{ "version before multipoint", AT(V4), .spec.edit = version_2_multipoint, REJ(VERSION) },
	{ "length 23", AT(V4), .spec.edit = length_23, REJ(LENGTH) },
	{ "length 25 of 24", AT(V4), .spec.edit = length_25, REJ(LENGTH) },
	{ "length 25 with authentication", AT(V4), .spec.payload = 25, .spec.edit = auth_25,
	  REJ(LENGTH) },
	{ "multiplier 0", AT(V4), .spec.edit = mult_0, REJ(MULTIPLIER) },
	{ "multiplier before multipoint", AT(V4), .spec.edit = mult_0_multipoint, REJ(MULTIPLIER) },
	{ "multipoint", AT(LL), .spec.edit = multipoint, REJ(MULTIPOINT) },
	{ "My Discriminator 0", AT(V4), .spec.edit = my_disc_0, REJ(MY_DISC) },
	{ "a discriminator that is not ours", AT(V4), .spec.edit = your_disc_foreign,
	  NOBODY(YOUR_DISC) },
	{ "a single hop discriminator on the multihop port", AT(V4), .spec.dport = 4784,
	  NOBODY(YOUR_DISC) },
	{ "a multihop discriminator on the single hop port", AT(MH4), .spec.dport = 3784,
	  NOBODY(YOUR_DISC) },
	{ "no discriminator, from nobody's peer", AT(V4), .spec.src = "10.9.0.3",
	  .spec.edit = your_disc_0_down, NOBODY(NO_SESSION) },
	{ "no discriminator, to another address", AT(V4), .spec.dst = "10.9.0.9",
	  .spec.edit = your_disc_0_down, NOBODY(NO_SESSION) },
	{ "no discriminator but Up", AT(V4), .spec.edit = your_disc_0, REJ(STATE) },
	{ "no discriminator but Init", AT(V6), .spec.edit = your_disc_0_init, REJ(STATE) },
	{ "authentication", AT(V4), .spec.payload = 26, .spec.edit = auth_26, REJ(AUTH) },
	{ "from another address", AT(V4), .spec.src = "10.9.0.3", FOREIGN(ADDRESS) },
	{ "to another address", AT(V4), .spec.dst = "10.9.0.3", FOREIGN(ADDRESS) },
	{ "from another address, IPv6", AT(V6), .spec.src = "2001:db8:9::3", FOREIGN(ADDRESS) },
	{ "from a global address, link-local session", AT(LL), .spec.src = "2001:db8:9::2",
	  FOREIGN(ADDRESS) },
	{ "to another address, multihop IPv6", AT(MH6), .spec.dst = "2001:db8:8::9",
	  FOREIGN(ADDRESS) },
};

static struct bfd_bed *row_bed; /* cmocka's initial_state has room for the row alone */

/* Nothing of the session but the counter has moved. */
static void assert_only_counted(const struct fx_bfd_sess *before, const struct fx_bfd_sess *now)
{
	struct fx_bfd_sess want = *now;

	memcpy(want.rejects, before->rejects, sizeof(want.rejects));
	assert_memory_equal(&want, before, sizeof(struct fx_bfd_sess));
}

static void test_row(void **state)
{
	static struct bfd_result got;
	static struct frame frame;
	const struct row *row = *state;
	struct bfd_bed *bed = row_bed;
	struct fx_bfd_sess before;

	bfd_bed_reset(bed);
	bed->sess[row->spec.slot].next_due = 1; /* it would go out if this were taken */
	before = bed->sess[row->spec.slot];
	bfd_frame(&frame, &row->spec);
	if (row->edit)
		row->edit(&frame);
	bfd_bed_run(bed, &frame, &got);
	assert_int_equal(got.meta_rej, row->nobody ? row->rej : FX_BFD_REJ_NONE);
	assert_int_equal(got.sess_rej, row->nobody ? FX_BFD_REJ_NONE : row->rej);
	assert_int_equal(got.sess_slot, row->nobody ? 0 : row->spec.slot);
	assert_int_equal(got.action, row->dropped ? XDP_DROP : XDP_PASS);
	assert_int_equal(got.passed_on, !row->dropped);
	assert_int_equal(got.events, 0);
	assert_only_counted(&before, &bed->sess[row->spec.slot]);
	assert_int_equal(got.out.len, frame.len);
	assert_memory_equal(got.out.bytes, frame.bytes, frame.len);
}

static void run_spec(struct bfd_bed *bed, const struct bfd_spec *spec, struct bfd_result *got)
{
	static struct frame frame;

	bfd_frame(&frame, spec);
	bfd_bed_run(bed, &frame, got);
}

/* Consumed, counted, and no word to the daemon. */
static void expect_steady(struct bfd_bed *bed, const struct frame *frame, uint32_t slot)
{
	static struct bfd_result got;
	struct fx_bfd_sess *s = &bed->sess[slot];
	uint64_t pkts = s->rx_pkts, now = bfd_bed_now();

	bfd_bed_run(bed, frame, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(got.events, 0);
	assert_int_equal(got.sess_rej, FX_BFD_REJ_NONE);
	assert_int_equal(got.meta_rej, FX_BFD_REJ_NONE);
	assert_int_equal(s->rx_pkts, pkts + 1);
	assert_in_range(s->last_rx, now, bfd_bed_now());
	assert_int_equal(s->rx_gaps.last_ns, s->last_rx);
}

static void test_steady(void **state)
{
	static struct frame frame;
	struct bfd_bed *bed = *state;
	uint32_t slot;

	bfd_bed_reset(bed);
	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		expect_steady(bed, &frame, slot);
		expect_steady(bed, &frame, slot);
		assert_int_equal(bed->sess[slot].rx_bytes, 2 * (bfd_udp_at(slot) - IP + 32));
		assert_true(bed->sess[slot].rx_gaps.max_ns > 0);
	}
}

/* Other forms of the same packet. */
static void test_steady_forms(void **state)
{
	static struct frame frame;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4, .padding = 18 });
	expect_steady(bed, &frame, BED_V4);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4, .payload = 25 });
	expect_steady(bed, &frame, BED_V4);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V6, .payload = 255 });
	expect_steady(bed, &frame, BED_V6);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_MH4, .ttl = 250 });
	expect_steady(bed, &frame, BED_MH4);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_MH6, .ttl = 250 });
	expect_steady(bed, &frame, BED_MH6);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_ANY, .dst = "10.7.0.77" });
	expect_steady(bed, &frame, BED_ANY);
	/* no checksum: RFC 768 allows it over IPv4 */
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	frame.bytes[UDP4 + 6] = frame.bytes[UDP4 + 7] = 0;
	expect_steady(bed, &frame, BED_V4);
}

/* What veth hands on of a sender with checksum offload: the pseudo header's sum. */
static void test_partial_checksum(void **state)
{
	static struct frame frame;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	/* 0a09 + 0002 + 0a09 + 0001 + 17 + 32 */
	frame.bytes[UDP4 + 6] = 0x14;
	frame.bytes[UDP4 + 7] = 0x46;
	expect_steady(bed, &frame, BED_V4);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_LL });
	/* fe80 + 0002 + fe80 + 0001 + 17 + 32 */
	frame.bytes[UDP6 + 6] = 0xfd;
	frame.bytes[UDP6 + 7] = 0x35;
	expect_steady(bed, &frame, BED_LL);
}

/* ---- events ---- */

static void poll_bit(uint8_t *p)
{
	p[1] |= 0x20;
}

static void state_init(uint8_t *p)
{
	p[1] = 0x80;
}

static void state_down(uint8_t *p)
{
	p[1] = 0x40;
}

static void slower(uint8_t *p)
{
	p[14] ^= 0x01;
}

static void test_changes_are_told(void **state)
{
	static const struct {
		void (*edit)(uint8_t *);
		bool counts; /* for detection */
	} cases[] = {
		{ poll_bit, true },	     { state_init, true },  { slower, true },
		{ your_disc_0_down, false }, { state_down, false },
	};
	static struct bfd_result got;
	static struct frame frame;
	struct bfd_bed *bed = *state;
	uint32_t slot, i;
	uint64_t now;

	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
			now = bfd_bed_reset(bed);
			bfd_frame(&frame,
				  &(struct bfd_spec){ .slot = slot, .edit = cases[i].edit });
			bfd_bed_run(bed, &frame, &got);
			assert_int_equal(got.action, XDP_DROP);
			assert_int_equal(got.events, 1);
			assert_int_equal(bed->event.type, FX_BFD_EV_PACKET);
			assert_int_equal(bed->event.slot, slot);
			assert_int_equal(bed->event.my_disc, BED_MY_DISC(slot));
			assert_int_equal(bed->event.ifindex, BED_IN);
			assert_int_equal(bed->event.ttl, 255);
			assert_in_range(bed->event.time_ns, now, bfd_bed_now());
			assert_memory_equal(bed->event.packet, bfd_control(&frame, slot), 24);
			assert_memory_equal(bed->event.peer, bed->sess[slot].peer, 16);
			if (slot != BED_ANY)
				assert_memory_equal(bed->event.local, bed->sess[slot].local, 16);
			assert_int_equal(bed->sess[slot].rx_pkts, 1);
			assert_int_equal(bed->sess[slot].last_rx != 0, cases[i].counts);
		}
	}
}

/* While the daemon writes, whatever comes is news. */
static void test_seq_odd(void **state)
{
	static struct bfd_result got;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].seq = 7;
	bed->sess[BED_V4].next_due = 1;
	run_spec(bed, &(struct bfd_spec){ .slot = BED_V4 }, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(got.events, 1);
	assert_true(bed->sess[BED_V4].last_rx != 0);
	assert_int_equal(bed->sess[BED_V4].next_due, 1);
	assert_int_equal(bed->sess[BED_V4].seq, 7);
}

static void test_ring_full(void **state)
{
	static struct bfd_result got;
	struct bfd_bed *bed = *state;
	struct bfd_spec spec = { .slot = BED_V4, .edit = poll_bit };
	unsigned int i, most = FX_BFD_EVENTS_SIZE / sizeof(struct fx_bfd_event);
	static struct frame frame;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &spec);
	for (i = 0; i < most && !bed->meta->lost_events; i++)
		bfd_bed_flood(bed, &frame, 100);
	assert_true(bed->meta->lost_events > 0);
	bed->sess[BED_V4].next_due = 1;
	assert_int_equal(bfd_bed_flood(bed, &frame, 1), XDP_PASS);
	assert_int_equal(bed->sess[BED_V4].next_due, 1);
	/* room again */
	bfd_bed_events(bed);
	run_spec(bed, &spec, &got);
	assert_int_equal(got.events, 1);
}

/* ---- more rejects ---- */

static void expect_reject(struct bfd_bed *bed, const struct bfd_spec *spec, uint32_t rej)
{
	static struct bfd_result got;

	run_spec(bed, spec, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(got.sess_rej, rej);
	assert_int_equal(got.sess_slot, spec->slot);
	assert_int_equal(got.events, 0);
}

static void test_wrong_interface(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].ifindex = BED_IN + 1;
	expect_reject(bed, &(struct bfd_spec){ .slot = BED_V4 }, FX_BFD_REJ_INTERFACE);
}

static void test_admin_down(void **state)
{
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_MH6].flags |= FX_BFD_F_ADMIN_DOWN;
	expect_reject(bed, &(struct bfd_spec){ .slot = BED_MH6 }, FX_BFD_REJ_ADMIN_DOWN);
	expect_reject(bed, &(struct bfd_spec){ .slot = BED_MH6, .edit = poll_bit },
		      FX_BFD_REJ_ADMIN_DOWN);
}

/* bfdd has restarted: the session has another discriminator, and the peer does not know it yet. */
static void test_old_discriminator(void **state)
{
	static struct bfd_result got;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].my_disc++;
	bed->sess[BED_V4].expect[2] ^= 1;
	run_spec(bed, &(struct bfd_spec){ .slot = BED_V4 }, &got);
	assert_int_equal(got.action, XDP_DROP);
	assert_int_equal(got.events, 1);
	assert_int_equal(bed->event.my_disc, bed->sess[BED_V4].my_disc);
}

static void test_slot_without_session(void **state)
{
	static struct bfd_result got;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bed->sess[BED_V4].flags &= ~FX_BFD_F_ACTIVE;
	run_spec(bed, &(struct bfd_spec){ .slot = BED_V4 }, &got);
	assert_int_equal(got.meta_rej, FX_BFD_REJ_YOUR_DISC);
	assert_true(got.passed_on);
	run_spec(bed, &(struct bfd_spec){ .slot = BED_V4, .edit = your_disc_0_down }, &got);
	assert_int_equal(got.meta_rej, FX_BFD_REJ_NO_SESSION);
}

/* ---- not BFD of ours ---- */

static void test_other_packets(void **state)
{
	static const uint16_t ports[] = { 3783, 3786, 4783, 4785, 53 };
	static struct frame frame;
	struct bfd_bed *bed = *state;
	uint32_t i, slot;

	bfd_bed_reset(bed);
	for (slot = BED_V4; slot <= BED_V6; slot++) {
		for (i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
			bfd_frame(&frame, &(struct bfd_spec){ .slot = slot, .dport = ports[i] });
			bfd_expect_untouched(bed, &frame);
		}
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		frame.bytes[slot == BED_V4 ? IP + 9 : IP + 6] = 6; /* TCP */
		bfd_expect_untouched(bed, &frame);
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		frame.bytes[0] |= 1; /* to a group */
		bfd_expect_untouched(bed, &frame);
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		frame.bytes[12] = 0x88; /* not IP */
		bfd_expect_untouched(bed, &frame);
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		frame.bytes[IP] ^= 0xf0; /* version */
		bfd_expect_untouched(bed, &frame);
	}
}

static void test_ipv4_that_linux_takes_apart(void **state)
{
	static struct frame frame;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	frame.bytes[IP + 6] = 0x20; /* more fragments */
	frame_fix_csum(&frame);
	bfd_expect_untouched(bed, &frame);
	frame.bytes[IP + 6] = 0;
	frame.bytes[IP + 7] = 1; /* a later one */
	frame_fix_csum(&frame);
	bfd_expect_untouched(bed, &frame);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	frame.bytes[IP] = 0x46; /* options */
	frame_fix_csum(&frame);
	bfd_expect_untouched(bed, &frame);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	frame.bytes[IP + 10] ^= 1; /* header checksum */
	bfd_expect_untouched(bed, &frame);
}

static void test_tagged(void **state)
{
	static const uint8_t tag[4] = { 0x81, 0x00, 0x00, 0x07 };
	static struct frame frame;
	struct bfd_bed *bed = *state;

	bfd_bed_reset(bed);
	bfd_frame(&frame, &(struct bfd_spec){ .slot = BED_V4 });
	memmove(frame.bytes + 16, frame.bytes + 12, frame.len - 12);
	memcpy(frame.bytes + 12, tag, 4);
	frame.len += 4;
	bfd_expect_untouched(bed, &frame);
}

/* Cut at every byte: never taken, never read beyond the end. */
static void test_truncated(void **state)
{
	static struct bfd_result got;
	static struct frame frame;
	struct bfd_bed *bed = *state;
	uint32_t slot, udp;

	bfd_bed_reset(bed);
	for (slot = BED_V4; slot < BED_SESS_END; slot++) {
		udp = bfd_udp_at(slot);
		for (bfd_frame(&frame, &(struct bfd_spec){ .slot = slot }); --frame.len >= 14;) {
			if (frame.len < udp + 8) {
				bfd_expect_untouched(bed, &frame);
				continue;
			}
			bfd_bed_run(bed, &frame, &got);
			assert_int_equal(got.meta_rej, FX_BFD_REJ_SHORT);
			assert_true(got.passed_on);
			assert_int_equal(bed->sess[slot].rx_pkts, 0);
		}
	}
}

/* One bit wrong anywhere behind the MACs: nothing of it is taken for the steady packet. */
static void test_every_bit(void **state)
{
	static struct bfd_result got;
	static struct frame frame;
	struct bfd_bed *bed = *state;
	uint32_t slot, bit;

	for (slot = BED_V4; slot <= BED_LL; slot++) {
		bfd_bed_reset(bed);
		bfd_frame(&frame, &(struct bfd_spec){ .slot = slot });
		for (bit = 12 * 8; bit < frame.len * 8; bit++) {
			/* IPv6: traffic class and flow label are covered by no checksum */
			if (slot != BED_V4 && bit >= IP * 8 + 4 && bit < IP * 8 + 32)
				continue;
			frame.bytes[bit / 8] ^= 0x80 >> bit % 8;
			bfd_bed_run(bed, &frame, &got);
			frame.bytes[bit / 8] ^= 0x80 >> bit % 8;
			if (bed->sess[slot].rx_pkts || got.events)
				fail_msg("bit %u of byte %u", bit % 8, bit / 8);
		}
	}
}

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_steady_forms),
		cmocka_unit_test(test_partial_checksum),
		cmocka_unit_test(test_changes_are_told),
		cmocka_unit_test(test_seq_odd),
		cmocka_unit_test(test_ring_full),
		cmocka_unit_test(test_wrong_interface),
		cmocka_unit_test(test_admin_down),
		cmocka_unit_test(test_old_discriminator),
		cmocka_unit_test(test_slot_without_session),
		cmocka_unit_test(test_other_packets),
		cmocka_unit_test(test_ipv4_that_linux_takes_apart),
		cmocka_unit_test(test_tagged),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_every_bit),
	};
	static struct CMUnitTest tests[N_ROWS + sizeof(others) / sizeof(others[0])];
	static struct bfd_bed bed;
	size_t i;
	int status;

	for (i = 0; i < N_ROWS; i++) {
		tests[i].name = rows[i].what;
		tests[i].test_func = test_row;
		tests[i].initial_state = (void *)(uintptr_t)&rows[i];
	}
	memcpy(tests + N_ROWS, others, sizeof(others));
	bfd_bed_init(&bed);
	row_bed = &bed;
	status = bfd_bed_main(&bed, tests, sizeof(tests) / sizeof(tests[0]));
	bfd_bed_done(&bed);
	return status;
}
