/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a sample's registers say on each architecture: where it was, and whether
 * that was user code.  Field names are those of the exported headers, which no
 * kernel changes, so that no relocation is needed.
 */
#ifndef FOLD_BPF_REGS_H
#define FOLD_BPF_REGS_H

#include <linux/bpf_perf_event.h>

#if defined(__TARGET_ARCH_x86)
#define regs_ip(ctx) ((ctx)->regs.rip)
#define regs_user(ctx) (((ctx)->regs.cs & 3) == 3)
#elif defined(__TARGET_ARCH_arm64)
#define regs_ip(ctx) ((ctx)->regs.pc)
#define regs_user(ctx) (((ctx)->regs.pstate & 0xf) == 0)
#elif defined(__TARGET_ARCH_s390)
#define regs_ip(ctx) ((ctx)->regs.psw.addr)
#define regs_user(ctx) (((ctx)->regs.psw.mask & 0x0001000000000000UL) != 0)
#else
#error "which registers does this architecture have?"
#endif

#endif
