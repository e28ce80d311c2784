/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole state table, against the sentences of RFC 5880. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bfddp-xdp/bfd_fsm.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define ADM	      BFD_STATE_ADMIN_DOWN
#define DOWN	      BFD_STATE_DOWN
#define INIT	      BFD_STATE_INIT
#define UP	      BFD_STATE_UP
#define SAME	      (-1) /* bfd.LocalDiag stays */

struct step_case {
	const char *rfc;
	const char *what;
	int state;
	enum bfd_event event;
	int expected, diag;
};

static const struct step_case steps[] = {
	/* received, 4 x 4 */
	{ "6.8.6", "AdminDown discards AdminDown", ADM, BFD_EV_RX_ADMIN_DOWN, ADM, SAME },
	{ "6.8.6", "AdminDown discards Down", ADM, BFD_EV_RX_DOWN, ADM, SAME },
	{ "6.8.6", "AdminDown discards Init", ADM, BFD_EV_RX_INIT, ADM, SAME },
	{ "6.8.6", "AdminDown discards Up", ADM, BFD_EV_RX_UP, ADM, SAME },
	{ "6.8.6", "AdminDown received in Down: nothing", DOWN, BFD_EV_RX_ADMIN_DOWN, DOWN, SAME },
	{ "6.8.6", "in Down, Down: Init", DOWN, BFD_EV_RX_DOWN, INIT, SAME },
	{ "6.8.6", "in Down, Init: Up", DOWN, BFD_EV_RX_INIT, UP, 0 },
	{ "6.2", "in Down, Up: Down", DOWN, BFD_EV_RX_UP, DOWN, SAME },
	{ "6.8.6", "AdminDown in Init: Down, diagnostic 3", INIT, BFD_EV_RX_ADMIN_DOWN, DOWN, 3 },
	{ "6.2", "in Init, Down: Init", INIT, BFD_EV_RX_DOWN, INIT, SAME },
	{ "6.8.6", "in Init, Init: Up", INIT, BFD_EV_RX_INIT, UP, 0 },
	{ "6.8.6", "in Init, Up: Up", INIT, BFD_EV_RX_UP, UP, 0 },
	{ "6.8.6", "AdminDown in Up: Down, diagnostic 3", UP, BFD_EV_RX_ADMIN_DOWN, DOWN, 3 },
	{ "6.8.6", "in Up, Down: Down, diagnostic 3", UP, BFD_EV_RX_DOWN, DOWN, 3 },
	{ "6.2", "in Up, Init: Up", UP, BFD_EV_RX_INIT, UP, SAME },
	{ "6.2", "in Up, Up: Up", UP, BFD_EV_RX_UP, UP, SAME },
	/* timers */
	{ "6.8.4", "detection time in AdminDown", ADM, BFD_EV_DETECT, ADM, SAME },
	{ "6.8.4", "detection time in Down", DOWN, BFD_EV_DETECT, DOWN, SAME },
	{ "6.8.4", "detection time in Init: Down, diagnostic 1", INIT, BFD_EV_DETECT, DOWN, 1 },
	{ "6.8.4", "detection time in Up: Down, diagnostic 1", UP, BFD_EV_DETECT, DOWN, 1 },
	{ "6.8.5", "echo in AdminDown", ADM, BFD_EV_ECHO, ADM, SAME },
	{ "6.8.5", "echo in Down", DOWN, BFD_EV_ECHO, DOWN, SAME },
	{ "6.8.5", "echo in Init", INIT, BFD_EV_ECHO, INIT, SAME },
	{ "6.8.5", "echo failed: Down, diagnostic 2", UP, BFD_EV_ECHO, DOWN, 2 },
	/* the operator */
	{ "6.8.16", "disabled twice", ADM, BFD_EV_DISABLE, ADM, SAME },
	{ "6.8.16", "disabled in Down", DOWN, BFD_EV_DISABLE, ADM, 7 },
	{ "6.8.16", "disabled in Init", INIT, BFD_EV_DISABLE, ADM, 7 },
	{ "6.8.16", "disabled in Up", UP, BFD_EV_DISABLE, ADM, 7 },
	{ "6.8.16", "enabled: Down", ADM, BFD_EV_ENABLE, DOWN, SAME },
	{ "6.8.16", "enabled in Down", DOWN, BFD_EV_ENABLE, DOWN, SAME },
	{ "6.8.16", "enabled in Init", INIT, BFD_EV_ENABLE, INIT, SAME },
	{ "6.8.16", "enabled in Up", UP, BFD_EV_ENABLE, UP, SAME },
	/* the outside */
	{ "6.8.17", "path down in AdminDown", ADM, BFD_EV_PATH_DOWN, ADM, SAME },
	{ "6.8.17", "path down in Down", DOWN, BFD_EV_PATH_DOWN, DOWN, 5 },
	{ "6.8.17", "path down in Init", INIT, BFD_EV_PATH_DOWN, DOWN, 5 },
	{ "6.8.17", "path down in Up", UP, BFD_EV_PATH_DOWN, DOWN, 5 },
	{ "6.8.15", "forwarding plane reset in AdminDown", ADM, BFD_EV_RESET, ADM, SAME },
	{ "6.8.15", "forwarding plane reset in Down", DOWN, BFD_EV_RESET, DOWN, 4 },
	{ "6.8.15", "forwarding plane reset in Init", INIT, BFD_EV_RESET, DOWN, 4 },
	{ "6.8.15", "forwarding plane reset in Up", UP, BFD_EV_RESET, DOWN, 4 },
};

static void table(void **state)
{
	unsigned int seen[4][BFD_EV_COUNT] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		const struct step_case *c = &steps[i];
		struct bfd_step step = bfd_fsm_step((uint8_t)c->state, c->event);

		print_message("RFC 5880 %s: %s\n", c->rfc, c->what);
		assert_int_equal(step.state, c->expected);
		assert_int_equal(step.diag, c->diag);
		seen[c->state][c->event]++;
	}
	for (int s = 0; s < 4; s++) {
		for (int e = 0; e < BFD_EV_COUNT; e++)
			assert_int_equal(seen[s][e], 1);
	}
}

static void names(void **state)
{
	assert_string_equal(bfd_state_name(ADM), "shutdown");
	assert_string_equal(bfd_state_name(UP), "up");
	assert_string_equal(bfd_state_name(4), "unknown");
	assert_string_equal(bfd_diag_name(0), "ok");
	assert_string_equal(bfd_diag_name(1), "control detection time expired");
	assert_string_equal(bfd_diag_name(8), "reverse concatenated path down");
	assert_string_equal(bfd_diag_name(31), "unknown");
	assert_string_equal(bfd_event_name(BFD_EV_PATH_DOWN), "path down");
	assert_string_equal(bfd_event_name(BFD_EV_COUNT), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
