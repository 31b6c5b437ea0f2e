/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The running kernel: its identity, where its text, modules and BPF programs
 * are, and what its functions are called.
 *
 * What is there at the start comes from /proc/kallsyms and /proc/modules, read
 * when the first kernel address is asked for; what comes later, from KSYMBOL
 * events.  Where addresses are hidden, text counts from an anchor of our own.
 *
 * The kernel makes all of kallsyms anew for who reads it, which is most of what a
 * short recording costs.  Where names can be had one by one (`asks`), it is read only
 * if there is text that is neither the image nor a module nor told by an event.
 */
#ifndef FOLD_RECORD_KERNEL_H
#define FOLD_RECORD_KERNEL_H

#include "event.h"
#include "identity.h"
#include "kallsyms.h"

/* Offset space of module 0: text and init text of any kernel. */
#define KERNEL_SPAN (UINT64_C(256) << 20)
/* Where the base is hidden: room below the first address seen. */
#define KERNEL_ANCHOR_BELOW (UINT64_C(64) << 20)
#define KERNEL_ANCHOR_ALIGN (UINT64_C(2) << 20)
#define KERNEL_NO_MODULE UINT32_MAX

/* Kernel text beside the image, sorted and disjoint. */
struct kernel_region {
	uint64_t start, end;
	uint32_t kind;    /* FOLD_MODULE_KO or FOLD_MODULE_BPF */
	uint32_t module;  /* id in the file, KERNEL_NO_MODULE until it is needed */
	char *name;
};

/* A function; the name lives until the next call. */
struct kernel_symbol {
	uint64_t start, size;
	const char *name;
};

struct kernel_function {
	uint64_t start, end;
};

struct kernel {
	const char *proc, *sys;
	struct identity identity;  /* its build-id */
	bool anchored;             /* addresses are hidden */
	uint64_t base;             /* of offset 0; anchored: 0 until the first address was seen */
	struct kernel_region hidden; /* the same for what lies outside of the image */
	char hidden_name[16];

	struct kernel_region *regions;
	size_t nregions, regions_room;
	uint64_t version;          /* of the regions: counts up with each change */
	bool loaded;               /* regions were read, and symbols unless... */
	bool asks;                 /* ...names come from elsewhere, but for... */
	bool listed;               /* ...text of which nothing else tells */
	bool modules_asked;        /* /proc/modules was read again for this batch */

	struct kallsyms symbols;
	struct kernel_function *known; /* of kernel_ask(), sorted */
	size_t nknown, known_room;
};

/* Reads the build-id and finds out whether addresses are shown.  `asks`: names can be
 * had one by one.  0, or -1 out of memory. */
int kernel_init(struct kernel *k, const char *proc, const char *sys, bool asks);
void kernel_release(struct kernel *k); /* accepts a zeroed struct */

struct kernel_place {
	bool image;                    /* offset from `_text` or the anchor */
	struct kernel_region *region;  /* else; until the next event */
	uint64_t offset;
};
/* Where `address` is; false: in no text that is known.  *failed: out of memory. */
bool kernel_find(struct kernel *k, uint64_t address, struct kernel_place *out, bool *failed);

/* The build-id of a loaded module, from /sys; no ids when there is none. */
void kernel_ko_identity(const struct kernel *k, const char *name, struct identity *out);

/* The function that holds `address`; true only the first time that it is asked for. */
bool kernel_symbol_new(struct kernel *k, uint64_t address, struct kernel_symbol *out);

/* Nobody has named the function at `address` yet: ask for it... */
bool kernel_ask(const struct kernel *k, uint64_t address);
/* ...and tell what it was.  0, or -1 out of memory. */
int kernel_told(struct kernel *k, uint64_t start, uint64_t end);

/* Text came or went.  0, or -1 out of memory. */
int kernel_event(struct kernel *k, const struct event_ksymbol *e);

/* One line of /proc/modules, which is changed; `name` points into it.  False: not such a line. */
struct modules_line {
	const char *name;
	uint64_t size, address;
};
bool modules_parse(char *line, struct modules_line *out);

#endif
