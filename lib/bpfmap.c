/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BPF maps: pins, words, batches. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "lib/bpfmap.h"

#define BPFMAP_FS	"/sys/fs/bpf"
#define BPFMAP_MAX_KEY	64u
#define BPFMAP_MAX_CPUS 4096

static bool bpfmap_is_other_ns(const struct stat *own, pid_t pid)
{
	struct stat other;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return !stat(path, &other) && own->st_ino != other.st_ino;
}

/* Whether what is mounted here goes unseen by the rest of the system. Where process 1 may not be
 * looked at, the one that started us stands for it. */
static bool bpfmap_mounts_are_own(void)
{
	struct stat own;

	return !stat("/proc/self/ns/mnt", &own) &&
	       (bpfmap_is_other_ns(&own, 1) || bpfmap_is_other_ns(&own, getppid()));
}

int bpfmap_mount(void)
{
	struct statfs fs;

	if (statfs(BPFMAP_FS, &fs) < 0)
		return -errno;
	if ((unsigned long)fs.f_type == BPF_FS_MAGIC)
		return 0;
	if (mount("bpf", BPFMAP_FS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME,
		  "mode=0700") < 0)
		return -errno;
	return bpfmap_mounts_are_own();
}

static bool bpfmap_same_shape(const struct bpf_map *map, const struct bpf_map_info *info)
{
	return info->type == bpf_map__type(map) && info->key_size == bpf_map__key_size(map) &&
	       info->value_size == bpf_map__value_size(map) &&
	       info->max_entries == bpf_map__max_entries(map);
}

static int bpfmap_info(int fd, struct bpf_map_info *info)
{
	__u32 len = sizeof(*info);

	memset(info, 0, sizeof(*info));
	return bpf_obj_get_info_by_fd(fd, info, &len);
}

/*
 * One map. libbpf's own reuse by pin path is not used: it compares flags too, and devmaps read back
 * with a flag that the kernel has added (BPF_F_RDONLY_PROG, kernel/bpf/devmap.c, Linux 6.1).
 */
static int bpfmap_reuse_one(struct bpf_map *map, const char *path)
{
	struct bpf_map_info info;
	int fd, rc;

	fd = bpf_obj_get(path);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	rc = bpfmap_info(fd, &info);
	if (!rc && !bpfmap_same_shape(map, &info))
		rc = -EPROTO;
	if (!rc)
		rc = bpf_map__reuse_fd(map, fd);
	close(fd);
	return rc;
}

int bpfmap_reuse(struct bpf_object *obj, const char *dir, const char **ret_name)
{
	struct bpf_map *map;
	char path[256];
	int rc;

	bpf_object__for_each_map(map, obj)
	{
		if (bpf_map__is_internal(map))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, bpf_map__name(map));
		rc = bpfmap_reuse_one(map, path);
		if (rc < 0) {
			*ret_name = bpf_map__name(map);
			return rc;
		}
	}
	return 0;
}

int bpfmap_pin(struct bpf_object *obj, const char *dir)
{
	struct bpf_map *map;
	char path[256];
	int rc;

	bpf_object__for_each_map(map, obj)
	{
		if (bpf_map__is_internal(map))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, bpf_map__name(map));
		if (access(path, F_OK) == 0)
			continue;
		rc = bpf_obj_pin(bpf_map__fd(map), path);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int bpfmap_peek(const char *dir, const char *name, void *ret, size_t size)
{
	struct bpf_map_info info;
	__u32 zero = 0;
	char path[256];
	int fd, rc;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = bpf_obj_get(path);
	if (fd < 0)
		return fd;
	rc = bpfmap_info(fd, &info);
	if (!rc && info.value_size != size)
		rc = -EPROTO;
	if (!rc)
		rc = bpf_map_lookup_elem(fd, &zero, ret);
	close(fd);
	return rc;
}

int bpfmap_unpin(const char *dir, const char *prefix)
{
	DIR *stream = opendir(dir);
	struct dirent *entry;
	int n = 0;

	if (!stream)
		return errno == ENOENT ? 0 : -errno;
	while ((entry = readdir(stream))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		if (unlinkat(dirfd(stream), entry->d_name, 0) == 0)
			n++;
	}
	closedir(stream);
	return n;
}

int bpfmap_open(struct bpfmap *map, const struct bpf_object *obj, const char *name)
{
	const struct bpf_map *found = bpf_object__find_map_by_name(obj, name);

	if (!found)
		return -ENOENT;
	*map = (struct bpfmap){
		.fd = bpf_map__fd(found),
		.name = bpf_map__name(found),
		.type = bpf_map__type(found),
		.key_size = bpf_map__key_size(found),
		.value_size = bpf_map__value_size(found),
		.max_entries = bpf_map__max_entries(found),
	};
	return map->fd < 0 ? map->fd : 0;
}

/* The kernel rounds an array's elements up to 8 bytes (array_map_alloc(), Linux 6.1). */
static size_t bpfmap_stride(const struct bpfmap *map)
{
	return ((size_t)map->value_size + 7) & ~(size_t)7;
}

int bpfmap_mmap(struct bpfmap *map)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = bpfmap_stride(map) * map->max_entries;
	void *mem;

	size = (size + page - 1) / page * page;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd, 0);
	if (mem == MAP_FAILED)
		return -errno;
	map->mem = mem;
	map->mem_size = size;
	return 0;
}

int bpfmap_memory(struct bpfmap *map, uint32_t value_size, uint32_t max_entries)
{
	size_t size;
	void *mem;

	*map = (struct bpfmap){ .fd = -1, .value_size = value_size, .max_entries = max_entries };
	size = bpfmap_stride(map) * max_entries;
	mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mem == MAP_FAILED)
		return -ENOMEM;
	map->mem = mem;
	map->mem_size = size;
	return 0;
}

void bpfmap_done(struct bpfmap *map)
{
	if (map->mem)
		munmap(map->mem, map->mem_size);
	*map = (struct bpfmap)BPFMAP_INIT;
}

static uint64_t *bpfmap_word64(const struct bpfmap *map, uint32_t i, uint32_t word)
{
	return (uint64_t *)(void *)(map->mem + i * bpfmap_stride(map)) + word;
}

static uint32_t *bpfmap_word32(const struct bpfmap *map, uint32_t i, uint32_t word)
{
	return (uint32_t *)(void *)(map->mem + i * bpfmap_stride(map)) + word;
}

uint64_t bpfmap_load64(const struct bpfmap *map, uint32_t i, uint32_t word)
{
	return __atomic_load_n(bpfmap_word64(map, i, word), __ATOMIC_ACQUIRE);
}

void bpfmap_store64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t value)
{
	__atomic_store_n(bpfmap_word64(map, i, word), value, __ATOMIC_RELEASE);
}

uint32_t bpfmap_load32(const struct bpfmap *map, uint32_t i, uint32_t word)
{
	return __atomic_load_n(bpfmap_word32(map, i, word), __ATOMIC_ACQUIRE);
}

void bpfmap_store32(struct bpfmap *map, uint32_t i, uint32_t word, uint32_t value)
{
	__atomic_store_n(bpfmap_word32(map, i, word), value, __ATOMIC_RELEASE);
}

void bpfmap_add64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t n)
{
	__atomic_fetch_add(bpfmap_word64(map, i, word), n, __ATOMIC_SEQ_CST);
}

bool bpfmap_cas64(struct bpfmap *map, uint32_t i, uint32_t word, uint64_t old, uint64_t value)
{
	return __atomic_compare_exchange_n(bpfmap_word64(map, i, word), &old, value, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void *bpfmap_entry(const struct bpfmap *map, uint32_t i)
{
	return i < map->max_entries ? bpfmap_word64(map, i, 0) : NULL;
}

int bpfmap_lookup(const struct bpfmap *map, const void *key, void *ret_value)
{
	return bpf_map_lookup_elem(map->fd, key, ret_value);
}

int bpfmap_update(struct bpfmap *map, const void *key, const void *value)
{
	return bpf_map_update_elem(map->fd, key, value, BPF_ANY);
}

int bpfmap_delete(struct bpfmap *map, const void *key)
{
	return bpf_map_delete_elem(map->fd, key);
}

/* Whether an error says that this kernel or map type has no batches. */
static bool bpfmap_is_unsupported(int rc)
{
	return rc == -EOPNOTSUPP || rc == -EINVAL || rc == -ENOTSUP || rc == -524 /* ENOTSUPP */;
}

size_t bpfmap_update_many(struct bpfmap *map, const void *keys, const void *values, size_t n,
			  int *ret_error)
{
	const uint8_t *key = keys, *value = values;
	__u32 count = (__u32)n;
	size_t done = 0;
	int rc = 0;

	*ret_error = 0;
	if (n > 1 && !map->no_batch) {
		rc = bpf_map_update_batch(map->fd, keys, values, &count, NULL);
		if (!rc)
			return n;
		if (bpfmap_is_unsupported(rc) && !count)
			map->no_batch = true;
	}
	/* One by one, from the start: a failed batch does not tell which entry it was on all
	 * kernels, and writing an entry again does no harm. */
	for (; done < n; done++) {
		rc = bpfmap_update(map, key + done * map->key_size, value + done * map->value_size);
		if (rc < 0) {
			*ret_error = rc;
			break;
		}
	}
	return done;
}

size_t bpfmap_delete_many(struct bpfmap *map, const void *keys, size_t n, int *ret_error)
{
	const uint8_t *key = keys;
	size_t done = 0;
	int rc;

	*ret_error = 0;
	/* A plain loop: a batched delete stops at an entry that is not there. */
	for (; done < n; done++) {
		rc = bpfmap_delete(map, key + done * map->key_size);
		if (rc < 0 && rc != -ENOENT) {
			*ret_error = rc;
			break;
		}
	}
	return done;
}

int bpfmap_walk(const struct bpfmap *map, int (*fn)(void *arg, const void *key, const void *value),
		void *arg)
{
	uint8_t key[BPFMAP_MAX_KEY], next[BPFMAP_MAX_KEY];
	uint64_t value[32]; /* aligned for any value of ours */
	bool first = true;
	int rc;

	if (map->key_size > sizeof(key) || map->value_size > sizeof(value))
		return -E2BIG;
	for (;;) {
		rc = bpf_map_get_next_key(map->fd, first ? NULL : key, next);
		if (rc < 0)
			return rc == -ENOENT ? 0 : rc;
		first = false;
		memcpy(key, next, map->key_size);
		rc = bpfmap_lookup(map, key, value);
		if (!rc)
			rc = fn(arg, key, value);
		if (rc && rc != -ENOENT)
			return rc;
	}
}

int bpfmap_percpu_sum(const struct bpfmap *map, uint32_t i, uint64_t *ret)
{
	int cpus = libbpf_num_possible_cpus();
	size_t words = map->value_size / sizeof(uint64_t);
	uint64_t *values;
	size_t word;
	int cpu, rc;

	if (cpus < 0 || cpus > BPFMAP_MAX_CPUS)
		return -EINVAL;
	values = calloc((size_t)cpus * words, sizeof(*values));
	if (!values)
		return -ENOMEM;
	rc = bpf_map_lookup_elem(map->fd, &i, values);
	if (!rc) {
		memset(ret, 0, words * sizeof(*ret));
		for (cpu = 0; cpu < cpus; cpu++)
			for (word = 0; word < words; word++)
				ret[word] += values[(size_t)cpu * words + word];
	}
	free(values);
	return rc;
}

int bpfmap_percpu_zero(struct bpfmap *map, uint32_t i)
{
	int cpus = libbpf_num_possible_cpus();
	void *values;
	int rc;

	if (cpus < 0 || cpus > BPFMAP_MAX_CPUS)
		return -EINVAL;
	values = calloc((size_t)cpus, map->value_size);
	if (!values)
		return -ENOMEM;
	rc = bpf_map_update_elem(map->fd, &i, values, BPF_ANY);
	free(values);
	return rc;
}
