/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of kernel functions, printed by the kernel from inside: also where addresses
 * are hidden from us, and for less than reading all of kallsyms.
 */
#ifndef FOLD_RECORD_NAMES_H
#define FOLD_RECORD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel.h"

struct bpf_object;
struct event_name;

struct names {
	struct bpf_object *object;
	int program;
	struct event_name *shared; /* with the kernel */
};

/* 0, or -errno: this kernel cannot (5.14 can), or we may not. */
int names_open(struct names *n);
void names_close(struct names *n); /* accepts a zeroed struct */

/* The function that holds `address`; its name is good until the next call. */
bool names_find(struct names *n, uint64_t address, struct kernel_symbol *out);

/* "name+0x12/0x34 [module]", which is changed.  False: not that. */
bool names_parse(char *text, uint64_t address, struct kernel_symbol *out);

#endif
