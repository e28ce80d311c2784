/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See slab.h. Each object has a head in front: NULL-free link while free, a mark while in use. */
#include <stdlib.h>
#include <string.h>

#include "lib/slab.h"

struct slab_head {
	struct slab_head *next_free;
	uint64_t used;
};

void fx_slab_init(struct fx_slab *slab, size_t size)
{
	*slab = (struct fx_slab){ .size = (size + sizeof(struct slab_head) + 15) & ~(size_t)15 };
}

void fx_slab_done(struct fx_slab *slab)
{
	uint32_t i;

	for (i = 0; i < slab->nchunks; i++)
		free(slab->chunks[i]);
	free(slab->chunks);
	fx_slab_init(slab, slab->size - sizeof(struct slab_head));
}

static struct slab_head *slab_at(const struct fx_slab *slab, uint64_t index)
{
	uint8_t *chunk = slab->chunks[index / FX_SLAB_CHUNK];

	return (struct slab_head *)(void *)(chunk + (index % FX_SLAB_CHUNK) * slab->size);
}

static struct slab_head *slab_grow(struct fx_slab *slab)
{
	uint8_t **chunks, *chunk;

	if (slab->top == slab->nchunks * FX_SLAB_CHUNK) {
		chunk = malloc(FX_SLAB_CHUNK * slab->size);
		chunks = chunk ? realloc(slab->chunks, (slab->nchunks + 1) * sizeof(*chunks))
			       : NULL;
		if (!chunks) {
			free(chunk);
			return NULL;
		}
		slab->chunks = chunks;
		slab->chunks[slab->nchunks++] = chunk;
	}
	return slab_at(slab, slab->top++);
}

void *fx_slab_alloc(struct fx_slab *slab)
{
	struct slab_head *head = slab->free;

	if (head)
		slab->free = head->next_free;
	else
		head = slab_grow(slab);
	if (!head)
		return NULL;
	memset(head, 0, slab->size);
	head->used = 1;
	slab->count++;
	return head + 1;
}

void fx_slab_free(struct fx_slab *slab, void *object)
{
	struct slab_head *head = (struct slab_head *)object - 1;

	head->used = 0;
	head->next_free = slab->free;
	slab->free = head;
	slab->count--;
}

void *fx_slab_next(const struct fx_slab *slab, uint64_t *index)
{
	struct slab_head *head;

	while (*index < slab->top) {
		head = slab_at(slab, (*index)++);
		if (head->used)
			return head + 1;
	}
	return NULL;
}
