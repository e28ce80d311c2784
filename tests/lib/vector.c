/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vector files. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fpm-xdp/fpm_frame.h"
#include "tests/lib/vector.h"

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, tolower(c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

int vector_hex(const char *hex, uint8_t *buf, size_t size)
{
	size_t n = 0;

	for (; *hex; hex++) {
		int high, low;

		if (isspace((unsigned char)*hex))
			continue;
		high = hex_digit(hex[0]);
		low = high < 0 ? -1 : hex_digit(hex[1]);
		if (low < 0 || n == size)
			return -1;
		buf[n++] = (uint8_t)(high << 4 | low);
		hex++;
	}
	return (int)n;
}

const char *vector_path(const char *name, char *buf)
{
	const char *srcdir = getenv("srcdir");

	snprintf(buf, PATH_MAX, "%s/%s", srcdir ? srcdir : ".", name);
	return buf;
}

static void *grow(void *array, size_t n, size_t size)
{
	array = realloc(array, (n + 1) * size);
	if (!array)
		fail_msg("no memory");
	return array;
}

static void add_frame(struct vector *v, const char *hex, const char *path, unsigned int line)
{
	uint8_t frame[FPM_FRAME_MAX];
	int n = vector_hex(hex, frame, sizeof(frame));

	if (n <= 0)
		fail_msg("%s:%u: no hex", path, line);
	v->stream = realloc(v->stream, v->len + (size_t)n);
	if (!v->stream)
		fail_msg("no memory");
	memcpy(v->stream + v->len, frame, (size_t)n);
	v->len += (size_t)n;
	v->ends = grow(v->ends, v->nframes, sizeof(*v->ends));
	v->ends[v->nframes++] = v->len;
}

static void add_expect(struct vector *v, const char *text)
{
	v->expect = grow(v->expect, v->nexpect, sizeof(*v->expect));
	v->expect_frame = grow(v->expect_frame, v->nexpect, sizeof(*v->expect_frame));
	v->expect_frame[v->nexpect] = v->nframes - 1;
	v->expect[v->nexpect] = strdup(text);
	if (!v->expect[v->nexpect++])
		fail_msg("no memory");
}

void vector_read(const char *path, struct vector *ret)
{
	static char line[2 * FPM_FRAME_MAX + 16];
	FILE *file = fopen(path, "r");
	unsigned int number = 0;

	*ret = (struct vector){ 0 };
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		number++;
		if (!*line || *line == '#')
			continue;
		if (!strncmp(line, "frame ", 6))
			add_frame(ret, line + 6, path, number);
		else if (!strncmp(line, "= ", 2) && ret->nframes)
			add_expect(ret, line + 2);
		else if (sscanf(line, "origin %15s", ret->origin) != 1)
			fail_msg("%s:%u: no such line: %s", path, number, line);
	}
	fclose(file);
}

void vector_done(struct vector *vector)
{
	for (size_t i = 0; i < vector->nexpect; i++)
		free(vector->expect[i]);
	free(vector->expect);
	free(vector->expect_frame);
	free(vector->ends);
	free(vector->stream);
}
