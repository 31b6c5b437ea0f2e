/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of a recording in words, one wording for every table and
 * sentence.  All are static strings; unknown numbers get a word too.
 */
#ifndef FOLD_REPORT_WORDS_H
#define FOLD_REPORT_WORDS_H

#include <stdbool.h>

#include "../../format/fold.h"

const char *cause_word(uint32_t cause);            /* enum fold_cause: "the kernel's ring was full" */
bool cause_of_samples(uint32_t cause);             /* it counts samples that were taken, and no other things */
const char *stack_end_word(uint32_t end);          /* enum fold_stack_end: "reached the root" */
const char *module_kind_word(uint32_t kind);       /* enum fold_module_kind: "kernel", "file" */
const char *id_kind_word(uint32_t kind);           /* enum fold_id_kind: "gnu", "go" */
const char *event_kind_word(uint32_t kind);        /* enum fold_event_kind */
const char *reason_word(uint32_t reason);          /* enum fold_reason: "the duration was over" */
const char *scope_word(uint32_t scope);            /* enum fold_scope: "the whole system" */
const char *unwinder_word(uint32_t unwinder);      /* enum fold_unwinder: "frame pointers" */
const char *section_word(uint32_t section);        /* enum fold_section: "user stacks" */
const char *machine_word(uint32_t machine);        /* ELF e_machine: "x86-64" */
const char *unit_word(uint32_t unit);              /* enum fold_unit: "ns" */

#endif
