/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Command lines by table: an option is a row {letter, name, argument, help, kind,
 * where its value goes}, and both parsing and usage come from the rows.
 */
#ifndef FOLD_REPORT_ROWS_H
#define FOLD_REPORT_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct word_list { const char **v; size_t n; };
struct number_list { uint32_t *v; size_t n; };

enum row_kind {
	ROW_HEADING = 0, /* help is a line between the options */
	ROW_FLAG,        /* bool */
	ROW_WORD,        /* const char * */
	ROW_FILE,        /* the same, not empty */
	ROW_WORDS,       /* struct word_list: may be given again */
	ROW_NUMBERS,     /* struct number_list: "1,4-7", may be given again */
	ROW_COUNT,       /* uint32_t */
	ROW_SIZE,        /* uint64_t: bytes, "64M"; K, M, G are powers of 1024 */
	ROW_PERCENT,     /* double, 0..100, "%" allowed */
	ROW_CHOICE,      /* uint32_t: index of the word in `arg`, "a|b|c" */
};
struct row {
	char letter;      /* 0 none */
	const char *name;
	const char *arg;  /* how usage calls the argument; NULL none */
	const char *help;
	enum row_kind kind;
	size_t where;     /* offset in the struct that is filled */
};

/*
 * Fill `to` from argv[1..]; rows end with one whose help is NULL.  What is no
 * option goes to `rest` (argv's own strings).  0, or -1: a line in the log said
 * what is wrong.
 */
int rows_parse(const struct row *rows, void *to, int argc, char **argv, struct word_list *rest);
void rows_print(FILE *out, const struct row *rows);
/* `text` at column `at`, the rest of it below, in lines of 80 columns; and a newline. */
void rows_print_text(FILE *out, size_t at, const char *text);

void word_list_release(struct word_list *list);
void number_list_release(struct number_list *list);

#endif
