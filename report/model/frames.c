/* SPDX-License-Identifier: BSD-2-Clause */
/* Text is interned first, so that frames are equal when their pointers are. */
#include "frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "host.h"

/* Longest text of a frame; what symbols are longer is cut, as no picture shows it. */
#define TEXT_MAX 8192

static uint64_t frame_hash(const struct frames *frames, const struct frame *f)
{
	uint64_t text = hash_pair(&frames->seed, (uintptr_t)f->name, (uintptr_t)f->module);

	return hash_pair(&frames->seed, text ^ (uintptr_t)f->file, (uint64_t)f->line << 8 | f->kind);
}

static bool frame_equal(const struct frame *a, const struct frame *b)
{
	return a->name == b->name && a->module == b->module && a->file == b->file && a->line == b->line &&
	       a->kind == b->kind;
}

static int frames_rehash(struct frames *frames, size_t nslots)
{
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 1; i < frames->n; i++) { /* not "all": a thread of that name is another frame */
		size_t at = frame_hash(frames, &frames->v[i]) & (nslots - 1);

		while (slots[at])
			at = (at + 1) & (nslots - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(frames->slots);
	frames->slots = slots;
	frames->nslots = nslots;
	return 0;
}

static int frames_add(struct frames *frames, const struct frame *frame, uint32_t *id)
{
	size_t at;

	if (frames->n >= frames->nslots / 2 && frames_rehash(frames, frames->nslots * 2))
		return -1;
	for (at = frame_hash(frames, frame) & (frames->nslots - 1); frames->slots[at];
	     at = (at + 1) & (frames->nslots - 1)) {
		*id = frames->slots[at] - 1;
		if (frame_equal(&frames->v[*id], frame))
			return 0;
	}
	if (frames->n >= TREE_NONE - 1 || array_room(frames->v, frames->room, frames->n + 1))
		return -1;
	*id = (uint32_t)frames->n;
	frames->v[frames->n++] = *frame;
	frames->slots[at] = *id + 1;
	return 0;
}

/* `n` bytes as terminated text; a NUL among them would end it early, so it is shown as "?". */
static int keep_text(struct frames *frames, const char *at, size_t n, const char **out)
{
	char buf[TEXT_MAX];
	uint32_t id;

	n = n < sizeof(buf) - 1 ? n : sizeof(buf) - 1;
	memcpy(buf, at, n);
	buf[n] = '\0';
	for (char *nul = buf; (nul = memchr(nul, '\0', (size_t)(buf + n - nul)));)
		*nul = '?';
	if (intern_add(&frames->text, buf, n + 1, &id))
		return -1;
	*out = (const char *)intern_get(&frames->text, id).at;
	return 0;
}

int frames_init(struct frames *frames, const struct recording *rec, const struct tree_options *options)
{
	struct frame all = {.kind = FRAME_ROOT};

	*frames = (struct frames){.rec = rec, .options = options, .module = REC_NONE};
	hash_seed_init(&frames->seed);
	intern_init(&frames->text, 0);
	if (!options->compared && (options->by == TREE_BY_PROCESS || options->by == TREE_BY_THREAD) &&
	    namesakes_init(&frames->namesakes, rec, options->by == TREE_BY_THREAD))
		return -1;
	if (frames_rehash(frames, 1024) || keep_text(frames, "all", 3, &all.name) ||
	    keep_text(frames, "", 0, &all.module) || array_room(frames->v, frames->room, 1))
		return -1;
	frames->v[frames->n++] = all;
	return 0;
}

void frames_release(struct frames *frames)
{
	free(frames->v);
	free(frames->slots);
	intern_release(&frames->text);
	namesakes_release(&frames->namesakes);
	*frames = (struct frames){0};
}

/* ---------------------------------------------------------------- symbols */

static int module_base_name(struct frames *frames, uint32_t module, const char **out)
{
	struct fold_bytes path = recording_string(frames->rec, frames->rec->modules[module].name);
	const char *at = (const char *)path.at;
	const char *slash = path.size ? memrchr(at, '/', path.size) : NULL;

	if (slash && slash + 1 < at + path.size)
		return keep_text(frames, slash + 1, path.size - (size_t)(slash + 1 - at), out);
	return keep_text(frames, at, path.size, out);
}

static enum frame_kind code_kind(uint32_t module_kind, const struct symbol *symbol)
{
	if (!symbol->named)
		return FRAME_UNKNOWN;
	if (symbol->inlined)
		return FRAME_INLINED;
	switch (module_kind) {
	case FOLD_MODULE_KERNEL:
	case FOLD_MODULE_KO:
	case FOLD_MODULE_BPF:
		return FRAME_KERNEL;
	case FOLD_MODULE_JIT:
		return FRAME_JIT;
	default:
		return FRAME_USER;
	}
}

static const char *annotation(uint32_t module_kind, const struct symbol *symbol)
{
	if (symbol->inlined)
		return "_[i]";
	switch (module_kind) {
	case FOLD_MODULE_KERNEL:
	case FOLD_MODULE_KO:
	case FOLD_MODULE_BPF:
		return "_[k]";
	case FOLD_MODULE_JIT:
		return "_[j]";
	default:
		return "";
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What options add behind a name: [+0x12][ file.c:12][_[k]]. */
static void symbol_tail(const struct tree_options *options, uint32_t module_kind, const struct symbol *symbol, char *tail,
			size_t size)
{
	size_t n = 0;

	tail[0] = '\0';
	if (options->offsets && symbol->named && !symbol->inlined)
		n += (size_t)snprintf(tail, 32, "+0x%" PRIx64, symbol->offset);
	if (options->lines && symbol->file && symbol->line)
		n += (size_t)snprintf(tail + n, 400, " %.380s:%" PRIu32, base_name(symbol->file), symbol->line);
	if (options->annotate)
		snprintf(tail + n, size - n, "%s", annotation(module_kind, symbol));
}

/* A name that is too long gives way to what stands behind it. */
static int symbol_text(struct frames *frames, const struct frame *frame, uint32_t module_kind,
		       const struct symbol *symbol, const char **out)
{
	bool merged = !symbol->named && frames->options->merge_unnamed && *frame->module;
	bool brackets = merged && frame->module[0] != '[';
	const char *name = merged ? frame->module : symbol->name;
	char text[TEXT_MAX], tail[512];
	size_t n = strlen(name);

	symbol_tail(frames->options, module_kind, symbol, tail, sizeof(tail));
	if (!brackets && !*tail)
		return keep_text(frames, name, n, out);
	n = n < sizeof(text) - sizeof(tail) - 3 ? n : sizeof(text) - sizeof(tail) - 3;
	n = (size_t)snprintf(text, sizeof(text), "%s%.*s%s%s", brackets ? "[" : "", (int)n, name, brackets ? "]" : "", tail);
	return keep_text(frames, text, n, out);
}

/* Is it one frame with the symbol before it?  Addresses come sorted, and most are in the function of the last one. */
static bool is_last(const struct frames *frames, const struct symbol *symbol)
{
	const struct tree_options *options = frames->options;
	const struct symbol *last = &frames->last;

	if (!last->name || symbol->named != last->named || symbol->inlined != last->inlined)
		return false;
	if (options->lines && (symbol->file != last->file || symbol->line != last->line))
		return false;
	if (!symbol->named && options->merge_unnamed && *frames->module_name)
		return true;
	return symbol->name == last->name && (!options->offsets || symbol->offset == last->offset);
}

static int enter_module(struct frames *frames, uint32_t module)
{
	if (module == frames->module)
		return 0;
	frames->last.name = NULL;
	frames->module = module;
	return module_base_name(frames, module, &frames->module_name);
}

int frames_symbol(struct frames *frames, uint32_t module, const struct symbol *symbol, uint32_t *id)
{
	uint32_t module_kind = frames->rec->modules[module].kind;
	struct frame frame = {.kind = code_kind(module_kind, symbol)};

	if (enter_module(frames, module))
		return -1;
	*id = frames->last_id;
	if (is_last(frames, symbol))
		return 0;
	frame.module = frames->module_name;
	if (symbol_text(frames, &frame, module_kind, symbol, &frame.name))
		return -1;
	if (frames->options->lines && symbol->file) {
		frame.line = symbol->line;
		if (keep_text(frames, symbol->file, strlen(symbol->file), &frame.file))
			return -1;
	}
	frames->last = *symbol;
	if (frames_add(frames, &frame, &frames->last_id))
		return -1;
	*id = frames->last_id;
	return 0;
}

int frames_marker(struct frames *frames, const char *name, uint32_t *id)
{
	struct frame frame = {.kind = FRAME_UNKNOWN};

	if (keep_text(frames, name, strlen(name), &frame.name) || keep_text(frames, "", 0, &frame.module))
		return -1;
	return frames_add(frames, &frame, id);
}

/* ------------------------------------------------------------------ roots */

/* A host that nobody named is called by its file; other labels are there or not. */
static struct fold_bytes label_name(const struct frames *frames, uint32_t process)
{
	const struct recording *rec = frames->rec;
	struct fold_bytes label = recording_label(rec, process, frames->options->label);

	if (label.at)
		return label.size ? label : (struct fold_bytes){(const uint8_t *)"[empty]", 7};
	if (!strcmp(frames->options->label, "host"))
		return host_name(rec, process);
	return (struct fold_bytes){(const uint8_t *)"[unlabelled]", 12};
}

static struct fold_bytes root_name(const struct frames *frames, const struct rec_count *count)
{
	const struct recording *rec = frames->rec;
	const struct rec_thread *thread = &rec->threads[count->thread];
	const struct rec_process *process = &rec->processes[thread->process];
	struct fold_bytes name;

	switch (frames->options->by) {
	case TREE_BY_CPU:
		return (struct fold_bytes){(const uint8_t *)"cpu", 3};
	case TREE_BY_LABEL:
		return label_name(frames, thread->process);
	case TREE_BY_EVENT:
		return recording_string(rec, rec->events[count->event].name);
	case TREE_BY_THREAD:
		name = recording_string(rec, thread->comm);
		break;
	default:
		name = recording_string(rec, process->comm);
	}
	return name.size ? name : (struct fold_bytes){(const uint8_t *)"[unknown]", 9};
}

int frames_root(struct frames *frames, const struct rec_count *count, uint32_t *id)
{
	const struct rec_thread *thread = &frames->rec->threads[count->thread];
	uint32_t pid = frames->rec->processes[thread->process].pid;
	struct fold_bytes name = root_name(frames, count);
	struct frame frame = {.kind = FRAME_ROOT};
	char text[TEXT_MAX], tail[512];
	size_t behind = namesakes_tail(&frames->namesakes, frames->rec, thread->process, tail, sizeof(tail));
	size_t room = sizeof(text) - 64 - behind, n = name.size < room ? name.size : room;

	memcpy(text, name.at, n);
	if (frames->options->by == TREE_BY_PROCESS)
		n += (size_t)snprintf(text + n, 64, "-%" PRIu32, pid);
	else if (frames->options->by == TREE_BY_THREAD)
		n += (size_t)snprintf(text + n, 64, "-%" PRIu32 "/%" PRIu32, pid, thread->tid);
	else if (frames->options->by == TREE_BY_CPU && count->cpu == REC_NONE)
		n += (size_t)snprintf(text + n, 64, "-?");
	else if (frames->options->by == TREE_BY_CPU)
		n += (size_t)snprintf(text + n, 64, "-%" PRIu32, count->cpu);
	memcpy(text + n, tail, behind);
	n += behind;
	if (keep_text(frames, text, n, &frame.name) || keep_text(frames, "", 0, &frame.module))
		return -1;
	return frames_add(frames, &frame, id);
}
