/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A string that grows. Pure. Zeroed is empty; a failed allocation sticks and is asked for once. */
#ifndef FX_LIB_STRBUF_H
#define FX_LIB_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
	char *text; /* NUL-terminated unless NULL */
	size_t len;
	size_t size;
	bool failed; /* out of memory: the content is not whole */
};

void strbuf_done(struct strbuf *buf);
void strbuf_reset(struct strbuf *buf); /* empty, memory kept, not failed */
void strbuf_add(struct strbuf *buf, const char *data, size_t len);
void strbuf_puts(struct strbuf *buf, const char *text);
void strbuf_printf(struct strbuf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_consume(struct strbuf *buf, size_t len); /* drops the first len bytes */

#endif
