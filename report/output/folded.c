/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks: one line per distinct stack, for everything that reads the
 * output of stackcollapse-perf.pl.  Same tree, same bytes.  The grammar:
 *
 *   file  = *(line LF)        sorted bytewise, no line's stack stands twice
 *   line  = name *(";" name) " " count
 *   count = decimal integer: samples, or the event's weight; in comparisons two
 *           of them, before (scaled as --normalize says) and now, with a blank
 *
 * A name is the frame's name as emit.h makes it safe (control characters are
 * blanks, broken bytes are \xNN), then: ";" becomes ":", blanks at both ends go,
 * nothing left is "[unknown]"; in the first name of a line blanks become "_" if
 * it is a root like a command or thread; in the last one, blanks before a
 * trailing number ("x 3", "x 3.5") become "_", because readers would take that
 * number for a count.  A line has at most STACK_MAX bytes before its count, as
 * readers exist that stop at 64 KiB: what is deeper becomes one "[cut]".
 */
#include <stdlib.h>
#include <string.h>

#include "../log.h"
#include "compare.h"
#include "emit.h"
#include "formats.h"

#define STACK_MAX 60000

struct name { /* a frame's name inside a line, and as its end */
	const char *at;
	uint32_t size;
	const char *leaf; /* differs from `at` only in blanks: same size */
};

/* What can follow a path: the count of a stack that ends there (leaf), or
 * deeper frames.  Nodes whose names came out the same are one item. */
struct item {
	const char *name;
	uint32_t size;
	bool leaf, compared;
	bool chained;   /* inner: of several nodes */
	uint32_t node;  /* inner: the first of them, a chain through folded.same */
	uint32_t path;  /* bytes of path before it */
	uint64_t count, before; /* leaf; before: in comparisons */
};

struct folded {
	const struct tree *tree;
	struct name *names; /* by frame */
	char *bytes;
	uint32_t *same;     /* by node of a chained item: the next one */
	struct item *items; /* stack of what is still to be written */
	size_t nitems, room;
	char path[STACK_MAX + 8];
	bool cut;
	const struct compare *compare; /* NULL: none */
	struct emit emit;
};

/* ---- names */

/* Printable ASCII that stays as it is. */
static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != ';';
}

static size_t safe_name(char *to, const struct frame *frame)
{
	const char *at = frame->name, *end = at + strlen(at);
	char *start = to;

	while (at < end) {
		struct text_char c;

		if (is_plain(*at)) {
			*to++ = *at++;
			continue;
		}
		c = text_char(at, end);
		if (c.broken)
			to += sprintf(to, "\\x%02x", c.code);
		else if (c.code == ';')
			*to++ = ':';
		else if (!c.control && c.code != ' ')
			to = mempcpy(to, at, c.size);
		else if (to > start)
			*to++ = ' ';
		at += c.size;
	}
	while (to > start && to[-1] == ' ')
		to--;
	if (to == start)
		to = stpcpy(to, "[unknown]");
	for (char *c = start; frame->kind == FRAME_ROOT && c < to; c++)
		if (*c == ' ')
			*c = '_';
	return to - start;
}

/* Where the blanks before a trailing number begin and end; false: there are none. */
static bool trailing_number(const char *name, size_t n, size_t *from, size_t *to)
{
	size_t i = n;

	while (i && ((name[i - 1] >= '0' && name[i - 1] <= '9') || name[i - 1] == '.'))
		i--;
	if (i == n || !i || name[i - 1] != ' ')
		return false;
	*to = i;
	while (i && name[i - 1] == ' ')
		i--;
	*from = i;
	return true;
}

static int make_names(struct folded *f)
{
	const struct tree *tree = f->tree;
	size_t room = 0, from, to;
	char *at;

	for (size_t i = 0; i < tree->nframes; i++)
		room += 8 * strlen(tree->frames[i].name) + 32; /* \xNN, twice */
	f->names = calloc(tree->nframes + 1, sizeof(*f->names));
	at = f->bytes = malloc(room + 1);
	if (!f->names || !f->bytes)
		return -1;
	for (size_t i = 0; i < tree->nframes; i++) {
		struct name *name = &f->names[i];

		name->at = name->leaf = at;
		name->size = safe_name(at, &tree->frames[i]);
		at += name->size;
		if (!trailing_number(name->at, name->size, &from, &to))
			continue;
		name->leaf = memcpy(at, name->at, name->size);
		memset(at + from, '_', to - from);
		at += name->size;
	}
	return 0;
}

/* ---- order */

/* Before counts are known: equal names side by side. */
static int by_name(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->size < y->size ? x->size : y->size);

	if (c)
		return c;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (int)y->leaf - (int)x->leaf;
}

struct tail { char at[48]; size_t n; };

static struct tail tail(const struct item *item)
{
	struct tail t = {";", 1};

	if (item->compared && item->leaf)
		t.n = sprintf(t.at, " %llu %llu", (unsigned long long)item->before, (unsigned long long)item->count);
	else if (item->leaf)
		t.n = sprintf(t.at, " %llu", (unsigned long long)item->count);
	return t;
}

static unsigned char byte_at(const struct item *item, const struct tail *t, size_t i)
{
	return i < item->size ? item->name[i] : t->at[i - item->size];
}

/* As the whole lines compare: the name and what follows it. */
static int by_line(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	size_t i = x->size < y->size ? x->size : y->size, nx, ny;
	int c = memcmp(x->name, y->name, i);
	struct tail tx, ty;

	if (c)
		return c;
	if (x->size == y->size && x->leaf != y->leaf) /* " 1" and ";" */
		return (int)y->leaf - (int)x->leaf;
	tx = tail(x);
	ty = tail(y);
	nx = x->size + tx.n;
	ny = y->size + ty.n;
	for (; i < nx && i < ny; i++) {
		c = byte_at(x, &tx, i) - byte_at(y, &ty, i);
		if (c)
			return c;
	}
	return nx < ny ? -1 : nx > ny;
}

/* Does each name end before the next begins, as nearly always?  Then both orders are theirs, and none stands twice. */
static bool in_order(const struct item *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct item *x = &v[i - 1], *y = &v[i];
		int c = memcmp(x->name, y->name, x->size < y->size ? x->size : y->size);

		if (c > 0 || (!c && (x->size != y->size || !x->leaf || y->leaf)))
			return false;
	}
	return true;
}

static void sort(struct item *v, size_t n, int (*order)(const void *, const void *))
{
	for (size_t i = 1; i < n; i++)
		if (order(&v[i - 1], &v[i]) > 0) {
			qsort(v, n, sizeof(*v), order);
			return;
		}
}

/* ---- the walk */

static int push(struct folded *f, struct item item)
{
	if (f->nitems == f->room) {
		size_t room = f->room ? 2 * f->room : 256;
		struct item *v = reallocarray(f->items, room, sizeof(*v));

		if (!v)
			return -1;
		f->items = v;
		f->room = room;
	}
	f->items[f->nitems++] = item;
	return 0;
}

/* What a stack that ends in `node`, or (all) anywhere below it, counts. */
static struct item leaf_item(const struct folded *f, uint32_t node, bool all, const char *name, uint32_t size, uint32_t path)
{
	const struct tree_node *n = &f->tree->nodes[node];
	struct item item = {.name = name, .size = size, .leaf = true, .node = TREE_NONE, .path = path, .compared = f->compare};

	if (f->compare) {
		struct compare_sides sides = (all ? f->compare->total : f->compare->self)[node];

		item.before = sides.before + 0.5;
		item.count = sides.now + 0.5;
	} else {
		item.count = all ? n->total : n->self;
	}
	return item;
}

static int push_node(struct folded *f, uint32_t index, uint32_t path)
{
	const struct tree_node *node = &f->tree->nodes[index];
	const struct name *name = &f->names[node->frame];

	if (path + name->size + 1 > STACK_MAX) {
		f->cut = true;
		return push(f, leaf_item(f, index, true, "[cut]", 5, path));
	}
	if (node->self && push(f, leaf_item(f, index, false, name->leaf, name->size, path)))
		return -1;
	if (node->child == TREE_NONE)
		return 0;
	return push(f, (struct item){.name = name->at, .size = name->size, .node = index, .path = path});
}

/* Make equal names one; how many items are left. */
static size_t merge(struct folded *f, struct item *v, size_t n)
{
	size_t kept = 1;

	sort(v, n, by_name);
	for (size_t i = 1; i < n; i++) {
		struct item *last = &v[kept - 1];

		if (by_name(last, &v[i])) {
			v[kept++] = v[i];
			continue;
		}
		last->count += v[i].count;
		last->before += v[i].before;
		if (last->leaf)
			continue;
		f->same[v[i].node] = last->node;
		if (!last->chained)
			f->same[last->node] = TREE_NONE;
		last->node = v[i].node;
		last->chained = true;
	}
	sort(v, kept, by_line);
	return kept;
}

/* Items from `base` on: each line once, and the last one first, because the stack is taken from its end. */
static void arrange(struct folded *f, size_t base)
{
	struct item *v = f->items + base;
	size_t n = f->nitems - base;

	if (n < 2)
		return;
	if (!in_order(v, n))
		n = merge(f, v, n);
	f->nitems = base + n;
	for (size_t i = 0; i < n / 2; i++) {
		struct item swap = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = swap;
	}
}

static int push_children(struct folded *f, uint32_t node, uint32_t path)
{
	for (uint32_t c = f->tree->nodes[node].child; c != TREE_NONE; c = f->tree->nodes[c].next)
		if (push_node(f, c, path))
			return -1;
	return 0;
}

/* The items below one whose names end at `path`; those that stand from `base` on are of the same place. */
static int expand(struct folded *f, size_t base, const struct item *item, uint32_t path)
{
	if (push_children(f, item->node, path))
		return -1;
	for (uint32_t node = item->node; item->chained && (node = f->same[node]) != TREE_NONE;)
		if (push_children(f, node, path))
			return -1;
	arrange(f, base);
	return 0;
}

static int walk(struct folded *f)
{
	/* Samples without any frame, not even a root from --by. */
	uint64_t bare = f->tree->nodes[0].self;
	struct item root = {.node = 0};

	if (bare && push(f, leaf_item(f, 0, false, "[unknown]", 9, 0)))
		return -1;
	if (expand(f, 0, &root, 0))
		return -1;
	while (f->nitems) {
		struct item item = f->items[--f->nitems];
		uint32_t end = item.path + item.size;

		memcpy(f->path + item.path, item.name, item.size);
		if (item.leaf) {
			f->path[end] = ' ';
			emit_bytes(&f->emit, f->path, end + 1);
			if (item.compared) {
				emit_u64(&f->emit, item.before);
				emit_char(&f->emit, ' ');
			}
			emit_u64(&f->emit, item.count);
			emit_char(&f->emit, '\n');
			continue;
		}
		f->path[end] = ';';
		if (expand(f, f->nitems, &item, end + 1))
			return -1;
	}
	return 0;
}

static int write_tree(struct folded *f)
{
	f->same = malloc(f->tree->nnodes * sizeof(*f->same));
	if (!f->same || make_names(f))
		return -1;
	return walk(f);
}

int folded_write(FILE *to, const struct report *report)
{
	struct folded *f = calloc(1, sizeof(*f));
	struct compare compare = {0};
	int err = f && (!report->before || !compare_init(&compare, report, 0)) ? 0 : -1;

	if (!err) {
		f->tree = &report->trees[0];
		f->compare = report->before ? &compare : NULL;
		emit_init(&f->emit, to);
		err = write_tree(f);
		emit_flush(&f->emit);
		if (f->cut)
			log_warning("stacks of more than %d bytes were cut: they end in [cut]", STACK_MAX);
		free(f->same);
		free(f->items);
		free(f->names);
		free(f->bytes);
	}
	compare_release(&compare);
	free(f);
	if (err)
		log_error("out of memory while writing folded stacks");
	return err;
}
