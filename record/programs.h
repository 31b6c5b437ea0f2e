/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects inside the recorder: first byte, and one behind the last. */
#ifndef FOLD_RECORD_PROGRAMS_H
#define FOLD_RECORD_PROGRAMS_H

extern const unsigned char program_sample[], program_sample_end[];
extern const unsigned char program_scope[], program_scope_end[];
extern const unsigned char program_names[], program_names_end[];
extern const unsigned char program_unwind[], program_unwind_end[]; /* empty where there is no walker */

#endif
