/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel text: which part of it an address lies in, and its function.  Owns
 * regions and symbols; ids of modules are kept for the session that gives them.
 */
#include "kernel.h"
#include "array.h"
#include "kallsyms.h"
#include "lines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Modules of a kernel that hides its addresses: one space for all of them. */
#define HIDDEN_BELOW (UINT64_C(512) << 20)
#define HIDDEN_SPAN (UINT64_C(2) << 30)

/* Above this there are modules and programs, below it from the image's base on only
 * the image; 0: nothing is certain without its symbols. */
#ifdef __x86_64__
#define IMAGE_TOP UINT64_C(0xffffffffc0000000)
#else
#define IMAGE_TOP UINT64_C(0)
#endif

static int open_text(const char *dir, const char *name)
{
	char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static void read_notes(const char *dir, const char *name, struct identity *out)
{
	uint8_t notes[4096];
	int fd = open_text(dir, name);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	if (n > 0)
		identity_notes(out, notes, (size_t)n, 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Where offset 0 is; 0 when that is hidden.  Reads as far as that line. */
static int kernel_base(struct kernel *k)
{
	struct kallsyms_line sym;
	struct lines lines;
	size_t n;

	if (lines_init(&lines, open_text(k->proc, "kallsyms")))
		return -1;
	for (char *line; (line = lines_next(&lines, &n));) {
		if (kallsyms_parse(line, &sym) && !strcmp(sym.name, "_text")) {
			k->base = sym.address;
			break;
		}
	}
	lines_release(&lines);
	return 0;
}

int kernel_init(struct kernel *k, const char *proc, const char *sys, bool asks)
{
	*k = (struct kernel){.proc = proc, .sys = sys};
	k->hidden = (struct kernel_region){.kind = FOLD_MODULE_KO, .module = KERNEL_NO_MODULE, .name = k->hidden_name};
	strcpy(k->hidden_name, "[modules]");
	read_notes(sys, "kernel/notes", &k->identity);
	if (kernel_base(k))
		return -1;
	k->anchored = !k->base;
	k->asks = asks && (k->anchored || IMAGE_TOP);
	return 0;
}

void kernel_release(struct kernel *k)
{
	for (size_t i = 0; i < k->nregions; i++)
		free(k->regions[i].name);
	free(k->regions);
	kallsyms_release(&k->symbols);
	free(k->known);
	*k = (struct kernel){0};
}

void kernel_ko_identity(const struct kernel *k, const char *name, struct identity *out)
{
	char path[256];

	*out = (struct identity){0};
	if (strchr(name, '/') || (size_t)snprintf(path, sizeof(path), "module/%s/notes/.note.gnu.build-id", name) >= sizeof(path))
		return;
	read_notes(k->sys, path, out);
}

/* ------------------------------------------------------------ regions */

/* Index of the first region that ends above `address`. */
static size_t region_above(const struct kernel *k, uint64_t address)
{
	size_t lo = 0, hi = k->nregions;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->regions[mid].end > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void region_remove(struct kernel *k, size_t at)
{
	free(k->regions[at].name);
	k->nregions--;
	memmove(k->regions + at, k->regions + at + 1, (k->nregions - at) * sizeof(*k->regions));
	k->version++;
}

/* Put a region, in place of whatever begins inside of it.  One that begins before
 * is cut: the ends of modules and of older programs are guesses. */
static int region_put(struct kernel *k, uint64_t start, uint64_t end, uint32_t kind, const char *name)
{
	size_t at = region_above(k, start);
	struct kernel_region *v, *o = k->regions + at;
	char *own;

	if (at < k->nregions && o->start == start && o->kind == kind && !strcmp(o->name, name)) {
		if (o->end == end || kind == FOLD_MODULE_KO)
			return 0;
	}
	if (at < k->nregions && o->start < start)
		k->regions[at++].end = start;
	if (kind == FOLD_MODULE_KO && at < k->nregions && k->regions[at].start > start && k->regions[at].start < end)
		end = k->regions[at].start;
	while (at < k->nregions && k->regions[at].start < end)
		region_remove(k, at);
	v = array_grow(k->regions, &k->regions_room, k->nregions + 1, sizeof(*v));
	own = strdup(name);
	if (v)
		k->regions = v;
	if (!v || !own) {
		free(own);
		return -1;
	}
	memmove(v + at + 1, v + at, (k->nregions - at) * sizeof(*v));
	v[at] = (struct kernel_region){.start = start, .end = end, .kind = kind, .module = KERNEL_NO_MODULE, .name = own};
	k->nregions++;
	k->version++;
	return 0;
}

int kernel_event(struct kernel *k, const struct event_ksymbol *e)
{
	uint64_t end = e->start + e->length;
	size_t at;

	if (!e->length || end < e->start)
		return 0;
	if (!e->unregister)
		return region_put(k, e->start, end, FOLD_MODULE_BPF, e->name);
	at = region_above(k, e->start);
	if (at < k->nregions && k->regions[at].start == e->start && k->regions[at].kind == FOLD_MODULE_BPF)
		region_remove(k, at);
	return 0;
}

/* ------------------------------------------------------------ /proc */

bool modules_parse(char *line, struct modules_line *out)
{
	char *field[6] = {0}, *save = NULL, *end;

	for (size_t i = 0; i < 6; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return false;
	}
	out->name = field[0];
	out->size = strtoull(field[1], &end, 10);
	if (*end || strncmp(field[5], "0x", 2) != 0)
		return false;
	out->address = strtoull(field[5] + 2, &end, 16);
	return !*end;
}

static bool region_loaded(const struct modules_line *v, size_t n, const struct kernel_region *r)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i].address == r->start && !strcmp(v[i].name, r->name))
			return true;
	}
	return false;
}

/* Take out what is not in the list, put in what is. */
static int modules_apply(struct kernel *k, const struct modules_line *v, size_t n)
{
	for (size_t i = k->nregions; i-- > 0;) {
		if (k->regions[i].kind == FOLD_MODULE_KO && !region_loaded(v, n, &k->regions[i]))
			region_remove(k, i);
	}
	for (size_t i = 0; i < n; i++) {
		if (v[i].address && v[i].size && v[i].address + v[i].size > v[i].address &&
		    region_put(k, v[i].address, v[i].address + v[i].size, FOLD_MODULE_KO, v[i].name))
			return -1;
	}
	return 0;
}

static int modules_load(struct kernel *k)
{
	struct modules_line *v = NULL, one;
	struct lines lines;
	size_t n = 0, room = 0, size;
	int err = 0;

	if (lines_init(&lines, open_text(k->proc, "modules")))
		return -1;
	for (char *line; !err && (line = lines_next(&lines, &size));) {
		struct modules_line *more;

		if (!modules_parse(line, &one))
			continue;
		more = array_grow(v, &room, n + 1, sizeof(*v));
		one.name = more ? strdup(one.name) : NULL;
		if (more)
			v = more;
		if (!one.name)
			err = -1;
		else
			v[n++] = one;
	}
	lines_release(&lines);
	if (!err)
		err = modules_apply(k, v, n);
	for (size_t i = 0; i < n; i++)
		free((void *)(uintptr_t)v[i].name);
	free(v);
	return err;
}

/* BPF programs that were there before we listened. */
static int programs_load(struct kernel *k)
{
	for (size_t i = 0; i < k->symbols.n; i++) {
		const struct kallsyms_symbol *sym = &k->symbols.v[i];

		if (sym->program && region_put(k, sym->start, sym->end, FOLD_MODULE_BPF, k->symbols.names + sym->name))
			return -1;
	}
	return 0;
}

static int kernel_list(struct kernel *k)
{
	k->listed = true;
	kallsyms_release(&k->symbols);
	return kallsyms_load(&k->symbols, open_text(k->proc, "kallsyms")) ? -1 : programs_load(k);
}

static int kernel_load(struct kernel *k)
{
	k->loaded = true;
	if (k->anchored)
		return 0;
	if (modules_load(k))
		return -1;
	return k->asks ? 0 : kernel_list(k);
}

/* ------------------------------------------------------------ lookup */

static struct kernel_region *region_find(const struct kernel *k, uint64_t address)
{
	size_t at = region_above(k, address);

	return at < k->nregions && k->regions[at].start <= address ? &k->regions[at] : NULL;
}

static bool image_find(const struct kernel *k, uint64_t address, struct kernel_place *out)
{
	uint64_t span = KERNEL_SPAN;

	if (k->asks && IMAGE_TOP - k->base < span)
		span = IMAGE_TOP - k->base;
	if (k->symbols.image_end > k->base && k->symbols.image_end - k->base < span)
		span = k->symbols.image_end - k->base;
	if (address - k->base >= span)
		return false;
	*out = (struct kernel_place){.image = true, .offset = address - k->base};
	return true;
}

static uint64_t anchor(uint64_t address, uint64_t below)
{
	return (address & ~(KERNEL_ANCHOR_ALIGN - 1)) - below;
}

/*
 * Without addresses of anything: the image where the first address was seen,
 * modules elsewhere.  On x86 those have an area of their own, so close to a
 * fixed address that its distance from the image would tell the image's base.
 */
static bool hidden_find(struct kernel *k, uint64_t address, struct kernel_place *out)
{
	bool ko = false;

#ifdef __x86_64__
	ko = address >= UINT64_C(0xffffffffc0000000);
#endif
	if (!ko && !k->base)
		k->base = anchor(address, KERNEL_ANCHOR_BELOW);
	if (!ko && image_find(k, address, out))
		return true;
	if (!k->hidden.start) {
		k->hidden.start = anchor(address, HIDDEN_BELOW);
		k->hidden.end = k->hidden.start + HIDDEN_SPAN;
	}
	*out = (struct kernel_place){.region = &k->hidden, .offset = address - k->hidden.start};
	return out->offset < HIDDEN_SPAN;
}

/* Something new since we looked, a module or a program?  False: no. */
static bool look_again(struct kernel *k, bool *failed)
{
	uint64_t version = k->version;

	if (!k->modules_asked) {
		k->modules_asked = true;
		*failed = modules_load(k) != 0;
		if (!*failed && k->version != version && k->listed)
			*failed = kernel_list(k) != 0; /* for its names */
		if (*failed || k->version != version)
			return !*failed;
	}
	if (k->listed)
		return false;
	*failed = kernel_list(k) != 0;
	return !*failed;
}

bool kernel_find(struct kernel *k, uint64_t address, struct kernel_place *out, bool *failed)
{
	if (!k->loaded && kernel_load(k)) {
		*failed = true;
		return false;
	}
	for (;;) {
		struct kernel_region *r = region_find(k, address);

		if (r) {
			*out = (struct kernel_place){.region = r, .offset = address - r->start};
			return true;
		}
		if (k->anchored)
			return hidden_find(k, address, out);
		if (image_find(k, address, out))
			return true;
		if (!look_again(k, failed))
			return false;
	}
}

bool kernel_symbol_new(struct kernel *k, uint64_t address, struct kernel_symbol *out)
{
	struct kallsyms_symbol *sym = kallsyms_find(&k->symbols, address);

	if (!sym || sym->used)
		return false;
	sym->used = true;
	*out = (struct kernel_symbol){.start = sym->start, .size = sym->end - sym->start, .name = k->symbols.names + sym->name};
	return true;
}

/* ------------------------------------------------------------ names from elsewhere */

/* Index of the first function that begins above `address`. */
static size_t known_above(const struct kernel *k, uint64_t address)
{
	size_t lo = 0, hi = k->nknown;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->known[mid].start > address)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

bool kernel_ask(const struct kernel *k, uint64_t address)
{
	size_t at = known_above(k, address);

	return !at || address >= k->known[at - 1].end;
}

int kernel_told(struct kernel *k, uint64_t start, uint64_t end)
{
	size_t at = known_above(k, start);
	struct kernel_function *v = array_grow(k->known, &k->known_room, k->nknown + 1, sizeof(*v));

	if (!v)
		return -1;
	k->known = v;
	memmove(v + at + 1, v + at, (k->nknown - at) * sizeof(*v));
	v[at] = (struct kernel_function){.start = start, .end = end};
	k->nknown++;
	return 0;
}
