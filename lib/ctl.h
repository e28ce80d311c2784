/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket: one request line of words, one JSON document back, then the end. Edge.
 *
 * The reply is made piece by piece as the client takes it, so that a table of a million routes
 * costs one piece of memory at a time, and a slow client costs nobody else anything. At most
 * CTL_MAX_CLIENTS at a time, others wait; one that neither asks nor reads for CTL_TIMEOUT_MS is
 * dropped.
 */
#ifndef FX_LIB_CTL_H
#define FX_LIB_CTL_H

#include "lib/strbuf.h"

struct loop;
struct ctl;

#define CTL_MAX_CLIENTS 32u
#define CTL_MAX_WORDS	16
#define CTL_MAX_REQUEST 512u /* bytes of a request line */
#define CTL_TIMEOUT_MS	30000u
#define CTL_LATER_MS	20u

enum ctl_next {
	CTL_DONE,
	CTL_MORE,
	CTL_LATER, /* nothing yet: ask again in CTL_LATER_MS */
};

/* A reply under way. The handler's answer to a request; freed by `free` (may be NULL) in any case.
 */
struct ctl_reply {
	/* Adds the next piece (some KiB) to out. */
	enum ctl_next (*next)(void *state, struct strbuf *out);
	void (*free)(void *state);
	void *state;
};

/*
 * A request's words. 0: *reply is filled. Negative errno: the error text goes out as
 * {"error":"..."}; *ret_error may be set to a text of the handler's that lives until the return.
 */
typedef int (*ctl_handler)(void *arg, int argc, char **argv, struct ctl_reply *reply,
			   const char **ret_error);

/* Binds path (mode 0660), replacing a dead socket there. NULL with errno; EADDRINUSE: alive. */
struct ctl *ctl_new(struct loop *loop, const char *path, ctl_handler handler, void *arg);
void ctl_free(struct ctl *ctl); /* NULL ok; drops all clients, removes the socket */

#endif
