/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The few shapes of DWARF expressions that compilers, linkers and assembly put
 * into call frame programs, recognised, not evaluated.  Reads hostile bytes.
 */
#ifndef FOLD_UNWIND_EXPRESSION_H
#define FOLD_UNWIND_EXPRESSION_H

#include "cfi.h"

/* The rule for a CFA: UNWIND_PLT or UNWIND_BAD as special word, or base, index,
 * DEREF and add. */
struct cfi_rule expression_cfa(struct bytes expression);

/* Whether it is the place where the kernel left the interrupted rsp. */
bool expression_is_sigframe(struct bytes expression);

/* Whether it is "rbp + off". */
bool expression_is_fp_offset(struct bytes expression, int32_t *off);

#endif
