/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From mappings to modules.  Owns all definitions of modules of a recording and
 * where they begin in the linear module space; knows neither processes nor stacks.
 */
#include "module.h"
#include "array.h"
#include "clock.h"
#include "remap.h"

#include <stdlib.h>
#include <string.h>

#define DELETED " (deleted)"
/* Anonymous code grows in both directions from where it was first seen. */
#define REGION_BELOW (UINT64_C(128) << 20)
#define REGION_SPAN (UINT64_C(512) << 20)
#define REGION_NEIGHBOURS 64
#define UNREAD_SPAN (UINT64_C(16) << 20)
#define CHANGE_SLACK_NS (20 * NS_PER_MS)

static bool starts(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

void modules_init(struct modules *ms, const struct session_options *options, const struct fold_clock *start,
		  struct intern *strings)
{
	*ms = (struct modules){
		.paths = options->paths,
		.realtime = (int64_t)(start->realtime - start->monotonic),
		.strings = strings,
	};
	backings_init(&ms->backings, options->proc);
	vdso_init(&ms->vdso);
	intern_init(&ms->mapped_keys, 0);
	intern_init(&ms->module_keys, 0);
}

void modules_release(struct modules *ms)
{
	for (size_t i = 0; i < ms->n; i++) {
		for (size_t j = 0; j < ms->v[i].nids; j++)
			free((void *)(uintptr_t)ms->v[i].ids[j].bytes.at);
		free(ms->v[i].segments);
	}
	free(ms->v);
	free(ms->place);
	free(ms->mapped);
	free(ms->by_key);
	intern_release(&ms->mapped_keys);
	intern_release(&ms->module_keys);
	backings_release(&ms->backings);
	*ms = (struct modules){0};
}

/* ------------------------------------------------------------ mapped */

static enum mapped_kind mapped_kind(const char *path)
{
	static const char *const memory[] = {
		"//anon", "[anon", "[heap", "[stack", "/dev/zero", "/SYSV", "/anon_hugepage", "anon_inode:",
	};

	if (!*path)
		return MAPPED_MEMORY;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++) {
		if (starts(path, memory[i]))
			return MAPPED_MEMORY;
	}
	if (!strcmp(path, "[vdso]"))
		return MAPPED_VDSO;
	if (starts(path, "/memfd:"))
		return MAPPED_MEMFD;
	return *path == '/' ? MAPPED_FILE : MAPPED_SPECIAL;
}

static bool mapped_deleted(const char *path)
{
	size_t n = strlen(path);

	return n > strlen(DELETED) && !strcmp(path + n - strlen(DELETED), DELETED);
}

int mapped_add(struct modules *ms, const struct event_mmap *e, uint32_t *id)
{
	uint8_t key[48 + 4096 + 1] = {0};
	size_t n = strnlen(e->path, 4096), nid = e->build_id_size <= sizeof(e->build_id) ? e->build_id_size : 0;
	uint32_t known = ms->mapped_keys.n;
	struct mapped *m;

	/* Device and inode say nothing beside a build-id; their places are kept apart. */
	key[0] = (uint8_t)nid;
	memcpy(key + 1, e->build_id, nid);
	if (!nid) {
		memcpy(key + 24, &e->major, 4);
		memcpy(key + 28, &e->minor, 4);
		memcpy(key + 32, &e->inode, 8);
	}
	memcpy(key + 48, e->path, n);
	if (intern_add(&ms->mapped_keys, key, 48 + n + 1, id))
		return -1;
	if (*id < known)
		return 0;
	m = array_grow(ms->mapped, &ms->mapped_room, *id + 1, sizeof(*m));
	if (!m)
		return -1;
	ms->mapped = m;
	m += *id;
	*m = (struct mapped){
		.path = (const char *)intern_get(&ms->mapped_keys, *id).at + 48,
		.build_id_size = (uint8_t)nid,
		.major = e->major, .minor = e->minor, .inode = e->inode,
		.module = MAPPING_NO_MODULE,
	};
	memcpy(m->build_id, e->build_id, nid);
	m->kind = mapped_kind(m->path);
	m->deleted = mapped_deleted(m->path);
	return 0;
}

bool mapped_same(const struct modules *ms, uint32_t a, uint32_t b)
{
	const struct mapped *x = &ms->mapped[a], *y = &ms->mapped[b];
	size_t nx = strlen(x->path) - (x->deleted ? strlen(DELETED) : 0);
	size_t ny = strlen(y->path) - (y->deleted ? strlen(DELETED) : 0);

	if (a == b || (x->kind == MAPPED_MEMORY && y->kind == MAPPED_MEMORY))
		return true;
	if (nx != ny || memcmp(x->path, y->path, nx) != 0)
		return false;
	/* Ring and census tell the same mapping in two ways. */
	return (x->build_id_size != 0) != (y->build_id_size != 0);
}

/* ------------------------------------------------------------ definitions */

static int module_copy(struct fold_module *to, const struct fold_module *def)
{
	*to = *def;
	to->nids = 0;
	to->segments = NULL;
	if (def->nsegments) {
		to->segments = malloc(def->nsegments * sizeof(*to->segments));
		if (!to->segments)
			return -1;
		memcpy(to->segments, def->segments, def->nsegments * sizeof(*to->segments));
	}
	for (; to->nids < def->nids; to->nids++) {
		struct fold_bytes from = def->ids[to->nids].bytes;
		uint8_t *at = malloc(from.size);

		if (!at)
			return -1;
		memcpy(at, from.at, from.size);
		to->ids[to->nids].bytes.at = at;
	}
	return 0;
}

int module_add(struct modules *ms, const struct fold_module *def, uint64_t region, uint32_t *id)
{
	struct fold_module *v;
	struct module_place *place;

	if (ms->n == FOLD_MAX_MODULES || def->span > FOLD_MAX_SPACE - ms->next_base)
		return -1;
	v = array_grow(ms->v, &ms->room, ms->n + 1, sizeof(*v));
	if (!v)
		return -1;
	ms->v = v;
	place = array_grow(ms->place, &ms->place_room, ms->n + 1, sizeof(*place));
	if (!place)
		return -1;
	ms->place = place;
	*id = (uint32_t)ms->n++;
	ms->place[*id] = (struct module_place){.base = ms->next_base, .region = region};
	ms->next_base += (def->span + FOLD_MODULE_ALIGN - 1) & ~(uint64_t)(FOLD_MODULE_ALIGN - 1);
	return module_copy(&ms->v[*id], def);
}

/* ------------------------------------------------------------ names */

static bool system_path(const char *path)
{
	static const char *const dirs[] = {
		"/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/opt/", "/nix/store/", "/gnu/store/",
		"/snap/",
	};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		if (starts(path, dirs[i]))
			return true;
	}
	return false;
}

/* The name to show for a path: as much of it as the paths option lets through. */
static int module_name(struct modules *ms, const char *path, size_t n, uint64_t *name)
{
	const char *slash = memrchr(path, '/', n);
	uint32_t id;

	if (!n || (n == 6 && starts(path, "//anon"))) {
		path = "[anon]";
		n = 6;
	} else if (slash && *path != '[' && ms->paths != SESSION_PATHS_FULL &&
		   (ms->paths == SESSION_PATHS_BASE || !system_path(path))) {
		n -= (size_t)(slash + 1 - path);
		path = slash + 1;
	}
	if (intern_add(ms->strings, path, n, &id))
		return -1;
	*name = id;
	return 0;
}

/* ------------------------------------------------------------ files */

/* A definition in the making, with room for what it points at. */
struct module_draft {
	struct fold_module def;
	struct fold_segment segments[FOLD_MAX_SEGMENTS];
	struct identity identity;
	const char *path;
	size_t path_size;
};

static void draft_identity(struct module_draft *d, const struct identity *id)
{
	d->identity = *id;
	d->def.elf_type = id->type;
	d->def.machine = id->machine;
	d->def.nids = id->nids;
	for (size_t i = 0; i < id->nids; i++) {
		d->def.ids[i].kind = id->ids[i].kind;
		d->def.ids[i].bytes = (struct fold_bytes){d->identity.ids[i].bytes, id->ids[i].size};
	}
	d->def.nsegments = id->nsegments;
	d->def.segments = d->identity.segments;
}

static int draft_backing(struct modules *ms, uint32_t pid, const struct mapping *m, struct module_draft *d,
			 struct backing_result *found)
{
	const struct mapped *what = &ms->mapped[m->mapped];
	char path[4096 + 1];
	struct backing_request r = {
		.pid = pid, .path = path, .major = what->major, .minor = what->minor, .inode = what->inode,
		.build_id = what->build_id, .build_id_size = what->build_id_size,
		.mapped = (int64_t)m->time + ms->realtime,
	};

	d->path = what->path;
	d->path_size = strlen(what->path);
	memcpy(path, what->path, d->path_size + 1);
	if (what->deleted) {
		/* Unless a file really has such a name. */
		if (backing_find(&ms->backings, &r, found))
			return -1;
		if (found->read)
			return 0;
		d->path_size -= strlen(DELETED);
		path[d->path_size] = '\0';
		d->def.flags |= FOLD_MODULE_DELETED;
	}
	r.start = m->start;
	r.end = m->end;
	return backing_find(&ms->backings, &r, found);
}

/* What the kernel said is all that is known. */
static void draft_unread(struct module_draft *d, const struct mapped *what)
{
	d->def.flags |= FOLD_MODULE_UNREAD;
	if (!what->build_id_size)
		return;
	d->identity.nids = 1;
	d->identity.ids[0].kind = FOLD_ID_GNU;
	d->identity.ids[0].size = what->build_id_size;
	memcpy(d->identity.ids[0].bytes, what->build_id, what->build_id_size);
	for (size_t i = 0; i < what->build_id_size; i++)
		d->def.nids |= what->build_id[i] != 0;
	d->def.ids[0].kind = FOLD_ID_GNU;
	d->def.ids[0].bytes = (struct fold_bytes){d->identity.ids[0].bytes, what->build_id_size};
}

/* Modules are the same when kind, path and id are; without any id, the inode. */
static int draft_key(struct modules *ms, const struct module_draft *d, const struct mapped *what, uint32_t *key)
{
	uint8_t bytes[1 + 1 + FOLD_MAX_BUILD_ID + 4096] = {(uint8_t)d->def.kind};
	size_t n = FOLD_MAX_BUILD_ID + 2;

	if (d->def.nids) {
		bytes[1] = (uint8_t)d->def.ids[0].bytes.size;
		memcpy(bytes + 2, d->def.ids[0].bytes.at, d->def.ids[0].bytes.size);
	} else {
		memcpy(bytes + 2, &what->major, 4);
		memcpy(bytes + 6, &what->minor, 4);
		memcpy(bytes + 10, &what->inode, 8);
	}
	memcpy(bytes + n, d->path, d->path_size);
	return intern_add(&ms->module_keys, bytes, n + d->path_size, key);
}

/* The module of this draft, old or new, whose span holds `end`. */
static int draft_module(struct modules *ms, struct module_draft *d, const struct mapped *what, uint64_t end, uint32_t *id)
{
	uint32_t key, *by_key, known = ms->module_keys.n;

	if (draft_key(ms, d, what, &key))
		return -1;
	by_key = array_grow(ms->by_key, &ms->by_key_room, key + 1, sizeof(*by_key));
	if (!by_key)
		return -1;
	ms->by_key = by_key;
	if (key < known && ms->v[by_key[key]].span > end) {
		*id = by_key[key];
		return 0;
	}
	/* A return address can be one beyond the last byte; of a file that was not
	 * read, more may be mapped later. */
	d->def.span = (d->identity.size > end ? d->identity.size : end) + 1;
	if (d->def.flags & FOLD_MODULE_UNREAD)
		d->def.span |= UNREAD_SPAN - 1;
	if (module_name(ms, d->path, d->path_size, &d->def.name) || module_add(ms, &d->def, 0, id))
		return -1;
	ms->by_key[key] = *id;
	return 0;
}

/* ------------------------------------------------------------ memory */

/* Is `o` in a region that has room for `m`, too? */
static bool region_holds(const struct modules *ms, const struct mapping *o, const struct mapping *m)
{
	uint64_t offset;

	if (o->module == MAPPING_NO_MODULE || ms->v[o->module].kind != FOLD_MODULE_JIT)
		return false;
	offset = m->start - ms->place[o->module].region;
	return offset < REGION_SPAN && m->end - m->start < REGION_SPAN - offset;
}

/* A region of the same name next to `m` in the same process, or MAPPING_NO_MODULE. */
static uint32_t region_near(const struct modules *ms, const struct mapset *set, const struct mapping *m, uint64_t name)
{
	size_t at = (size_t)(m - set->v);
	size_t first = at > REGION_NEIGHBOURS ? at - REGION_NEIGHBOURS : 0;

	for (size_t i = first; i < set->n && i <= at + REGION_NEIGHBOURS; i++) {
		if (region_holds(ms, &set->v[i], m) && ms->v[set->v[i].module].name == name)
			return set->v[i].module;
	}
	return MAPPING_NO_MODULE;
}

/* Generated code that grows or is renewed stays in its module; what covers part
 * of a file may be that part of it, moved. */
void module_succeed(const struct modules *ms, const struct mapset *set, struct mapping *m)
{
	if (ms->mapped[m->mapped].kind != MAPPED_MEMORY)
		return;
	for (size_t i = mapset_above(set, m->start); i < set->n && set->v[i].start < m->end; i++) {
		const struct mapping *o = &set->v[i];
		bool file = ms->mapped[o->mapped].kind == MAPPED_FILE;

		if (o->start <= m->start && o->end >= m->end && (file || o->covered != MAPPING_NO_MODULE)) {
			m->covered = file ? o->mapped : o->covered;
			m->covered_bias = file ? o->offset - o->start : o->covered_bias;
			return;
		}
		if (ms->mapped[o->mapped].kind != MAPPED_MEMORY || !region_holds(ms, o, m))
			continue;
		m->module = o->module;
		m->bias = -ms->place[m->module].region;
		return;
	}
}

/* The file that `m` may be moved text of: what it covered, or what lies on both
 * sides of it. */
static bool remap_candidate(const struct modules *ms, const struct mapset *set, const struct mapping *m, uint32_t *what, uint64_t *bias)
{
	size_t at = (size_t)(m - set->v);
	const struct mapping *left = at ? m - 1 : m, *right = at + 1 < set->n ? m + 1 : m;

	*what = m->covered;
	*bias = m->covered_bias;
	if (*what != MAPPING_NO_MODULE)
		return true;
	*what = left->mapped;
	*bias = left->offset - left->start;
	return ms->mapped[*what].kind == MAPPED_FILE && left->end == m->start && right->start == m->end && right->mapped == *what &&
	       right->offset - right->start == *bias;
}

/* 0 when `m` is moved text and was resolved as that; 1 when it is not; -1. */
static int resolve_remapped(struct modules *ms, uint32_t pid, const struct mapset *set, struct mapping *m)
{
	uint32_t what;
	uint64_t bias;

	if (!remap_candidate(ms, set, m, &what, &bias) ||
	    !remap_proven(ms->backings.proc, pid, ms->mapped[what].path, bias, m->start, m->end))
		return 1;
	for (size_t i = 0; i < set->n; i++) {
		struct mapping *o = &set->v[i];

		if (o->mapped != what || o->offset - o->start != bias)
			continue;
		if (o->module == MAPPING_NO_MODULE && module_resolve(ms, pid, set, o))
			return -1;
		if (ms->v[o->module].kind != FOLD_MODULE_ELF || ms->v[o->module].span <= m->end + bias)
			continue;
		ms->v[o->module].flags |= FOLD_MODULE_REMAPPED;
		m->module = o->module;
		m->bias = bias;
		return 0;
	}
	return 1;
}

static int resolve_memory(struct modules *ms, uint32_t pid, const struct mapset *set, struct mapping *m)
{
	const struct mapped *what = &ms->mapped[m->mapped];
	size_t n = strlen(what->path) - (what->deleted ? strlen(DELETED) : 0);
	struct fold_module def = {.kind = what->kind == MAPPED_SPECIAL ? FOLD_MODULE_OTHER : FOLD_MODULE_JIT};
	uint64_t region = m->start - REGION_BELOW;
	uint32_t id;
	int err = what->kind == MAPPED_MEMORY ? resolve_remapped(ms, pid, set, m) : 1;

	if (err <= 0)
		return err;
	if (what->kind == MAPPED_MEMFD)
		def.flags = FOLD_MODULE_MEMFD;
	if (module_name(ms, what->path, n, &def.name))
		return -1;
	id = region_near(ms, set, m, def.name);
	if (id == MAPPING_NO_MODULE) {
		def.span = REGION_SPAN;
		if (m->end - m->start > REGION_SPAN - REGION_BELOW - 1)
			def.span = REGION_BELOW + (m->end - m->start) + 1;
		if (def.span > FOLD_MAX_SPACE || module_add(ms, &def, region, &id))
			return -1;
	}
	m->module = id;
	m->bias = -ms->place[id].region;
	return 0;
}

static int resolve_vdso(struct modules *ms, struct mapping *m)
{
	struct module_draft d = {.def.kind = FOLD_MODULE_VDSO, .path = "[vdso]", .path_size = 6};
	const struct mapped what = {0};

	/* A 32-bit process has another one, which we cannot see. */
	if (ms->vdso.at && m->end > UINT32_MAX)
		draft_identity(&d, &ms->vdso.identity);
	m->bias = -m->start;
	return draft_module(ms, &d, &what, m->end - m->start, &m->module);
}

/* ------------------------------------------------------------ all */

/* Other mappings of the same thing need not ask.  A file's inode is its own from
 * its last change (as a clock of jiffies tells it) until now. */
static void mapped_learned(const struct modules *ms, struct mapped *what, const struct mapping *m, const struct backing_result *found)
{
	int64_t from = found->changed - ms->realtime + (int64_t)CHANGE_SLACK_NS;

	what->module = m->module;
	what->from = from > 0 && !what->build_id_size ? (uint64_t)from : 0;
	what->to = what->build_id_size ? UINT64_MAX : clock_now();
}

static bool mapped_known(const struct modules *ms, const struct mapped *what, const struct mapping *m)
{
	return what->module != MAPPING_NO_MODULE && m->time >= what->from && m->time <= what->to &&
	       ms->v[what->module].span > m->offset + (m->end - m->start);
}

static int resolve_file(struct modules *ms, uint32_t pid, const struct mapset *set, struct mapping *m)
{
	struct mapped *what = &ms->mapped[m->mapped];
	struct module_draft d = {.def.kind = FOLD_MODULE_ELF};
	struct backing_result found;
	uint64_t end = m->offset + (m->end - m->start);

	if (draft_backing(ms, pid, m, &d, &found))
		return -1;
	if (found.foreign)
		d.def.flags |= FOLD_MODULE_FOREIGN_NS;
	if (what->kind == MAPPED_MEMFD)
		d.def.flags = (d.def.flags & ~FOLD_MODULE_DELETED) | FOLD_MODULE_MEMFD;
	if (!found.read)
		draft_unread(&d, what);
	else
		draft_identity(&d, found.identity);
	if (found.read && !d.identity.elf) {
		/* Generated code is often kept in files without a name. */
		if (d.def.flags & (FOLD_MODULE_DELETED | FOLD_MODULE_MEMFD))
			return resolve_memory(ms, pid, set, m);
		d.def.kind = FOLD_MODULE_OTHER;
	}
	if (!found.read && what->kind == MAPPED_MEMFD && !what->build_id_size)
		return resolve_memory(ms, pid, set, m);
	m->bias = m->offset - m->start;
	if (draft_module(ms, &d, what, end, &m->module))
		return -1;
	if (found.read)
		mapped_learned(ms, what, m, &found);
	return 0;
}

int module_resolve(struct modules *ms, uint32_t pid, const struct mapset *set, struct mapping *m)
{
	const struct mapped *what = &ms->mapped[m->mapped];

	switch (what->kind) {
	case MAPPED_MEMORY:
	case MAPPED_SPECIAL:
		return resolve_memory(ms, pid, set, m);
	case MAPPED_VDSO:
		return resolve_vdso(ms, m);
	case MAPPED_FILE:
	case MAPPED_MEMFD:
		break;
	}
	if (mapped_known(ms, what, m)) {
		m->module = what->module;
		m->bias = m->offset - m->start;
		return 0;
	}
	return resolve_file(ms, pid, set, m);
}

bool module_frame(const struct modules *ms, const struct mapping *m, uint64_t address, fold_frame *out)
{
	uint64_t offset = address + m->bias;

	if (m->module == MAPPING_NO_MODULE || offset >= ms->v[m->module].span)
		return false;
	*out = ms->place[m->module].base + offset;
	return true;
}
