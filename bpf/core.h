/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The few kernel types that are read by name, relocated when loaded.  Only for
 * objects that may need the kernel's BTF.
 */
#ifndef FOLD_BPF_CORE_H
#define FOLD_BPF_CORE_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct task_struct {
	int pid, tgid;
	unsigned int flags;
	void *stack;
	void *mm;
};

#if defined(__TARGET_ARCH_x86)
/* Named apart from the exported one, which user space's headers declare. */
struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#endif

#pragma clang attribute pop

#if defined(__TARGET_ARCH_x86)
/* The same, as it lies in memory. */
struct kernel_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#define THREAD_SIZE 16384 /* of a kernel stack, where bpf_task_pt_regs does not exist */
#endif

#endif
