/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The BFD control packet: RFC 5880 4.1 byte by byte, each reject of RFC 5880 6.8.6 once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "bpf/bfd_wire.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Up, Poll, multiplier 3, 300 ms both ways, echo 50 ms: as FRR 8.4 sends it. */
static const uint8_t good[24] = {
	0x20, 0xe0, 3,	  24,	0x11, 0x22, 0x33, 0x44, 0xa1, 0xa2, 0xa3, 0xa4,
	0,    4,    0x93, 0xe0, 0,    4,    0x93, 0xe0, 0,    0,    0xc3, 0x50,
};

static void fields(void **state)
{
	struct bfd_packet packet;
	uint8_t out[24];

	bfd_wire_get(good, &packet);
	assert_int_equal(packet.state, BFD_STATE_UP);
	assert_int_equal(packet.diag, 0);
	assert_int_equal(packet.bits, BFD_BIT_POLL);
	assert_int_equal(packet.mult, 3);
	assert_int_equal(packet.my_disc, 0x11223344);
	assert_int_equal(packet.your_disc, 0xa1a2a3a4);
	assert_int_equal(packet.min_tx_us, 300000);
	assert_int_equal(packet.min_rx_us, 300000);
	assert_int_equal(packet.min_echo_rx_us, 50000);
	bfd_wire_put(out, &packet);
	assert_memory_equal(out, good, sizeof(good));
}

static void every_state_diag_and_bit(void **state)
{
	for (unsigned int b0 = 0x20; b0 < 0x40; b0++) {
		for (unsigned int b1 = 0; b1 < 256; b1++) {
			struct bfd_packet packet;
			uint8_t in[24], out[24];

			memcpy(in, good, sizeof(in));
			in[0] = (uint8_t)b0;
			in[1] = (uint8_t)b1;
			bfd_wire_get(in, &packet);
			assert_int_equal(packet.diag, b0 & 31);
			assert_int_equal(packet.state, b1 >> 6);
			assert_int_equal(packet.bits, b1 & 63);
			bfd_wire_put(out, &packet);
			assert_memory_equal(out, in, sizeof(in));
		}
	}
}

struct check_case {
	const char *what; /* RFC 5880 6.8.6 */
	struct {
		uint8_t at, value;
	} set[6];
	uint32_t room;
	enum fx_bfd_reject reject;
};

static const struct check_case checks[] = {
	{ "a good packet", { { 0, 0x20 } }, 24, FX_BFD_REJ_NONE },
	{ "a reserved diagnostic is no fault", { { 0, 0x3f } }, 24, FX_BFD_REJ_NONE },
	{ "version 0", { { 0, 0x00 } }, 24, FX_BFD_REJ_VERSION },
	{ "version 2", { { 0, 0x40 } }, 24, FX_BFD_REJ_VERSION },
	{ "version 7", { { 0, 0xe0 } }, 24, FX_BFD_REJ_VERSION },
	{ "length 0", { { 3, 0 } }, 24, FX_BFD_REJ_LENGTH },
	{ "length 23", { { 3, 23 } }, 24, FX_BFD_REJ_LENGTH },
	{ "A bit and length 25", { { 1, 0xc4 }, { 3, 25 } }, 64, FX_BFD_REJ_LENGTH },
	{ "A bit and length 26", { { 1, 0xc4 }, { 3, 26 } }, 64, FX_BFD_REJ_NONE },
	{ "longer than the payload by one", { { 3, 25 } }, 24, FX_BFD_REJ_LENGTH },
	{ "length 255 of 24", { { 3, 255 } }, 24, FX_BFD_REJ_LENGTH },
	{ "as long as the payload", { { 3, 30 } }, 30, FX_BFD_REJ_NONE },
	{ "bytes behind the packet are ignored", { { 3, 24 } }, 1000, FX_BFD_REJ_NONE },
	{ "Detect Mult 0", { { 2, 0 } }, 24, FX_BFD_REJ_MULTIPLIER },
	{ "Multipoint", { { 1, 0xc1 } }, 24, FX_BFD_REJ_MULTIPOINT },
	{ "My Discriminator 0",
	  { { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 } },
	  24,
	  FX_BFD_REJ_MY_DISC },
	{ "Your Discriminator 0 and Up",
	  { { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 } },
	  24,
	  FX_BFD_REJ_STATE },
	{ "Your Discriminator 0 and Init",
	  { { 1, 0x80 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 } },
	  24,
	  FX_BFD_REJ_STATE },
	{ "Your Discriminator 0 and Down",
	  { { 1, 0x40 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 } },
	  24,
	  FX_BFD_REJ_NONE },
	{ "Your Discriminator 0 and AdminDown",
	  { { 1, 0x00 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 } },
	  24,
	  FX_BFD_REJ_NONE },
	{ "version before length", { { 0, 0 }, { 3, 0 } }, 24, FX_BFD_REJ_VERSION },
	{ "length before multiplier", { { 2, 0 }, { 3, 0 } }, 24, FX_BFD_REJ_LENGTH },
	{ "multiplier before multipoint", { { 2, 0 }, { 1, 0xc1 } }, 24, FX_BFD_REJ_MULTIPLIER },
	{ "multipoint before discriminator",
	  { { 1, 0xc1 }, { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 } },
	  24,
	  FX_BFD_REJ_MULTIPOINT },
};

static void rejects(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		const struct check_case *c = &checks[i];
		uint8_t p[24];

		print_message("%s\n", c->what);
		memcpy(p, good, sizeof(p));
		for (size_t k = 0; k < ARRAY_SIZE(c->set); k++) {
			if (k == 0 || c->set[k].at)
				p[c->set[k].at] = c->set[k].value;
		}
		assert_int_equal(bfd_wire_check(p, c->room), c->reject);
	}
}

static void authentication(void **state)
{
	uint8_t p[24];

	memcpy(p, good, sizeof(p));
	assert_int_equal(bfd_wire_check_auth(p), FX_BFD_REJ_NONE);
	p[1] |= BFD_BIT_AUTH;
	assert_int_equal(bfd_wire_check_auth(p), FX_BFD_REJ_AUTH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(every_state_diag_and_bit),
		cmocka_unit_test(rejects),
		cmocka_unit_test(authentication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
