/* SPDX-License-Identifier: BSD-2-Clause */
/* One table per enumeration, in the order of format/fold.h. */
#include "words.h"

#include <elf.h>

#define WORD(table, number, otherwise) \
	((number) < sizeof(table) / sizeof((table)[0]) && (table)[number] ? (table)[number] : (otherwise))

const char *cause_word(uint32_t cause)
{
	static const char *const words[] = {
		[FOLD_TAKEN] = "taken",
		[FOLD_LOST_RING] = "the kernel's ring was full",
		[FOLD_LOST_RECORDER] = "the recorder had no memory or time",
		[FOLD_LOST_MALFORMED] = "malformed events",
		[FOLD_LOST_STACK_ID] = "stack ids that could not be resolved",
		[FOLD_LOST_KERNEL] = "never came out of the kernel",
		[FOLD_LOST_DAMAGE] = "in damaged or missing parts of merged recordings",
		[FOLD_NOTE_IDLE] = "idle CPU",
		[FOLD_NOTE_FILTERED] = "of other processes or threads, not asked for",
		[FOLD_NOTE_NO_KSTACK] = "in the kernel, without a kernel stack",
		[FOLD_NOTE_NO_USTACK] = "without a user stack",
		[FOLD_NOTE_KTHREAD] = "kernel threads",
		[FOLD_NOTE_DEPTH] = "stack cut at the depth limit",
		[FOLD_NOTE_UNMAPPED] = "frames outside of all mappings",
		[FOLD_NOTE_UNKNOWN_PROC] = "process not known",
		[FOLD_NOTE_SIDEBAND] = "records about processes lost",
		[FOLD_NOTE_THROTTLED] = "times the kernel throttled the event",
		[FOLD_NOTE_ESCAPED] = "went through the ring, the table being full",
		[FOLD_NOTE_NO_TABLE] = "files without an unwind table for want of memory: walked by frame pointers",
	};

	return WORD(words, cause, cause < FOLD_CAUSE_NOTE ? "lost for another reason" : "another note");
}

bool cause_of_samples(uint32_t cause)
{
	switch (cause) {
	case FOLD_NOTE_IDLE:
	case FOLD_NOTE_FILTERED:
	case FOLD_NOTE_SIDEBAND:
	case FOLD_NOTE_THROTTLED:
	case FOLD_NOTE_NO_TABLE:
		return false;
	}
	return true;
}

const char *stack_end_word(uint32_t end)
{
	static const char *const words[] = {
		[FOLD_STACK_END_UNKNOWN] = "ended, nothing proven",
		[FOLD_STACK_END_ROOT] = "reached the root",
		[FOLD_STACK_END_FP_ROOT] = "reached a zero frame pointer",
		[FOLD_STACK_END_GAP] = "code without unwind information",
		[FOLD_STACK_END_UNMAPPED] = "left all mappings",
		[FOLD_STACK_END_UNREADABLE] = "stack page not in memory",
		[FOLD_STACK_END_BAD_RULE] = "unwind rule not understood",
		[FOLD_STACK_END_DEPTH] = "cut at the depth limit",
		[FOLD_STACK_END_NO_REGS] = "no registers",
		[FOLD_STACK_END_COMPAT] = "32-bit task",
		[FOLD_STACK_END_EXITING] = "ending, or in an exec: the stack was gone",
	};

	return WORD(words, end, "ended for another reason");
}

const char *module_kind_word(uint32_t kind)
{
	static const char *const words[] = {
		[FOLD_MODULE_KERNEL] = "kernel", [FOLD_MODULE_KO] = "kernel module", [FOLD_MODULE_ELF] = "file",
		[FOLD_MODULE_VDSO] = "vdso",	 [FOLD_MODULE_JIT] = "jit",	     [FOLD_MODULE_BPF] = "bpf",
	};

	return WORD(words, kind, "other");
}

const char *id_kind_word(uint32_t kind)
{
	static const char *const words[] = {
		[FOLD_ID_NONE] = "none",
		[FOLD_ID_GNU] = "gnu",
		[FOLD_ID_GO] = "go",
		[FOLD_ID_HASH] = "hash",
	};

	return WORD(words, kind, "other");
}

const char *event_kind_word(uint32_t kind)
{
	static const char *const words[] = {
		[FOLD_EVENT_CPU_CLOCK] = "CPU time",   [FOLD_EVENT_CYCLES] = "cycles",
		[FOLD_EVENT_SOFTWARE] = "software",    [FOLD_EVENT_HARDWARE] = "hardware",
		[FOLD_EVENT_TRACEPOINT] = "tracepoint", [FOLD_EVENT_UPROBE] = "uprobe",
		[FOLD_EVENT_OFFCPU] = "blocked time",
	};

	return WORD(words, kind, "other");
}

const char *reason_word(uint32_t reason)
{
	static const char *const words[] = {
		[FOLD_REASON_DURATION] = "the duration was over",
		[FOLD_REASON_SIGNAL] = "stopped by a signal",
		[FOLD_REASON_COMMAND] = "the command ended",
		[FOLD_REASON_TARGETS] = "all processes to record had ended",
		[FOLD_REASON_SIZE] = "the file reached its size limit",
		[FOLD_REASON_IO] = "writing failed",
		[FOLD_REASON_ERROR] = "an error of the recorder",
	};

	return WORD(words, reason, "for another reason");
}

const char *scope_word(uint32_t scope)
{
	static const char *const words[] = {
		[FOLD_SCOPE_SYSTEM] = "the whole system",
		[FOLD_SCOPE_PIDS] = "given processes and their children",
		[FOLD_SCOPE_COMMAND] = "a command",
		[FOLD_SCOPE_CGROUP] = "cgroups",
		[FOLD_SCOPE_MIXED] = "not the same in all recordings",
	};

	return WORD(words, scope, "other");
}

const char *unwinder_word(uint32_t unwinder)
{
	static const char *const words[] = {
		[FOLD_UNWIND_FP] = "frame pointers",
		[FOLD_UNWIND_TABLES] = "unwind tables",
		[FOLD_UNWIND_LBR] = "branch records",
		[FOLD_UNWIND_MIXED] = "not the same way in all recordings",
	};

	return WORD(words, unwinder, "another way");
}

const char *section_word(uint32_t section)
{
	static const char *const words[] = {
		[FOLD_STRINGS] = "strings",	   [FOLD_MODULES] = "modules",
		[FOLD_PROCS] = "processes",	   [FOLD_MMAPS] = "mappings",
		[FOLD_THREADS] = "threads",	   [FOLD_KSTACKS] = "kernel stacks",
		[FOLD_USTACKS] = "user stacks",	   [FOLD_SAMPLES] = "samples",
		[FOLD_COUNTS] = "counts",	   [FOLD_ACCOUNT] = "account",
		[FOLD_KSYMS] = "kernel symbols",   [FOLD_JITSYMS] = "jit symbols",
	};

	return WORD(words, section, "other");
}

const char *machine_word(uint32_t machine)
{
	switch (machine) {
	case EM_X86_64:
		return "x86-64";
	case EM_386:
		return "i386";
	case EM_AARCH64:
		return "aarch64";
	case EM_ARM:
		return "arm";
	case EM_S390:
		return "s390x";
	case EM_PPC64:
		return "ppc64";
	case EM_RISCV:
		return "riscv";
	default:
		return "other machine";
	}
}

const char *unit_word(uint32_t unit)
{
	static const char *const words[] = {
		[FOLD_UNIT_NONE] = "",
		[FOLD_UNIT_COUNT] = "times",
		[FOLD_UNIT_NS] = "ns",
		[FOLD_UNIT_BYTES] = "bytes",
	};

	return WORD(words, unit, "units");
}
