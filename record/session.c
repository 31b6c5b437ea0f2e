/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events to sections: the life cycle of a session, and what each kind of event
 * does to it.  Time order is the caller's business.
 */
#include "session_state.h"
#include "array.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define DEFAULT_STACK_BYTES (UINT64_C(96) << 20)
#define FLUSH_BYTES (FOLD_MAX_RAW_WRITER / 8 * 5) /* written without being asked */
#define MAX_OFFSET (UINT64_C(1) << 61)

int64_t session_ticks(const struct session *s, int64_t ns)
{
	int64_t d = ns - (int64_t)s->start.monotonic, tick = (int64_t)s->tick_ns;

	return d >= 0 ? d / tick : -((-d + tick - 1) / tick);
}

/* ------------------------------------------------------------ begin, end */

static int jit_name(void *state, uint32_t module, uint64_t offset, uint64_t size, const char *name)
{
	struct session *s = state;
	struct fold_sym sym = {.module = module, .offset = offset, .size = size};

	return batch_string(&s->batch, name, strlen(name), &sym.name) || batch_sym(&s->batch, true, &sym) ? -1 : 0;
}

/* Module 0 stands for the kernel in every recording. */
static int define_kernel(struct session *s)
{
	const struct identity *id = &s->kernel.identity;
	struct fold_module def = {.kind = FOLD_MODULE_KERNEL, .span = KERNEL_SPAN, .nids = id->nids};
	uint32_t module;

	for (size_t i = 0; i < id->nids; i++) {
		def.ids[i].kind = id->ids[i].kind;
		def.ids[i].bytes = (struct fold_bytes){id->ids[i].bytes, id->ids[i].size};
	}
	return batch_string(&s->batch, "[kernel]", 8, &def.name) || module_add(&s->modules, &def, 0, &module) ? -1 : 0;
}

static int session_begin(struct session *s, const struct fold_meta *meta)
{
	struct fold_meta m = *meta;

	m.flags |= (s->options.raw_addresses ? FOLD_FLAG_RAW_ADDRESSES : 0) | (s->kernel.anchored ? FOLD_FLAG_KERNEL_ANCHORED : 0) |
		   (s->options.paths == SESSION_PATHS_FULL ? FOLD_FLAG_PATHS_FULL : 0) |
		   (s->options.paths == SESSION_PATHS_BASE ? FOLD_FLAG_PATHS_BASE : 0);
	if (s->kernel.anchored)
		log_detail("kernel addresses are hidden: kernel frames count from an anchor");
	return writer_meta(s->batch.writer, &m);
}

int session_new(struct session **out, struct writer *writer, const struct fold_meta *meta, const struct session_options *options)
{
	struct session *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s) {
		log_error("out of memory");
		return -1;
	}
	s->options = *options;
	if (!s->options.max_stack_bytes)
		s->options.max_stack_bytes = DEFAULT_STACK_BYTES;
	s->start = meta->start;
	s->flushed = meta->start.monotonic;
	s->tick_ns = meta->tick_ns ? meta->tick_ns : 1;
	s->sides = meta->sides;
	s->max_depth = meta->max_depth;
	s->marks = meta->unwinder == FOLD_UNWIND_TABLES;
	s->nevents = meta->nevents;
	intern_init(&s->thread_keys, 0);
	processes_init(&s->processes, options->aggregate);
	modules_init(&s->modules, &s->options, &meta->start, &s->batch.strings);
	jit_init(&s->jit, &s->modules.backings, s->modules.realtime, jit_name, s);
	if (batch_init(&s->batch, writer, &s->modules, &s->account) || kernel_init(&s->kernel, options->proc, options->sys, options->kernel_name) ||
	    define_kernel(s)) {
		log_error("out of memory");
		return -1;
	}
	return session_begin(s, meta);
}

void session_free(struct session *s)
{
	if (!s)
		return;
	late_release(&s->late);
	jit_release(&s->jit);
	processes_release(&s->processes);
	kernel_release(&s->kernel);
	modules_release(&s->modules);
	batch_release(&s->batch);
	stacks_release(&s->stacks);
	account_release(&s->account);
	intern_release(&s->thread_keys);
	free(s->thread_ids);
	free(s->touched);
	free(s);
}

/* ------------------------------------------------------------ events */

static struct process *process_known(struct session *s, uint32_t pid, uint64_t time)
{
	struct process *p = process_find(&s->processes, pid);

	return p ? p : process_add(&s->processes, pid, time);
}

/* Census found it; the rings may have told of it before. */
static int see_running(struct session *s, const struct event *e)
{
	struct process *p = process_find(&s->processes, e->pid);
	uint64_t since = e->fork.start > 0 ? (uint64_t)e->fork.start : 0;

	if (e->pid != e->fork.ppid) {
		/* A zombie is still listed: it began before its end. */
		if (!p || (p->end && since > p->end))
			p = process_add(&s->processes, e->pid, since);
		if (!p)
			return -1;
		if (p->unknown) {
			p->unknown = false;
			p->ppid = e->fork.ppid;
			p->start = e->fork.start;
			p->since = since < p->since ? since : p->since;
		}
	}
	p = process_known(s, e->pid, e->time);
	return p && process_thread(&s->processes, p, e->tid) ? 0 : -1;
}

/* What is generated from now on is the child's own, also where the parent generates
 * other code: their regions are modules of their own. */
static int fork_regions(struct session *s, struct process *p)
{
	struct mapset *own = mapset_copy(p->maps, &s->processes.versions);

	if (!own)
		return -1;
	for (size_t i = 0; i < own->n; i++) {
		if (own->v[i].module != MAPPING_NO_MODULE && s->modules.v[own->v[i].module].kind == FOLD_MODULE_JIT)
			own->v[i].module = MAPPING_NO_MODULE;
	}
	mapset_unref(p->maps);
	p->maps = own;
	return 0;
}

static int see_fork(struct session *s, const struct event *e)
{
	struct process *p, *parent;
	int err;

	if (!e->pid)
		return 0;
	if (e->fork.running)
		return see_running(s, e);
	if (e->pid == e->fork.ppid) {
		p = process_known(s, e->pid, e->time);
	} else {
		p = process_find(&s->processes, e->pid);
		if (p && jit_end(&s->jit, p, e->time))
			return -1;
		p = process_fork(&s->processes, e->time, e->pid, e->fork.ppid, e->fork.ptid);
		parent = process_find(&s->processes, e->fork.ppid);
		err = p && parent ? jit_fork(&s->jit, p, parent) : 1;
		if (err < 0 || (!err && fork_regions(s, p)))
			return -1;
	}
	return p && process_clone(&s->processes, p, e->tid, e->fork.ptid) ? 0 : -1;
}

static int see_comm(struct session *s, const struct event *e)
{
	struct process *p;
	struct thread *t;

	if (!e->pid)
		return 0;
	if (e->comm.exec) {
		p = process_find(&s->processes, e->pid);
		if (p && jit_end(&s->jit, p, e->time))
			return -1;
		p = process_exec(&s->processes, e->time, e->pid);
	} else {
		p = process_known(s, e->pid, e->time);
	}
	t = p ? process_thread(&s->processes, p, e->tid) : NULL;
	if (!t)
		return -1;
	thread_comm(t, e->comm.comm);
	return 0;
}

static int see_exit(struct session *s, const struct event *e)
{
	struct process *p = process_find(&s->processes, e->pid);

	if (!p)
		return 0;
	if (process_exit(&s->processes, e->time, e->pid, e->tid))
		return -1;
	return p->end ? jit_end(&s->jit, p, e->time) : 0;
}

/* Is this mapping there already, perhaps told in another way? */
static bool mapping_known(struct session *s, struct process *p, const struct mapping *m)
{
	struct mapping *old = mapset_at(p->maps, m->start);
	bool memory = s->modules.mapped[m->mapped].kind == MAPPED_MEMORY;

	if (!old || old->end != m->end || (!memory && old->offset != m->offset) || !mapped_same(&s->modules, old->mapped, m->mapped))
		return false;
	if (old->module == MAPPING_NO_MODULE && s->modules.mapped[m->mapped].build_id_size && p->exe != old->mapped)
		old->mapped = m->mapped;
	return true;
}

static int see_dump(struct session *s, const struct process *p, const struct event_mmap *mm)
{
	struct backing_request file = {
		.pid = p->pid, .start = mm->start, .end = mm->start + mm->length, .path = mm->path,
		.major = mm->major, .minor = mm->minor, .inode = mm->inode,
	};

	return jit_dump(&s->jit, p, &file);
}

static int see_mmap(struct session *s, const struct event *e)
{
	const struct event_mmap *mm = &e->mmap;
	struct mapping m = {
		.start = mm->start, .end = mm->start + mm->length, .offset = mm->offset, .time = e->time, .module = MAPPING_NO_MODULE,
		.covered = MAPPING_NO_MODULE,
	};
	struct process *p;

	if (!e->pid || e->pid == UINT32_MAX || !mm->length || m.end <= m.start || mm->length > MAX_OFFSET || mm->offset > MAX_OFFSET ||
	    (mm->prot && !(mm->prot & PROT_EXEC)))
		return 0;
	p = process_known(s, e->pid, e->time);
	if (!p || mapped_add(&s->modules, mm, &m.mapped))
		return -1;
	if (mapping_known(s, p, &m))
		return 0;
	if (s->modules.mapped[m.mapped].kind == MAPPED_MEMORY && jit_watch(&s->jit, p))
		return -1;
	if (jitdump_named(mm->path) && see_dump(s, p, mm))
		return -1;
	module_succeed(&s->modules, p->maps, &m);
	if (p->exe == PROCESS_NO_EXE && s->modules.mapped[m.mapped].kind == MAPPED_FILE)
		p->exe = m.mapped;
	return process_map(&s->processes, p, &m) < 0 ? -1 : 0;
}

static int session_apply(struct session *s, const struct event *e)
{
	switch (e->kind) {
	case EVENT_SAMPLE:
	case EVENT_COUNT:
		return sample_add(s, e);
	case EVENT_MMAP:
		return see_mmap(s, e);
	case EVENT_COMM:
		return see_comm(s, e);
	case EVENT_FORK:
		return see_fork(s, e);
	case EVENT_EXIT:
		return see_exit(s, e);
	case EVENT_KSYMBOL:
		return kernel_event(&s->kernel, &e->ksymbol);
	case EVENT_LOST:
		s->lost_records += e->lost.records;
		s->doubt = e->time;
		return 0;
	case EVENT_THROTTLE:
		return account_add(&s->account, 0, FOLD_NOTE_THROTTLED, e->cpu, 1);
	}
	return 0;
}

int session_learn(void *state, const struct event *e)
{
	/* Somebody who began after the sample is somebody else. */
	if (e->kind == EVENT_FORK && e->pid == e->tid && e->fork.start > (int64_t)e->time)
		return 1;
	return session_apply(state, e);
}

/* ------------------------------------------------------------ batches */

static int write_batch(struct session *s, bool counts, int64_t from, int64_t to)
{
	for (size_t i = 0; i < s->ntouched; i++) {
		if (define_late(s, s->touched[i]))
			return -1;
		s->touched[i]->touched = false;
	}
	s->ntouched = 0;
	if (jit_flush(&s->jit) || batch_write(&s->batch, counts, from, to))
		return -1;
	if (s->unresolve) {
		/* Counts that wait have handles. */
		if (s->batch.counts.n)
			return 0;
		batch_forget_stacks(&s->batch);
		stacks_unresolve(&s->stacks);
		s->unresolve = false;
	}
	return 0;
}

int session_event(struct session *s, const struct event *event)
{
	/* Counts wait for their interval; what they refer to need not. */
	if (batch_ready_bytes(&s->batch) > FLUSH_BYTES && write_batch(s, false, 0, 0))
		return -1;
	return session_apply(s, event);
}

void session_account(struct session *s, uint32_t event, uint32_t cpu, uint32_t cause, uint64_t total)
{
	account_set(&s->account, event, cause, cpu, total);
}

/* Of the records that rings dropped, those that were no samples. */
static int account_sideband(struct session *s)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < s->nevents; i++)
		samples += account_sum(&s->account, i, FOLD_LOST_RING);
	return s->lost_records > samples ?
		account_set(&s->account, 0, FOLD_NOTE_SIDEBAND, ACCOUNT_ALL_CPUS, s->lost_records - samples) : 0;
}

int session_flush(struct session *s, uint64_t from, uint64_t to)
{
	if (late_retry(s, false) || account_sideband(s) || write_batch(s, true, session_ticks(s, (int64_t)from), session_ticks(s, (int64_t)to)))
		return -1;
	s->flushed = to;
	s->kernel.modules_asked = false;
	processes_trim(&s->processes, from);
	return 0;
}

size_t session_pending(const struct session *s)
{
	return s->batch.bytes;
}

bool session_wants_forget(const struct session *s)
{
	return !s->stacks.switched && stacks_bytes(&s->stacks) + batch_stack_bytes(&s->batch) > s->options.max_stack_bytes;
}

void session_forget(struct session *s)
{
	s->unresolve |= !s->stacks.switched;
	stacks_forget(&s->stacks);
}

/* taken = written + losses, for every event. */
static int close_sums(struct session *s, struct fold_end *end)
{
	end->nevents = s->nevents;
	for (uint32_t i = 0; i < s->nevents; i++) {
		struct fold_total *total = &end->totals[i];
		uint64_t taken = account_sum(&s->account, i, FOLD_TAKEN), known = s->written[i] + account_losses(&s->account, i);

		if (taken > known && account_add(&s->account, i, FOLD_LOST_KERNEL, ACCOUNT_ALL_CPUS, taken - known))
			return -1;
		if (known > taken && account_add(&s->account, i, FOLD_TAKEN, ACCOUNT_ALL_CPUS, known - taken))
			return -1;
		if (known > taken && taken)
			log_detail("event %u: %llu samples more than were counted", i, (unsigned long long)(known - taken));
		*total = (struct fold_total){
			.taken = account_sum(&s->account, i, FOLD_TAKEN), .written = s->written[i], .lost = account_losses(&s->account, i),
		};
	}
	return 0;
}

int session_finish(struct session *s, struct fold_end *end)
{
	uint64_t to = end->stop.monotonic > s->flushed ? end->stop.monotonic : s->flushed;

	if (late_retry(s, true) || close_sums(s, end) || jit_finish(&s->jit) || session_flush(s, s->flushed, to))
		return -1;
	return writer_end(s->batch.writer, end);
}

void session_summary(const struct session *s, struct session_summary *out)
{
	*out = (struct session_summary){
		.batches = s->batch.written, .processes = s->batch.procs_done + s->batch.procs.n, .modules = s->modules.n,
		.stacks = s->batch.stacks,
	};
	for (uint32_t i = 0; i < s->nevents; i++) {
		out->taken += account_sum(&s->account, i, FOLD_TAKEN);
		out->written += s->written[i];
		out->lost += account_losses(&s->account, i);
		for (uint32_t cause = 1; cause < FOLD_CAUSE_NOTE; cause++)
			out->losses[cause] += account_sum(&s->account, i, cause);
		for (uint32_t cause = 0; cause < 64; cause++)
			out->notes[cause] += account_sum(&s->account, i, FOLD_CAUSE_NOTE + cause);
	}
}
