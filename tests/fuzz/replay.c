/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a fuzzer's corpus once: `make check` does so in every build, with any compiler. Without
 * arguments the corpus of its own name in the source tree, else the files named.
 */
#include <glob.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size = -1;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (size < 0) {
		perror(path);
		exit(1);
	}
	rewind(file);
	data = malloc(size ? (size_t)size : 1); /* its own size: a read beyond it shows */
	if (!data || fread(data, 1, (size_t)size, file) != (size_t)size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	printf("%s\n", path);
	fflush(stdout);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
}

int main(int argc, char **argv)
{
	const char *srcdir = getenv("srcdir");
	char pattern[PATH_MAX];
	glob_t files;
	size_t i;

	for (int k = 1; k < argc; k++)
		run_file(argv[k]);
	if (argc > 1)
		return 0;
	snprintf(pattern, sizeof(pattern), "%s/tests/fuzz/corpus/%s/*", srcdir ? srcdir : ".",
		 FUZZ_NAME);
	if (glob(pattern, 0, NULL, &files) != 0) {
		fprintf(stderr, "%s: no corpus\n", pattern);
		return 1;
	}
	for (i = 0; i < files.gl_pathc; i++)
		run_file(files.gl_pathv[i]);
	globfree(&files);
	return 0;
}
