/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF objects inside the recorder, packed: first byte, and one behind the last.
 * Each of them would be larger than all of them are like this.
 */
#ifndef FOLD_RECORD_PROGRAMS_H
#define FOLD_RECORD_PROGRAMS_H

#include <stddef.h>

struct bpf_object;

extern const unsigned char program_sample[], program_sample_end[];
extern const unsigned char program_scope[], program_scope_end[];
extern const unsigned char program_names[], program_names_end[];
extern const unsigned char program_unwind[], program_unwind_end[]; /* empty where there is no walker */

/* As the compiler made it; the caller frees it.  NULL: out of memory. */
void *program_unpack(const unsigned char *from, const unsigned char *end, size_t *size);
/* An object, open but not loaded, which the kernel knows as `name`.  0, or -errno. */
int program_open(struct bpf_object **out, const unsigned char *from, const unsigned char *end, const char *name);

#endif
