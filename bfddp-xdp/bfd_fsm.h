/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state table of RFC 5880 6.8.6, with the timers and the outside world as events. Pure. */
#ifndef FX_BFDDP_BFD_FSM_H
#define FX_BFDDP_BFD_FSM_H

#include "bpf/bfd_wire.h"

/* name, what `show` says of a change that it caused */
#define BFD_EVENTS(X)                                                                              \
	X(RX_ADMIN_DOWN, "peer administratively down")                                             \
	X(RX_DOWN, "peer down")                                                                    \
	X(RX_INIT, "peer init")                                                                    \
	X(RX_UP, "peer up")                                                                        \
	X(DETECT, "control detection time expired")                                                \
	X(ECHO, "echo function failed")                                                            \
	X(DISABLE, "administratively down")                                                        \
	X(ENABLE, "administratively up")                                                           \
	X(PATH_DOWN, "path down")                                                                  \
	X(RESET, "forwarding plane reset")

/* The first four are enum bfd_state of a received packet. */
enum bfd_event {
#define BFD_X(name, text) BFD_EV_##name,
	BFD_EVENTS(BFD_X)
#undef BFD_X
		BFD_EV_COUNT,
};

struct bfd_step {
	__u8 state; /* the new one, maybe the old */
	__s8 diag;  /* the new bfd.LocalDiag; negative: it stays */
};

/* state: enum bfd_state. */
struct bfd_step bfd_fsm_step(__u8 state, enum bfd_event event);

/* vtysh's words; "unknown" beyond the known. */
const char *bfd_state_name(unsigned int state);
const char *bfd_diag_name(unsigned int diag);
const char *bfd_event_name(unsigned int event);

#endif
