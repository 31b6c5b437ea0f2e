/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The call frame programs of .eh_frame: runs one and says what holds from which
 * address on, for the registers that matter (CFA, frame pointer, return address).
 * Reads hostile bytes; keeps nothing.
 */
#ifndef FOLD_UNWIND_CFI_H
#define FOLD_UNWIND_CFI_H

#include "../../bpf/unwind.h"
#include "bytes.h"
#include "image.h"

enum cfi_where { CFI_SAME = 0, CFI_AT_CFA, CFI_UNDEFINED, CFI_EXPRESSION, CFI_IN_REGISTER, CFI_ELSEWHERE };
struct cfi_register {
	enum cfi_where where;
	int64_t off;               /* AT_CFA: of the place; IN_REGISTER: its number */
	struct bytes expression;
};
struct cfi_state {
	bool by_expression;
	uint64_t reg;              /* CFA = reg + off */
	int64_t off;
	struct bytes expression;
	struct cfi_register fp, rbx, ra;
};

struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra;               /* the column of the return address */
	uint8_t encoding;          /* of pointers to code */
	bool augmented;            /* FDEs have augmentation data, with its size before it */
	bool signal;               /* the caller was interrupted */
	struct cfi_state initial;
};

/* What holds: a special word of enum unwind_special, or 0 and `rule`. */
struct cfi_rule {
	uint16_t special;
	struct unwind_rule rule;
};

/* `pc` and everything up to the next call.  False stops the program. */
typedef bool (*cfi_row_fn)(void *context, uint64_t pc, const struct cfi_rule *rule);

/* Read what follows the id of a CIE and run its program.  False: not usable. */
bool cfi_cie_read(struct cfi_cie *out, struct bytes body, const struct image_section *section);

/*
 * Run the program of an FDE for [pc, end).  What comes after something that is
 * not understood has the rule UNWIND_BAD.  False: `row` asked to stop.
 */
bool cfi_run(const struct cfi_cie *cie, struct bytes program, const struct image_section *section, uint64_t pc, uint64_t end,
	     cfi_row_fn row, void *context);

#endif
