/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One question to the daemon over its control socket. Edge. */
#ifndef FX_CLI_ASK_H
#define FX_CLI_ASK_H

#include <stddef.h>

struct json_object;

/*
 * Sends the request (words with single blanks between) to the socket at path and gives the reply
 * piece by piece. 0, what chunk() returned when not 0, or a negative errno as of ctl_client_ask().
 */
int ask_stream(const char *path, const char *request,
	       int (*chunk)(void *arg, const char *data, size_t n), void *arg);

/* The reply as one document, the caller's to put. Also -EPROTO: no JSON; *ret is untouched then. */
int ask_document(const char *path, const char *request, struct json_object **ret);

#endif
