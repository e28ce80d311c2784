/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/in_order.h"
#include "lib/addr.h"

struct in_order_entry {
	struct fx_prefix prefix; /* family 0: not understood, first */
	struct json_object *one;
};

static int in_order_compare(const void *a, const void *b)
{
	const struct fx_prefix *x = &((const struct in_order_entry *)a)->prefix;
	const struct fx_prefix *y = &((const struct in_order_entry *)b)->prefix;
	int order = (int)x->family - (int)y->family;

	if (!order)
		order = memcmp(x->bytes, y->bytes, sizeof(x->bytes));
	return order ? order : (int)x->len - (int)y->len;
}

static struct fx_prefix in_order_key(struct json_object *one)
{
	struct fx_prefix key = { 0 };

	json_object_object_foreach(one, prefix, routes)
	{
		(void)routes;
		if (fx_prefix_parse(prefix, &key) < 0)
			key = (struct fx_prefix){ 0 };
	}
	return key;
}

void in_order_init(struct in_order *order, void (*print)(void *arg, struct json_object *one),
		   void *arg)
{
	*order = (struct in_order){
		.print = print,
		.arg = arg,
		.entries = calloc(IN_ORDER_MAX, sizeof(*order->entries)),
	};
}

void in_order_add(struct in_order *order, struct json_object *one)
{
	size_t i;

	if (order->entries && order->n < IN_ORDER_MAX) {
		order->entries[order->n++] = (struct in_order_entry){
			.prefix = in_order_key(one),
			.one = json_object_get(one),
		};
		return;
	}
	for (i = 0; i < order->n; i++)
		order->print(order->arg, order->entries[i].one);
	in_order_done(order);
	order->print(order->arg, one);
}

void in_order_end(struct in_order *order)
{
	size_t i;

	if (order->n)
		qsort(order->entries, order->n, sizeof(*order->entries), in_order_compare);
	for (i = 0; i < order->n; i++)
		order->print(order->arg, order->entries[i].one);
}

void in_order_done(struct in_order *order)
{
	size_t i;

	for (i = 0; i < order->n; i++)
		json_object_put(order->entries[i].one);
	free(order->entries);
	order->entries = NULL;
	order->n = 0;
}
