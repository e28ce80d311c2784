/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members of `show route` by family, address and length, as long as they are few: the daemon sends
 * them as it has them. A full table is never held as a whole, and goes by as it comes. Pure.
 */
#ifndef FX_CLI_IN_ORDER_H
#define FX_CLI_IN_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#define IN_ORDER_MAX 10000

struct json_object;
struct in_order_entry;

struct in_order {
	void (*print)(void *arg, struct json_object *one);
	void *arg;
	struct in_order_entry *entries; /* NULL: too many, or no memory: printed as they come */
	size_t n;
};

void in_order_init(struct in_order *order, void (*print)(void *arg, struct json_object *one),
		   void *arg);
/* one: an object with one member, {"PREFIX":[...]}. It stays the caller's. */
void in_order_add(struct in_order *order, struct json_object *one);
/* Prints what is held, in order. */
void in_order_end(struct in_order *order);
/* Drops what is held. */
void in_order_done(struct in_order *order);

#endif
