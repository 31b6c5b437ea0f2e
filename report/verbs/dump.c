/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The canonical dump of SPEC.md, appendix A: everything that was read, a line of
 * JSON for each thing, and nothing else.  Knows the items of the reader; gives
 * them no meaning.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../format/reader.h"
#include "../infile.h"
#include "../log.h"
#include "../memory.h"
#include "../output/emit.h"
#include "../rows.h"
#include "../sandbox.h"
#include "verbs.h"

struct dump {
	struct emit emit;
	struct reader *reader;
	uint64_t segments;
	size_t nweights; /* of the event with the most, in this segment's META */
};

/* ---- values.  `key` stands with all that comes before the value: ",\"id\":" */

static void number(struct dump *d, const char *key, uint64_t v)
{
	emit_str(&d->emit, key);
	emit_u64(&d->emit, v);
}

static void integer(struct dump *d, const char *key, int64_t v)
{
	emit_str(&d->emit, key);
	if (v < 0)
		emit_char(&d->emit, '-');
	emit_u64(&d->emit, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static void string(struct dump *d, const char *key, struct fold_bytes bytes)
{
	const char *at = (const char *)bytes.at, *end = at + bytes.size;
	struct emit *e = &d->emit;

	emit_str(e, key);
	emit_char(e, '"');
	while (at < end) {
		uint32_t code;
		unsigned n = text_utf8(at, end, &code);

		if (!n)
			emit_printf(e, "\\udc%02x", (unsigned char)*at);
		else if (code == '"' || code == '\\')
			emit_char(e, '\\'), emit_char(e, code);
		else if (code < 0x20 || (code >= 0x7f && code < 0xa0))
			emit_printf(e, "\\u%04x", code);
		else
			emit_bytes(e, at, n);
		at += n ? n : 1;
	}
	emit_char(e, '"');
}

static void hex(struct dump *d, const char *key, const uint8_t *at, size_t n)
{
	emit_str(&d->emit, key);
	emit_char(&d->emit, '"');
	for (size_t i = 0; i < n; i++)
		emit_printf(&d->emit, "%02x", at[i]);
	emit_char(&d->emit, '"');
}

static void uuid(struct dump *d, const char *key, const uint8_t *id)
{
	emit_str(&d->emit, key);
	emit_char(&d->emit, '"');
	for (size_t i = 0; i < 16; i++)
		emit_printf(&d->emit, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
	emit_char(&d->emit, '"');
}

static void close_line(struct dump *d)
{
	emit_str(&d->emit, "}\n");
}

/* ---- META */

static void dump_target(struct dump *d, const struct fold_meta *m)
{
	number(d, "{\"is\":\"target\",\"machine\":", m->machine);
	number(d, ",\"word_bytes\":", m->word_bytes);
	number(d, ",\"big_endian\":", m->big_endian);
	number(d, ",\"page_size\":", m->page_size);
	number(d, ",\"cpus_online\":", m->cpus_online);
	number(d, ",\"cpus_possible\":", m->cpus_possible);
	string(d, ",\"kernel_release\":", m->kernel_release);
	close_line(d);
	number(d, "{\"is\":\"mode\",\"mode\":", m->mode);
	number(d, ",\"interval_ns\":", m->interval_ns);
	number(d, ",\"sides\":", m->sides);
	number(d, ",\"max_depth\":", m->max_depth);
	number(d, ",\"unwinder\":", m->unwinder);
	number(d, ",\"flags\":", m->flags);
	close_line(d);
}

static void dump_event(struct dump *d, size_t id, const struct fold_event *event)
{
	number(d, "{\"is\":\"event\",\"id\":", id);
	number(d, ",\"kind\":", event->kind);
	string(d, ",\"name\":", event->name);
	number(d, ",\"period_unit\":", event->period_unit);
	number(d, ",\"period\":", event->period);
	number(d, ",\"sample_ns\":", event->sample_ns);
	emit_str(&d->emit, ",\"weights\":[");
	for (size_t i = 0; i < event->nweights; i++) {
		string(d, i ? ",{\"name\":" : "{\"name\":", event->weights[i].name);
		number(d, ",\"unit\":", event->weights[i].unit);
		emit_char(&d->emit, '}');
	}
	emit_char(&d->emit, ']');
	close_line(d);
	if (event->nweights > d->nweights)
		d->nweights = event->nweights;
}

static void dump_meta(struct dump *d, const struct fold_meta *m)
{
	string(d, "{\"is\":\"recorder\",\"name\":", m->recorder);
	string(d, ",\"version\":", m->version);
	number(d, ",\"draft\":", m->draft);
	close_line(d);
	uuid(d, "{\"is\":\"id\",\"uuid\":", m->id);
	close_line(d);
	number(d, "{\"is\":\"clock\",\"monotonic\":", m->start.monotonic);
	number(d, ",\"realtime\":", m->start.realtime);
	number(d, ",\"boottime\":", m->start.boottime);
	number(d, ",\"tick_ns\":", m->tick_ns);
	close_line(d);
	dump_target(d, m);
	d->nweights = 0;
	for (size_t i = 0; i < m->nevents; i++)
		dump_event(d, i, &m->events[i]);
	number(d, "{\"is\":\"scope\",\"scope\":", m->scope);
	number(d, ",\"count\":", m->scope_count);
	close_line(d);
	for (size_t i = 0; i < m->nlabels; i++) {
		string(d, "{\"is\":\"label\",\"key\":", m->labels[i].key);
		string(d, ",\"value\":", m->labels[i].value);
		close_line(d);
	}
}

/* ---- BATCH */

static void dump_strings(struct dump *d, const struct fold_strings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"string\",\"id\":", s->first_id + i);
		string(d, ",\"bytes\":", s->v[i]);
		close_line(d);
	}
}

static void dump_module(struct dump *d, uint64_t id, uint64_t base, const struct fold_module *m)
{
	number(d, "{\"is\":\"module\",\"id\":", id);
	number(d, ",\"base\":", base);
	number(d, ",\"kind\":", m->kind);
	number(d, ",\"name\":", m->name);
	number(d, ",\"span\":", m->span);
	number(d, ",\"flags\":", m->flags);
	number(d, ",\"elf_type\":", m->elf_type);
	number(d, ",\"machine\":", m->machine);
	emit_str(&d->emit, ",\"ids\":[");
	for (size_t i = 0; i < m->nids; i++) {
		number(d, i ? ",{\"kind\":" : "{\"kind\":", m->ids[i].kind);
		hex(d, ",\"bytes\":", m->ids[i].bytes.at, m->ids[i].bytes.size);
		emit_char(&d->emit, '}');
	}
	emit_str(&d->emit, "],\"segments\":[");
	for (size_t i = 0; i < m->nsegments; i++) {
		number(d, i ? ",[" : "[", m->segments[i].offset);
		number(d, ",", m->segments[i].vaddr);
		number(d, ",", m->segments[i].filesz);
		number(d, ",", m->segments[i].align);
		emit_char(&d->emit, ']');
	}
	emit_char(&d->emit, ']');
	close_line(d);
}

static void dump_modules(struct dump *d, const struct fold_modules *s)
{
	uint64_t base = s->first_base;

	for (size_t i = 0; i < s->n; i++) {
		dump_module(d, s->first_id + i, base, &s->v[i]);
		base += (s->v[i].span + FOLD_MODULE_ALIGN - 1) / FOLD_MODULE_ALIGN * FOLD_MODULE_ALIGN;
	}
}

static void dump_procs(struct dump *d, const struct fold_procs *s)
{
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"proc\",\"id\":", s->first_id + i);
		number(d, ",\"pid\":", s->v[i].pid);
		integer(d, ",\"start\":", s->v[i].start);
		number(d, ",\"comm\":", s->v[i].comm);
		number(d, ",\"exe\":", s->v[i].exe);
		number(d, ",\"parent\":", s->v[i].parent);
		close_line(d);
	}
}

static void dump_mmaps(struct dump *d, const struct fold_mmaps *s)
{
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"mmap\",\"proc\":", s->v[i].proc);
		number(d, ",\"module\":", s->v[i].module);
		number(d, ",\"offset\":", s->v[i].offset);
		number(d, ",\"length\":", s->v[i].length);
		number(d, ",\"start\":", s->v[i].start);
		close_line(d);
	}
}

static void dump_threads(struct dump *d, const struct fold_threads *s)
{
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"thread\",\"id\":", s->first_id + i);
		number(d, ",\"proc\":", s->v[i].proc);
		number(d, ",\"tid\":", s->v[i].tid);
		number(d, ",\"comm\":", s->v[i].comm);
		close_line(d);
	}
}

static void dump_frame(struct dump *d, fold_frame frame)
{
	static const char *const markers[] = {"\"unmapped\"", "\"exact\"", "\"redacted\"", "\"other\""};
	uint64_t marker = frame & ~FOLD_MARKER;

	if (frame_is_marker(frame))
		emit_str(&d->emit, markers[marker < FOLD_MARK_OTHER ? marker : FOLD_MARK_OTHER]);
	else
		emit_u64(&d->emit, frame);
}

/* The new frames of each stack are the nodes that follow those of the stack
 * before it. */
static void dump_stacks(struct dump *d, const char *is, const struct fold_stacks *s)
{
	uint32_t first = 0;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t end = s->v[i].leaf == FOLD_NO_NODE || s->v[i].leaf < first ? first : s->v[i].leaf + 1;

		emit_printf(&d->emit, "{\"is\":\"%s\"", is);
		number(d, ",\"id\":", s->first_id + i);
		number(d, ",\"end\":", s->v[i].end);
		number(d, ",\"shared\":", s->v[i].depth - (end - first));
		emit_str(&d->emit, ",\"frames\":[");
		for (uint32_t node = first; node < end; node++) {
			if (node > first)
				emit_char(&d->emit, ',');
			dump_frame(d, s->nodes[node].frame);
		}
		emit_char(&d->emit, ']');
		close_line(d);
		first = end;
	}
}

static void dump_weights(struct dump *d, uint64_t *const *weight, size_t have, size_t row)
{
	emit_str(&d->emit, ",\"weights\":[");
	for (size_t i = 0; i < d->nweights; i++)
		number(d, i ? "," : "", i < have && weight[i] ? weight[i][row] : 0);
	emit_char(&d->emit, ']');
}

static void dump_samples(struct dump *d, const struct fold_samples *s)
{
	for (size_t i = 0; i < s->n; i++) {
		integer(d, "{\"is\":\"sample\",\"time\":", s->time[i]);
		number(d, ",\"cpu\":", s->cpu[i]);
		number(d, ",\"thread\":", s->thread[i]);
		number(d, ",\"kstack\":", s->kstack[i]);
		number(d, ",\"ustack\":", s->ustack[i]);
		number(d, ",\"event\":", s->event[i]);
		dump_weights(d, s->weight, s->nweights, i);
		close_line(d);
	}
}

static void dump_counts(struct dump *d, const struct fold_counts *s)
{
	integer(d, "{\"is\":\"counts\",\"from\":", s->from);
	integer(d, ",\"to\":", s->to);
	number(d, ",\"rows\":", s->n);
	close_line(d);
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"count\",\"thread\":", s->thread[i]);
		number(d, ",\"kstack\":", s->kstack[i]);
		number(d, ",\"ustack\":", s->ustack[i]);
		number(d, ",\"event\":", s->event[i]);
		number(d, ",\"count\":", s->count[i]);
		dump_weights(d, s->weight, s->nweights, i);
		close_line(d);
	}
}

static void dump_account(struct dump *d, const struct fold_account *s)
{
	for (size_t i = 0; i < s->n; i++) {
		number(d, "{\"is\":\"account\",\"event\":", s->v[i].event);
		number(d, ",\"cause\":", s->v[i].cause);
		number(d, ",\"cpu\":", s->v[i].cpu);
		number(d, ",\"count\":", s->v[i].count);
		close_line(d);
	}
}

static void dump_syms(struct dump *d, const char *is, const struct fold_syms *s)
{
	for (size_t i = 0; i < s->n; i++) {
		emit_printf(&d->emit, "{\"is\":\"%s\"", is);
		number(d, ",\"module\":", s->v[i].module);
		number(d, ",\"offset\":", s->v[i].offset);
		number(d, ",\"size\":", s->v[i].size);
		number(d, ",\"name\":", s->v[i].name);
		close_line(d);
	}
}

static void dump_origins(struct dump *d, const struct fold_origins *s)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct fold_origin *o = &s->v[i];

		number(d, "{\"is\":\"origin\",\"first\":", o->first);
		number(d, ",\"procs\":", o->nprocs);
		uuid(d, ",\"uuid\":", o->id);
		number(d, ",\"realtime\":", o->realtime);
		number(d, ",\"duration\":", o->duration);
		number(d, ",\"reason\":", o->reason);
		number(d, ",\"state\":", o->state);
		number(d, ",\"flags\":", o->flags);
		number(d, ",\"cpus_online\":", o->cpus_online);
		number(d, ",\"kernel_release\":", o->kernel_release);
		number(d, ",\"recorder\":", o->recorder);
		number(d, ",\"version\":", o->version);
		emit_str(&d->emit, ",\"labels\":[");
		for (size_t k = 0; k < o->nlabels; k++) {
			number(d, k ? ",[" : "[", o->labels[k].key);
			number(d, ",", o->labels[k].value);
			emit_char(&d->emit, ']');
		}
		emit_char(&d->emit, ']');
		close_line(d);
	}
}

static void dump_batch(struct dump *d, const struct fold_batch *b)
{
	dump_strings(d, &b->strings);
	dump_modules(d, &b->modules);
	dump_procs(d, &b->procs);
	dump_mmaps(d, &b->mmaps);
	dump_threads(d, &b->threads);
	dump_stacks(d, "kstack", &b->kstacks);
	dump_stacks(d, "ustack", &b->ustacks);
	dump_samples(d, &b->samples);
	if (b->have & 1u << FOLD_COUNTS)
		dump_counts(d, &b->counts);
	dump_account(d, &b->account);
	dump_syms(d, "ksym", &b->ksyms);
	dump_syms(d, "jitsym", &b->jitsyms);
	dump_origins(d, &b->origins);
}

/* ---- END */

static void dump_end(struct dump *d, const struct fold_end *end)
{
	number(d, "{\"is\":\"stop\",\"reason\":", end->reason);
	number(d, ",\"monotonic\":", end->stop.monotonic);
	number(d, ",\"realtime\":", end->stop.realtime);
	number(d, ",\"boottime\":", end->stop.boottime);
	close_line(d);
	number(d, "{\"is\":\"totals\",\"chunks\":", end->chunks);
	number(d, ",\"headers_crc\":", end->headers_crc);
	close_line(d);
	for (size_t i = 0; i < end->nevents; i++) {
		number(d, "{\"is\":\"total\",\"event\":", i);
		number(d, ",\"taken\":", end->totals[i].taken);
		number(d, ",\"written\":", end->totals[i].written);
		number(d, ",\"lost\":", end->totals[i].lost);
		close_line(d);
	}
	number(d, "{\"is\":\"self\",\"cpu_ns\":", end->self_cpu_ns);
	number(d, ",\"peak_bytes\":", end->self_peak_bytes);
	number(d, ",\"bpf_ns\":", end->bpf_ns);
	close_line(d);
}

/* ---- items */

static void dump_chunk(struct dump *d, const char *type, const struct fold_item *item)
{
	emit_printf(&d->emit, "{\"is\":\"chunk\",\"type\":\"%s\"", type);
	number(d, ",\"offset\":", item->offset);
	number(d, ",\"seq\":", item->seq);
	number(d, ",\"stored\":", item->stored_size);
	number(d, ",\"raw\":", item->raw_size);
	close_line(d);
}

static void dump_place(struct dump *d, const char *is, uint64_t offset)
{
	emit_printf(&d->emit, "{\"is\":\"%s\"", is);
	number(d, ",\"offset\":", offset);
}

static void dump_item(struct dump *d, const struct fold_item *item)
{
	switch (item->kind) {
	case FOLD_ITEM_SEGMENT:
		number(d, "{\"is\":\"segment\",\"n\":", d->segments++);
		number(d, ",\"offset\":", item->offset);
		close_line(d);
		break;
	case FOLD_ITEM_META:
		dump_chunk(d, "META", item);
		dump_meta(d, item->meta);
		break;
	case FOLD_ITEM_BATCH:
		dump_chunk(d, "BATCH", item);
		dump_batch(d, item->batch);
		break;
	case FOLD_ITEM_FINISH:
		dump_chunk(d, "END", item);
		dump_end(d, item->end);
		if (item->fault.code) {
			dump_place(d, "contradiction", item->offset);
			close_line(d);
		}
		break;
	case FOLD_ITEM_NOTE:
		dump_chunk(d, "NOTE", item);
		string(d, "{\"is\":\"note\",\"text\":", item->note->text);
		close_line(d);
		break;
	case FOLD_ITEM_SYMBOLS:
		dump_chunk(d, "SYMBOLS", item);
		dump_strings(d, &item->symbols->strings);
		dump_syms(d, "sym", &item->symbols->syms);
		break;
	case FOLD_ITEM_SKIPPED:
		dump_place(d, "skipped", item->offset);
		number(d, ",\"seq\":", item->seq);
		number(d, ",\"type\":", item->type);
		number(d, ",\"stored\":", item->stored_size);
		close_line(d);
		break;
	case FOLD_ITEM_DAMAGE:
		dump_place(d, "damage", item->offset);
		number(d, ",\"bytes\":", item->lost_bytes);
		number(d, ",\"chunks\":", item->lost_chunks);
		close_line(d);
		break;
	case FOLD_ITEM_CUT:
		dump_place(d, "cut", item->offset);
		number(d, ",\"bytes\":", item->lost_bytes);
		close_line(d);
		break;
	case FOLD_ITEM_END_OF_FILE:
		number(d, "{\"is\":\"end\",\"bytes\":", reader_bytes(d->reader));
		close_line(d);
		break;
	}
}

static int dump_file(struct dump *d, const char *path, struct memory_watch *watch)
{
	struct fold_item item = {.kind = FOLD_ITEM_CUT};
	char text[512];

	while (item.kind != FOLD_ITEM_END_OF_FILE) {
		if (reader_next(d->reader, &item)) {
			dump_place(d, "stopped", reader_fault(d->reader)->offset);
			close_line(d);
			log_error("%s: %s", path, fault_text(reader_fault(d->reader), text, sizeof(text)));
			return -1;
		}
		memory_watch_reads(watch, path, item.offset, FOLD_CHUNK_HEADER_SIZE + item.stored_size);
		dump_item(d, &item);
	}
	return 0;
}

/* ---- the verb */

struct options {
	bool help;
	uint64_t max_memory;
	struct word_list files;
};
#define AT(field) offsetof(struct options, field)
static const struct row rows[] = {
	{0, "max-memory", "SIZE", MEMORY_HELP, ROW_SIZE, AT(max_memory)},
	{'h', "help", NULL, "this text", ROW_FLAG, AT(help)},
	{0},
};

static int dump_path(const char *path, struct memory_watch *watch)
{
	struct dump *d = calloc(1, sizeof(*d));
	struct infile in;
	int err = -1;

	if (infile_open(&in, path)) {
		free(d);
		return -1;
	}
	if (!d || reader_new(&d->reader, infile_source(&in), NULL)) {
		log_error("out of memory");
	} else {
		emit_init(&d->emit, stdout);
		err = dump_file(d, path, watch);
		emit_flush(&d->emit);
	}
	infile_close(&in);
	if (d)
		reader_free(d->reader);
	free(d);
	if (fflush(stdout) || ferror(stdout)) {
		log_error("writing failed: %s", strerror(errno));
		err = -1;
	}
	return err;
}

static int run(const struct options *opt)
{
	struct memory_watch watch;
	int err = memory_watch_open(&watch, opt->max_memory);

	if (err)
		return VERB_FAILED;
	sandbox_enter(&(struct sandbox_needs){.files = opt->files});
	err = memory_watch_start(&watch) || dump_path(opt->files.v[0], &watch);
	memory_watch_release(&watch);
	return err ? VERB_FAILED : VERB_DONE;
}

int verb_dump(int argc, char **argv)
{
	struct options opt = {0};
	int status = VERB_USAGE;

	if (rows_parse(rows, &opt, argc, argv, &opt.files)) {
		status = VERB_USAGE;
	} else if (opt.help) {
		puts("fold-report dump FILE: everything in the file, as lines of JSON (SPEC.md, appendix A)");
		rows_print(stdout, rows);
		status = VERB_DONE;
	} else if (opt.files.n != 1) {
		log_error("dump takes one recording; \"-\" reads it from standard input");
	} else {
		status = run(&opt);
	}
	word_list_release(&opt.files);
	return status;
}
