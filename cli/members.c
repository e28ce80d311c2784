/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "cli/members.h"

void members_init(struct members *m, int (*member)(void *arg, struct json_object *one), void *arg)
{
	*m = (struct members){ .member = member, .arg = arg };
}

void members_done(struct members *m)
{
	free(m->buf);
	m->buf = NULL;
}

static int members_put(struct members *m, char c)
{
	size_t size = m->size ? m->size * 2 : 4096;
	char *buf;

	if (m->len == m->size) {
		buf = realloc(m->buf, size);
		if (!buf)
			return -ENOMEM;
		m->buf = buf;
		m->size = size;
	}
	m->buf[m->len++] = c;
	return 0;
}

/* The text of one member is complete, but for the closing brace. */
static int members_flush(struct members *m)
{
	struct json_object *one;
	int err;

	err = members_put(m, '}');
	if (!err)
		err = members_put(m, '\0');
	if (err)
		return err;
	one = json_tokener_parse(m->buf);
	m->len = 1;
	if (!json_object_is_type(one, json_type_object) || json_object_object_length(one) != 1) {
		json_object_put(one);
		return -EPROTO;
	}
	err = m->member(m->arg, one);
	json_object_put(one);
	return err < 0 ? err : 0;
}

static bool members_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static int members_outside(struct members *m, char c)
{
	if (members_blank(c))
		return 0;
	if (c != '{' || m->done)
		return -EPROTO;
	m->depth = 1;
	return members_put(m, c);
}

static int members_char(struct members *m, char c)
{
	if (m->string) {
		if (m->escape)
			m->escape = false;
		else if (c == '\\')
			m->escape = true;
		else if (c == '"')
			m->string = false;
		return members_put(m, c);
	}
	switch (c) {
	case '"':
		m->string = true;
		break;
	case '{':
	case '[':
		m->depth++;
		break;
	case '}':
	case ']':
		if (--m->depth > 0)
			break;
		m->done = true;
		return m->len > 1 ? members_flush(m) : 0;
	case ',':
		if (m->depth == 1)
			return members_flush(m);
		break;
	}
	return m->depth == 1 && members_blank(c) ? 0 : members_put(m, c);
}

int members_feed(struct members *m, const char *data, size_t n)
{
	size_t i;
	int err;

	for (i = 0; i < n; i++) {
		err = m->depth ? members_char(m, data[i]) : members_outside(m, data[i]);
		if (err)
			return err;
	}
	return 0;
}

int members_end(const struct members *m)
{
	return m->done ? 0 : -EPROTO;
}
