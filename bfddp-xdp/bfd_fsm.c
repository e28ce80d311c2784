/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RFC 5880 6.2 and 6.8.6 as one table. A row is a state, a column an event.
 *
 * bfd.LocalDiag is written where the RFC says so, and cleared on the way to Up: there is nothing to
 * explain any more. In Init it still says to the peer why we were down.
 */
#include "bfddp-xdp/bfd_fsm.h"

#define STAY(state)                                                                                \
	{                                                                                          \
		BFD_STATE_##state, -1                                                              \
	}
#define TO(state, diag)                                                                            \
	{                                                                                          \
		BFD_STATE_##state, BFD_DIAG_##diag                                                 \
	}

static const struct bfd_step steps[4][BFD_EV_COUNT] = {
	/* RFC 5880 6.8.6 discards all packets; 6.8.16: the way out is Down */
	[BFD_STATE_ADMIN_DOWN] = {
		[BFD_EV_RX_ADMIN_DOWN] = STAY(ADMIN_DOWN),
		[BFD_EV_RX_DOWN] = STAY(ADMIN_DOWN),
		[BFD_EV_RX_INIT] = STAY(ADMIN_DOWN),
		[BFD_EV_RX_UP] = STAY(ADMIN_DOWN),
		[BFD_EV_DETECT] = STAY(ADMIN_DOWN),
		[BFD_EV_ECHO] = STAY(ADMIN_DOWN),
		[BFD_EV_DISABLE] = STAY(ADMIN_DOWN),
		[BFD_EV_ENABLE] = STAY(DOWN),
		[BFD_EV_PATH_DOWN] = STAY(ADMIN_DOWN),
		[BFD_EV_RESET] = STAY(ADMIN_DOWN),
	},
	[BFD_STATE_DOWN] = {
		[BFD_EV_RX_ADMIN_DOWN] = STAY(DOWN),
		[BFD_EV_RX_DOWN] = STAY(INIT),
		[BFD_EV_RX_INIT] = TO(UP, NONE),
		[BFD_EV_RX_UP] = STAY(DOWN),
		[BFD_EV_DETECT] = STAY(DOWN), /* 6.8.4 speaks of Init and Up only */
		[BFD_EV_ECHO] = STAY(DOWN),
		[BFD_EV_DISABLE] = TO(ADMIN_DOWN, ADMIN_DOWN),
		[BFD_EV_ENABLE] = STAY(DOWN),
		[BFD_EV_PATH_DOWN] = TO(DOWN, PATH_DOWN),
		[BFD_EV_RESET] = TO(DOWN, FORWARDING_RESET),
	},
	[BFD_STATE_INIT] = {
		[BFD_EV_RX_ADMIN_DOWN] = TO(DOWN, NEIGHBOR_DOWN),
		[BFD_EV_RX_DOWN] = STAY(INIT),
		[BFD_EV_RX_INIT] = TO(UP, NONE),
		[BFD_EV_RX_UP] = TO(UP, NONE),
		[BFD_EV_DETECT] = TO(DOWN, DETECT_EXPIRED),
		[BFD_EV_ECHO] = STAY(INIT), /* 6.8.5: there is no echo before Up */
		[BFD_EV_DISABLE] = TO(ADMIN_DOWN, ADMIN_DOWN),
		[BFD_EV_ENABLE] = STAY(INIT),
		[BFD_EV_PATH_DOWN] = TO(DOWN, PATH_DOWN),
		[BFD_EV_RESET] = TO(DOWN, FORWARDING_RESET),
	},
	[BFD_STATE_UP] = {
		[BFD_EV_RX_ADMIN_DOWN] = TO(DOWN, NEIGHBOR_DOWN),
		[BFD_EV_RX_DOWN] = TO(DOWN, NEIGHBOR_DOWN),
		[BFD_EV_RX_INIT] = STAY(UP),
		[BFD_EV_RX_UP] = STAY(UP),
		[BFD_EV_DETECT] = TO(DOWN, DETECT_EXPIRED),
		[BFD_EV_ECHO] = TO(DOWN, ECHO_FAILED),
		[BFD_EV_DISABLE] = TO(ADMIN_DOWN, ADMIN_DOWN),
		[BFD_EV_ENABLE] = STAY(UP),
		[BFD_EV_PATH_DOWN] = TO(DOWN, PATH_DOWN),
		[BFD_EV_RESET] = TO(DOWN, FORWARDING_RESET),
	},
};

struct bfd_step bfd_fsm_step(__u8 state, enum bfd_event event)
{
	return steps[state & 3][event];
}

#define VALUE_CASE(name, value, text)                                                              \
	case value:                                                                                \
		return text;

const char *bfd_state_name(unsigned int state)
{
	switch (state) {
		BFD_STATES(VALUE_CASE)
	}
	return "unknown";
}

const char *bfd_diag_name(unsigned int diag)
{
	switch (diag) {
		BFD_DIAGS(VALUE_CASE)
	}
	return "unknown";
}

#define EVENT_CASE(name, text)                                                                     \
	case BFD_EV_##name:                                                                        \
		return text;

const char *bfd_event_name(unsigned int event)
{
	switch (event) {
		BFD_EVENTS(EVENT_CASE)
	}
	return "unknown";
}
