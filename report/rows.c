/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines by table: see rows.h.  Knows no option by name. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "rows.h"

#define NUMBERS_MAX (1u << 20)

static bool takes_argument(const struct row *row)
{
	return row->kind != ROW_FLAG;
}

static int add_word(struct word_list *list, const char *word)
{
	const char **v = realloc(list->v, (list->n + 1) * sizeof(*v));

	if (!v)
		return -1;
	list->v = v;
	list->v[list->n++] = word;
	return 0;
}

static bool parse_u32(const char *text, const char **end, uint32_t *out)
{
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, (char **)end, 10);
	*out = n;
	return !errno && n <= UINT32_MAX;
}

static int add_range(struct number_list *list, uint32_t first, uint32_t last)
{
	size_t more;
	uint32_t *v;

	if (last < first || last - first >= NUMBERS_MAX || list->n >= NUMBERS_MAX)
		return -1;
	more = (size_t)last - first + 1;
	v = realloc(list->v, (list->n + more) * sizeof(*v));
	if (!v)
		return -1;
	list->v = v;
	for (size_t i = 0; i < more; i++)
		list->v[list->n++] = first + i;
	return 0;
}

static int add_numbers(struct number_list *list, const char *text)
{
	for (;;) {
		uint32_t first, last;

		if (!parse_u32(text, &text, &first))
			return -1;
		last = first;
		if (*text == '-' && !parse_u32(text + 1, &text, &last))
			return -1;
		if (add_range(list, first, last))
			return -1;
		if (!*text)
			return 0;
		if (*text++ != ',')
			return -1;
	}
}

static int set_percent(double *out, const char *text)
{
	char *end;

	*out = strtod(text, &end);
	if (*end == '%')
		end++;
	return end == text || *end || !(*out >= 0 && *out <= 100) ? -1 : 0;
}

static int set_size(uint64_t *out, const char *text)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit)
		end++;
	if (errno || *end || (unit && *out > UINT64_MAX >> 10 * (unit - units + 1)))
		return -1;
	*out <<= unit ? 10 * (unit - units + 1) : 0;
	return 0;
}

static int set_choice(uint32_t *out, const char *choices, const char *text)
{
	size_t n = strlen(text);
	uint32_t i = 0;

	for (const char *at = choices;; at++, i++) {
		size_t len = strcspn(at, "|");

		if (len == n && !memcmp(at, text, n)) {
			*out = i;
			return 0;
		}
		at += len;
		if (!*at)
			return -1;
	}
}

static int set_value(const struct row *row, void *where, const char *text)
{
	const char *end;

	switch (row->kind) {
	case ROW_FLAG:
		*(bool *)where = true;
		return 0;
	case ROW_WORD:
		*(const char **)where = text;
		return 0;
	case ROW_FILE:
		*(const char **)where = text;
		return *text ? 0 : -1;
	case ROW_WORDS:
		return add_word(where, text);
	case ROW_NUMBERS:
		return add_numbers(where, text);
	case ROW_COUNT:
		return parse_u32(text, &end, where) && !*end ? 0 : -1;
	case ROW_SIZE:
		return set_size(where, text);
	case ROW_PERCENT:
		return set_percent(where, text);
	case ROW_CHOICE:
		return set_choice(where, row->arg, text);
	case ROW_HEADING:
		break;
	}
	return -1;
}

static const struct row *find_name(const struct row *rows, const char *name, size_t n)
{
	for (; rows->help; rows++)
		if (rows->name && strlen(rows->name) == n && !memcmp(rows->name, name, n))
			return rows;
	return NULL;
}

static const struct row *find_letter(const struct row *rows, char letter)
{
	for (; rows->help; rows++)
		if (rows->letter == letter)
			return rows;
	return NULL;
}

struct parse {
	const struct row *rows;
	void *to;
	int argc, at; /* argv[at] is what comes next */
	char **argv;
};

/* What a value has to be. */
static const char *wanted(enum row_kind kind)
{
	switch (kind) {
	case ROW_NUMBERS:
		return "a list of numbers, such as 1,5-7";
	case ROW_COUNT:
		return "a whole number";
	case ROW_SIZE:
		return "a size, such as 500M or 2G";
	case ROW_PERCENT:
		return "a number from 0 to 100";
	default: /* words, of which only the empty one is refused */
		return "a name";
	}
}

static int take(struct parse *p, const struct row *row, const char *given, const char *value)
{
	if (!value && takes_argument(row)) {
		if (p->at >= p->argc) {
			log_error("%s needs an argument: %s", given, row->arg);
			return -1;
		}
		value = p->argv[p->at++];
	}
	if (!set_value(row, (char *)p->to + row->where, value))
		return 0;
	if (row->kind == ROW_CHOICE)
		log_error("--%s: \"%s\" is not one of %s", row->name, value, row->arg);
	else
		log_error("--%s: \"%s\" is not %s", row->name, value, wanted(row->kind));
	return -1;
}

static int take_long(struct parse *p, const char *word)
{
	size_t n = strcspn(word + 2, "=");
	const char *value = word[2 + n] ? word + 2 + n + 1 : NULL;
	const struct row *row = find_name(p->rows, word + 2, n);

	if (!row) {
		log_error("there is no option --%.*s; --help lists all", (int)n, word + 2);
		return -1;
	}
	if (value && !takes_argument(row)) {
		log_error("--%s takes no argument", row->name);
		return -1;
	}
	return take(p, row, word, value);
}

static int take_letters(struct parse *p, const char *word)
{
	for (const char *at = word + 1; *at; at++) {
		const struct row *row = find_letter(p->rows, *at);
		char given[3] = {'-', *at, 0};

		if (!row) {
			log_error("there is no option -%c; --help lists all", *at);
			return -1;
		}
		if (takes_argument(row))
			return take(p, row, given, at[1] ? at + 1 : NULL);
		if (take(p, row, given, NULL))
			return -1;
	}
	return 0;
}

int rows_parse(const struct row *rows, void *to, int argc, char **argv, struct word_list *rest)
{
	struct parse p = {rows, to, argc, 1, argv};
	bool only_rest = false;

	while (p.at < argc) {
		const char *word = argv[p.at++];
		int err;

		if (only_rest || word[0] != '-' || !word[1])
			err = add_word(rest, word);
		else if (!strcmp(word, "--"))
			only_rest = true, err = 0;
		else
			err = word[1] == '-' ? take_long(&p, word) : take_letters(&p, word);
		if (err)
			return -1;
	}
	return 0;
}

#define HELP_COLUMNS 80
void rows_print_text(FILE *out, size_t at, const char *text)
{
	size_t room = HELP_COLUMNS - at;

	while (strlen(text) > room) {
		size_t n = room;

		while (n && text[n] != ' ')
			n--;
		n = n ? n : strcspn(text, " ");
		if (!text[n])
			break;
		fprintf(out, "%.*s\n%*s", (int)n, text, (int)at, "");
		text += n + 1;
	}
	fprintf(out, "%s\n", text);
}

#define HELP_INDENT 28
void rows_print(FILE *out, const struct row *rows)
{
	for (; rows->help; rows++) {
		int n;

		if (rows->kind == ROW_HEADING) {
			fprintf(out, "%s\n", rows->help);
			continue;
		}
		n = rows->letter ? fprintf(out, "  -%c, --%s", rows->letter, rows->name) : fprintf(out, "      --%s", rows->name);
		if (rows->arg)
			n += fprintf(out, " %s", rows->arg);
		if (n >= HELP_INDENT)
			n = fprintf(out, "\n") - 1;
		fprintf(out, "%*s", HELP_INDENT - n, "");
		rows_print_text(out, HELP_INDENT, rows->help);
	}
}

void word_list_release(struct word_list *list)
{
	free(list->v);
	*list = (struct word_list){0};
}

void number_list_release(struct number_list *list)
{
	free(list->v);
	*list = (struct number_list){0};
}
