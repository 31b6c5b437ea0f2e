/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vocabulary of a recording: every number that SPEC.md assigns and the
 * decoded form of every section.  Both directions use these structs: the writer
 * encodes what the reader decodes.
 *
 * Nothing in here owns memory.  What a decoded struct points at belongs to the
 * reader's current item and dies with the next call of reader_next().
 */
#ifndef FOLD_FORMAT_FOLD_H
#define FOLD_FORMAT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------ the container */

#define FOLD_MAGIC "\x8f" "FOLD\r\n\n" /* 8 bytes */
#define FOLD_MAJOR 1
#define FOLD_MINOR 0
/* Until 1.0 is released the bytes may change under the same version; META says
 * which draft it is, and a reader refuses another one by its number. */
#define FOLD_DRAFT 2

#define FOLD_HEADER_SIZE 16
#define FOLD_CHUNK_HEADER_SIZE 32
#define FOLD_SYNC "\xc7" "FCK" /* 4 bytes, first in every chunk header */

enum fold_chunk_type {
	FOLD_META = 0x0001,    /* seq 0; copies of it may follow */
	FOLD_BATCH = 0x0002,
	FOLD_END = 0x0003,     /* last critical chunk of a segment */
	FOLD_NOTE = 0x8001,    /* text for people */
	FOLD_SYMBOLS = 0x8003, /* names added after recording */
};
#define FOLD_ANCILLARY 0x8000 /* an unknown type with this bit is passed over */

enum fold_codec { FOLD_STORED = 0, FOLD_ZSTD = 1 };

/* Section ids below 64 are critical, the rest ancillary; so are column ids. */
#define FOLD_HAVE(section) (UINT64_C(1) << ((section) < 64 ? (section) : 127 - (section))) /* its bit in a `have` */
enum fold_meta_section {
	FOLD_META_RECORDER = 1,
	FOLD_META_ID = 2,
	FOLD_META_CLOCK = 3,
	FOLD_META_TARGET = 4,
	FOLD_META_MODE = 5,
	FOLD_META_EVENTS = 6,
	FOLD_META_SCOPE = 7,
	FOLD_META_LABELS = 64,
};
enum fold_section {
	FOLD_STRINGS = 1,
	FOLD_MODULES = 2,
	FOLD_PROCS = 3,
	FOLD_MMAPS = 4,
	FOLD_THREADS = 5,
	FOLD_KSTACKS = 6,
	FOLD_USTACKS = 7,
	FOLD_SAMPLES = 8,
	FOLD_COUNTS = 9,
	FOLD_ACCOUNT = 10,
	FOLD_KSYMS = 11,
	FOLD_JITSYMS = 12,
	FOLD_SECTION_MAX = 13, /* of the critical ones */
	FOLD_ORIGINS = 65,
};
enum fold_end_section { FOLD_END_STOP = 1, FOLD_END_TOTALS = 2, FOLD_END_SELF = 3 };
enum fold_note_section { FOLD_NOTE_TEXT = 1 };
/* SYMBOLS: its own STRINGS (section 1, ids private to the chunk) + SYMS (2). */
enum fold_symbols_section { FOLD_SYMBOLS_STRINGS = 1, FOLD_SYMBOLS_SYMS = 2 };

enum fold_stack_column { /* of KSTACKS and USTACKS */
	FOLD_COL_SHARED = 1,
	FOLD_COL_FRESH = 2,
	FOLD_COL_END = 3,    /* enum fold_stack_end */
	FOLD_COL_TOKENS = 4, /* as many a row as FRESH says */
};
enum fold_column {
	FOLD_COL_TIME = 1,   /* SAMPLES only */
	FOLD_COL_CPU = 2,    /* SAMPLES only */
	FOLD_COL_THREAD = 3,
	FOLD_COL_KSTACK = 4, /* id + 1, 0 none */
	FOLD_COL_USTACK = 5, /* id + 1, 0 none */
	FOLD_COL_EVENT = 6,  /* absent: all 0 */
	FOLD_COL_COUNT = 7,  /* COUNTS only */
	FOLD_COL_WEIGHT = 8, /* + weight index, 0..7 */
};

/* Limits; SPEC.md states the same numbers, tests reach for each of them. */
#define FOLD_MAX_STORED (16u << 20)      /* bytes of a stored payload */
#define FOLD_MAX_RAW (16u << 20)         /* bytes of a payload when decompressed */
#define FOLD_MAX_RAW_WRITER (1u << 20)   /* what writers keep to */
#define FOLD_MAX_WINDOW_LOG 23           /* zstd window, readers */
#define FOLD_MAX_SECTIONS 64             /* sections of one chunk */
#define FOLD_MAX_STRING (64u << 10)      /* bytes of one string */
#define FOLD_MAX_STRINGS_BYTES (256u << 20) /* bytes of all strings of a segment */
#define FOLD_MAX_STRINGS (1u << 26)
#define FOLD_MAX_BUILD_ID 64
#define FOLD_MAX_SEGMENTS 64             /* executable load segments of a module */
#define FOLD_MAX_MODULES (1u << 20)
#define FOLD_MAX_SPACE (UINT64_C(1) << 62) /* end of the linear module space */
#define FOLD_MAX_PROCS (1u << 22)
#define FOLD_MAX_THREADS (1u << 22)
#define FOLD_MAX_STACKS (1u << 26)       /* per side and segment */
#define FOLD_MAX_FRAMES 1024             /* of one stack, markers included */
#define FOLD_MAX_NODES (1u << 28)        /* new frames of a segment, both sides */
#define FOLD_MAX_EVENTS 64
#define FOLD_MAX_WEIGHTS 8
#define FOLD_MAX_CPUS (1u << 16)
#define FOLD_MAX_ROWS (1u << 20)         /* of one SAMPLES or COUNTS section */
#define FOLD_MAX_LABELS 16               /* of a recording or an origin */
#define FOLD_MAX_LABEL_KEY 64
#define FOLD_MAX_LABEL_VALUE 256
#define FOLD_MODULE_ALIGN 4096

/* ------------------------------------------------------------ decoded chunks */

/* Bytes that someone else owns; not terminated, any value allowed. */
struct fold_bytes {
	const uint8_t *at;
	size_t size;
};

/* ---- META */

enum fold_mode { FOLD_MODE_EVENTS = 0, FOLD_MODE_AGGREGATED = 1 };
enum fold_sides { FOLD_SIDE_KERNEL = 1, FOLD_SIDE_USER = 2 };
enum fold_unwinder { FOLD_UNWIND_FP = 0, FOLD_UNWIND_TABLES = 1, FOLD_UNWIND_LBR = 2, FOLD_UNWIND_MIXED = 3 };
enum fold_mode_flag {
	FOLD_FLAG_RAW_ADDRESSES = 1u << 0, /* MMAPS carry absolute starts */
	FOLD_FLAG_PATHS_FULL = 1u << 1,
	FOLD_FLAG_PATHS_BASE = 1u << 2,    /* neither: full below system dirs, else base name */
	FOLD_FLAG_KERNEL_ANCHORED = 1u << 3, /* module 0 counts from a hidden anchor, not _text */
	FOLD_FLAG_REDACTED = 1u << 4,
	FOLD_FLAG_MERGED = 1u << 5,        /* put together from several recordings: ORIGINS tells which */
};
enum fold_event_kind {
	FOLD_EVENT_CPU_CLOCK = 1,
	FOLD_EVENT_CYCLES = 2,
	FOLD_EVENT_SOFTWARE = 3,
	FOLD_EVENT_HARDWARE = 4,
	FOLD_EVENT_TRACEPOINT = 5,
	FOLD_EVENT_UPROBE = 6,
	FOLD_EVENT_OFFCPU = 7,
	FOLD_EVENT_OTHER = 63,
};
enum fold_period_unit { FOLD_PERIOD_NONE = 0, FOLD_PERIOD_HZ = 1, FOLD_PERIOD_COUNT = 2, FOLD_PERIOD_NS = 3 };
enum fold_unit { FOLD_UNIT_NONE = 0, FOLD_UNIT_COUNT = 1, FOLD_UNIT_NS = 2, FOLD_UNIT_BYTES = 3 };
enum fold_scope { FOLD_SCOPE_SYSTEM = 0, FOLD_SCOPE_PIDS = 1, FOLD_SCOPE_COMMAND = 2, FOLD_SCOPE_CGROUP = 3, FOLD_SCOPE_MIXED = 4 };

struct fold_label { /* what its user calls a recording by: host=web1 */
	struct fold_bytes key, value;
};
struct fold_weight {
	struct fold_bytes name;
	uint32_t unit; /* enum fold_unit */
};
struct fold_event {
	uint32_t kind;        /* enum fold_event_kind */
	struct fold_bytes name; /* "cpu-clock" */
	uint32_t period_unit; /* enum fold_period_unit */
	uint64_t period;      /* 99 with HZ: 99 samples a second and CPU */
	uint64_t sample_ns;   /* nominal time one sample stands for, 0 none */
	size_t nweights;
	struct fold_weight weights[FOLD_MAX_WEIGHTS];
};
/* The same instant on three clocks, ns. */
struct fold_clock {
	uint64_t monotonic, realtime, boottime;
};
struct fold_meta {
	struct fold_bytes recorder, version; /* "fold-record", "0.1.0" */
	uint32_t draft;
	uint8_t id[16];            /* random, UUID v4 bits set */
	struct fold_clock start;
	uint64_t tick_ns;          /* unit of SAMPLES times, 1..1e9 */
	uint32_t machine;          /* ELF e_machine of the target */
	uint32_t word_bytes;       /* 4 or 8 */
	bool big_endian;
	uint32_t page_size;
	uint32_t cpus_online, cpus_possible;
	struct fold_bytes kernel_release; /* uname -r, "" when withheld */
	uint32_t mode;             /* enum fold_mode */
	uint64_t interval_ns;      /* nominal time between batches */
	uint32_t sides;            /* enum fold_sides, or-ed */
	uint32_t max_depth;        /* frames kept per side */
	uint32_t unwinder;         /* enum fold_unwinder */
	uint32_t flags;            /* enum fold_mode_flag, or-ed */
	size_t nevents;            /* >= 1 */
	struct fold_event events[FOLD_MAX_EVENTS];
	uint32_t scope;            /* enum fold_scope */
	uint64_t scope_count;      /* pids given, cgroups given; 0 for the whole system */
	size_t nlabels;            /* ascending by key */
	struct fold_label labels[FOLD_MAX_LABELS];
};

/* ---- BATCH, in file order.  All ids are dense and start at 0, strings at 1. */

struct fold_strings {
	uint64_t first_id; /* id of v[0]; 0 is the empty string and never defined */
	size_t n;
	struct fold_bytes *v;
};

enum fold_module_kind {
	FOLD_MODULE_KERNEL = 0,  /* offset from _text, or from an anchor */
	FOLD_MODULE_KO = 1,      /* offset from the module's text base */
	FOLD_MODULE_ELF = 2,     /* offset in the mapped file */
	FOLD_MODULE_VDSO = 3,    /* offset in the image */
	FOLD_MODULE_JIT = 4,     /* anonymous executable region: offset in the region */
	FOLD_MODULE_BPF = 5,     /* offset in the program's text */
	FOLD_MODULE_OTHER = 6,   /* offset in the region or file, not an ELF file */
};
enum fold_id_kind { FOLD_ID_NONE = 0, FOLD_ID_GNU = 1, FOLD_ID_GO = 2, FOLD_ID_HASH = 3, FOLD_ID_OTHER = 4 };
enum fold_module_flag {
	FOLD_MODULE_DELETED = 1u << 0,
	FOLD_MODULE_MEMFD = 1u << 1,
	FOLD_MODULE_FOREIGN_NS = 1u << 2, /* in another mount namespace than the recorder */
	FOLD_MODULE_REMAPPED = 1u << 3,   /* text moved to huge pages */
	FOLD_MODULE_UNREAD = 1u << 4,     /* the file could not be opened: no segments known */
};
struct fold_segment { /* an executable PT_LOAD */
	uint64_t offset, vaddr, filesz, align;
};
struct fold_module_id {
	uint32_t kind; /* enum fold_id_kind */
	struct fold_bytes bytes; /* 1..64, not all zero */
};
#define FOLD_MAX_IDS 4
struct fold_module {
	uint32_t kind;    /* enum fold_module_kind */
	uint64_t name;    /* string id: path, "[kernel]", "nf_conntrack" */
	uint64_t span;    /* size of its offset space; offsets are below it */
	uint32_t flags;   /* enum fold_module_flag, or-ed */
	uint32_t elf_type, machine; /* 0 when it is no ELF file */
	size_t nids;
	struct fold_module_id ids[FOLD_MAX_IDS]; /* GNU first */
	size_t nsegments;
	struct fold_segment *segments;
};
struct fold_modules {
	uint64_t first_id;   /* id of v[0] */
	uint64_t first_base; /* base of v[0] in the linear module space */
	size_t n;
	struct fold_module *v;
};

struct fold_proc { /* one image of one process: exec makes a new one */
	uint32_t pid;
	int64_t start;    /* ticks relative to META start; 0 when unknown */
	uint64_t comm;    /* string id */
	uint64_t exe;     /* module id + 1, 0 unknown */
	uint64_t parent;  /* proc id + 1, 0 unknown; always an earlier one */
};
struct fold_procs { uint64_t first_id; size_t n; struct fold_proc *v; };

struct fold_mmap {
	uint64_t proc;   /* proc id */
	uint64_t module; /* module id */
	uint64_t offset; /* of its first byte, in the module's offset space */
	uint64_t length;
	uint64_t start;  /* absolute; 0 unless FOLD_FLAG_RAW_ADDRESSES */
};
struct fold_mmaps { size_t n; struct fold_mmap *v; };

struct fold_thread { /* one name of one thread: a new comm makes a new one */
	uint64_t proc;
	uint32_t tid;
	uint64_t comm;
};
struct fold_threads { uint64_t first_id; size_t n; struct fold_thread *v; };

/*
 * A frame is one number: an offset in the linear module space, where module i
 * begins at base(i) = base(i-1) + span(i-1) rounded up to 4096, base(0) = 0;
 * or a marker.
 */
typedef uint64_t fold_frame;
#define FOLD_MARKER (UINT64_C(1) << 63)
enum fold_marker {
	FOLD_MARK_UNMAPPED = 0, /* one or more words that lie in no executable mapping */
	FOLD_MARK_EXACT = 1,    /* the next frame (towards the leaf) is an exact pc, not a return address */
	FOLD_MARK_REDACTED = 2, /* one or more frames taken out on purpose */
	FOLD_MARK_OTHER = 3,    /* a marker this version does not know; every code from 3 on is read as this */
};
static inline bool frame_is_marker(fold_frame f) { return f & FOLD_MARKER; }
static inline fold_frame frame_marker(enum fold_marker m) { return FOLD_MARKER | m; }

/* How the walk of a stack ended, root side. */
enum fold_stack_end {
	FOLD_STACK_END_UNKNOWN = 0,  /* frame pointers: ended, nothing proven */
	FOLD_STACK_END_ROOT = 1,     /* reached the outermost frame */
	FOLD_STACK_END_FP_ROOT = 2,  /* reached a zero frame pointer or return address */
	FOLD_STACK_END_GAP = 3,      /* code without unwind information */
	FOLD_STACK_END_UNMAPPED = 4,
	FOLD_STACK_END_UNREADABLE = 5, /* stack page not in memory */
	FOLD_STACK_END_BAD_RULE = 6,
	FOLD_STACK_END_DEPTH = 7,    /* cut at the depth limit: callers are missing */
	FOLD_STACK_END_NO_REGS = 8,
	FOLD_STACK_END_COMPAT = 9,   /* 32-bit task */
	FOLD_STACK_END_EXITING = 10, /* or in an exec: the task had given up its memory */
};

#define FOLD_NO_NODE UINT32_MAX
struct fold_node {
	uint32_t parent;  /* index of the caller's node in this section, always smaller; FOLD_NO_NODE at the root */
	fold_frame frame;
};
struct fold_stack {
	uint32_t leaf;    /* node index; FOLD_NO_NODE: a stack of no frames */
	uint32_t depth;   /* number of nodes from root to leaf */
	uint32_t end;     /* enum fold_stack_end */
};
/* Stacks as a forest: never materialised, because shared prefixes make three
 * bytes stand for a thousand frames. */
struct fold_stacks {
	uint64_t first_id;
	size_t n;
	struct fold_stack *v;
	size_t nnodes;
	struct fold_node *nodes;
};

struct fold_samples { /* columns of n rows, best sorted by thread and time */
	size_t n;
	int64_t *time;      /* ticks relative to META start */
	uint32_t *cpu, *thread, *event;
	uint32_t *kstack, *ustack; /* id + 1, 0 none */
	size_t nweights;    /* the largest of the events */
	uint64_t *weight[FOLD_MAX_WEIGHTS];
};
struct fold_counts { /* aggregated: how often in [from, to) */
	int64_t from, to;   /* ticks relative to META start */
	size_t n;
	uint32_t *thread, *event, *kstack, *ustack;
	uint64_t *count;
	size_t nweights;
	uint64_t *weight[FOLD_MAX_WEIGHTS];
};

/*
 * What happened to samples, by cause.  For each event
 *     TAKEN = samples written + every cause in 1..63
 * and causes from 64 are notes about samples that *are* written, or about
 * things that are not samples.  A reader that does not know a cause can so
 * still close the sum.
 */
enum fold_cause {
	FOLD_TAKEN = 0,
	FOLD_LOST_RING = 1,        /* the kernel's ring was full */
	FOLD_LOST_RECORDER = 2,    /* the recorder had no memory or time for it */
	FOLD_LOST_MALFORMED = 3,   /* did not parse; a defect or another writer in the ring */
	FOLD_LOST_STACK_ID = 4,    /* its stack id was not resolvable */
	FOLD_LOST_KERNEL = 5,      /* taken but never seen again, cause unknown */
	FOLD_LOST_DAMAGE = 6,      /* merged: in damaged or missing parts of the recording it came from */
	FOLD_CAUSE_NOTE = 64,      /* first note */
	FOLD_NOTE_IDLE = 64,       /* timer hit the idle task: not a sample */
	FOLD_NOTE_FILTERED = 65,   /* not asked for: not a sample */
	FOLD_NOTE_NO_KSTACK = 66,  /* in the kernel, but no kernel stack: error */
	FOLD_NOTE_NO_USTACK = 67,  /* user stack failed (other than a kernel thread) */
	FOLD_NOTE_KTHREAD = 68,    /* kernel thread: no user stack to expect */
	FOLD_NOTE_DEPTH = 69,      /* stack cut at the depth limit */
	FOLD_NOTE_UNMAPPED = 70,   /* samples with an unmapped marker */
	FOLD_NOTE_UNKNOWN_PROC = 71, /* process gone before anything told its name */
	FOLD_NOTE_SIDEBAND = 72,   /* mmap/comm/fork/exit records lost */
	FOLD_NOTE_THROTTLED = 73,  /* the kernel throttled the event: times, not samples */
	FOLD_NOTE_ESCAPED = 74,    /* aggregated: counted, though the kernel's table had no room for it */
	FOLD_NOTE_NO_TABLE = 76,   /* files without an unwind table for want of memory: files, not samples */
	FOLD_NOTE_OTHER = 1023,
};
struct fold_account_row {
	uint32_t event;
	uint32_t cause; /* enum fold_cause; unknown ones are kept as numbers */
	uint32_t cpu;   /* cpu + 1, 0 all */
	uint64_t count;
};
struct fold_account { size_t n; struct fold_account_row *v; };

struct fold_sym { /* a name for [offset, offset + size) of a module */
	uint64_t module;
	uint64_t offset, size;
	uint64_t name;
};
struct fold_syms { size_t n; struct fold_sym *v; };

/* One of the recordings that were merged: the processes [first, first + nprocs) are its. */
enum fold_origin_state {
	FOLD_ORIGIN_ENDED = 1u << 0,   /* it had its END */
	FOLD_ORIGIN_DAMAGED = 1u << 1, /* a part of it was lost */
};
struct fold_origin_label { uint64_t key, value; }; /* string ids */
struct fold_origin {
	uint64_t first, nprocs;
	uint8_t id[16];
	uint64_t realtime;    /* of its start */
	uint64_t duration;    /* ns, from its start to its END or its last sample */
	uint32_t reason;      /* enum fold_reason */
	uint32_t state;       /* enum fold_origin_state, or-ed */
	uint32_t flags;       /* of its META */
	uint32_t cpus_online;
	uint64_t kernel_release, recorder, version; /* string ids */
	size_t nlabels;
	struct fold_origin_label *labels;
};
struct fold_origins { size_t n; struct fold_origin *v; };

struct fold_batch {
	uint64_t have; /* FOLD_HAVE() of each section */
	struct fold_strings strings;
	struct fold_modules modules;
	struct fold_procs procs;
	struct fold_mmaps mmaps;
	struct fold_threads threads;
	struct fold_stacks kstacks, ustacks;
	struct fold_samples samples;
	struct fold_counts counts;
	struct fold_account account; /* deltas since the batch before */
	struct fold_syms ksyms, jitsyms;
	struct fold_origins origins;
};

/* ---- END, NOTE, SYMBOLS */

enum fold_reason {
	FOLD_REASON_OTHER = 0,
	FOLD_REASON_DURATION = 1,
	FOLD_REASON_SIGNAL = 2,
	FOLD_REASON_COMMAND = 3,   /* the command ended */
	FOLD_REASON_TARGETS = 4,   /* every given process ended */
	FOLD_REASON_SIZE = 5,
	FOLD_REASON_IO = 6,        /* writing failed once: disk full, pipe closed */
	FOLD_REASON_ERROR = 7,
};
struct fold_total { uint64_t taken, written, lost; };
struct fold_end {
	uint32_t reason;
	struct fold_clock stop;
	uint64_t chunks;      /* chunks before this one */
	uint32_t headers_crc; /* CRC32C over the header_crc words of those, in order */
	size_t nevents;
	struct fold_total totals[FOLD_MAX_EVENTS];
	uint64_t self_cpu_ns, self_peak_bytes, bpf_ns; /* the recorder's own cost; 0 unknown */
};
struct fold_note { struct fold_bytes text; };
struct fold_symbols {
	struct fold_strings strings; /* private to the chunk, first_id 1 */
	struct fold_syms syms;
};

#endif
