/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A main for fuzz targets without a fuzzer:  TARGET [-d TIMES] FILE...
 * Runs the files through the target, each from memory of just its size, so that a
 * sanitizer sees a byte too far; with -d, damaged copies of each as well, the same
 * ones every time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return (uint32_t)(seed >> 11) % n;
}

static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void damage(uint8_t *bytes, size_t n)
{
	static const uint8_t favourites[] = {0, 1, 0x7f, 0x80, 0xff};

	for (uint32_t i = 0, times = 1 + below(12); i < times; i++) {
		uint8_t *at = &bytes[below((uint32_t)n)];

		*at = below(2) ? (uint8_t)below(256) : favourites[below(sizeof(favourites))];
	}
}

static void replay(const uint8_t *data, size_t size, long times)
{
	uint8_t *damaged = malloc(size ? size : 1);

	if (!damaged)
		abort();
	run(data, size);
	for (long i = 0; size && i < times; i++) {
		memcpy(damaged, data, size);
		damage(damaged, size);
		run(damaged, size - below((uint32_t)size / 8 + 1));
	}
	free(damaged);
}

static int replay_file(const char *path, long times)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		return -1;
	}
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		return -1;
	}
	fclose(f);
	replay(data, (size_t)size, times);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int first = argc > 2 && !strcmp(argv[1], "-d") ? 3 : 1;
	long times = first == 3 ? strtol(argv[2], NULL, 10) : 0;

	for (int i = first; i < argc; i++)
		if (replay_file(argv[i], times))
			return 1;
	printf("%d inputs, each damaged %ld times\n", argc - first, times);
	return 0;
}
