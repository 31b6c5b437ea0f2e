/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects inside the recorder: first byte, and one behind the last. */
#ifndef FOLD_RECORD_PROGRAMS_H
#define FOLD_RECORD_PROGRAMS_H

extern const unsigned char program_sample[], program_sample_end[];

#endif
