/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads tests/vectors/NAME.txt: a stream of FPM frames and what is to become of them. */
#ifndef FX_TESTS_VECTOR_H
#define FX_TESTS_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#define VECTOR_LINE 2048

struct vector {
	char origin[16]; /* "dplane", "old", "protobuf" */
	uint8_t *stream; /* all frames, one after the other */
	size_t len;
	size_t *ends; /* offset behind each frame */
	size_t nframes;
	char **expect;	      /* one line per message, in order */
	size_t *expect_frame; /* the frame that it belongs to */
	size_t nexpect;
};

/* A file that cannot be read or does not parse fails the running test with its name and line. */
void vector_read(const char *path, struct vector *ret);
void vector_done(struct vector *vector);

/* Writes at most size bytes of hex digits (blanks allowed between bytes); the number of bytes, or
 * -1: no hex, or too long. */
int vector_hex(const char *hex, uint8_t *buf, size_t size);

/* $srcdir/NAME in a buffer of PATH_MAX bytes. */
const char *vector_path(const char *name, char *buf);

#endif
