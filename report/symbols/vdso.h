/* SPDX-License-Identifier: BSD-2-Clause */
/* The vdso of this process as an ELF file: the only copy of it that a machine has. */
#ifndef FOLD_REPORT_VDSO_H
#define FOLD_REPORT_VDSO_H

#include "elf.h"

/* 0, or a negative errno when this process has none. */
int vdso_open(struct elf_file *out);

#endif
