/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF objects as they came out of the compiler, inside the recorder: opened
 * from memory, so that the one binary is all that is needed.
 */
	.section .rodata
	.balign 16
	.globl program_sample, program_sample_end
program_sample:
	.incbin "sample.bpf.o"
program_sample_end:
	.section .note.GNU-stack,"",%progbits
