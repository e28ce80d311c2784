/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts one large JSON object, as it arrives, into its members.
 *
 * `show route` of a full table is some hundred megabytes of text: it is never held as a whole. Only
 * the outermost level is looked at here; what each member contains is json-c's to judge.
 */
#ifndef FX_CLI_MEMBERS_H
#define FX_CLI_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>

struct json_object;

struct members {
	/* Takes an object that holds this one member. Negative: stop. */
	int (*member)(void *arg, struct json_object *one);
	void *arg;
	char *buf; /* the member so far, as text that begins with '{' */
	size_t len, size;
	unsigned int depth;
	bool string, escape, done;
};

void members_init(struct members *m, int (*member)(void *arg, struct json_object *one), void *arg);
void members_done(struct members *m);

/* Any piece of the text. 0, -EPROTO: not a JSON object, -ENOMEM, or what member() returned. */
int members_feed(struct members *m, const char *data, size_t n);
/* At the end of the text: 0, or -EPROTO: it was cut off. */
int members_end(const struct members *m);

#endif
