/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * (module, offset) -> frames with names.  Never fails, it degrades: inline chain
 * and line, function, "[module]+0x12", "[unknown]".  Each address is looked up
 * once, each module opened once, each failure remembered and counted.
 */
#ifndef FOLD_REPORT_SYMBOLIZE_H
#define FOLD_REPORT_SYMBOLIZE_H

#include "../model/recording.h"

struct symbolizer;

struct symbolizer_options {
	const char *const *symbol_dirs; size_t nsymbol_dirs; /* --symbols, in order */
	const char *sysroot;   /* NULL: none.  Files of this machine are used only if their build-id fits */
	bool no_demangle;
	bool strip_suffix;     /* foo.cold and foo.part.0 are foo */
	bool inlines;          /* functions that the compiler inlined become frames of their own */
	bool lines;            /* source file and line of each frame */
	bool debuginfod;       /* ask the servers of DEBUGINFOD_URLS for what is found nowhere else */
	bool no_system;        /* do not look at this machine's files and /usr/lib/debug at all (tests) */
};

struct symbol {            /* one frame */
	const char *name;      /* demangled unless asked not to; never NULL; owned by the symbolizer */
	const char *mangled;   /* as in the symbol table; NULL when there is none */
	const char *file;      /* source of the address, or of the call to what is inlined there; NULL unknown */
	uint32_t line;
	uint64_t offset;       /* of the address in the function */
	bool named;            /* false: name is "[libx.so]+0x12", "[unknown]" */
	bool inlined;
};
enum symbol_source { SYMBOL_NONE, SYMBOL_RECORDED, SYMBOL_EMBEDDED, SYMBOL_SYMTAB, SYMBOL_DYNSYM, SYMBOL_DEBUG_FILE };
struct symbols {           /* innermost first */
	uint32_t n;
	const struct symbol *v;
	enum symbol_source source;
};

struct symbolizer_stats { uint64_t addresses, named, unnamed; uint32_t modules, modules_named; };
enum module_state {
	MODULE_UNTRIED = 0, MODULE_NAMED, /* names were found */
	MODULE_NOT_FOUND,                 /* no file with this build-id anywhere */
	MODULE_MISMATCH,                  /* a file of this path, but another build-id */
	MODULE_NO_SYMBOLS,                /* stripped */
	MODULE_UNREADABLE,
	MODULE_NO_ID,                     /* recorded without any id: nothing could prove a file */
};
struct module_status {
	enum module_state state;
	const char *file;      /* the file the names come from, or the one refused; NULL none */
	bool weak;             /* proven by size and hash of its head only: it has no build-id */
	uint64_t named, unnamed; /* addresses */
};

/* One file that was looked at, or would have been if it were there. */
enum module_try_result {
	TRY_ABSENT = 0,
	TRY_TAKEN,        /* it is the right one, and adds something */
	TRY_NOTHING_NEW,  /* it is the right one; what it has was there before */
	TRY_OTHER_BUILD,  /* another id, or none */
	TRY_OTHER_LAYOUT, /* the right id, but the code is not where it was: rewritten */
	TRY_UNREADABLE,
	TRY_NO_ELF,
};
struct module_try {
	char *path;
	enum module_try_result result;
};

/* How one address was looked up, for people who want to follow it with readelf. */
struct symbol_explanation {
	uint64_t offset;           /* that was looked up: of a return address, that of the call */
	bool has_address;
	uint64_t address;          /* ELF virtual address in the files taken */
	bool by_segment, by_base;  /* by this segment; or, in a kernel, by adding this base */
	bool segment_recorded;     /* the segment is as recorded, not as in a file found here */
	struct fold_segment segment;
	uint64_t base;
	bool in_symbol;
	uint64_t start, end;       /* addresses that the symbol names there, */
	uint64_t value;            /* and where its function begins */
	enum symbol_source source;
	struct symbols symbols;
};

/* `rec` and the strings of `options` are borrowed.  0, or -1: the log has said why. */
int symbolizer_new(struct symbolizer **out, const struct recording *rec, const struct symbolizer_options *options);
void symbolizer_free(struct symbolizer *s);

/*
 * Frames at `offset` of `module`.  `exact`: the address is a sampled pc or the pc
 * below a signal frame; otherwise it is a return address and the call before it
 * is looked up.  The result is owned by `s` and stays until it is freed.
 */
struct symbols symbolize(struct symbolizer *s, uint32_t module, uint64_t offset, bool exact);

/*
 * Make frames that were interrupted in the kernel exact in `rec`, which is that of
 * `s`: recorders do not know them, and only their callee's name tells.  To be done
 * before anything is looked up.  0, or -1: out of memory.
 */
int symbolizer_interrupted(struct symbolizer *s, struct recording *rec);

struct symbol_address { uint32_t module; uint64_t offset; bool exact; };
/*
 * Look up many different addresses, all of a module one after the other: debug
 * information is then read once, and given back before the next module.  `out`
 * receives what symbolize() says of each from then on.
 */
void symbolize_many(struct symbolizer *s, const struct symbol_address *v, size_t n, struct symbols *out);

struct symbolizer_stats symbolizer_stats(const struct symbolizer *s);
struct module_status symbolizer_module(const struct symbolizer *s, uint32_t module);
/* What was tried for a module, in order; empty before it was asked for.  Lives as
 * long as `s`, or until the module's files are looked for again. */
size_t symbolizer_tries(const struct symbolizer *s, uint32_t module, const struct module_try **v);
void symbolizer_explain(struct symbolizer *s, uint32_t module, uint64_t offset, bool exact, struct symbol_explanation *out);

#endif
