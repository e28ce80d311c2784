/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control socket, the asker's side: blocking, for the CLI and tests. Edge. */
#ifndef FX_LIB_CTL_CLIENT_H
#define FX_LIB_CTL_CLIENT_H

#include <stddef.h>

/* Takes the next bytes of the reply. Not 0 ends the asking with this value. */
typedef int (*ctl_client_chunk)(void *arg, const char *data, size_t len);

/*
 * Asks the daemon behind the socket at path: words (NULL-terminated array) go out as one line, the
 * reply comes in pieces. 0; the chunk's value; or negative errno: -ENOENT, -ECONNREFUSED (no daemon
 * runs), -EACCES (not allowed), -ETIMEDOUT (silent for timeout_ms), -EINVAL (a word with white
 * space or too long a line), -EPIPE (no reply at all).
 */
int ctl_client_ask(const char *path, const char *const *words, int timeout_ms,
		   ctl_client_chunk chunk, void *arg);

/* The whole reply as one string, the caller's to free. */
int ctl_client_ask_text(const char *path, const char *const *words, int timeout_ms,
			char **ret_text);

#endif
