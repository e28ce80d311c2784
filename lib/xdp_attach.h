/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * XDP programs on interfaces: the one file that attaches. Edge.
 *
 * An attachment is a bpf_link, pinned in the instance's folder as link_IFINDEX: it stays when the
 * process goes, is taken over by the next one, and cannot be replaced by accident (`ip link set xdp
 * off` fails). Another program on the interface is left alone.
 */
#ifndef FX_LIB_XDP_ATTACH_H
#define FX_LIB_XDP_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xdp_mode {
	XDP_MODE_NONE,
	XDP_MODE_NATIVE,
	XDP_MODE_GENERIC,
	XDP_MODE_OTHER, /* hardware, or several at once */
};

/* "none", "native", "generic", "other". */
const char *xdp_mode_name(enum xdp_mode mode);

struct xdp_state {
	enum xdp_mode mode;
	uint32_t prog_id; /* 0: none */
	char prog_name[16];
	bool ours; /* by a link that is pinned in dir */
};

#define XDP_WHY_SIZE 200

/*
 * Puts the program on the interface; a link of ours that is there already is given the program
 * instead, with no packet missed. 0, or negative errno with the reason and what to do about it in
 * why (XDP_WHY_SIZE bytes): -EBUSY is a foreign program.
 */
int xdp_attach(const char *dir, uint32_t ifindex, int prog_fd, bool generic, char *why);

/* Takes our link and its pin away. 0, also when there was none; negative errno. */
int xdp_detach(const char *dir, uint32_t ifindex);

/* What is on the interface. 0 or negative errno. */
int xdp_state(const char *dir, uint32_t ifindex, struct xdp_state *ret);

#define XDP_ROOT_NAME  "fx_root" /* bpf/xdp_root.bpf.c: what is attached, whoever does it */
#define XDP_OWNER_SIZE 33	 /* daemon_pathspace_valid() */

/* The instance whose pinned link has this program on the interface: its name, "" for the one
 * without -N. false: none with pins in the bpffs that is seen here. */
bool xdp_owner(uint32_t ifindex, uint32_t prog_id, char name[XDP_OWNER_SIZE]);

/* Whether some link that is pinned in dir is still on a device, of whichever network namespace. */
bool xdp_any_alive(const char *dir);

/* The interfaces for which a link is pinned in dir, gone ones included. 0 or negative errno. */
int xdp_pinned(const char *dir, void (*fn)(void *arg, uint32_t ifindex), void *arg);

#endif
