/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A string that grows. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"

#define STRBUF_FIRST 256u

void strbuf_done(struct strbuf *buf)
{
	free(buf->text);
	*buf = (struct strbuf){ 0 };
}

void strbuf_reset(struct strbuf *buf)
{
	buf->len = 0;
	buf->failed = false;
	if (buf->text)
		buf->text[0] = '\0';
}

/* Room for len bytes and a NUL behind what is there. */
static bool strbuf_reserve(struct strbuf *buf, size_t len)
{
	size_t size = buf->size ? buf->size : STRBUF_FIRST;
	char *grown;

	if (buf->failed)
		return false;
	while (size - buf->len <= len) {
		if (size > SIZE_MAX / 2) {
			buf->failed = true;
			return false;
		}
		size *= 2;
	}
	if (size == buf->size)
		return true;
	grown = realloc(buf->text, size);
	if (!grown) {
		buf->failed = true;
		return false;
	}
	buf->text = grown;
	buf->size = size;
	return true;
}

void strbuf_add(struct strbuf *buf, const char *data, size_t len)
{
	if (!strbuf_reserve(buf, len))
		return;
	memcpy(buf->text + buf->len, data, len);
	buf->len += len;
	buf->text[buf->len] = '\0';
}

void strbuf_puts(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, text, strlen(text));
}

void strbuf_printf(struct strbuf *buf, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0 || !strbuf_reserve(buf, (size_t)len))
		return;
	va_start(args, fmt);
	vsnprintf(buf->text + buf->len, (size_t)len + 1, fmt, args);
	va_end(args);
	buf->len += (size_t)len;
}

void strbuf_consume(struct strbuf *buf, size_t len)
{
	if (len >= buf->len) {
		buf->len = 0;
	} else {
		memmove(buf->text, buf->text + len, buf->len - len);
		buf->len -= len;
	}
	if (buf->text)
		buf->text[buf->len] = '\0';
}
