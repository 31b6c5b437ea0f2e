/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for a module's files: which places are asked, in which order, and
 * what of the right files is kept.  What makes a file the right one is in proof.c.
 *
 * Owns the indexes of directories, each made at most once and only when the
 * known places had nothing.
 */
#include "locate.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../log.h"
#include "debuginfod.h"
#include "dirindex.h"
#include "proof.h"
#include "vdso.h"

static const struct dir_limits given_limits = {.files = 200000, .depth = 16};
static const struct dir_limits here_limits = {.files = 5000, .depth = 4};

struct tree { /* a directory to look through */
	const char *dir;
	const struct dir_limits *limits;
	bool indexed;
	struct dir_index index;
};
struct locator {
	struct locator_options options;
	size_t ntrees;
	struct tree *trees; /* --symbols in order, then --sysroot if there is one */
	struct tree here;   /* the working directory */
	pthread_mutex_t lock; /* of the indexes and the servers */
};
struct search {
	struct locator *locator;
	const struct rec_module *module;
	const char *path;  /* as recorded, and its last component */
	const char *base;
	const char *release; /* uname -r, "" unknown */
	char hex[2 * FOLD_MAX_BUILD_ID + 1]; /* the GNU build-id; "" none */
	const struct fold_module_id *id;     /* what proves a file; NULL: nothing can */
	struct located *out;
	const struct debuglink *link;        /* while its target is looked for */
	unsigned have;     /* enum elf_offer of the files found */
	bool failed;       /* out of memory */
};

/* ------------------------------------------------------------ candidates */

static bool complete(const struct search *s)
{
	unsigned want = ELF_HAS_SYMTAB | (s->locator->options.want_dwarf ? ELF_HAS_DWARF : 0);

	return s->failed || (s->have & want) == want;
}

static void remember(struct search *s, char **where, const char *path)
{
	if (*where)
		return;
	*where = strdup(path);
	s->failed |= !*where;
}

static void follow_link(struct search *s, size_t index);

static void note(struct search *s, const char *path, enum module_try_result result)
{
	s->failed |= tries_add(&s->out->tries, path, result) != 0;
}

/* Take over `file` when it is the right one and adds something, else close it. */
static enum module_try_result consider(struct search *s, struct elf_file *file)
{
	enum module_try_result result = proof_judge(s->module, s->id, s->link, file);

	if (result == TRY_TAKEN && s->out->n && !(file->offers & ~s->have))
		result = TRY_NOTHING_NEW;
	note(s, file->path, result);
	if (result == TRY_TAKEN && s->out->n < LOCATED_MAX) {
		log_detail("%s: found for %s", file->path, s->path);
		s->have |= file->offers;
		s->out->files[s->out->n++] = *file;
		follow_link(s, s->out->n - 1);
		return result;
	}
	if (result == TRY_OTHER_BUILD || result == TRY_OTHER_LAYOUT) {
		log_detail("%s: not the build that was recorded as %s", file->path, s->path);
		if (!s->link)
			remember(s, &s->out->refused, file->path);
	}
	elf_file_close(file);
	return result;
}

/* A confined report does not follow links out of the directories that it was given. */
static void explain_unreadable(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISLNK(st.st_mode))
		log_warning("%s: a link to what may not be read; name the directory that it leads to with --symbols", path);
}

static enum module_try_result try_file(struct search *s, const char *path)
{
	enum module_try_result result = TRY_ABSENT;
	struct elf_file file;
	int err = elf_file_open(&file, path);

	if (!err)
		return consider(s, &file);
	if (err == -ENOMEM) {
		s->failed = true;
		return result;
	}
	if (err == -EACCES || err == -EPERM) {
		result = TRY_UNREADABLE;
		explain_unreadable(path);
		remember(s, &s->out->unreadable, path);
	} else if (err == -ENOEXEC) {
		result = TRY_NO_ELF;
	}
	note(s, path, result);
	return result;
}

__attribute__((format(printf, 2, 3))) static void try_path(struct search *s, const char *format, ...)
{
	va_list args;
	char *path;

	if (complete(s))
		return;
	va_start(args, format);
	if (vasprintf(&path, format, args) < 0)
		path = NULL;
	va_end(args);
	if (!path) {
		s->failed = true;
		return;
	}
	try_file(s, path);
	free(path);
}

/* The debug file that a file names: beside it, or in the debug trees. */
static void follow_link(struct search *s, size_t index)
{
	const struct elf_file *file = &s->out->files[index];
	const char *slash = strrchr(file->path, '/');
	int dir = slash ? (int)(slash - file->path) : 0;
	const struct locator_options *o = &s->locator->options;
	size_t root = o->sysroot && !strncmp(file->path, o->sysroot, strlen(o->sysroot)) ? strlen(o->sysroot) : 0;
	struct debuglink link;

	if (s->link || complete(s) || !debuglink_read(file->elf, &link))
		return;
	s->link = &link;
	if (slash) {
		try_path(s, "%.*s/%s", dir, file->path, link.name);
		try_path(s, "%.*s/.debug/%s", dir, file->path, link.name);
	}
	for (size_t i = 0; i < o->ndirs; i++)
		try_path(s, "%s/%s", o->dirs[i], link.name);
	if (slash && (root || !o->no_system))
		try_path(s, "%.*s/usr/lib/debug%.*s/%s", (int)root, file->path, dir - (int)root, file->path + root, link.name);
	s->link = NULL;
}

/* A recorded path is the target's word: it may not climb out of the tree it is
 * looked for in. */
static bool stays_inside(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return false;
	return *path == '/';
}

static void try_build_id_tree(struct search *s, const char *dir)
{
	if (strlen(s->hex) < 4)
		return;
	try_path(s, "%s/.build-id/%.2s/%s.debug", dir, s->hex, s->hex + 2);
	try_path(s, "%s/.build-id/%.2s/%s", dir, s->hex, s->hex + 2);
}

static bool same_base(const struct search *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = strlen(s->base);

	return slash && !strncmp(slash + 1, s->base, n) && (!slash[1 + n] || !strcmp(slash + 1 + n, ".debug"));
}

/* Files with a build-id by that; others by their name, and proven later. */
static void try_index(struct search *s, struct tree *tree)
{
	size_t first, n;

	if (complete(s) || !s->id)
		return;
	if (!tree->indexed) {
		tree->indexed = true;
		s->failed |= dir_index_build(&tree->index, tree->dir, *tree->limits) != 0;
		log_detail("%s: %zu ELF files", tree->dir, tree->index.n);
		if (tree->limits == &given_limits && (tree->index.cut || tree->index.too_deep))
			log_warning("%s: too large a tree, only part of it was searched for debug files; "
				    "name a directory below it", tree->dir);
	}
	n = dir_index_find(&tree->index, s->id->bytes.at, s->hex[0] ? s->id->bytes.size : 0, &first);
	for (size_t i = 0; i < n && !complete(s); i++)
		if (s->hex[0] || same_base(s, tree->index.v[first + i]->path))
			try_file(s, tree->index.v[first + i]->path);
}

/* Where distributions and builds put a kernel with its symbols. */
static void search_kernel(struct search *s, const char *root)
{
	if (s->module->kind != FOLD_MODULE_KERNEL || !*s->release || strchr(s->release, '/'))
		return;
	try_path(s, "%s/usr/lib/debug/boot/vmlinux-%s", root, s->release);
	try_path(s, "%s/usr/lib/debug/lib/modules/%s/vmlinux", root, s->release);
	try_path(s, "%s/usr/lib/debug/usr/lib/modules/%s/vmlinux", root, s->release);
	try_path(s, "%s/boot/vmlinux-%s", root, s->release);
	try_path(s, "%s/lib/modules/%s/build/vmlinux", root, s->release);
	try_path(s, "%s/lib/modules/%s/vmlinux", root, s->release);
}

/* "nf_conntrack" may be the file nf-conntrack.ko.xz. */
static bool is_module_file(const char *path, size_t n, const char *name)
{
	size_t at = n;

	while (at && path[at - 1] != '/')
		at--;
	for (; *name; name++, at++)
		if (at >= n || (path[at] == '-' ? '_' : path[at]) != (*name == '-' ? '_' : *name))
			return false;
	return n - at >= 3 && !strncmp(path + at, ".ko", 3);
}

/* A kernel module where modules.dep says it is, and its debug file where
 * distributions put that. */
static void search_kernel_module(struct search *s, const char *root)
{
	char *list = NULL, *line = NULL;
	size_t room = 0;
	FILE *f;

	if (s->module->kind != FOLD_MODULE_KO || !*s->release || strchr(s->release, '/'))
		return;
	if (asprintf(&list, "%s/lib/modules/%s/modules.dep", root, s->release) < 0)
		return;
	f = fopen(list, "re");
	free(list);
	while (f && getline(&line, &room, f) > 0) {
		int n = (int)strcspn(line, ":"), bare;

		if (!is_module_file(line, (size_t)n, s->path) || line[0] == '/' || strstr(line, ".."))
			continue;
		bare = (int)(strstr(line, ".ko") + 3 - line);
		try_path(s, "%s/usr/lib/debug/lib/modules/%s/%.*s", root, s->release, bare, line);
		try_path(s, "%s/usr/lib/debug/lib/modules/%s/%.*s.debug", root, s->release, bare, line);
		try_path(s, "%s/lib/modules/%s/%.*s", root, s->release, n, line);
		break;
	}
	free(line);
	if (f)
		fclose(f);
}

static void search_symbols_dir(struct search *s, struct tree *tree)
{
	try_build_id_tree(s, tree->dir);
	search_kernel(s, tree->dir);
	search_kernel_module(s, tree->dir);
	if (s->module->kind == FOLD_MODULE_KO && !strchr(s->path, '/'))
		try_path(s, "%s/%s.ko", tree->dir, s->path);
	if (s->module->kind == FOLD_MODULE_KERNEL)
		try_path(s, "%s/vmlinux", tree->dir);
	if (*s->base && *s->base != '[') {
		try_path(s, "%s/%s.debug", tree->dir, s->base);
		try_path(s, "%s/%s", tree->dir, s->base);
	}
	if (stays_inside(s->path)) {
		try_path(s, "%s%s.debug", tree->dir, s->path);
		try_path(s, "%s%s", tree->dir, s->path);
	}
	try_index(s, tree);
}

static void search_root(struct search *s, const char *root)
{
	search_kernel(s, root);
	search_kernel_module(s, root);
	if (stays_inside(s->path))
		try_path(s, "%s%s", root, s->path);
	if (s->hex[0]) {
		try_path(s, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", root, s->hex, s->hex + 2);
		try_path(s, "%s/usr/lib/debug/.build-id/%.2s/%s", root, s->hex, s->hex + 2);
		try_path(s, "%s/usr/lib/.build-id/%.2s/%s", root, s->hex, s->hex + 2);
	}
	if (stays_inside(s->path)) {
		try_path(s, "%s/usr/lib/debug%s.debug", root, s->path);
		try_path(s, "%s%s.debug", root, s->path);
	}
}

/* Our own vdso serves a recording made on the same kernel build. */
static void search_vdso(struct search *s)
{
	struct elf_file file;

	if (!complete(s) && !vdso_open(&file))
		consider(s, &file);
}

/*
 * Of programs outside the system's directories only the base name is recorded: a
 * path there can tell who works on what.  Who reports where he recorded finds
 * them in the working directory, or where the shell finds them.
 */
static void search_here(struct search *s)
{
	const char *path = getenv("PATH"), *end;

	if (!*s->base || *s->path == '/' || *s->base == '[' || s->module->kind != FOLD_MODULE_ELF)
		return;
	try_path(s, "./%s", s->base);
	for (; path && *path && !complete(s); path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (*path == '/')
			try_path(s, "%.*s/%s", (int)(end - path), path, s->base);
	}
	try_index(s, &s->locator->here);
}

/* perf keeps copies of what it has recorded. */
static void search_perf_cache(struct search *s)
{
	const char *home = getenv("HOME");

	if (!home || !*home || !s->hex[0])
		return;
	try_path(s, "%s/.debug/.build-id/%.2s/%s/debug", home, s->hex, s->hex + 2);
	try_path(s, "%s/.debug/.build-id/%.2s/%s/elf", home, s->hex, s->hex + 2);
	try_path(s, "%s/.debug/.build-id/%.2s/%s/vdso", home, s->hex, s->hex + 2);
}

/* A file that is not what was asked for would be found again in the cache. */
static void fetch(struct search *s, bool executable)
{
	const char *what = *s->base ? s->base : s->hex;
	enum module_try_result result;
	char *path = NULL;

	if (debuginfod_fetch(s->locator->options.servers, s->id->bytes.at, s->id->bytes.size, executable, what, &path))
		return;
	result = try_file(s, path);
	if (result == TRY_OTHER_BUILD || result == TRY_OTHER_LAYOUT || result == TRY_NO_ELF) {
		log_warning("debuginfod: what came for %s (build-id %s) is another file; it is not used", what, s->hex);
		unlink(path);
	}
	free(path);
}

/* The last resort, and only when it was asked for.  The file itself is worth
 * fetching when nothing else has any symbol. */
static void search_servers(struct search *s)
{
	if (!s->locator->options.servers || !s->hex[0] || complete(s))
		return;
	fetch(s, false);
	if (!(s->have & (ELF_HAS_SYMTAB | ELF_HAS_DYNSYM)))
		fetch(s, true);
}

static void search_local(struct search *s)
{
	struct locator *l = s->locator;

	for (size_t i = 0; i < l->options.ndirs; i++)
		search_symbols_dir(s, &l->trees[i]);
	if (l->options.sysroot) {
		search_root(s, l->options.sysroot);
		/* A base name is all that is recorded for paths outside the system's directories. */
		if (*s->path != '/')
			try_index(s, &l->trees[l->options.ndirs]);
	}
	if (l->options.no_system)
		return;
	search_root(s, "");
	search_here(s);
	search_perf_cache(s);
	if (s->module->kind == FOLD_MODULE_VDSO)
		search_vdso(s);
}

static void search_all(struct search *s)
{
	search_local(s);
	search_servers(s);
}

int locate(struct locator *l, const struct rec_module *m, const char *path, const char *release, struct located *out)
{
	const char *slash = strrchr(path, '/');
	struct search s = {
		.locator = l, .module = m, .path = path, .base = slash ? slash + 1 : path, .release = release,
		.id = proof_id(m), .out = out,
	};

	memset(out, 0, sizeof(*out));
	out->weak = s.id && s.id->kind == FOLD_ID_HASH;
	for (size_t i = 0; s.id && s.id->kind == FOLD_ID_GNU && i < s.id->bytes.size; i++)
		snprintf(s.hex + 2 * i, 3, "%02x", s.id->bytes.at[i]);
	pthread_mutex_lock(&l->lock);
	search_all(&s);
	pthread_mutex_unlock(&l->lock);
	if (!s.failed)
		return 0;
	located_release(out);
	return -1;
}

int locate_by_id(struct locator *l, const uint8_t *id, size_t size, struct elf_file *out)
{
	struct rec_module m = {.kind = FOLD_MODULE_OTHER, .nids = 1, .ids = {{FOLD_ID_GNU, {id, size}}}};
	struct located found;

	if (!size || size > FOLD_MAX_BUILD_ID || locate(l, &m, "", "", &found))
		return -EINVAL;
	memset(out, 0, sizeof(*out));
	if (found.n) {
		*out = found.files[0];
		memset(&found.files[0], 0, sizeof(found.files[0]));
	}
	located_release(&found);
	return out->elf ? 0 : -ENOENT;
}

const struct locator_options *locator_options(const struct locator *l)
{
	return &l->options;
}

void located_release(struct located *found)
{
	for (size_t i = 0; i < found->n; i++)
		elf_file_close(&found->files[i]);
	tries_release(&found->tries);
	free(found->refused);
	free(found->unreadable);
	memset(found, 0, sizeof(*found));
}

const struct elf_file *located_with(const struct located *found, enum elf_offer offer)
{
	for (size_t i = 0; i < found->n; i++)
		if (found->files[i].offers & offer)
			return &found->files[i];
	return NULL;
}

int locator_new(struct locator **out, const struct locator_options *options)
{
	struct locator *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (!l)
		return -1;
	l->options = *options;
	pthread_mutex_init(&l->lock, NULL);
	l->here = (struct tree){.dir = ".", .limits = &here_limits};
	l->ntrees = options->ndirs + (options->sysroot != NULL);
	l->trees = calloc(l->ntrees + 1, sizeof(*l->trees));
	if (!l->trees) {
		locator_free(l);
		return -1;
	}
	for (size_t i = 0; i < options->ndirs; i++)
		l->trees[i] = (struct tree){.dir = options->dirs[i], .limits = &given_limits};
	if (options->sysroot)
		l->trees[options->ndirs] = (struct tree){.dir = options->sysroot, .limits = &given_limits};
	*out = l;
	return 0;
}

void locator_free(struct locator *l)
{
	if (!l)
		return;
	for (size_t i = 0; l->trees && i < l->ntrees; i++)
		dir_index_release(&l->trees[i].index);
	dir_index_release(&l->here.index);
	pthread_mutex_destroy(&l->lock);
	free(l->trees);
	free(l);
}
