/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the running kernel as /proc/kallsyms lists them. */
#ifndef FOLD_RECORD_KALLSYMS_H
#define FOLD_RECORD_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A name for [start, end): up to the next function, because sizes are not listed. */
struct kallsyms_symbol {
	uint64_t start, end;
	uint32_t name;     /* offset in `names` */
	bool local;
	bool program;      /* BPF program, trampoline: in no module */
	bool module;       /* of a loaded module */
	bool used;         /* the caller's */
};
struct kallsyms {
	struct kallsyms_symbol *v; /* sorted, one for each address */
	size_t n, room;
	char *names;
	size_t names_size, names_room;
	uint64_t image_end;        /* `_end`, 0 unknown */
};

/* One line, which is changed; names point into it.  False: not such a line. */
struct kallsyms_line {
	uint64_t address;
	char type;
	const char *name, *owner; /* "nf_conntrack", "bpf"; "": the image itself */
};
bool kallsyms_parse(char *line, struct kallsyms_line *out);

/* Reads all of `fd`, which is closed.  0, or -1 out of memory. */
int kallsyms_load(struct kallsyms *k, int fd);
void kallsyms_release(struct kallsyms *k); /* accepts a zeroed struct */
/* The function that holds `address`, or NULL. */
struct kallsyms_symbol *kallsyms_find(const struct kallsyms *k, uint64_t address);

#endif
