/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes of this network namespace, by name. Edge. */
#ifndef FX_CLI_PROCESS_H
#define FX_CLI_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#define PROCESS_WORDS	64
#define PROCESS_CMDLINE 4096

/* A command line without the program's own name. */
struct process_words {
	char text[PROCESS_CMDLINE + 2];
	const char *words[PROCESS_WORDS];
	size_t n;
};

/* Whether both paths lead to the same file. */
bool process_same_file(const char *a, const char *b);
/* Whether the process is there, has this name, and lives in another network namespace. */
bool process_is_abroad(int pid, const char *name);
/* fn() for each process of this name in this network namespace; how many. */
size_t process_each(const char *name, void (*fn)(void *arg, int pid), void *arg);
/* false: it is gone. */
bool process_read_words(int pid, struct process_words *ret);

#endif
