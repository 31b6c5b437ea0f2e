/* SPDX-License-Identifier: BSD-2-Clause */
/* libdwfl on samples.  See judge.h. */
#include "judge.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../format/fold.h"

#define SKIPPED 3
#define SIGFRAME_RIP 168 /* in an rt_sigframe, from rsp in the restorer */

/* ---- libdwfl */

static pid_t next_thread(Dwfl *dwfl, void *arg, void **state)
{
	struct judge *j = arg;

	if (*state)
		return 0;
	*state = j;
	return j->current->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **state)
{
	*state = arg;
	return true;
}

static bool stack_word(const struct judge *j, uint64_t at, uint64_t *out)
{
	const struct oracle_sample *s = j->current;
	uint64_t from = s->regs[7] - sizeof(s->below), n = sizeof(s->below) + s->stack_size;

	if (at < from || at - from > n || n - (at - from) < 8)
		return false;
	memcpy(out, (const uint8_t *)s + offsetof(struct oracle_sample, below) + (at - from), 8);
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *out, void *arg)
{
	return stack_word(arg, at, out);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct judge *j = arg;
	Dwarf_Word regs[ORACLE_REGS];

	for (int i = 0; i < ORACLE_REGS; i++)
		regs[i] = j->current->regs[i];
	return dwfl_thread_state_registers(thread, 0, ORACLE_REGS, regs);
}

static int frame_seen(Dwfl_Frame *frame, void *arg)
{
	struct judge *j = arg;
	Dwarf_Addr pc;
	bool activation;

	if (!dwfl_frame_pc(frame, &pc, &activation))
		return DWARF_CB_ABORT;
	j->frames[j->n++] = pc;
	return j->n < j->max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static int load_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr start, void *arg)
{
	Dwarf_Addr bias;

	dwfl_module_getelf(module, &bias);
	return DWARF_CB_OK;
}

int judge_open(struct judge *j, pid_t pid, uint32_t max)
{
	static char *no_path = "/nonexistent";
	static const Dwfl_Callbacks callbacks = { .find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
						  .debuginfo_path = &no_path };
	static const Dwfl_Thread_Callbacks threads = { .next_thread = next_thread, .get_thread = get_thread, .memory_read = memory_read,
						       .set_initial_registers = set_registers };

	j->pid = pid;
	j->max = max;
	j->dwfl = dwfl_begin(&callbacks);
	if (!j->dwfl || dwfl_linux_proc_report(j->dwfl, pid) || dwfl_report_end(j->dwfl, NULL, NULL))
		return -1;
	dwfl_getmodules(j->dwfl, load_elf, NULL, 0);
	return dwfl_attach_state(j->dwfl, NULL, pid, &threads, j) ? 0 : -1;
}

const char *judge_name(const struct judge *j, uint64_t pc)
{
	Dwfl_Module *module = j->dwfl ? dwfl_addrmodule(j->dwfl, pc) : NULL;
	const char *name = module ? dwfl_module_addrname(module, pc) : NULL;

	if (name)
		return name;
	return module ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : "?";
}

/* ---- evidence */

static bool code_at(const struct judge *j, uint64_t pc, uint8_t *out, size_t n)
{
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", j->pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : pread(fd, out, n, (off_t)pc);
	close(fd);
	return got == (ssize_t)n;
}

/* Whether they have a rule for the instruction at `pc`, which is in their hands as *frame. */
static bool rule_at(const struct judge *j, uint64_t pc, Dwarf_Frame **frame)
{
	Dwfl_Module *module = dwfl_addrmodule(j->dwfl, pc);
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;

	if (cfi && !dwarf_cfi_addrframe(cfi, pc - bias, frame))
		return true;
	cfi = module ? dwfl_module_dwarf_cfi(module, &bias) : NULL;
	return cfi && !dwarf_cfi_addrframe(cfi, pc - bias, frame);
}

/* `ff /2` of some length right before: whom it calls nobody knows. */
static bool is_behind_indirect_call(const struct judge *j, uint64_t pc)
{
	static const unsigned lengths[] = { 2, 3, 4, 6, 7 };
	uint8_t b[8];

	if (!code_at(j, pc - sizeof(b), b, sizeof(b)))
		return false;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		if (b[8 - lengths[i]] == 0xff && (b[9 - lengths[i]] & 0x38) == 0x10)
			return true;
	return false;
}

/* That, or `e8` */
static bool is_behind_call(const struct judge *j, uint64_t pc)
{
	uint8_t b;

	return is_behind_indirect_call(j, pc) || (code_at(j, pc - 5, &b, 1) && b == 0xe8);
}

/* `e8` right before `pc`, to the beginning of the function that `at` is in. */
static bool is_call_to(const struct judge *j, uint64_t pc, uint64_t at)
{
	Dwfl_Module *module = dwfl_addrmodule(j->dwfl, at);
	uint8_t b[5];
	int32_t far;
	GElf_Off offset;
	GElf_Sym sym;

	if (!module || !dwfl_module_addrinfo(module, at, &offset, &sym, NULL, NULL, NULL) || !code_at(j, pc - sizeof(b), b, sizeof(b)) || b[0] != 0xe8)
		return false;
	memcpy(&far, b + 1, sizeof(far));
	return pc + (uint64_t)(int64_t)far == at - offset;
}

/* Of our frame `i`: the instruction, not the one after it. */
static uint64_t instruction(const struct judge *j, uint32_t i)
{
	return j->current->words[i] - !!i;
}

static bool is_switching(const char *function)
{
	return !strncmp(function, "runtime.systemstack", 19) || !strncmp(function, "runtime.asmcgocall", 18);
}

/* Our frames from `i` on are on a goroutine's stack, and called what left it, each the one
 * before. */
static bool is_switch(const struct judge *j, uint32_t i)
{
	const struct oracle_sample *s = j->current;

	if (i >= s->n || !is_switching(judge_name(j, instruction(j, i - 1))) || !is_call_to(j, s->words[i], instruction(j, i - 1)))
		return false;
	for (i++; i + 1 < s->n; i++)
		if (!is_call_to(j, s->words[i], instruction(j, i - 1)) && !is_behind_indirect_call(j, s->words[i]))
			return false;
	return true; /* the outermost one is what goroutines begin with: nobody calls that */
}

/* A function's first instructions, push %rbp; mov %rsp,%rbp, and its return address on top
 * of the stack: if Go's runtime made the call, in a signal, there is none before it. */
static bool is_on_top(const struct judge *j, uint32_t i)
{
	static const uint8_t first[] = { 0x55, 0x48, 0x89, 0xe5 };
	const struct oracle_sample *s = j->current;
	uint8_t code[sizeof(first)];
	uint64_t top;

	return i == 1 && code_at(j, s->words[0], code, sizeof(code)) && !memcmp(code, first, sizeof(code)) && stack_word(j, s->regs[7], &top) &&
	       top == s->words[1];
}

/* Ours are theirs and `more` in front of them, each behind a call; or ours end with those. */
static bool they_skip_some(const struct judge *j, uint32_t more)
{
	const struct oracle_sample *s = j->current;
	uint32_t i = j->same;

	for (uint32_t k = 0; k < more; k++)
		if (j->same + k >= s->n || (!is_behind_call(j, s->words[j->same + k]) && !is_on_top(j, j->same + k)))
			return false;
	if (j->same + more == s->n)
		return s->end != FOLD_STACK_END_ROOT && s->end != FOLD_STACK_END_FP_ROOT;
	while (i < j->n && i + more < s->n && s->words[i + more] == j->frames[i])
		i++;
	return i > j->same && (i == j->n || is_switch(j, i + more));
}

static bool they_skip(const struct judge *j)
{
	Dwarf_Frame *frame;

	if (rule_at(j, instruction(j, j->same - 1), &frame))
		return false;
	for (uint32_t more = 1; more <= SKIPPED; more++)
		if (they_skip_some(j, more))
			return true;
	return false;
}

/* `mov $15,%rax; syscall`: what signal handlers return to. */
static bool is_restorer(const struct judge *j, uint64_t pc)
{
	static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	uint8_t code[sizeof(restorer)];

	return code_at(j, pc, code, sizeof(code)) && !memcmp(code, restorer, sizeof(code));
}

/* Whether the kernel will return from a signal to our next frame, if rsp is `sp`. */
static bool is_interrupted(const struct judge *j, uint64_t sp)
{
	uint64_t rip;

	return stack_word(j, sp + SIGFRAME_RIP, &rip) && rip == j->current->words[j->same];
}

/* The last frame that is the same is a restorer: one that was interrupted, or one that a
 * handler returns to, whose address then lies in front of a signal's frame. */
static bool they_miss(const struct judge *j)
{
	const struct oracle_sample *s = j->current;
	uint64_t pc = s->words[j->same - 1], word;

	if (j->same == s->n)
		return false;
	if (j->same == 1)
		return (is_restorer(j, pc) || is_restorer(j, pc - 7) || is_restorer(j, pc - 9)) && is_interrupted(j, s->regs[7]);
	for (uint64_t at = s->regs[7]; is_restorer(j, pc) && stack_word(j, at, &word); at += 8)
		if (word == pc && is_interrupted(j, at + 8))
			return true;
	return false;
}

/* Their rule for the return address, evaluated to a register of the innermost frame. */
static bool they_mistake(const struct judge *j)
{
	const struct oracle_sample *s = j->current;
	Dwarf_Frame *frame;
	Dwarf_Op space[3], *ops;
	size_t n;

	return j->same == 1 && s->n > 1 && rule_at(j, s->words[0], &frame) && !dwarf_frame_register(frame, 16, space, &ops, &n) && n == 1 &&
	       ops[0].atom >= 0x50 && ops[0].atom < 0x60 /* DW_OP_reg0.. */ && s->regs[ops[0].atom - 0x50] == s->words[1];
}

enum verdict judge_sample(struct judge *j, const struct oracle_sample *s)
{
	j->current = s;
	j->n = j->same = 0;
	dwfl_getthread_frames(j->dwfl, s->tid, frame_seen, j);
	while (j->same < s->n && j->same < j->n && s->words[j->same] == j->frames[j->same])
		j->same++;
	if (j->same == s->n)
		return j->same == j->n ? SAME : WE_STOP;
	if (!j->same)
		return DIFFER;
	if (they_skip(j))
		return THEY_SKIP;
	if (j->same == j->n)
		return THEY_STOP;
	if (they_miss(j))
		return THEY_MISS;
	if (is_switch(j, j->same))
		return THEY_STAY;
	return they_mistake(j) ? THEY_MISTAKE : DIFFER;
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {
		[SAME] = "same", [THEY_STOP] = "it stops first", [WE_STOP] = "ours stops first", [THEY_SKIP] = "it skips a caller",
		[THEY_MISS] = "it misses a signal", [THEY_MISTAKE] = "it ignores its rule",
		[THEY_STAY] = "it stays on a stack", [DIFFER] = "DIFFER",
	};

	return names[v];
}
