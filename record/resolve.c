/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words to frames: done once per distinct stack and state of what it lies in.
 * The only place where an absolute address is looked at; none gets further.
 */
#include "session_state.h"
#include "../bpf/event.h"

#include <string.h>

/* A word to be looked up.  A call can be the last thing in its function: return
 * addresses belong to the byte before. */
struct word {
	uint64_t at, site;
	bool marked; /* it was interrupted and not called, and is not the leaf */
};

/* Word `i` of a stack; words are leaf first, and the leaf is exact. */
static struct word word_at(const struct raw_stack *raw, size_t i, bool marks)
{
	struct word w = {.at = raw->words[i], .site = raw->words[i] - 1};

	w.marked = i && marks && i + 1 < raw->n && raw->words[i + 1] == EVENT_WORD_EXACT;
	if (!i || w.marked)
		w.site = w.at;
	return w;
}

/* A stack in the making, root first. */
struct frames {
	fold_frame *v;
	size_t n;
	bool unmapped;
};

static void frames_add(struct frames *f, fold_frame frame)
{
	f->v[f->n++] = frame;
}

static void frames_add_unmapped(struct frames *f)
{
	f->unmapped = true;
	if (!f->n || f->v[f->n - 1] != frame_marker(FOLD_MARK_UNMAPPED))
		frames_add(f, frame_marker(FOLD_MARK_UNMAPPED));
}

/* How many words, from the leaf, fit into a stack; the rest is cut off. */
static size_t frames_depth(const struct raw_stack *raw, uint32_t *end)
{
	*end = raw->end;
	if (raw->n <= FOLD_MAX_FRAMES)
		return raw->n;
	*end = FOLD_STACK_END_DEPTH;
	return FOLD_MAX_FRAMES;
}

static int frames_finish(struct session *s, const struct frames *f, bool user, uint32_t end, uint64_t id, uint64_t version,
			 struct stack_result *out)
{
	*out = (struct stack_result){.unmapped = f->unmapped, .cut = end == FOLD_STACK_END_DEPTH};
	if (batch_stack(&s->batch, user, f->v, f->n, end, &out->handle))
		return -1;
	return stacks_resolve(&s->stacks, id, version, *out);
}

/* ------------------------------------------------------------ kernel */

static int add_symbol(struct session *s, bool jit, uint32_t module, uint64_t offset, uint64_t size, const char *name)
{
	struct fold_sym sym = {.module = module, .offset = offset, .size = size};

	if (!s->options.kernel_symbols && !jit)
		return 0;
	return batch_string(&s->batch, name, strlen(name), &sym.name) || batch_sym(&s->batch, jit, &sym) ? -1 : 0;
}

/* The module of a region, which is defined when it is hit first. */
static int region_module(struct session *s, struct kernel_region *r)
{
	struct fold_module def = {.kind = r->kind, .span = r->end - r->start + 1};
	struct identity id = {0};

	if (r->module != KERNEL_NO_MODULE)
		return 0;
	if (batch_string(&s->batch, r->name, strlen(r->name), &def.name))
		return -1;
	if (r->kind == FOLD_MODULE_KO && r != &s->kernel.hidden)
		kernel_ko_identity(&s->kernel, r->name, &id);
	def.nids = id.nids;
	for (size_t i = 0; i < id.nids; i++) {
		def.ids[i].kind = id.ids[i].kind;
		def.ids[i].bytes = (struct fold_bytes){id.ids[i].bytes, id.ids[i].size};
	}
	if (module_add(&s->modules, &def, 0, &r->module))
		return -1;
	return r->kind == FOLD_MODULE_BPF ? add_symbol(s, false, r->module, 0, r->end - r->start, r->name) : 0;
}

/* By asking for the function around `address`, once. */
static int name_asked(struct session *s, uint64_t address, const struct kernel_place *place, uint32_t module)
{
	uint64_t into, offset = place->offset;
	struct kernel_symbol sym;

	if (!s->options.kernel_symbols || !kernel_ask(&s->kernel, address))
		return 0;
	if (!s->options.kernel_name(s->options.kernel_name_state, address, &sym))
		return kernel_told(&s->kernel, address, address + 1);
	if (kernel_told(&s->kernel, sym.start, sym.start + sym.size))
		return -1;
	into = address - sym.start;
	if (into > offset)
		return 0; /* it begins before all that can be told */
	if (place->region && place->region->end - sym.start < sym.size)
		sym.size = place->region->end - sym.start;
	return add_symbol(s, false, module, offset - into, sym.size, sym.name);
}

/* Name the function around `address` when it is new. */
static int name_kernel(struct session *s, uint64_t address, const struct kernel_place *place, uint32_t module)
{
	uint64_t start = place->image ? s->kernel.base : place->region->start;
	struct kernel_symbol sym;

	if (place->region && place->region->kind == FOLD_MODULE_BPF)
		return 0;
	if (s->kernel.asks)
		return name_asked(s, address, place, module);
	if (s->kernel.anchored || !kernel_symbol_new(&s->kernel, address, &sym) || sym.start < start)
		return 0;
	if (place->region && sym.size > place->region->end - sym.start)
		sym.size = place->region->end - sym.start;
	return add_symbol(s, false, module, sym.start - start, sym.size, sym.name);
}

static int add_kernel(struct session *s, struct frames *f, struct word w)
{
	struct kernel_place place;
	bool failed = false;
	uint32_t module = 0;
	uint64_t offset;

	if (!kernel_find(&s->kernel, w.site, &place, &failed)) {
		frames_add_unmapped(f);
		return failed ? -1 : 0;
	}
	if (!place.image) {
		if (region_module(s, place.region))
			return -1;
		module = place.region->module;
	}
	offset = place.offset + (w.at - w.site);
	if (offset >= s->modules.v[module].span) {
		frames_add_unmapped(f);
		return 0;
	}
	frames_add(f, s->modules.place[module].base + offset);
	if (name_kernel(s, w.site, &place, module))
		return -1;
	/* Not called from but interrupted, the first byte of a function is in it: only the report can tell. */
	place.offset += w.at - w.site;
	return w.at == w.site || (place.region && w.at >= place.region->end) ? 0 : name_kernel(s, w.at, &place, module);
}

int resolve_kernel(struct session *s, const struct event_stack *stack, struct stack_result *out)
{
	struct frames f = {.v = s->frames};
	bool failed = false;
	const struct raw_stack *raw = stacks_words(&s->stacks, stack, s->max_depth, &failed);
	uint64_t version = s->kernel.version << 1 | 1; /* odd: never one of a process */
	uint32_t end;

	if (!raw)
		return failed ? -1 : 1;
	if (stacks_resolved(&s->stacks, stack->id, version, out))
		return 0;
	for (size_t i = frames_depth(raw, &end); i-- > 0;) {
		if (add_kernel(s, &f, word_at(raw, i, false)))
			return -1;
	}
	/* Looking may have found new modules. */
	version = s->kernel.version << 1 | 1;
	return frames_finish(s, &f, false, end, stack->id, version, out);
}

/* ------------------------------------------------------------ user */

static int name_vdso(struct session *s, uint32_t module, uint64_t offset)
{
	struct vdso_symbol sym;

	if (!s->modules.v[module].nids || !vdso_symbol(&s->modules.vdso, offset, &sym))
		return 0;
	return jit_named(&s->jit, module, sym.offset, sym.size) ? 0 : add_symbol(s, true, module, sym.offset, sym.size, sym.name);
}

static int add_user(struct session *s, struct frames *f, const struct process *p, struct mapset *set, struct word w, uint64_t time)
{
	struct mapping *m = mapset_find(set, w.site);
	fold_frame frame;

	if (m && m->module == MAPPING_NO_MODULE && module_resolve(&s->modules, p->pid, set, m))
		return -1;
	if (!m || !module_frame(&s->modules, m, w.at, &frame)) {
		frames_add_unmapped(f);
		return 0;
	}
	if (w.marked)
		frames_add(f, frame_marker(FOLD_MARK_EXACT));
	frames_add(f, frame);
	switch (s->modules.v[m->module].kind) {
	case FOLD_MODULE_VDSO:
		return name_vdso(s, m->module, w.site + m->bias);
	case FOLD_MODULE_JIT:
		return jit_hit(&s->jit, p, m->module, w.site + m->bias, w.site, time);
	}
	return 0;
}

int resolve_user(struct session *s, const struct event_stack *stack, const struct process *p, struct mapset *set,
		 uint64_t time, struct stack_result *out)
{
	struct frames f = {.v = s->frames};
	bool failed = false;
	const struct raw_stack *raw = stacks_words(&s->stacks, stack, s->max_depth, &failed);
	uint64_t version = set->version << 1;
	uint32_t end;

	if (!raw)
		return failed ? -1 : 1;
	if (stacks_resolved(&s->stacks, stack->id, version, out))
		return 0;
	for (size_t i = frames_depth(raw, &end); i-- > 0;) {
		if (s->marks && raw->words[i] == EVENT_WORD_EXACT)
			continue;
		if (add_user(s, &f, p, set, word_at(raw, i, s->marks), time))
			return -1;
	}
	return frames_finish(s, &f, true, end, stack->id, version, out);
}
