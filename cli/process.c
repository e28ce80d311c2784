/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cli/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/doctor.h"

bool process_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool process_is_named(int pid, const char *name)
{
	char path[64], comm[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	return doctor_read(path, comm, sizeof(comm)) == 0 && strcmp(comm, name) == 0;
}

static bool process_is_here(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	return process_same_file(path, "/proc/self/ns/net");
}

bool process_is_abroad(int pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/net", pid);
	return process_is_named(pid, name) && access(path, R_OK) == 0 && !process_is_here(pid);
}

size_t process_each(const char *name, void (*fn)(void *arg, int pid), void *arg)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t found = 0;
	int pid;

	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		pid = atoi(entry->d_name); /* 0: not a process's folder */
		if (pid <= 0 || !process_is_named(pid, name) || !process_is_here(pid))
			continue;
		fn(arg, pid);
		found++;
	}
	closedir(proc);
	return found;
}

bool process_read_words(int pid, struct process_words *ret)
{
	char path[64];
	char *p;

	memset(ret, 0, sizeof(*ret)); /* the text ends with two NULs whatever is read */
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	if (doctor_read(path, ret->text, PROCESS_CMDLINE) < 0)
		return false;
	/* words end with NUL: the first is the program's own name, an empty one the end */
	for (p = ret->text + strlen(ret->text) + 1; *p && ret->n < PROCESS_WORDS;
	     p += strlen(p) + 1)
		ret->words[ret->n++] = p;
	return true;
}
