/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filter: which calls are let through, in tables; the few whose arguments
 * matter, by hand; all others are refused.  A newer C library tries newer calls
 * and falls back when they are unknown, so those fail with ENOSYS.
 */
#include "seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && !defined(__ILP32__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

/* The leak check of a sanitizer clones a process that traces this one. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef ARCHITECTURE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#undef ARCHITECTURE
#endif
#endif

#ifndef ARCHITECTURE
int seccomp_enter(bool network)
{
	return -ENOTSUP;
}
#else

#define LAST_KNOWN 469 /* the highest number when this was written; the same on every architecture */
#define X32_BIT 0x40000000u /* the other call table of x86-64 */
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

/* Those of files obey Landlock as well. */
static const uint16_t always[] = {
	__NR_read, __NR_write, __NR_pread64, __NR_pwrite64, __NR_readv, __NR_writev, __NR_lseek, __NR_close,
	__NR_openat, __NR_newfstatat, __NR_fstat, __NR_getdents64, __NR_readlinkat, __NR_faccessat,
	__NR_fcntl, __NR_dup, __NR_dup3, __NR_fadvise64, __NR_ftruncate, __NR_fsync, __NR_fchmod, __NR_umask, __NR_getcwd,
	__NR_unlinkat, __NR_renameat2,
	__NR_munmap, __NR_mremap, __NR_madvise, __NR_brk, __NR_membarrier,
	__NR_futex, __NR_set_robust_list, __NR_set_tid_address, __NR_sched_yield, __NR_sched_getaffinity, __NR_getcpu,
	__NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sigaltstack, __NR_restart_syscall, __NR_signalfd4,
	__NR_ppoll, __NR_pselect6, __NR_getpid, __NR_gettid, __NR_getppid, __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid,
	__NR_getrandom, __NR_clock_gettime, __NR_clock_getres, __NR_clock_nanosleep, __NR_nanosleep, __NR_gettimeofday,
	__NR_getrusage, __NR_sysinfo, __NR_uname, __NR_exit, __NR_exit_group,
#ifdef __NR_renameat
	__NR_renameat,
#endif
#ifdef __NR_open /* the calls of older architectures */
	__NR_open, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_getdents, __NR_dup2, __NR_poll, __NR_select, __NR_unlink,
	__NR_rename, __NR_time, __NR_arch_prctl,
#endif
#ifdef __NR_statx
	__NR_statx,
#endif
#ifdef __NR_rseq
	__NR_rseq,
#endif
#ifdef __NR_close_range
	__NR_close_range,
#endif
#ifdef __NR_openat2
	__NR_openat2,
#endif
#ifdef __NR_faccessat2
	__NR_faccessat2,
#endif
};

/* What an HTTP client and its name service want, and the cache they fill. */
static const uint16_t for_network[] = {
	__NR_socket, __NR_socketpair, __NR_connect, __NR_bind, __NR_sendto, __NR_recvfrom, __NR_sendmsg, __NR_recvmsg, __NR_sendmmsg,
	__NR_recvmmsg, __NR_getsockname, __NR_getpeername, __NR_setsockopt, __NR_getsockopt, __NR_shutdown,
	__NR_epoll_create1, __NR_epoll_ctl, __NR_epoll_pwait, __NR_eventfd2, __NR_pipe2, __NR_timerfd_create, __NR_timerfd_settime,
	__NR_mkdirat, __NR_utimensat, __NR_fchmodat, __NR_flock, __NR_fstatfs, __NR_statfs, __NR_mmap, __NR_mprotect, __NR_futex,
#ifdef __NR_open
	__NR_mkdir, __NR_chmod, __NR_pipe, __NR_epoll_create, __NR_epoll_wait, __NR_utime, __NR_utimes, __NR_rmdir,
#endif
};

struct filter {
	struct sock_filter v[512];
	unsigned short n;
};

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	f->v[f->n++] = (struct sock_filter)BPF_JUMP(code, k, yes, no);
}

static void load(struct filter *f, size_t offset)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void result(struct filter *f, uint32_t value)
{
	add(f, BPF_RET | BPF_K, value, 0, 0);
}

/* With the number of the call at hand: it is `number`, so the next `n` instructions, which return, are for it. */
static void when_call(struct filter *f, uint32_t number, uint8_t n)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, n);
}

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

/* Where the lower half of an argument lies: flags and numbers have no other. */
static size_t argument(int i)
{
	size_t low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;

	return offsetof(struct seccomp_data, args) + 8 * (size_t)i + low;
}

static void allow(struct filter *f, const uint16_t *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		when_call(f, calls[i], 1);
		result(f, SECCOMP_RET_ALLOW);
	}
}

/* `number` only with all of `bits` set, or with none of them, in argument i. */
static void allow_bits(struct filter *f, uint32_t number, int i, uint32_t bits, bool set)
{
	when_call(f, number, 4);
	load(f, argument(i));
	add(f, BPF_JMP | BPF_JSET | BPF_K, bits, set, !set);
	result(f, REFUSE);
	result(f, SECCOMP_RET_ALLOW);
}

/* `number` only with one of two values in argument i. */
static void allow_values(struct filter *f, uint32_t number, int i, uint32_t one, uint32_t other)
{
	when_call(f, number, 5);
	load(f, argument(i));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, one, 2, 0);
	add(f, BPF_JMP | BPF_JEQ | BPF_K, other, 1, 0);
	result(f, REFUSE);
	result(f, SECCOMP_RET_ALLOW);
}

/* Another call table, whose numbers mean other things, or another program: the end. */
static void kill_intruders(struct filter *f)
{
	load(f, offsetof(struct seccomp_data, arch));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
	result(f, SECCOMP_RET_KILL_PROCESS);
	load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
	add(f, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	result(f, SECCOMP_RET_KILL_PROCESS);
#endif
	when_call(f, __NR_execve, 1);
	result(f, SECCOMP_RET_KILL_PROCESS);
	when_call(f, __NR_execveat, 1);
	result(f, SECCOMP_RET_KILL_PROCESS);
}

static void allow_by_argument(struct filter *f)
{
	allow_bits(f, __NR_mmap, 2, PROT_EXEC, false);
	allow_bits(f, __NR_mprotect, 2, PROT_EXEC, false);
	allow_bits(f, __NR_clone, 0, CLONE_THREAD, true);
	allow_values(f, __NR_ioctl, 1, TCGETS, TIOCGWINSZ); /* not TIOCSTI: it types for the user */
	allow_values(f, __NR_prctl, 0, PR_SET_NAME, PR_SET_VMA);
	allow_values(f, __NR_tgkill, 0, (uint32_t)getpid(), (uint32_t)getpid());
	allow_values(f, __NR_prlimit64, 2, 0, 0); /* asking, not setting */
}

static void build(struct filter *f, bool network)
{
	kill_intruders(f);
	if (network)
		allow(f, for_network, sizeof(for_network) / sizeof(*for_network));
	allow(f, always, sizeof(always) / sizeof(*always));
	allow_by_argument(f);
#ifdef __NR_clone3 /* its flags are out of reach; libraries go back to clone */
	when_call(f, __NR_clone3, 1);
	result(f, SECCOMP_RET_ERRNO | ENOSYS);
#endif
	add(f, BPF_JMP | BPF_JGT | BPF_K, LAST_KNOWN, 0, 1);
	result(f, SECCOMP_RET_ERRNO | ENOSYS);
	result(f, REFUSE);
}

int seccomp_enter(bool network)
{
	struct filter f = {.n = 0};
	struct sock_fprog program;

	build(&f, network);
	program = (struct sock_fprog){.len = f.n, .filter = f.v};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}
#endif
