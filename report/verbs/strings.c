/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Goes over the items of the reader, not over what reports keep of them: a string
 * that no sample refers to is in the file all the same.
 */
#include "strings.h"

#include "../../format/reader.h"
#include "../infile.h"
#include "../log.h"
#include "../output/emit.h"

static void line(struct emit *e, const char *part, struct fold_bytes text)
{
	if (!text.size)
		return;
	emit_printf(e, "%-8s ", part);
	emit_visible(e, (const char *)text.at, text.size);
	emit_char(e, '\n');
}

static void meta_strings(struct emit *e, const struct fold_meta *m)
{
	line(e, "META", m->recorder);
	line(e, "META", m->version);
	line(e, "META", m->kernel_release);
	for (size_t i = 0; i < m->nevents; i++) {
		line(e, "META", m->events[i].name);
		for (size_t k = 0; k < m->events[i].nweights; k++)
			line(e, "META", m->events[i].weights[k].name);
	}
	for (size_t i = 0; i < m->nlabels; i++) {
		line(e, "LABEL", m->labels[i].key);
		line(e, "LABEL", m->labels[i].value);
	}
}

static void list(struct emit *e, const char *part, const struct fold_strings *strings)
{
	for (size_t i = 0; i < strings->n; i++)
		line(e, part, strings->v[i]);
}

static void item_strings(struct emit *e, const struct fold_item *item)
{
	if (item->kind == FOLD_ITEM_META)
		meta_strings(e, item->meta);
	else if (item->kind == FOLD_ITEM_BATCH)
		list(e, "STRINGS", &item->batch->strings);
	else if (item->kind == FOLD_ITEM_SYMBOLS)
		list(e, "SYMBOLS", &item->symbols->strings);
	else if (item->kind == FOLD_ITEM_NOTE)
		line(e, "NOTE", item->note->text);
}

/* What a chunk that is not understood holds, nobody can say. */
static void warn_unread(const char *file, const struct fold_item *item)
{
	char text[256];

	if (item->kind == FOLD_ITEM_DAMAGE || item->kind == FOLD_ITEM_CUT || item->kind == FOLD_ITEM_SKIPPED)
		log_warning("%s: %s: what is there is not listed", file, fault_text(&item->fault, text, sizeof(text)));
}

static int read_all(struct emit *e, struct reader *reader, const char *file, struct memory_watch *watch)
{
	struct fold_item item;
	char text[256];

	for (;;) {
		if (reader_next(reader, &item)) {
			log_error("%s: %s", file, fault_text(reader_fault(reader), text, sizeof(text)));
			return -1;
		}
		if (item.kind == FOLD_ITEM_END_OF_FILE)
			return 0;
		memory_watch_reads(watch, file, item.offset, FOLD_CHUNK_HEADER_SIZE + item.stored_size);
		item_strings(e, &item);
		warn_unread(file, &item);
	}
}

static int print_file(struct emit *e, const char *file, struct memory_watch *watch)
{
	struct reader *reader;
	struct infile in;
	int err = -1;

	if (infile_open(&in, file))
		return -1;
	if (reader_new(&reader, infile_source(&in), NULL)) {
		log_error("%s: out of memory", file);
	} else {
		err = read_all(e, reader, file, watch);
		reader_free(reader);
	}
	infile_close(&in);
	return err;
}

int strings_print(FILE *to, const struct word_list *files, struct memory_watch *watch)
{
	struct emit e;
	int err = 0;

	emit_init(&e, to);
	for (size_t i = 0; i < files->n; i++)
		if (print_file(&e, files->v[i], watch))
			err = -1;
	emit_flush(&e);
	return err;
}
