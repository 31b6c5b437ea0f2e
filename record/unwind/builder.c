/* SPDX-License-Identifier: BSD-2-Clause */
/* The process that builds tables, and its confined children.  See builder.h. */
#include "builder.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECONDS_PER_FILE 10
#define MEMORY_PER_FILE (1u << 30)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#define ARCH 0 /* nothing is allowed: no tables */
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW(call) UNLESS(call, 1), ANSWER(SECCOMP_RET_ALLOW)

/* What malloc and the end need.  New memory is never a file's nor code. */
static int shut_in(void)
{
	struct sock_filter filter[] = {
		LOAD(arch), UNLESS(ARCH, 1), BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), ANSWER(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		ALLOW(SYS_exit_group), ALLOW(SYS_brk), ALLOW(SYS_munmap), ALLOW(SYS_mremap), ALLOW(SYS_madvise),
		UNLESS(SYS_mmap, 5),
		LOAD(args[2]), UNLESS(PROT_READ | PROT_WRITE, 3),
		LOAD(args[3]), UNLESS(MAP_PRIVATE | MAP_ANONYMOUS, 1), ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Sanitizers need more than we would allow. */
#if defined(__SANITIZE_ADDRESS__)
#define CONFINED 0
#else
#define CONFINED 1
#endif

static void limit(int resource, rlim_t value)
{
	struct rlimit l = { value, value };

	setrlimit(resource, &l);
}

/* The first allocation of a process asks the kernel for random bytes. */
static void malloc_prepare(void)
{
	void *volatile p = malloc(1);

	free(p);
}

/* In the child: the file, the shared memory, and nothing else. */
static void build(struct packed *out, int file)
{
	struct stat st;
	void *bytes;

	if (fstat(file, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		_exit(1);
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		_exit(1);
	close(file);
	malloc_prepare();
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS_PER_FILE);
	if (CONFINED) {
		limit(RLIMIT_DATA, MEMORY_PER_FILE);
		if (shut_in())
			_exit(1);
	}
	pack_image(out, bytes, st.st_size);
	_exit(0);
}

static void wait_for_child(pid_t pid)
{
	struct timespec patience = { .tv_sec = SECONDS_PER_FILE };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (!waitpid(pid, NULL, WNOHANG))
		if (sigtimedwait(&child, NULL, &patience) < 0 && errno == EAGAIN) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
			return;
		}
}

/* One byte and a file; false: the recorder is gone. */
static bool receive(int fd, int *file)
{
	char byte, space[CMSG_SPACE(sizeof(int))];
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *c;
	ssize_t n;

	do
		n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = n == 1 ? CMSG_FIRSTHDR(&m) : NULL;
	*file = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(file, CMSG_DATA(c), sizeof(*file));
	return n == 1;
}

static void serve(int fd, struct packed *out)
{
	int file;

	while (receive(fd, &file)) {
		pid_t pid = file < 0 ? -1 : fork();

		if (!pid) {
			close(fd);
			build(out, file);
		}
		if (file >= 0)
			close(file);
		if (pid > 0)
			wait_for_child(pid);
		if (send(fd, "", 1, MSG_NOSIGNAL) != 1)
			return;
	}
}

/* The builder's life.  It keeps its end of the socket and gives up all else. */
static void live(int fd, struct packed *out, pid_t parent)
{
	sigset_t child;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "fold-unwind");
	if (getppid() != parent)
		_exit(1);
	/* Ctrl-C is for the recorder, which still wants tables while it ends. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_SETMASK, &child, NULL);
	/* Nothing of the recorder's is held open by this process. */
	if (dup2(fd, STDIN_FILENO) < 0 || syscall(SYS_close_range, STDIN_FILENO + 1, ~0U, 0)) {
		for (int i = STDIN_FILENO + 1; i < 1024; i++)
			close(i);
	}
	serve(STDIN_FILENO, out);
	_exit(0);
}

int builder_open(struct builder *b)
{
	pid_t self = getpid();
	int fds[2], err;

	memset(b, 0, sizeof(*b));
	b->fd = -1;
	b->packed = mmap(NULL, sizeof(*b->packed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->packed == MAP_FAILED) {
		b->packed = NULL;
		return -errno;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	b->pid = fork();
	err = errno;
	if (!b->pid)
		live(fds[1], b->packed, self);
	close(fds[1]);
	b->fd = fds[0];
	return b->pid < 0 ? -err : 0;
}

void builder_close(struct builder *b)
{
	if (b->pid > 0) {
		close(b->fd);
		kill(b->pid, SIGKILL);
		waitpid(b->pid, NULL, 0);
	}
	if (b->packed)
		munmap(b->packed, sizeof(*b->packed));
	memset(b, 0, sizeof(*b));
}

int builder_begin(struct builder *b, int file)
{
	char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec io = { &byte, 1 };
	struct msghdr m = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &file, sizeof(file));
	/* Gives back the memory of the table before, and zeroes it. */
	madvise(b->packed, sizeof(*b->packed), MADV_REMOVE);
	b->packed->status = PACKED_UNFINISHED;
	b->packed->npages = b->packed->nrows = b->packed->nrules = b->packed->nsegments = 0;
	if (sendmsg(b->fd, &m, MSG_NOSIGNAL) != 1)
		return -errno;
	b->busy = true;
	return 0;
}

const struct packed *builder_end(struct builder *b, int timeout_ms)
{
	struct pollfd p = { .fd = b->fd, .events = POLLIN };
	char byte;

	if (poll(&p, 1, timeout_ms) <= 0)
		return NULL;
	b->busy = false;
	if (recv(b->fd, &byte, 1, MSG_DONTWAIT) != 1)
		b->packed->status = PACKED_UNFINISHED;
	return b->packed;
}
