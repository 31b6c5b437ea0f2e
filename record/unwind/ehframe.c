/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions of .eh_frame, and two that are missing there, orders them, runs
 * their programs.  See ehframe.h. */
#include "ehframe.h"

#include <stdlib.h>

#include "startup.h"

/* Bytes between two functions that are taken for padding: a row for them would
 * cost as much as a function of its own. */
#define PADDING 15
#define SYSCALL_INSN 2
#define RESTORER_FUNCTION 16 /* bytes, at most */
#define STARTUP UINT32_MAX

struct function {       /* an FDE */
	uint64_t pc;
	uint32_t offset;    /* of its entry in the section */
	uint32_t section;   /* STARTUP: none, it is known by its code */
};
struct cie {
	uint32_t offset, section;
	bool usable;
	struct cfi_cie cfi;
};
struct reader {
	const struct image *img;
	struct function *functions;
	size_t nfunctions, functions_room;
	struct cie *cies;
	size_t ncies, cies_room;
	uint64_t from, to;  /* functions that begin there */
	cfi_row_fn row;
	void *context;
};
/* One length-prefixed entry of the section. */
struct entry {
	uint32_t offset;
	struct bytes body;  /* after the id */
	uint64_t id;        /* 0: a CIE; else how far back its CIE is */
	uint64_t id_offset; /* of the id in the section */
};
struct fde {
	const struct cfi_cie *cie;
	uint64_t pc, end;
	struct bytes program;
};

static bool room_for_one(void **v, size_t n, size_t *room, size_t size, size_t max)
{
	size_t more = *room ? *room * 2 : 64;
	void *p;

	if (n < *room)
		return true;
	if (n >= max)
		return false;
	p = realloc(*v, more * size);
	if (!p)
		return false;
	*v = p;
	*room = more;
	return true;
}

/* The entry at `at`, which moves behind it.  False: the terminator or damage. */
static bool entry_read(const struct image_section *s, struct bytes *at, struct entry *out)
{
	uint64_t length;

	out->offset = at->at - s->at;
	length = bytes_uint(at, 4);
	if (length == UINT32_MAX)
		length = bytes_uint(at, 8);
	if (at->bad || !length)
		return false;
	out->id_offset = at->at - s->at;
	out->body = bytes_cut(at, length);
	out->id = bytes_uint(&out->body, 4);
	return !out->body.bad;
}

static bool cie_add(struct reader *r, uint32_t section, const struct entry *e)
{
	struct cie *cie;

	if (!room_for_one((void **)&r->cies, r->ncies, &r->cies_room, sizeof(*r->cies), EHFRAME_MAX_CIES))
		return false;
	cie = &r->cies[r->ncies++];
	cie->offset = e->offset;
	cie->section = section;
	cie->usable = cfi_cie_read(&cie->cfi, e->body, &r->img->frames[section]);
	return true;
}

/* CIEs stand in the order of the file. */
static const struct cfi_cie *cie_find(const struct reader *r, uint32_t section, uint64_t offset)
{
	size_t lo = 0, hi = r->ncies;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct cie *c = &r->cies[mid];

		if (c->section == section && c->offset == offset)
			return c->usable ? &c->cfi : NULL;
		if (c->section < section || (c->section == section && c->offset < offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static bool fde_read(const struct reader *r, uint32_t section, const struct entry *e, struct fde *out)
{
	const struct image_section *s = &r->img->frames[section];
	struct bytes body = e->body;
	uint64_t length;

	if (e->id > e->id_offset)
		return false;
	out->cie = cie_find(r, section, e->id_offset - e->id);
	if (!out->cie)
		return false;
	out->pc = bytes_pointer(&body, out->cie->encoding, s->vaddr + (uint64_t)(body.at - s->at));
	length = bytes_pointer(&body, out->cie->encoding & 0x0f, 0);
	if (out->cie->augmented)
		bytes_take(&body, bytes_uleb(&body));
	out->program = body;
	return !body.bad && length && !__builtin_add_overflow(out->pc, length, &out->end);
}

static bool function_add(struct reader *r, uint64_t pc, uint32_t offset, uint32_t section)
{
	if (pc < r->from || pc >= r->to)
		return true;
	if (!room_for_one((void **)&r->functions, r->nfunctions, &r->functions_room, sizeof(*r->functions), EHFRAME_MAX_FUNCTIONS))
		return false;
	r->functions[r->nfunctions++] = (struct function){ pc, offset, section };
	return true;
}

static bool startup_scan(struct reader *r)
{
	bool ok = true;
	uint64_t pc;

	for (size_t i = 0; i < r->img->nsegments && ok; i++) {
		const struct image_segment *s = &r->img->segments[i];

		ok = (!startup_init_find(r->img, s, &pc) || function_add(r, pc, 0, STARTUP)) &&
		     (!startup_fini_find(r->img, s, &pc) || function_add(r, pc, 0, STARTUP));
	}
	return ok;
}

/* A CIE may stand behind the FDEs that use it: two passes. */
static bool section_scan(struct reader *r, uint32_t section, bool cies)
{
	const struct image_section *s = &r->img->frames[section];
	struct bytes at = bytes_of(s->at, s->size < UINT32_MAX ? s->size : UINT32_MAX);
	struct entry e;
	struct fde f;

	while (bytes_left(&at) >= 4 && entry_read(s, &at, &e)) {
		if (cies && !e.id && !cie_add(r, section, &e))
			return false;
		if (cies || !e.id || !fde_read(r, section, &e, &f) || !image_segment_at(r->img, f.pc))
			continue;
		if (!function_add(r, f.pc, e.offset, section))
			return false;
	}
	return true;
}

static bool before(const struct function *x, const struct function *y)
{
	if (x->pc != y->pc)
		return x->pc < y->pc;
	return x->section != y->section ? x->section < y->section : x->offset < y->offset;
}

static void sift_down(struct function *v, size_t i, size_t n)
{
	struct function f = v[i];

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && before(&v[child], &v[child + 1]))
			child++;
		if (!before(&f, &v[child]))
			break;
		v[i] = v[child];
	}
	v[i] = f;
}

/* A heap sort: needs no memory and nothing of the system, as qsort may.  Linkers
 * leave most files in order. */
static void functions_sort(struct reader *r)
{
	struct function *v = r->functions;
	size_t n = r->nfunctions, i = 1;

	while (i < n && !before(&v[i], &v[i - 1]))
		i++;
	if (i >= n)
		return;
	for (i = n / 2; i-- > 0;)
		sift_down(v, i, n);
	while (n > 1) {
		struct function last = v[--n];

		v[n] = v[0];
		v[0] = last;
		sift_down(v, 0, n);
	}
}

/* Nothing stands between two functions but padding.  The code that a handler
 * returns to is small enough to hide there. */
static bool is_padding(const struct image *img, uint64_t from, uint64_t to)
{
	const uint8_t *code;

	if (to - from > PADDING)
		return false;
	code = image_code(img, from, to - from);
	for (uint64_t i = 0; code && i + SYSCALL_INSN <= to - from; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return false;
	return true;
}

/* Rows of one function up to `limit`, where the next one or the segment ends.
 * The bytes may have changed since the scan: then it has none. */
static bool function_rows(struct reader *r, const struct function *fn, uint64_t limit, uint64_t *end)
{
	const struct cfi_rule signal = { .special = UNWIND_SIGNAL };
	const struct image_section *s = &r->img->frames[fn->section];
	const struct image_segment *text = image_segment_at(r->img, fn->pc);
	struct bytes at = bytes_of(s->at + fn->offset, s->size - fn->offset);
	struct entry e;
	struct fde f;

	*end = fn->pc;
	if (!text || !entry_read(s, &at, &e) || !fde_read(r, fn->section, &e, &f) || f.pc != fn->pc)
		return true;
	if (limit - text->vaddr > text->filesz)
		limit = text->vaddr + text->filesz;
	*end = f.end < limit ? f.end : limit;
	/* Looked up at the byte before: it is the return address of a handler. */
	if (f.end - f.pc <= RESTORER_FUNCTION && f.pc > r->from && image_is_restorer(r->img, f.pc))
		return r->row(r->context, f.pc - 1, &signal);
	if (f.end - f.pc <= RESTORER_FUNCTION && image_is_restorer(r->img, f.pc + 1))
		return r->row(r->context, f.pc, &signal);
	return cfi_run(f.cie, f.program, s, f.pc, *end, r->row, r->context);
}

static bool functions_run(struct reader *r)
{
	const struct cfi_rule gap = { .special = UNWIND_GAP };
	uint64_t end;
	bool ok;

	for (size_t i = 0; i < r->nfunctions; i++) {
		const struct function *fn = &r->functions[i];
		bool last = i + 1 == r->nfunctions;
		uint64_t next = last ? r->to : r->functions[i + 1].pc;

		if (next == fn->pc)
			continue;
		if (fn->section == STARTUP)
			ok = startup_rows(r->img, fn->pc, next, &end, r->row, r->context);
		else
			ok = function_rows(r, fn, next, &end);
		if (!ok)
			return false;
		if ((last || !is_padding(r->img, end, next)) && !r->row(r->context, end, &gap))
			return false;
	}
	return true;
}

bool ehframe_read(const struct image *img, uint64_t from, uint64_t to, cfi_row_fn row, void *context)
{
	struct reader r = { .img = img, .from = from, .to = to, .row = row, .context = context };
	bool ok = true;

	for (uint32_t i = 0; i < img->nframes && ok; i++)
		ok = section_scan(&r, i, true);
	for (uint32_t i = 0; i < img->nframes && ok; i++)
		ok = section_scan(&r, i, false);
	if (ok && r.nfunctions)
		ok = startup_scan(&r);
	if (ok) {
		functions_sort(&r);
		ok = functions_run(&r);
	}
	free(r.cies);
	free(r.functions);
	return ok;
}
