/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session that is fed made-up events and writes to memory, below a made-up
 * /proc and /sys; and what the recording then says, read back as text.
 */
#ifndef FOLD_TESTS_SESSION_FIXTURE_H
#define FOLD_TESTS_SESSION_FIXTURE_H

#include "../../bpf/event.h"
#include "../../format/check.h"
#include "../../format/reader.h"
#include "../../record/log.h"
#include "../../record/session.h"

#include <ftw.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIX_START UINT64_C(1000000000)
#define FIX_REALTIME UINT64_C(1767225600000000000)
#define FIX_KERNEL UINT64_C(0xffffffff81000000)

/* ------------------------------------------------------------ a tree of files */

struct tree {
	char root[64], proc[80], sys[80];
};

static inline void tree_write(const struct tree *t, const char *name, const void *at, size_t n)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", t->root, name);
	for (char *p = strchr(path + strlen(t->root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	CHECK(f != NULL);
	if (f) {
		CHECK(fwrite(at, 1, n, f) == n);
		fclose(f);
	}
}

static inline void tree_text(const struct tree *t, const char *name, const char *text)
{
	tree_write(t, name, text, strlen(text));
}

static inline void tree_make(struct tree *t)
{
	strcpy(t->root, "/tmp/fold-session-XXXXXX");
	CHECK(mkdtemp(t->root) != NULL);
	snprintf(t->proc, sizeof(t->proc), "%s/proc", t->root);
	snprintf(t->sys, sizeof(t->sys), "%s/sys", t->root);
	mkdir(t->proc, 0755);
	mkdir(t->sys, 0755);
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static inline void tree_remove(const struct tree *t)
{
	nftw(t->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ------------------------------------------------------------ a session */

struct fix {
	struct tree tree;
	struct writer *writer;
	struct session *session;
	uint8_t *at;
	size_t size;
	uint64_t time;     /* of the next event */
	uint64_t ids;      /* raw stack ids given */
	uint64_t taken;
};

static inline int fix_sink(void *state, const void *from, size_t n)
{
	struct fix *f = state;

	f->at = realloc(f->at, f->size + n);
	memcpy(f->at + f->size, from, n);
	f->size += n;
	return 0;
}

/* `setup` may put files into the tree before the session looks. */
static inline void fix_begin(struct fix *f, const struct session_options *options, void (*setup)(const struct tree *))
{
	struct session_options o = options ? *options : (struct session_options){.kernel_symbols = true, .paths = SESSION_PATHS_FULL};
	struct fold_meta meta = {
		.recorder = {(const uint8_t *)"test", 4}, .draft = FOLD_DRAFT, .id = {[6] = 0x40, [8] = 0x80},
		.start = {.monotonic = FIX_START, .realtime = FIX_REALTIME, .boottime = FIX_START},
		.tick_ns = 1000, .machine = 62, .word_bytes = 8, .page_size = 4096, .cpus_online = 4, .cpus_possible = 4,
		.mode = o.aggregate ? FOLD_MODE_AGGREGATED : FOLD_MODE_EVENTS, .interval_ns = 1000000000,
		.sides = FOLD_SIDE_KERNEL | FOLD_SIDE_USER, .max_depth = 16, .unwinder = FOLD_UNWIND_TABLES, .nevents = 2,
		.events = {{.kind = FOLD_EVENT_CPU_CLOCK, .name = {(const uint8_t *)"a", 1}},
			   {.kind = FOLD_EVENT_OTHER, .name = {(const uint8_t *)"b", 1}}},
	};

	*f = (struct fix){.time = FIX_START + 1000000};
	log_set_level(LOG_QUIET);
	tree_make(&f->tree);
	if (setup)
		setup(&f->tree);
	o.proc = f->tree.proc;
	o.sys = f->tree.sys;
	CHECK_EQ(writer_new(&f->writer, (struct fold_sink){fix_sink, f}, NULL), 0);
	CHECK_EQ(session_new(&f->session, f->writer, &meta, &o), 0);
}

static inline struct event fix_event(struct fix *f, enum event_kind kind, uint32_t pid, uint32_t tid)
{
	return (struct event){.kind = kind, .time = f->time++, .pid = pid, .tid = tid};
}

static inline void fix_send(struct fix *f, const struct event *e)
{
	CHECK_EQ(session_event(f->session, e), 0);
}

static inline void fix_fork(struct fix *f, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	struct event e = fix_event(f, EVENT_FORK, pid, tid);

	e.fork.ppid = ppid;
	e.fork.ptid = ptid;
	fix_send(f, &e);
}

static inline void fix_running(struct fix *f, uint32_t pid, uint32_t tid, uint32_t ppid)
{
	struct event e = fix_event(f, EVENT_FORK, pid, tid);

	e.fork.ppid = e.fork.ptid = pid == tid ? ppid : pid;
	e.fork.running = true;
	e.fork.start = FIX_START / 2;
	fix_send(f, &e);
}

static inline void fix_comm(struct fix *f, uint32_t pid, uint32_t tid, const char *comm, bool exec)
{
	struct event e = fix_event(f, EVENT_COMM, pid, tid);

	e.comm.comm = comm;
	e.comm.exec = exec;
	fix_send(f, &e);
}

static inline void fix_exit(struct fix *f, uint32_t pid, uint32_t tid)
{
	struct event e = fix_event(f, EVENT_EXIT, pid, tid);

	fix_send(f, &e);
}

/* With a build-id made of `id` (0: none, an inode instead). */
static inline void fix_mmap(struct fix *f, uint32_t pid, uint64_t start, uint64_t length, uint64_t offset, const char *path, uint8_t id)
{
	struct event e = fix_event(f, EVENT_MMAP, pid, pid);

	e.mmap = (struct event_mmap){.start = start, .length = length, .offset = offset, .prot = 5, .path = path};
	if (id) {
		e.mmap.build_id_size = 20;
		memset(e.mmap.build_id, id, 20);
	} else {
		e.mmap.inode = 1;
	}
	fix_send(f, &e);
}

/* A process of one mapping at `start`, as fork and exec make it. */
static inline void fix_exec(struct fix *f, uint32_t pid, uint32_t ppid, const char *comm, const char *path, uint64_t start)
{
	fix_fork(f, pid, pid, ppid, ppid);
	fix_comm(f, pid, pid, comm, true);
	fix_mmap(f, pid, start, 0x10000, 0x1000, path, 7);
}

/* A sample in user mode with these words, leaf first, 0 at the end. */
static inline void fix_sample(struct fix *f, uint32_t pid, uint32_t tid, uint64_t first, ...)
{
	struct event e = fix_event(f, EVENT_SAMPLE, pid, tid);
	uint64_t words[64] = {first};
	uint32_t n = 1;
	va_list args;

	va_start(args, first);
	while (n < 64 && (words[n] = va_arg(args, uint64_t)))
		n++;
	va_end(args);
	e.sample.user = (struct event_stack){.id = ++f->ids, .words = words, .n = n};
	e.sample.flags = EVENT_USER_MODE;
	e.sample.ip = first;
	f->taken++;
	fix_send(f, &e);
}
#define SAMPLE(f, pid, tid, ...) fix_sample(f, pid, tid, __VA_ARGS__, UINT64_C(0))

/* One in the kernel, of a thread without a user side. */
static inline void fix_kernel(struct fix *f, uint32_t pid, uint64_t first, ...)
{
	struct event e = fix_event(f, EVENT_SAMPLE, pid, pid);
	uint64_t words[64] = {first};
	uint32_t n = 1;
	va_list args;

	va_start(args, first);
	while (n < 64 && (words[n] = va_arg(args, uint64_t)))
		n++;
	va_end(args);
	e.sample.kernel = (struct event_stack){.id = ++f->ids, .words = words, .n = n};
	e.sample.flags = EVENT_KTHREAD;
	e.sample.ip = first;
	f->taken++;
	fix_send(f, &e);
}
#define KSAMPLE(f, pid, ...) fix_kernel(f, pid, __VA_ARGS__, UINT64_C(0))

/* ------------------------------------------------------------ read back */

#define BACK_MAX 4096
struct back {
	char *strings[BACK_MAX];
	struct back_module { uint64_t base, span; uint32_t kind, flags; char *name, id[132]; size_t nsegments; } modules[BACK_MAX];
	struct fold_proc procs[BACK_MAX];
	struct fold_thread threads[BACK_MAX];
	struct fold_mmap mmaps[BACK_MAX];
	char *stacks[2][BACK_MAX];         /* root first, "name+0x1;..."; kernel, user */
	uint32_t ends[2][BACK_MAX];
	struct fold_sym ksyms[BACK_MAX], jitsyms[BACK_MAX];
	struct { uint32_t thread, event, cpu; int64_t time; uint64_t count; char *kernel, *user; } rows[BACK_MAX];
	size_t nstrings, nmodules, nprocs, nthreads, nmmaps, nstacks[2], nksyms, njitsyms, nrows, nbatches;
	uint64_t account[2][128];
	uint32_t flags;
	struct fold_end end;
	uint64_t violations;
};

static inline char *back_string(const struct back *b, uint64_t id)
{
	return id && id <= b->nstrings ? b->strings[id - 1] : (char *)(uintptr_t)"";
}

static inline void back_frame(const struct back *b, fold_frame frame, char *out, size_t size)
{
	if (frame_is_marker(frame)) {
		snprintf(out, size, "%s", frame == frame_marker(FOLD_MARK_UNMAPPED) ? "?" : "!");
		return;
	}
	for (size_t i = b->nmodules; i-- > 0;) {
		if (frame < b->modules[i].base)
			continue;
		snprintf(out, size, "%s+0x%llx", b->modules[i].name, (unsigned long long)(frame - b->modules[i].base));
		return;
	}
}

static inline void back_stacks(struct back *b, int side, const struct fold_stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		char text[4096] = "", frame[256], *old;

		for (uint32_t node = s->v[i].leaf; node != FOLD_NO_NODE; node = s->nodes[node].parent) {
			old = strdup(text);
			back_frame(b, s->nodes[node].frame, frame, sizeof(frame));
			snprintf(text, sizeof(text), "%s%s%s", frame, *old ? ";" : "", old);
			free(old);
		}
		b->ends[side][b->nstacks[side]] = s->v[i].end;
		b->stacks[side][b->nstacks[side]++] = strdup(text);
	}
}

static inline char *back_stack(const struct back *b, int side, const uint32_t *column, size_t row)
{
	return column && column[row] ? b->stacks[side][column[row] - 1] : NULL;
}

static inline void back_module(struct back *b, const struct fold_module *m, uint64_t *base)
{
	struct back_module *out = &b->modules[b->nmodules++];

	*out = (struct back_module){
		.base = *base, .span = m->span, .kind = m->kind, .flags = m->flags, .name = back_string(b, m->name), .nsegments = m->nsegments,
	};
	for (size_t i = 0; m->nids && i < m->ids[0].bytes.size; i++)
		sprintf(out->id + 2 * i, "%02x", m->ids[0].bytes.at[i]);
	*base += (m->span + FOLD_MODULE_ALIGN - 1) / FOLD_MODULE_ALIGN * FOLD_MODULE_ALIGN;
}

static inline void back_rows(struct back *b, const struct fold_batch *batch)
{
	for (size_t i = 0; i < batch->samples.n; i++, b->nrows++) {
		b->rows[b->nrows].thread = batch->samples.thread[i];
		b->rows[b->nrows].time = batch->samples.time[i];
		b->rows[b->nrows].cpu = batch->samples.cpu[i];
		b->rows[b->nrows].event = batch->samples.event ? batch->samples.event[i] : 0;
		b->rows[b->nrows].count = 1;
		b->rows[b->nrows].kernel = back_stack(b, 0, batch->samples.kstack, i);
		b->rows[b->nrows].user = back_stack(b, 1, batch->samples.ustack, i);
	}
	for (size_t i = 0; i < batch->counts.n; i++, b->nrows++) {
		b->rows[b->nrows].thread = batch->counts.thread[i];
		b->rows[b->nrows].event = batch->counts.event ? batch->counts.event[i] : 0;
		b->rows[b->nrows].time = batch->counts.from;
		b->rows[b->nrows].count = batch->counts.count[i];
		b->rows[b->nrows].kernel = back_stack(b, 0, batch->counts.kstack, i);
		b->rows[b->nrows].user = back_stack(b, 1, batch->counts.ustack, i);
	}
}

#define BACK_COPY(to, count, from) \
	do { \
		for (size_t i_ = 0; i_ < (from).n; i_++) \
			(to)[(count)++] = (from).v[i_]; \
	} while (0)

static inline void back_batch(struct back *b, const struct fold_batch *batch)
{
	uint64_t base = batch->modules.first_base;

	b->nbatches++;
	for (size_t i = 0; i < batch->strings.n; i++)
		b->strings[b->nstrings++] = strndup((const char *)batch->strings.v[i].at, batch->strings.v[i].size);
	for (size_t i = 0; i < batch->modules.n; i++)
		back_module(b, &batch->modules.v[i], &base);
	BACK_COPY(b->procs, b->nprocs, batch->procs);
	BACK_COPY(b->mmaps, b->nmmaps, batch->mmaps);
	BACK_COPY(b->threads, b->nthreads, batch->threads);
	BACK_COPY(b->ksyms, b->nksyms, batch->ksyms);
	BACK_COPY(b->jitsyms, b->njitsyms, batch->jitsyms);
	back_stacks(b, 0, &batch->kstacks);
	back_stacks(b, 1, &batch->ustacks);
	back_rows(b, batch);
	for (size_t i = 0; i < batch->account.n; i++) {
		if (batch->account.v[i].cause < 128)
			b->account[batch->account.v[i].event][batch->account.v[i].cause] += batch->account.v[i].count;
	}
}

static inline void back_violation(void *state, const struct fold_fault *fault)
{
	char text[256];

	fprintf(stderr, "check: %s (%s)\n", fault_text(fault, text, sizeof(text)), fault->rule ? fault->rule : "");
}

/* All of the recording; it must be flawless. */
static inline struct back *back_read(struct fix *f)
{
	struct back *b = calloc(1, sizeof(*b));
	struct memory_source memory = {f->at, f->at + f->size}, again = memory;
	struct check_result result = {0};
	struct fold_item item;
	struct reader *r;

	CHECK_EQ(reader_new(&r, source_memory(&memory), NULL), 0);
	while (!reader_next(r, &item) && item.kind != FOLD_ITEM_END_OF_FILE) {
		CHECK(item.kind != FOLD_ITEM_DAMAGE && item.kind != FOLD_ITEM_CUT);
		if (item.kind == FOLD_ITEM_META)
			b->flags = item.meta->flags;
		if (item.kind == FOLD_ITEM_BATCH)
			back_batch(b, item.batch);
		if (item.kind == FOLD_ITEM_BATCH)
			CHECK(item.raw_size <= FOLD_MAX_RAW_WRITER);
		if (item.kind == FOLD_ITEM_FINISH)
			b->end = *item.end;
	}
	reader_free(r);
	CHECK_EQ(check_recording(source_memory(&again), back_violation, NULL, &result), 0);
	b->violations = result.violations;
	CHECK_EQ(result.violations, 0);
	return b;
}

/* "comm pid/tid user kernel" of a row; "-" for what it does not have. */
static inline const char *back_row(const struct back *b, size_t row)
{
	static char text[4][9000];
	static unsigned next;
	char *out = text[next++ % 4];
	const struct fold_thread *t = &b->threads[b->rows[row].thread];

	if (row >= b->nrows)
		return "(no such row)";
	snprintf(out, sizeof(text[0]), "%s %u/%u %s %s", back_string(b, t->comm), b->procs[t->proc].pid, t->tid,
		 b->rows[row].user ? b->rows[row].user : "-", b->rows[row].kernel ? b->rows[row].kernel : "-");
	return out;
}

static inline size_t back_find_module(const struct back *b, const char *name)
{
	for (size_t i = 0; i < b->nmodules; i++) {
		if (!strcmp(b->modules[i].name, name))
			return i;
	}
	CHECK(!"such a module");
	return 0;
}

static inline void back_free(struct back *b)
{
	for (size_t i = 0; i < b->nstrings; i++)
		free(b->strings[i]);
	for (int side = 0; side < 2; side++) {
		for (size_t i = 0; i < b->nstacks[side]; i++)
			free(b->stacks[side][i]);
	}
	free(b);
}

/* End the session and read it all back. */
static inline struct back *fix_end(struct fix *f)
{
	struct fold_end end = {.reason = FOLD_REASON_DURATION, .stop = {f->time, FIX_REALTIME, f->time}};
	struct back *b;

	session_account(f->session, 0, 0, FOLD_TAKEN, f->taken);
	CHECK_EQ(session_finish(f->session, &end), 0);
	b = back_read(f);
	CHECK_EQ(b->end.totals[0].taken, f->taken);
	session_free(f->session);
	writer_free(f->writer);
	tree_remove(&f->tree);
	free(f->at);
	return b;
}

#endif
