/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gen: a valid recording from a seed, through the writer of format/.
 *
 *   gen [--seed N] OUT                      unusual: every section, marker, kind, odd strings, limits
 *   gen --samples N [--stacks M] ... OUT    ordinary, but large
 */
#include "gen.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* splitmix64 */
uint64_t random_u64(struct random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

uint64_t random_below(struct random *r, uint64_t n)
{
	return n ? random_u64(r) % n : 0;
}

bool random_once_in(struct random *r, uint64_t n)
{
	return random_below(r, n) == 0;
}

static void *must_have(void *p)
{
	if (!p) {
		fprintf(stderr, "gen: out of memory\n");
		exit(1);
	}
	return p;
}

void *pool_take(struct pool *pool, size_t n, size_t size)
{
	if (pool->n == pool->room) {
		pool->room = pool->room ? 2 * pool->room : 64;
		pool->v = must_have(realloc(pool->v, pool->room * sizeof(*pool->v)));
	}
	return pool->v[pool->n++] = must_have(calloc(n ? n : 1, size));
}

void pool_reset(struct pool *pool)
{
	for (size_t i = 0; i < pool->n; i++)
		free(pool->v[i]);
	free(pool->v);
	*pool = (struct pool){0};
}

void gen_check(struct writer *w, int failed)
{
	char text[256];

	if (!failed)
		return;
	fprintf(stderr, "gen: %s\n", fault_text(writer_fault(w), text, sizeof(text)));
	exit(1);
}

static int usage(void)
{
	fprintf(stderr, "usage: gen [--seed N] OUT\n"
		"       gen --samples N [--stacks M] [--threads T] [--rows R] [--aggregate] [--seed N] OUT\n"
		"OUT: a file, or - for standard output\n");
	return 2;
}

static const struct option options[] = {
	{"seed", required_argument, NULL, 's'},
	{"samples", required_argument, NULL, 'n'},
	{"stacks", required_argument, NULL, 'm'},
	{"threads", required_argument, NULL, 't'},
	{"rows", required_argument, NULL, 'r'},
	{"aggregate", no_argument, NULL, 'a'},
	{NULL, 0, NULL, 0},
};

/* False when the command line is wrong. */
static bool parse(int argc, char **argv, struct scale *scale)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		uint64_t n = optarg ? strtoull(optarg, NULL, 0) : 0;

		switch (c) {
		case 's': scale->seed = n; break;
		case 'n': scale->samples = n; break;
		case 'm': scale->stacks = n; break;
		case 't': scale->threads = n; break;
		case 'r': scale->rows = (uint32_t)n; break;
		case 'a': scale->aggregated = true; break;
		default: return false;
		}
	}
	return optind + 1 == argc && scale->rows > 0 && scale->rows <= FOLD_MAX_ROWS && scale->threads > 0;
}

int main(int argc, char **argv)
{
	struct scale scale = {.seed = 1, .threads = 1000, .rows = 50000, .stacks = 10000};
	int fd = STDOUT_FILENO;

	if (!parse(argc, argv, &scale))
		return usage();
	if (strcmp(argv[optind], "-"))
		fd = open(argv[optind], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		perror(argv[optind]);
		return 1;
	}
	if (scale.samples)
		gen_scale(sink_fd(fd), &scale);
	else
		gen_unusual(sink_fd(fd), scale.seed);
	if (close(fd)) {
		perror(argv[optind]);
		return 1;
	}
	return 0;
}
