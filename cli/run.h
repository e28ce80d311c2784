/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another program's output, with a limit on time and size. Edge. */
#ifndef FX_CLI_RUN_H
#define FX_CLI_RUN_H

#include <stddef.h>

/*
 * Runs argv (NULL-terminated, searched in PATH) with stdin and stderr on /dev/null and reads what
 * it prints into buf, NUL-terminated; what does not fit is thrown away. A program that is not done
 * after timeout_ms is killed.
 * The exit status (0..255), or -ETIMEDOUT, -ENOENT (no such program), or another negative errno.
 */
int run_read(char *const *argv, int timeout_ms, char *buf, size_t size);

#endif
