/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A made-up recording that has every section, column, marker and id kind, for
 * the tests of format/ and the golden files.  Always the same bytes.
 */
#ifndef FOLD_TESTS_FORMAT_MADE_H
#define FOLD_TESTS_FORMAT_MADE_H

#include "../../format/buf.h"
#include "../../format/fold.h"
#include "../../format/reader.h"
#include "../../format/writer.h"

#include <stdlib.h>
#include <string.h>

static inline struct fold_bytes made_bytes(const char *text)
{
	return (struct fold_bytes){.at = (const uint8_t *)text, .size = strlen(text)};
}

/* Two events; the second has two weights. */
static inline struct fold_meta made_meta(void)
{
	return (struct fold_meta){
		.recorder = made_bytes("fold-record"),
		.version = made_bytes("0.1.0"),
		.draft = FOLD_DRAFT,
		.id = {0x0f, 0x1e, 0x2d, 0x3c, 0x4b, 0x5a, 0x49, 0x78, 0x87, 0x96, 0xa5, 0xb4, 0xc3, 0xd2, 0xe1, 0xf0},
		.start = {.monotonic = 81000000000, .realtime = 1767225600000000000, .boottime = 81500000000},
		.tick_ns = 1000,
		.machine = 62,
		.word_bytes = 8,
		.page_size = 4096,
		.cpus_online = 4,
		.cpus_possible = 8,
		.kernel_release = made_bytes("6.18.0"),
		.mode = FOLD_MODE_EVENTS,
		.interval_ns = 1000000000,
		.sides = FOLD_SIDE_KERNEL | FOLD_SIDE_USER,
		.max_depth = 512,
		.unwinder = FOLD_UNWIND_TABLES,
		.flags = 0,
		.nevents = 2,
		.events = {
			{.kind = FOLD_EVENT_CPU_CLOCK, .name = made_bytes("cpu-clock"), .period_unit = FOLD_PERIOD_HZ, .period = 99,
			 .sample_ns = 10101010},
			{.kind = FOLD_EVENT_OFFCPU, .name = made_bytes("off-cpu"), .nweights = 2,
			 .weights = {{made_bytes("blocked"), FOLD_UNIT_NS}, {made_bytes("bytes"), FOLD_UNIT_BYTES}}},
		},
		.scope = FOLD_SCOPE_SYSTEM,
	};
}

/* The same with labels, put together from two recordings. */
static inline struct fold_meta made_merged_meta(void)
{
	struct fold_meta meta = made_meta();

	meta.flags = FOLD_FLAG_MERGED;
	meta.nlabels = 2;
	meta.labels[0] = (struct fold_label){made_bytes("site"), made_bytes("north \xf0\x9f\x94\xa5")};
	meta.labels[1] = (struct fold_label){made_bytes("ticket"), made_bytes("")};
	return meta;
}

/* What a batch points at. */
struct made {
	struct fold_bytes strings[12];
	struct fold_segment segments[2];
	struct fold_module modules[5];
	struct fold_proc procs[3];
	struct fold_mmap mmaps[2];
	struct fold_thread threads[3];
	struct fold_node nodes[12];
	struct fold_stack kstacks[2], ustacks[5];
	int64_t time[5];
	uint32_t cpu[5], thread[5], event[5], kstack[5], ustack[5];
	uint64_t weight[2][5], count[5];
	struct fold_account_row account[5];
	struct fold_sym ksyms[2], jitsyms[1];
	struct fold_origin_label labels[2];
	struct fold_origin origins[2];
	struct fold_batch batch;
};

#define MADE_KERNEL 0x0
#define MADE_ELF 0x2001000
#define MADE_JIT 0x200a000

static inline void made_modules(struct made *m)
{
	static const uint8_t gnu[20] = {0x6d, 0x5a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18};
	static const uint8_t hash[32] = {1};
	static const char go[] = "abcdefghijklmnopqrst/uvwxyz0123456789ABCDEFGHIJKLMNOPQRS";

	m->segments[0] = (struct fold_segment){.offset = 0x2000, .vaddr = 0x402000, .filesz = 0x5000, .align = 0x1000};
	m->segments[1] = (struct fold_segment){.offset = 0x8000, .vaddr = 0x418000, .filesz = 0x800, .align = 0x10000};
	m->modules[0] = (struct fold_module){
		.kind = FOLD_MODULE_KERNEL, .name = 1, .span = 0x2000001, .nids = 1,
		.ids = {{FOLD_ID_GNU, {gnu, sizeof(gnu)}}},
	};
	m->modules[1] = (struct fold_module){
		.kind = FOLD_MODULE_ELF, .name = 2, .span = 0x9000, .flags = FOLD_MODULE_DELETED | FOLD_MODULE_FOREIGN_NS,
		.elf_type = 3, .machine = 62, .nids = 3,
		.ids = {{FOLD_ID_GNU, {gnu, 8}}, {FOLD_ID_GO, {(const uint8_t *)go, sizeof(go) - 1}}, {FOLD_ID_HASH, {hash, sizeof(hash)}}},
		.nsegments = 2, .segments = m->segments,
	};
	m->modules[2] = (struct fold_module){.kind = FOLD_MODULE_JIT, .name = 3, .span = 0x10000};
	m->modules[3] = (struct fold_module){.kind = FOLD_MODULE_OTHER, .name = 3, .span = 0};
	m->modules[4] = (struct fold_module){.kind = FOLD_MODULE_BPF, .name = 4, .span = 1};
	m->batch.modules = (struct fold_modules){.first_id = 0, .first_base = 0, .n = 5, .v = m->modules};
}

static inline void made_stacks(struct made *m)
{
	static const struct fold_node nodes[] = {
		{FOLD_NO_NODE, MADE_ELF + 0x2100},
		{0, MADE_ELF + 0x2500},
		{1, MADE_JIT + 0x20},
		{1, FOLD_MARKER | FOLD_MARK_UNMAPPED},
		{3, MADE_ELF + 0x8010},
		{FOLD_NO_NODE, FOLD_MARKER | FOLD_MARK_EXACT},
		{5, MADE_ELF + 0x2000},
		{6, FOLD_MARKER | FOLD_MARK_REDACTED},
		{7, FOLD_MARKER | FOLD_MARK_OTHER},
	};
	static const struct fold_stack ustacks[] = {
		{FOLD_NO_NODE, 0, FOLD_STACK_END_NO_REGS}, {2, 3, FOLD_STACK_END_ROOT}, {1, 2, FOLD_STACK_END_DEPTH},
		{4, 4, FOLD_STACK_END_ROOT}, {8, 4, FOLD_STACK_END_GAP},
	};
	static const struct fold_node knodes[] = {{FOLD_NO_NODE, 0x1234}, {0, 0x2000000}, {0, 0x99}};
	static const struct fold_stack kstacks[] = {{1, 2, FOLD_STACK_END_ROOT}, {2, 2, FOLD_STACK_END_ROOT}};

	memcpy(m->nodes, nodes, sizeof(nodes));
	memcpy(m->nodes + 9, knodes, sizeof(knodes));
	memcpy(m->ustacks, ustacks, sizeof(ustacks));
	memcpy(m->kstacks, kstacks, sizeof(kstacks));
	m->batch.kstacks = (struct fold_stacks){.n = 2, .v = m->kstacks, .nnodes = 3, .nodes = m->nodes + 9};
	m->batch.ustacks = (struct fold_stacks){.n = 5, .v = m->ustacks, .nnodes = 9, .nodes = m->nodes};
}

static inline void made_columns(struct made *m)
{
	static const int64_t time[5] = {-3, 0, 0, 1000000, 1000300};
	static const uint32_t cpu[5] = {0, 1, 1, 300, 65535}, thread[5] = {0, 2, 1, 0, 2}, event[5] = {0, 0, 1, 0, 1};
	static const uint32_t kstack[5] = {0, 1, 2, 0, 1}, ustack[5] = {5, 0, 1, 2, 4};
	static const uint64_t weight[2][5] = {{0, 0, 5000, 0, UINT64_MAX}, {0, 0, 0, 0, 4096}}, count[5] = {1, 200, 3, 1, 1};

	memcpy(m->time, time, sizeof(time));
	memcpy(m->cpu, cpu, sizeof(cpu));
	memcpy(m->thread, thread, sizeof(thread));
	memcpy(m->event, event, sizeof(event));
	memcpy(m->kstack, kstack, sizeof(kstack));
	memcpy(m->ustack, ustack, sizeof(ustack));
	memcpy(m->weight, weight, sizeof(weight));
	memcpy(m->count, count, sizeof(count));
	m->batch.samples = (struct fold_samples){
		.n = 5, .time = m->time, .cpu = m->cpu, .thread = m->thread, .event = m->event, .kstack = m->kstack, .ustack = m->ustack,
		.nweights = 2, .weight = {m->weight[0], m->weight[1]},
	};
}

/* A batch of the event mode: everything but COUNTS. */
static inline void made_batch(struct made *m)
{
	static const char *const strings[] = {
		"[kernel]", "/usr/bin/caf\xc3\xa9", "[jit]", "bpf_prog_1", "sh", "a;b c 7", "\x1b[31m\xff\n", "do_syscall_64", "vfs_read", "f@jit",
	};

	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		m->strings[i] = made_bytes(strings[i]);
	m->batch.strings = (struct fold_strings){.first_id = 1, .n = sizeof(strings) / sizeof(*strings), .v = m->strings};
	made_modules(m);
	m->procs[0] = (struct fold_proc){.pid = 0};
	m->procs[1] = (struct fold_proc){.pid = 1000, .start = -12345678, .comm = 5, .exe = 2, .parent = 1};
	m->procs[2] = (struct fold_proc){.pid = 1001, .start = 55, .comm = 6, .exe = 0, .parent = 2};
	m->batch.procs = (struct fold_procs){.n = 3, .v = m->procs};
	m->mmaps[0] = (struct fold_mmap){.proc = 1, .module = 1, .offset = 0x2000, .length = 0x5000};
	m->mmaps[1] = (struct fold_mmap){.proc = 2, .module = 2, .offset = 0, .length = 0x10000};
	m->batch.mmaps = (struct fold_mmaps){.n = 2, .v = m->mmaps};
	m->threads[0] = (struct fold_thread){.proc = 0, .tid = 0, .comm = 0};
	m->threads[1] = (struct fold_thread){.proc = 1, .tid = 1000, .comm = 5};
	m->threads[2] = (struct fold_thread){.proc = 2, .tid = 1003, .comm = 7};
	m->batch.threads = (struct fold_threads){.n = 3, .v = m->threads};
	made_stacks(m);
	made_columns(m);
	m->account[0] = (struct fold_account_row){.event = 0, .cause = FOLD_TAKEN, .cpu = 0, .count = 6};
	m->account[1] = (struct fold_account_row){.event = 1, .cause = FOLD_TAKEN, .cpu = 2, .count = 2};
	m->account[2] = (struct fold_account_row){.event = 0, .cause = FOLD_LOST_RING, .cpu = 1, .count = 2};
	m->account[3] = (struct fold_account_row){.event = 0, .cause = 40, .cpu = 65536, .count = 1};
	m->account[4] = (struct fold_account_row){.event = 1, .cause = FOLD_NOTE_KTHREAD, .cpu = 0, .count = 1000000};
	m->batch.account = (struct fold_account){.n = 5, .v = m->account};
	m->ksyms[0] = (struct fold_sym){.module = 0, .offset = 0x1200, .size = 0x80, .name = 8};
	m->ksyms[1] = (struct fold_sym){.module = 4, .offset = 0, .size = 0, .name = 9};
	m->batch.ksyms = (struct fold_syms){.n = 2, .v = m->ksyms};
	m->jitsyms[0] = (struct fold_sym){.module = 2, .offset = 0, .size = 0x40, .name = 10};
	m->batch.jitsyms = (struct fold_syms){.n = 1, .v = m->jitsyms};
	m->batch.have = ((1u << FOLD_SECTION_MAX) - 1) & ~(1u << FOLD_COUNTS) & ~1u;
}

/* The same in aggregated mode: COUNTS instead of SAMPLES. */
static inline void made_counts(struct made *m)
{
	static const uint32_t thread[5] = {0, 0, 1, 2, 2};

	made_batch(m);
	memcpy(m->thread, thread, sizeof(thread));
	m->batch.counts = (struct fold_counts){
		.from = -5, .to = 1000000, .n = 5, .thread = m->thread, .event = m->event, .kstack = m->kstack, .ustack = m->ustack,
		.count = m->count, .nweights = 2, .weight = {m->weight[0], m->weight[1]},
	};
	m->account[0].count = 205; /* 1 + 200 + 1 written, 3 lost */
	m->account[1].count = 4;
	m->batch.have = (m->batch.have & ~(1u << FOLD_SAMPLES)) | 1u << FOLD_COUNTS;
}

/* Where its three processes come from. */
static inline void made_origins(struct made *m)
{
	made_batch(m);
	m->labels[0] = (struct fold_origin_label){5, 6};
	m->labels[1] = (struct fold_origin_label){10, 0};
	m->origins[0] = (struct fold_origin){
		.first = 0, .nprocs = 2, .id = {1, 2, 3}, .realtime = 1767225600000000000, .duration = 30000000000, .reason = FOLD_REASON_DURATION,
		.state = FOLD_ORIGIN_ENDED, .flags = FOLD_FLAG_PATHS_FULL, .cpus_online = 4, .kernel_release = 7, .recorder = 8, .version = 9,
		.nlabels = 2, .labels = m->labels,
	};
	m->origins[1] = (struct fold_origin){.first = 2, .nprocs = 1, .id = {4, 5, 6}, .realtime = UINT64_MAX, .state = FOLD_ORIGIN_DAMAGED};
	m->batch.origins = (struct fold_origins){.n = 2, .v = m->origins};
	m->batch.have |= FOLD_HAVE(FOLD_ORIGINS);
}

static inline struct fold_end made_end(void)
{
	return (struct fold_end){
		.reason = FOLD_REASON_DURATION,
		.stop = {.monotonic = 111000000000, .realtime = 1767225630000000000, .boottime = 111500000000},
		.nevents = 2,
		.totals = {{.taken = 6, .written = 3, .lost = 3}, {.taken = 2, .written = 2, .lost = 0}},
		.self_cpu_ns = 1234567, .self_peak_bytes = 8 << 20, .bpf_ns = 7654321,
	};
}

/* ---- a sink into memory */

static inline int made_write(void *state, const void *from, size_t n)
{
	buf_raw(state, from, n);
	return 0;
}

static inline struct fold_sink made_sink(struct buf *to)
{
	return (struct fold_sink){.write = made_write, .state = to};
}

/* A batch that defines nothing: five samples and their account. */
static inline void made_later_batch(struct made *m)
{
	made_batch(m);
	m->batch.account.v[0].count = 3;
	m->batch.account.n = 2;
	m->batch.have = 1u << FOLD_SAMPLES | 1u << FOLD_ACCOUNT;
}

/* META twice, a batch, `later` batches, NOTE, SYMBOLS, END; `level` as in writer_options. */
static inline void made_recording(struct buf *to, int level, unsigned later)
{
	struct writer_options options = {.level = level};
	struct fold_meta meta = made_meta();
	struct fold_end end = made_end();
	struct fold_note note = {made_bytes("ticket 4711\n")};
	struct fold_bytes names[] = {made_bytes("main"), made_bytes("usage")};
	struct fold_sym syms[] = {{.module = 1, .offset = 0x2000, .size = 0x100, .name = 1}, {.module = 1, .offset = 0x2100, .size = 0x10, .name = 2}};
	struct fold_symbols symbols = {{.first_id = 1, .n = 2, .v = names}, {.n = 2, .v = syms}};
	struct writer *w;
	struct made m;
	int failed;

	if (writer_new(&w, made_sink(to), &options))
		abort();
	made_batch(&m);
	failed = writer_meta(w, &meta) || writer_batch(w, &m.batch);
	for (unsigned i = 0; i < later; i++) {
		made_later_batch(&m);
		failed |= writer_batch(w, &m.batch);
	}
	for (int e = 0; e < 2; e++) {
		end.totals[e].taken += later * (e ? 2 : 3);
		end.totals[e].written += later * (e ? 2 : 3);
	}
	if (failed || writer_note(w, &note) || writer_symbols(w, &symbols) || writer_end(w, &end))
		abort();
	writer_free(w);
}

#endif
