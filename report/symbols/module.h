/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One recorded module and the names that could be found for it.  Files are
 * opened at the first lookup; that there are none is remembered.
 */
#ifndef FOLD_REPORT_MODULE_H
#define FOLD_REPORT_MODULE_H

#include "../model/recording.h"
#include "companion.h"
#include "interrupt.h"
#include "locate.h"
#include "minidebug.h"
#include "plt.h"
#include "symbolize.h"
#include "symtab.h"

struct module {
	const struct rec_module *rec;
	uint32_t index;        /* of it in the recording */
	const struct recording *recording;
	char *path;            /* recorded name, terminated */
	char *release;         /* of the kernel that was recorded, or "" */
	uint64_t page;         /* of the machine that was recorded */
	bool opened;           /* files were searched for, with or without success */
	struct tries tries;    /* the last search's; they outlive the files */
	struct located found;
	struct minidebug minidebug;
	struct symtab symtab, stubs;
	struct plt_names stub_names;
	struct dwarf *dwarf;   /* NULL: none, or not opened */
	bool dwarf_tried;
	struct companions companions;
	/* How offsets become addresses: the recorded segments, else those of a proven file. */
	size_t nsegments;
	struct fold_segment segments[FOLD_MAX_SEGMENTS];
	bool based;            /* of a kernel: `base` is the address of offset 0 */
	uint64_t base;
	enum module_state state;
	char *file;            /* see struct module_status */
	bool weak;
	uint64_t named, unnamed;
};

struct module_hit {
	const char *name;      /* not terminated; lives until the module is released */
	size_t name_size;
	uint64_t into;         /* bytes from the start of the function */
	enum symbol_source source;
};

/* 0, or -1: out of memory. */
int module_init(struct module *m, const struct recording *rec, uint32_t index);
void module_release(struct module *m); /* accepts a zeroed struct */

/* The function that holds `offset` of the module.  False: not known. */
bool module_find(struct module *m, struct locator *locator, uint64_t offset, struct module_hit *hit);

/* The range that names `address`, and the kind of source it is from; NULL none. */
const struct symtab_range *module_range(const struct module *m, uint64_t address, enum symbol_source *source);

/* Address of `offset` in the files found.  False: there is none. */
bool module_address(const struct module *m, uint64_t offset, uint64_t *vaddr);

/* Offsets of the kernel `m` where it is entered by interrupts and exceptions. */
void module_entries(struct module *m, struct locator *locator, struct interrupt_entries *out);

/* The module's debug information; NULL when there is none.  After module_find(). */
struct dwarf *module_dwarf(struct module *m, struct locator *locator);

/* Close all files.  They are found and opened again when they are needed. */
void module_rest(struct module *m);

/*
 * ELF virtual address of a file offset by the executable segments `v`: the one
 * that holds it, else the only one whose pages hold it (mappings are whole pages,
 * which may hold a few bytes beside the segment).  False when there is none, or
 * when segments disagree.
 */
bool module_vaddr(const struct fold_segment *v, size_t n, uint64_t page, uint64_t offset, uint64_t *vaddr);

/* How module_address() comes to its result. */
void module_explain(const struct module *m, uint64_t offset, struct symbol_explanation *out);

#endif
