/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the packed unwind table of each file given, for tests/unwind/difftest.py:
 *     file PATH
 *     PC sp|fp OFF SAVED | gap | end | signal | bad | plt N | go WORD
 *     PC ext BASE INDEX FLAGS SAVED OFF SAVED_OFF RA ADD RBX
 * With -t only a line of totals and the time of each file.
 */
#include "../../record/unwind/pack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void print_rule(const struct packed *t, uint64_t pc, uint32_t word)
{
	const struct unwind_rule *r = &t->rules[word & (UNWIND_RULES - 1)];
	unsigned class = word >> 14;

	printf("%llx ", (unsigned long long)pc);
	if (class < UNWIND_EXT)
		printf("%s %u %u\n", class == UNWIND_SP ? "sp" : "fp", (word & 0x3ff) * UNWIND_RULE_UNIT, word >> 10 & 15);
	else if (class == UNWIND_EXT)
		printf("ext %u %u %u %u %d %d %u %u %u\n", r->base, r->index, r->flags, r->saved, r->off, r->saved_off, r->ra, r->add, r->rbx);
	else if ((word & ~15u) == UNWIND_PLT)
		printf("plt %u\n", word & 15);
	else if (word <= UNWIND_BAD)
		printf("%s\n", (const char *[]){ "gap", "end", "signal", "bad" }[word & 3]);
	else
		printf("go %x\n", word);
}

static void print_rows(const struct packed *t)
{
	for (uint32_t p = 0; p < t->npages; p++) {
		uint32_t end = p + 1 < t->npages ? t->pages[p + 1] : t->nrows;

		for (uint32_t i = t->pages[p]; i < end; i++)
			print_rule(t, (t->first_page + p) << UNWIND_PAGE_SHIFT | unwind_row_pc(t->rows[i]), unwind_row_rule(t->rows[i]));
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void file_print(const char *path, bool totals)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	struct packed *t;
	uint8_t *bytes;
	double start;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		goto out;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (bytes == MAP_FAILED || t == MAP_FAILED)
		abort();
	start = now();
	pack_image(t, bytes, st.st_size);
	if (totals && t->status != PACKED_NOT_ELF) {
		printf("%s status %u pages %u rows %u rules %u ms %.1f\n", path, t->status, t->npages, t->nrows, t->nrules, now() - start);
	} else if (!totals) {
		printf("file %s\n", path);
		print_rows(t);
	}
	munmap(bytes, st.st_size);
	munmap(t, sizeof(*t));
out:
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	bool totals = argc > 1 && !strcmp(argv[1], "-t");

	for (int i = 1 + totals; i < argc; i++)
		file_print(argv[i], totals);
	return 0;
}
