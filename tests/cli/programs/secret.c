/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Burns CPU with rbp leading a frame-pointer walk through a chain of fake
 * frames whose "return addresses" are a secret text, as compiled code without
 * frame pointers can do by accident.  Prints its executable mappings' and its
 * stack's start addresses first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES 64
struct fake_frame {
	struct fake_frame *next;
	char word[8];
};

static void print_mappings(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, " r-xp ") || strstr(line, "[stack]"))
			printf("%.*s\n", (int)strcspn(line, "-"), line);
	if (maps)
		fclose(maps);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const char secret[] = "PASSWORDhunter2!";
	struct fake_frame frames[FRAMES];
	uint64_t spins = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000000;

	for (int i = 0; i < FRAMES; i++) {
		frames[i].next = i + 1 < FRAMES ? &frames[i + 1] : NULL;
		memcpy(frames[i].word, secret + (i % 2 ? 8 : 0), 8);
	}
	print_mappings();
#if defined(__x86_64__)
	__asm__ volatile("push %%rbp\n\tmov %%rdi, %%rbp\n1:\tdec %%rsi\n\tjnz 1b\n\tpop %%rbp"
			 : "+S"(spins) : "D"(frames) : "memory", "cc");
#else
	for (volatile uint64_t n = spins; n; n--)
		;
#endif
	return frames[3].word[0] == 0;
}
