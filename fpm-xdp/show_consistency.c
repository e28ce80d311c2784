/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `show consistency`: waits for a moment of rest, compares, and lists what differs even then. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fpm-xdp/check.h"
#include "fpm-xdp/fpmd.h"
#include "fpm-xdp/show.h"
#include "lib/loop.h"

#define CONSISTENCY_WAIT_MS  10000u /* for changes that are under way */
#define CONSISTENCY_RETRY_MS 300u
#define CONSISTENCY_TRIES    5u

struct consistency {
	struct fpmd *fpmd;
	uint64_t deadline_ms;
	uint64_t next_ms; /* not before */
	unsigned int tries;
};

void check_differs(json_object *differences, const char *what, const char *where,
		   const char *expected, const char *found)
{
	json_object *object;

	if (json_object_array_length(differences) >= CHECK_MAX)
		return;
	object = json_object_new_object();
	show_str(object, "what", what);
	show_str(object, "where", where);
	show_str(object, "expected", expected);
	show_str(object, "found", found);
	json_object_array_add(differences, object);
}

/* Changes on their way from the kernel or zebra into the maps are no differences. */
static bool consistency_busy(const struct consistency *state)
{
	struct kernel_view_stats stats;
	struct fib_counts counts;

	kernel_view_stats(state->fpmd->view, &stats);
	if (!stats.synced || !state->fpmd->ready || fib_dirty(state->fpmd->fib))
		return true;
	fib_counts(state->fpmd->fib, &counts);
	return counts.quarantined != 0 && !state->fpmd->adopting;
}

static enum ctl_next consistency_reply(json_object *differences, struct strbuf *out)
{
	json_object *object = json_object_new_object();

	json_object_object_add(object, "differences", differences);
	show_put(out, object);
	strbuf_puts(out, "\n");
	return CTL_DONE;
}

static enum ctl_next consistency_next(void *arg, struct strbuf *out)
{
	struct consistency *state = arg;
	uint64_t now = loop_now_ms();
	json_object *differences;
	int rc;

	if (now < state->next_ms || (consistency_busy(state) && now < state->deadline_ms))
		return CTL_LATER;
	differences = json_object_new_array();
	rc = check_maps(state->fpmd, differences);
	if (!rc)
		rc = check_kernel(state->fpmd, differences);
	if (rc < 0)
		check_differs(differences, "comparison", "failed", "done", strerror(-rc));
	if (!json_object_array_length(differences) || ++state->tries >= CONSISTENCY_TRIES)
		return consistency_reply(differences, out);
	json_object_put(differences);
	state->next_ms = now + CONSISTENCY_RETRY_MS;
	return CTL_LATER;
}

int show_consistency(struct fpmd *fpmd, int argc, char **argv, struct ctl_reply *reply,
		     const char **ret_error)
{
	struct consistency *state = calloc(1, sizeof(*state));

	if (!state)
		return -ENOMEM;
	state->fpmd = fpmd;
	state->deadline_ms = loop_now_ms() + CONSISTENCY_WAIT_MS;
	*reply = (struct ctl_reply){ consistency_next, free, state };
	return 0;
}
