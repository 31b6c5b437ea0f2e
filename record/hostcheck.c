/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Facts are read from /proc and /sys, never concluded from a kernel's version;
 * what --check calls working was tried.  Explanations start from an errno and
 * look for the setting that makes the kernel return it.
 */
#include "hostcheck.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "probe.h"
#include "unwind/walker.h"

#define GRANT "run as root, or grant both with setcap cap_bpf,cap_perfmon+ep FILE"
#define PID_NAMESPACE_INO 0xeffffffcu /* of the first one, on every kernel */

static int64_t read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	long long n;
	bool good;

	if (!f)
		return INT64_MIN;
	good = fscanf(f, "%lld", &n) == 1;
	fclose(f);
	return good ? n : INT64_MIN;
}

static uint64_t read_capabilities(void)
{
	char line[256];
	unsigned long long caps = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps;
}

/* "none [integrity] confidentiality" */
static void read_lockdown(char *out, size_t size)
{
	char line[128] = "", *open, *close;
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	out[0] = '\0';
	if (!f)
		return;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(out, size, "%.*s", (int)(close - open - 1), open + 1);
}

static uint64_t limit(int which)
{
	struct rlimit r;

	if (getrlimit(which, &r) || r.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	return r.rlim_cur;
}

void host_read(struct host *host)
{
	struct utsname name;
	struct stat st;

	memset(host, 0, sizeof(*host));
	host->capabilities = read_capabilities();
	host->paranoid = read_number("/proc/sys/kernel/perf_event_paranoid");
	host->kptr_restrict = read_number("/proc/sys/kernel/kptr_restrict");
	host->max_sample_rate = read_number("/proc/sys/kernel/perf_event_max_sample_rate");
	host->max_stack = read_number("/proc/sys/kernel/perf_event_max_stack");
	host->mlock_kb = read_number("/proc/sys/kernel/perf_event_mlock_kb");
	read_lockdown(host->lockdown, sizeof(host->lockdown));
	host->btf = !access("/sys/kernel/btf/vmlinux", R_OK);
	host->host_pids = stat("/proc/self/ns/pid", &st) || st.st_ino == PID_NAMESPACE_INO;
	if (!host->host_pids) {
		host->pid_ns_dev = st.st_dev;
		host->pid_ns_ino = (uint32_t)st.st_ino;
	}
	host->memlock = limit(RLIMIT_MEMLOCK);
	host->files = limit(RLIMIT_NOFILE);
	if (!uname(&name))
		snprintf(host->release, sizeof(host->release), "%s", name.release);
}

static bool have(const struct host *host, int capability)
{
	return host->capabilities & UINT64_C(1) << capability;
}

/* CAP_SYS_ADMIN includes what CAP_BPF and CAP_PERFMON were made from. */
static const char *missing(const struct host *host)
{
	bool bpf = have(host, CAP_BPF), perfmon = have(host, CAP_PERFMON);

	if (have(host, CAP_SYS_ADMIN) || (bpf && perfmon))
		return NULL;
	if (!bpf && !perfmon)
		return "CAP_BPF and CAP_PERFMON are missing: " GRANT;
	return bpf ? "CAP_PERFMON is missing: " GRANT : "CAP_BPF is missing: " GRANT;
}

static bool refused(int err)
{
	return err == EPERM || err == EACCES;
}

static const char *explain_load(const struct host *host, int err)
{
	if (err == ENOSYS)
		return "this kernel has no bpf system call, or a seccomp filter hides it: run outside the container";
	if (refused(err) && missing(host))
		return missing(host);
	if (err == EACCES)
		return "the kernel's verifier did not accept them, which is a defect: -v shows its words";
	if ((err == EPERM || err == ENOMEM) && host->memlock != UINT64_MAX)
		return "kernels before 5.11 count BPF memory as locked memory: ulimit -l unlimited, or run as root";
	if (refused(err))
		return "a security policy refuses BPF programs (seccomp, SELinux, container): run outside of it";
	if (err == ENOMEM || err == E2BIG)
		return "the kernel has no memory for the tables: a smaller --ring-size fits";
	if (err == EINVAL)
		return "this kernel does not know something the programs need (5.8 or later is expected); -v shows its words";
	return "-v shows the kernel's words";
}

static const char *explain_perf(const struct host *host, int err)
{
	if (err == ENOSYS)
		return "this kernel has no perf events, or a seccomp filter hides them: run outside the container";
	if (refused(err) && host->paranoid >= 3 && !have(host, CAP_SYS_ADMIN))
		return "with kernel.perf_event_paranoid at 3 or more some kernels want CAP_SYS_ADMIN: sysctl kernel.perf_event_paranoid=2, or run as root";
	if (refused(err) && missing(host))
		return missing(host);
	if (refused(err))
		return "a security policy refuses perf events (seccomp, SELinux, container): run outside of it";
	if (err == EMFILE)
		return "too many open files: ulimit -n with a larger number";
	if (err == ENOMEM)
		return "no memory for the rings: a smaller --ring-size fits";
	if (err == ESRCH)
		return "the process has ended";
	if (err == ENODEV)
		return "a CPU went offline meanwhile: start again";
	return "-v shows the kernel's words";
}

const char *host_explain(const struct host *host, enum host_step step, int err, char *buf, size_t size)
{
	static const char *const steps[] = {
		[HOST_LOAD] = "cannot load the BPF programs",
		[HOST_RINGS] = "cannot open the rings",
		[HOST_EVENTS] = "cannot open the sampling event",
		[HOST_ATTACH] = "cannot attach the BPF program",
	};
	const char *advice = step == HOST_LOAD ? explain_load(host, err) : explain_perf(host, err);

	snprintf(buf, size, "%s: %s: %s", steps[step], strerror(err), advice);
	return buf;
}

/* ---- --check */

static void say(bool good, const char *what, const char *more)
{
	printf("%-4s %s%s%s\n", good ? "ok" : "NO", what, more && *more ? ": " : "", more ? more : "");
}

/* What a recording does before its first sample, and back. */
static bool try_recording(const struct host *host)
{
	struct probe_options options = { .frequency = 1, .max_frames = 16, .sides = 3 };
	struct probe_fault fault = { 0 };
	struct probe *probe = NULL;
	char text[512];
	bool good = !probe_new(&probe, &options, &fault) && !probe_attach_cpus(probe, NULL, &fault);

	say(good, "recording the whole machine", good ? "" : host_explain(host, fault.step, fault.err, text, sizeof(text)));
	if (good)
		say(probe_rings(probe)->build_ids, "the kernel reads build-ids itself",
		    probe_rings(probe)->build_ids ? "" : "before 5.12 files are opened for it, which misses short-lived processes");
	probe_free(probe);
	return good;
}

/* A recording that has them refused goes on without. */
static void check_walker(const struct host *host)
{
	struct probe_options options = { .frequency = 1, .max_frames = 16, .sides = 3, .unwind = true };
	struct probe_fault fault = { 0 };
	struct probe *probe = NULL;
	const char *why = !walker_exists() ? "there are none for this machine" :
			  !host->host_pids ? "this is a pid namespace of its own" :
			  !host->btf ? "they need kernel type information (BTF)" : NULL;
	char text[256] = "";

	if (!why && probe_new(&probe, &options, &fault))
		why = strerror(fault.err);
	if (why)
		snprintf(text, sizeof(text), "%s; user stacks are walked by frame pointers, which most programs lack, %lld frames at most", why,
			 (long long)host->max_stack);
	say(!why, "whole user stacks, by unwind tables", text);
	probe_free(probe);
}

/* Who sees addresses there depends on more than kptr_restrict. */
bool host_shows_kernel(void)
{
	unsigned long long address = 0;
	char line[256];
	FILE *f = fopen("/proc/kallsyms", "re");

	/* the first symbols may truly be at 0: per-CPU variables */
	for (int i = 0; f && i < 1000 && !address && fgets(line, sizeof(line), f); i++)
		address = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return address;
}

static const char *kallsyms_advice(const struct host *host)
{
	if (host->kptr_restrict >= 2)
		return "sysctl kernel.kptr_restrict=1 shows them; without it the kernel is asked for each name (5.14), and the report can use a matching vmlinux";
	if (!have(host, CAP_SYSLOG))
		return "CAP_SYSLOG is missing; without it the kernel is asked for each name (5.14), and the report can use a matching vmlinux";
	return "the kernel hides them; it is asked for each name (5.14), and the report can use a matching vmlinux";
}

static void check_identity(const struct host *host)
{
	bool files = have(host, CAP_SYS_PTRACE), names = host_shows_kernel();

	say(files, "files of processes of other users", files ? "" : "CAP_SYS_PTRACE is missing: what ran before the start may stay unnamed");
	say(names, "kernel symbols in /proc/kallsyms", names ? "" : kallsyms_advice(host));
	say(host->btf, "kernel type information (BTF)", host->btf ? "" : "not needed for sampling with frame pointers");
}

bool host_check(void)
{
	struct host host;
	char text[128];
	bool good;

	host_read(&host);
	printf("     kernel %s, lockdown %s, perf_event_paranoid %lld, kptr_restrict %lld\n", host.release,
	       host.lockdown[0] ? host.lockdown : "unknown", (long long)host.paranoid, (long long)host.kptr_restrict);
	good = try_recording(&host);
	if (good)
		check_walker(&host);
	snprintf(text, sizeof(text), "at most %lld a second on each CPU", (long long)host.max_sample_rate);
	say(true, "sampling with the clock (cpu-clock)", text);
	check_identity(&host);
	say(host.host_pids, "pids of the host", host.host_pids ? "" : "this is a pid namespace of its own: processes outside are not told apart");
	return good;
}
