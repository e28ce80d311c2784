/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Intrusive containers: a doubly linked list, and a chained hash table that doubles. Pure.
 * An fx_list that is zeroed or fx_list_init()ed and in no list is "idle": fx_list_is_idle().
 */
#ifndef FX_LIB_LIST_H
#define FX_LIB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define fx_container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

struct fx_list {
	struct fx_list *next, *prev;
};

static inline void fx_list_init(struct fx_list *head)
{
	head->next = head->prev = head;
}

static inline bool fx_list_empty(const struct fx_list *head)
{
	return head->next == head;
}

static inline bool fx_list_is_idle(const struct fx_list *node)
{
	return !node->next || node->next == node;
}

static inline void fx_list_append(struct fx_list *head, struct fx_list *node)
{
	node->next = head;
	node->prev = head->prev;
	head->prev->next = node;
	head->prev = node;
}

static inline void fx_list_remove(struct fx_list *node)
{
	if (fx_list_is_idle(node))
		return;
	node->next->prev = node->prev;
	node->prev->next = node->next;
	fx_list_init(node);
}

/* Safe against removal of the node that is being looked at. */
#define fx_list_for_each(pos, tmp, head)                                                           \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head);                           \
	     (pos) = (tmp), (tmp) = (pos)->next)

struct fx_hnode {
	struct fx_hnode *next;
	uint32_t hash;
};

struct fx_htable {
	struct fx_hnode **heads;
	uint32_t mask; /* number of heads - 1; heads NULL: empty table */
	uint32_t count;
};

void fx_htable_done(struct fx_htable *table); /* frees the heads, not the nodes */
/* 0, -ENOMEM (only for the very first node: growth is put off when memory is short) */
int fx_htable_add(struct fx_htable *table, struct fx_hnode *node, uint32_t hash);
void fx_htable_remove(struct fx_htable *table, struct fx_hnode *node);
struct fx_hnode *fx_htable_first(const struct fx_htable *table, uint32_t hash);
struct fx_hnode *fx_htable_next(const struct fx_hnode *node); /* of the same hash */
/* Some node, to empty a table by; NULL: none. Looks from the first head on: not for walks. */
struct fx_hnode *fx_htable_any(const struct fx_htable *table);

uint32_t fx_hash(const void *data, size_t len, uint32_t seed);
uint64_t fx_mix64(uint64_t x); /* a bijection that spreads each bit over all (splitmix64) */

#endif
