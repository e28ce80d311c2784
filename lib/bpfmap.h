/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF maps: the one file that touches them. Edge.
 *
 * Maps live as long as their pins do, longer than any process of ours: a daemon takes over what it
 * finds pinned in its folder, and pins what it had to make.
 */
#ifndef FX_LIB_BPFMAP_H
#define FX_LIB_BPFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;

struct bpfmap {
	int fd; /* the object's, not closed here; -1: not open */
	const char *name;
	uint32_t type;
	uint32_t key_size;
	uint32_t value_size;
	uint32_t max_entries;
	uint8_t *mem; /* bpfmap_mmap(): the entries, each begins on 8 bytes */
	size_t mem_size;
	bool no_batch; /* the kernel has none for this type */
};

#define BPFMAP_INIT                                                                                \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Mounts a bpffs on /sys/fs/bpf unless there is one. 0; 1 when the one that it has mounted is seen
 * only in this mount namespace, not that of process 1 or our parent; negative errno. */
int bpfmap_mount(void);

/*
 * Before bpf_object__load(): every map of obj that is pinned in dir is used instead of a new one.
 * 0; -EPROTO: one of another shape, its name in *ret_name (another version's); negative errno.
 */
int bpfmap_reuse(struct bpf_object *obj, const char *dir, const char **ret_name);
/* After it: pins those that are not pinned yet. 0 or negative errno. */
int bpfmap_pin(struct bpf_object *obj, const char *dir);
/* The first entry of an array that is pinned in dir, of this size. 0, -ENOENT, -EPROTO (another
 * size), negative errno. */
int bpfmap_peek(const char *dir, const char *name, void *ret, size_t size);
/* Removes every pinned map of dir: names with this prefix. How many, or negative errno. */
int bpfmap_unpin(const char *dir, const char *prefix);

/* A loaded object's map by its name. 0, -ENOENT, negative errno. */
int bpfmap_open(struct bpfmap *map, const struct bpf_object *obj, const char *name);
int bpfmap_mmap(struct bpfmap *map); /* arrays with BPF_F_MMAPABLE */
/* Zeroed memory in place of an array, for who works without the kernel half. 0 or -ENOMEM. */
int bpfmap_memory(struct bpfmap *map, uint32_t value_size, uint32_t max_entries);
void bpfmap_done(struct bpfmap *map);

/* Words of a mapped array, atomic for every reader. i is below max_entries, word below the value's
 * size in words. */
uint64_t bpfmap_load64(const struct bpfmap *map, uint32_t i, uint32_t word);
void bpfmap_store64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t value);
uint32_t bpfmap_load32(const struct bpfmap *map, uint32_t i, uint32_t word);
void bpfmap_store32(struct bpfmap *map, uint32_t i, uint32_t word, uint32_t value);
void bpfmap_add64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t n);
/* Whether the word was `old` and is `value` now. */
bool bpfmap_cas64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t old, uint64_t value);
/* Entry i itself, for values whose own rules say how they are shared. NULL beyond the end. */
void *bpfmap_entry(const struct bpfmap *map, uint32_t i);

int bpfmap_lookup(const struct bpfmap *map, const void *key, void *ret_value); /* -ENOENT */
int bpfmap_update(struct bpfmap *map, const void *key, const void *value);
int bpfmap_delete(struct bpfmap *map, const void *key); /* -ENOENT */
/* As many as n entries; the arrays are dense. How many were written before the first failure (n:
 * all); *ret_error is that failure or 0. */
size_t bpfmap_update_many(struct bpfmap *map, const void *keys, const void *values, size_t n,
			  int *ret_error);
size_t bpfmap_delete_many(struct bpfmap *map, const void *keys, size_t n, int *ret_error);

/*
 * Every entry of a hash or trie, as long as nobody else changes it meanwhile. A result of fn other
 * than 0 ends the walk and is returned. 0 or negative errno.
 */
int bpfmap_walk(const struct bpfmap *map, int (*fn)(void *arg, const void *key, const void *value),
		void *arg);

/* Per-CPU array of 64-bit words: the sum of entry i over all CPUs into ret[value_size / 8]. */
int bpfmap_percpu_sum(const struct bpfmap *map, uint32_t i, uint64_t *ret);
int bpfmap_percpu_zero(struct bpfmap *map, uint32_t i);

#endif
