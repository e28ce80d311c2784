/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hash table of list.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/list.h"

#define HTABLE_MIN 64u

static int htable_resize(struct fx_htable *table, uint32_t size)
{
	struct fx_hnode **heads = calloc(size, sizeof(*heads)), *node, *next;
	uint32_t i;

	if (!heads)
		return -ENOMEM;
	for (i = 0; table->heads && i <= table->mask; i++) {
		for (node = table->heads[i]; node; node = next) {
			next = node->next;
			node->next = heads[node->hash & (size - 1)];
			heads[node->hash & (size - 1)] = node;
		}
	}
	free(table->heads);
	table->heads = heads;
	table->mask = size - 1;
	return 0;
}

void fx_htable_done(struct fx_htable *table)
{
	free(table->heads);
	*table = (struct fx_htable){ 0 };
}

int fx_htable_add(struct fx_htable *table, struct fx_hnode *node, uint32_t hash)
{
	struct fx_hnode **head;

	if (!table->heads) {
		if (htable_resize(table, HTABLE_MIN) < 0)
			return -ENOMEM;
	} else if (table->count > table->mask && table->mask < UINT32_MAX / 2) {
		htable_resize(table, (table->mask + 1) * 2); /* longer chains if it fails */
	}
	head = &table->heads[hash & table->mask];
	node->hash = hash;
	node->next = *head;
	*head = node;
	table->count++;
	return 0;
}

void fx_htable_remove(struct fx_htable *table, struct fx_hnode *node)
{
	struct fx_hnode **at;

	if (!table->heads)
		return;
	for (at = &table->heads[node->hash & table->mask]; *at; at = &(*at)->next) {
		if (*at == node) {
			*at = node->next;
			table->count--;
			return;
		}
	}
}

struct fx_hnode *fx_htable_first(const struct fx_htable *table, uint32_t hash)
{
	struct fx_hnode *node;

	if (!table->heads)
		return NULL;
	node = table->heads[hash & table->mask];
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

struct fx_hnode *fx_htable_next(const struct fx_hnode *node)
{
	struct fx_hnode *next = node->next;

	while (next && next->hash != node->hash)
		next = next->next;
	return next;
}

struct fx_hnode *fx_htable_any(const struct fx_htable *table)
{
	uint32_t i;

	for (i = 0; table->heads && i <= table->mask; i++) {
		if (table->heads[i])
			return table->heads[i];
	}
	return NULL;
}

uint64_t fx_mix64(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

uint32_t fx_hash(const void *data, size_t len, uint32_t seed)
{
	const uint8_t *p = data;
	uint64_t h = fx_mix64(seed ^ (uint64_t)len << 32), w;

	for (; len; p += len < 8 ? len : 8, len -= len < 8 ? len : 8) {
		w = 0;
		memcpy(&w, p, len < 8 ? len : 8);
		h = fx_mix64(h ^ w);
	}
	return (uint32_t)(h ^ h >> 32);
}
