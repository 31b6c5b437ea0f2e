/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF objects inside the recorder, packed: opened from memory, so that the one
 * binary is all that is needed.
 */
	.section .rodata
	.balign 16
	.globl program_sample, program_sample_end
program_sample:
	.incbin "sample.bpf.gz"
program_sample_end:
	.balign 16
	.globl program_scope, program_scope_end
program_scope:
	.incbin "scope.bpf.gz"
program_scope_end:
	.balign 16
	.globl program_names, program_names_end
program_names:
	.incbin "names.bpf.gz"
program_names_end:
	.balign 16
	.globl program_unwind, program_unwind_end
program_unwind:
#if defined(__x86_64__)
	.incbin "sample_unwind.bpf.gz"
#endif
program_unwind_end:
	.section .note.GNU-stack,"",%progbits
