/* SPDX-License-Identifier: BSD-2-Clause */
/* What a confined report can no longer do, tried in children that confine themselves; and what it still can. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../report/landlock.h"
#include "../../report/outfile.h"
#include "../../report/sandbox.h"
#include "../../report/seccomp.h"
#include "test.h"

/* Exit status of attempts: an errno, or this. */
#define WENT 200

static char dir[] = "/tmp/fold-sandbox.XXXXXX";
static const struct symbolizer_options system_files, no_system = {.no_system = true};

static const char *in_dir(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *out = path[turn++ % 4];

	snprintf(out, sizeof(path[0]), "%s/%s", dir, name);
	return out;
}

static void put(const char *name)
{
	FILE *file = fopen(in_dir(name), "w");

	if (file) {
		fputs("text\n", file);
		fclose(file);
	}
}

static int went(bool ok)
{
	return ok ? WENT : errno;
}

/* Exit status of `attempt` in a confined child; -signal when it was killed. */
static int confined(const struct sandbox_needs *needs, int (*attempt)(void))
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		sandbox_enter(needs);
		_exit(attempt());
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1000;
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int enter_filter(void)
{
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || seccomp_enter(false) ? 1 : 0;
}

static bool in_child(int (*attempt)(void))
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(attempt());
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

static int enter_landlock(void)
{
	struct landlock l;

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || landlock_begin(&l, false) || landlock_enter(&l);
}

/* Where the kernel has none of it, there is nothing to prove. */
static bool have_landlock(void)
{
	return in_child(enter_landlock);
}

static bool have_filter(void)
{
	return in_child(enter_filter);
}

/* ------------------------------------------------------------ files */

static int opened(const char *path, int flags)
{
	return went(open(path, flags | O_CLOEXEC, 0600) >= 0);
}

static int read_secret(void) { return opened("/etc/passwd", O_RDONLY); }
static int read_shadow(void) { return opened("/etc/shadow", O_RDONLY); }
static int read_environment(void) { return opened("/proc/self/environ", O_RDONLY); }
static int read_maps(void) { return opened("/proc/self/maps", O_RDONLY); }
static int read_library(void) { return opened("/usr/bin/env", O_RDONLY); }
static int read_recording(void) { return opened(in_dir("recording"), O_RDONLY); }
static int read_beside(void) { return opened(in_dir("other"), O_RDONLY); }
static int read_symbols(void) { return opened(in_dir("symbols/x.debug"), O_RDONLY); }
static int read_key(void) { return opened(in_dir("home/.ssh/key"), O_RDONLY); }
static int read_program(void) { return opened(in_dir("home/build/program"), O_RDONLY); }
static int read_perf_cache(void) { return opened(in_dir("home/.debug/x"), O_RDONLY); }
static int write_recording(void) { return opened(in_dir("recording"), O_WRONLY); }
static int write_new(void) { return opened(in_dir("new"), O_WRONLY | O_CREAT); }
static int write_null(void) { return opened("/dev/null", O_WRONLY | O_TRUNC); }
static int remove_recording(void) { return went(!unlink(in_dir("recording"))); }

static int replace_output(void)
{
	struct outfile out;

	return went(!outfile_open(&out, in_dir("out/x.svg"), false) && fputs("x", out.stream) >= 0 && !outfile_commit(&out));
}

TEST(needs_of_a_report)
{
	const char *recording[] = {in_dir("recording")};
	const char *symbols[] = {in_dir("symbols")};
	struct symbolizer_options with_symbols = {.no_system = true, .symbol_dirs = symbols, .nsymbol_dirs = 1};
	struct sandbox_needs needs = {.files = {recording, 1}, .symbols = &with_symbols, .out = in_dir("out/x.svg")};

	CHECK_EQ(confined(&needs, read_recording), WENT);
	CHECK_EQ(confined(&needs, read_symbols), WENT);
	CHECK_EQ(confined(&needs, replace_output), WENT);
	needs.out = "/dev/null";
	CHECK_EQ(confined(&needs, write_null), WENT);
	needs.symbols = &system_files;
	CHECK_EQ(confined(&needs, read_library), WENT);
	CHECK_EQ(confined(&needs, read_maps), WENT);
}

TEST(files_out_of_reach)
{
	const char *recording[] = {in_dir("recording")};
	struct sandbox_needs needs = {.files = {recording, 1}, .symbols = &no_system, .out = in_dir("out/x.svg")};

	if (!have_landlock())
		return;
	CHECK_EQ(confined(&needs, read_secret), EACCES);
	CHECK_EQ(confined(&needs, read_shadow), EACCES);
	CHECK_EQ(confined(&needs, read_beside), EACCES);
	CHECK_EQ(confined(&needs, read_library), EACCES);
	CHECK_EQ(confined(&needs, read_symbols), EACCES);
	CHECK_EQ(confined(&needs, write_recording), EACCES);
	CHECK_EQ(confined(&needs, remove_recording), EACCES);
	CHECK_EQ(confined(&needs, write_new), EACCES);
	CHECK_EQ(confined(&needs, write_null), EACCES);
	needs.out = NULL;
	CHECK_EQ(confined(&needs, replace_output), EACCES);
	needs.symbols = &system_files;
	CHECK_EQ(confined(&needs, read_secret), EACCES);
	CHECK_EQ(confined(&needs, read_shadow), EACCES);
	if (have_filter()) /* a sanitizer reads /proc */
		CHECK_EQ(confined(&needs, read_environment), EACCES);
}

/* The home must lie where nothing else allows it: beneath /var. */
TEST(home_without_what_is_hidden)
{
	struct sandbox_needs needs = {.symbols = &system_files};
	char was[sizeof(dir)], var[] = "/var/tmp/fold-box.XXXXXX";

	if (!have_landlock() || !mkdtemp(var))
		return;
	memcpy(was, dir, sizeof(dir));
	CHECK(strlen(var) < sizeof(dir));
	snprintf(dir, sizeof(dir), "%s", var);
	mkdir(in_dir("home"), 0700), mkdir(in_dir("home/.ssh"), 0700), mkdir(in_dir("home/build"), 0700), mkdir(in_dir("home/.debug"), 0700);
	put("home/.ssh/key"), put("home/build/program"), put("home/.debug/x");
	setenv("HOME", in_dir("home"), 1);
	CHECK_EQ(confined(&needs, read_key), EACCES);
	CHECK_EQ(confined(&needs, read_program), WENT);
	CHECK_EQ(confined(&needs, read_perf_cache), WENT);
	setenv("HOME", "/", 1);
	CHECK_EQ(confined(&needs, read_program), EACCES);
	CHECK_EQ(confined(&needs, read_shadow), EACCES);
	unsetenv("HOME");
	unlink(in_dir("home/.ssh/key")), unlink(in_dir("home/build/program")), unlink(in_dir("home/.debug/x"));
	rmdir(in_dir("home/.ssh")), rmdir(in_dir("home/build")), rmdir(in_dir("home/.debug")), rmdir(in_dir("home")), rmdir(dir);
	memcpy(dir, was, sizeof(dir));
}

/* ------------------------------------------------------------ system calls */

static int run_program(void) { return went(!execl("/bin/true", "true", (char *)NULL)); }
static int run_program_by_fd(void)
{
	char *const none[] = {NULL};

	return went(!syscall(SYS_execveat, AT_FDCWD, "/bin/true", none, none, 0));
}
static int start_child(void) { return went(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0); }
static int start_child_newly(void) { return went(syscall(435 /* clone3 */, NULL, 0) >= 0); }
static int call_of_the_future(void) { return went(syscall(900) >= 0); }
static int open_socket(void) { return went(socket(AF_INET, SOCK_STREAM, 0) >= 0); }
static int open_unix_socket(void) { return went(socket(AF_UNIX, SOCK_STREAM, 0) >= 0); }
static int trace_parent(void) { return went(!ptrace(PTRACE_ATTACH, getppid(), 0, 0)); }
static int signal_parent(void) { return went(!kill(getppid(), SIGCONT)); }
static int type_for_user(void) { return went(!ioctl(STDIN_FILENO, TIOCSTI, "x")); }
static int map_code(void) { return went(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED); }
static int regain_privileges(void) { return went(!prctl(PR_CAPBSET_READ, 0)); }

static int make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? 1 : went(!mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

TEST(calls_out_of_reach)
{
	struct sandbox_needs needs = {.symbols = &system_files};

	if (!have_filter())
		return;
	CHECK_EQ(confined(&needs, run_program), -SIGSYS);
	CHECK_EQ(confined(&needs, run_program_by_fd), -SIGSYS);
	CHECK_EQ(confined(&needs, start_child), EPERM);
	CHECK_EQ(confined(&needs, start_child_newly), ENOSYS);
	CHECK_EQ(confined(&needs, call_of_the_future), ENOSYS);
	CHECK_EQ(confined(&needs, open_socket), EPERM);
	CHECK_EQ(confined(&needs, open_unix_socket), EPERM);
	CHECK_EQ(confined(&needs, trace_parent), EPERM);
	CHECK_EQ(confined(&needs, signal_parent), EPERM);
	CHECK_EQ(confined(&needs, type_for_user), EPERM);
	CHECK_EQ(confined(&needs, map_code), EPERM);
	CHECK_EQ(confined(&needs, make_code), EPERM);
	CHECK_EQ(confined(&needs, regain_privileges), EPERM);
}

static void *set_flag(void *flag)
{
	*(int *)flag = 1;
	return NULL;
}

static int start_thread(void)
{
	pthread_t thread;
	int flag = 0;

	errno = pthread_create(&thread, NULL, set_flag, &flag);
	return went(!errno && !pthread_join(thread, NULL) && flag);
}

static int use_memory(void)
{
	char *v = malloc(1 << 20);

	if (v)
		memset(v, 1, 1 << 20);
	v = v ? realloc(v, 64 << 20) : NULL;
	return went(v != NULL);
}

static int map_file(void)
{
	int fd = open(in_dir("recording"), O_RDONLY | O_CLOEXEC);

	return went(fd >= 0 && mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) != MAP_FAILED);
}

static int abort_self(void)
{
	abort();
}

TEST(what_still_works)
{
	const char *recording[] = {in_dir("recording")};
	struct sandbox_needs needs = {.files = {recording, 1}, .symbols = &system_files};

	CHECK_EQ(confined(&needs, start_thread), WENT);
	CHECK_EQ(confined(&needs, use_memory), WENT);
	CHECK_EQ(confined(&needs, map_file), WENT);
	CHECK_EQ(confined(&needs, abort_self), -SIGABRT);
}

TEST(network_only_for_servers)
{
	struct symbolizer_options servers = {.debuginfod = true};
	struct sandbox_needs needs = {.symbols = &servers};

	setenv("DEBUGINFOD_CACHE_PATH", in_dir("cache"), 1);
	CHECK_EQ(confined(&needs, open_socket), WENT);
	CHECK_EQ(confined(&needs, map_code), WENT);
	if (have_filter()) {
		CHECK_EQ(confined(&needs, run_program), -SIGSYS);
		CHECK_EQ(confined(&needs, start_child), EPERM);
	}
	if (have_landlock())
		CHECK_EQ(confined(&needs, write_recording), EACCES);
	rmdir(in_dir("cache"));
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

__attribute__((constructor(200))) static void make_files(void)
{
	if (!mkdtemp(dir))
		abort();
	mkdir(in_dir("out"), 0700), mkdir(in_dir("symbols"), 0700);
	put("recording"), put("other"), put("symbols/x.debug");
}

__attribute__((destructor)) static void remove_files(void)
{
	unlink(in_dir("out/x.svg")), unlink(in_dir("recording")), unlink(in_dir("other")), unlink(in_dir("symbols/x.debug"));
	rmdir(in_dir("out")), rmdir(in_dir("symbols")), rmdir(dir);
}

TEST_MAIN()
