/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in order of appearance: "comm-1", "file-2.so", and so on. */
#include "veil.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void veil_init(struct veil *v, uint32_t parts)
{
	*v = (struct veil){.parts = parts};
	intern_init(&v->comms, 1);
	intern_init(&v->paths, 1);
	intern_init(&v->code, 1);
}

void veil_release(struct veil *v)
{
	intern_release(&v->comms);
	intern_release(&v->paths);
	intern_release(&v->code);
	free(v->pids);
	*v = (struct veil){0};
}

bool veil_hides(struct veil *v, enum veil_part part)
{
	if (!v || !(v->parts & part))
		return false;
	v->hidden[__builtin_ctz(part)]++;
	return true;
}

/* `word`-N for the Nth text that is not in `known`. */
static int replace(struct veil *v, enum veil_part part, struct intern *known, const char *word, struct fold_bytes *text, char buf[VEIL_TEXT])
{
	uint32_t before = known->n, id;

	if (!v || !(v->parts & part) || !text->size)
		return 0;
	if (intern_add(known, text->at, text->size, &id))
		return -1;
	v->hidden[__builtin_ctz(part)] += known->n - before;
	text->size = (size_t)snprintf(buf, VEIL_TEXT, "%s-%u", word, id);
	text->at = (const uint8_t *)buf;
	return 0;
}

int veil_comm(struct veil *v, struct fold_bytes *text, char buf[VEIL_TEXT])
{
	return v ? replace(v, VEIL_COMMS, &v->comms, "comm", text, buf) : 0;
}

int veil_code(struct veil *v, struct fold_bytes *text, char buf[VEIL_TEXT])
{
	return v ? replace(v, VEIL_CODE, &v->code, "code", text, buf) : 0;
}

static bool begins(struct fold_bytes path, const char *const *with, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (path.size >= strlen(with[i]) && !memcmp(path.at, with[i], strlen(with[i])))
			return true;
	return false;
}

/* The same directories that the recorder keeps paths below. */
static bool is_system(struct fold_bytes path)
{
	static const char *const directories[] = {
		"/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/nix/store/", "/gnu/store/",
	};
	static const char *const users[] = {"/usr/local/", "/usr/src/"};

	return begins(path, directories, sizeof(directories) / sizeof(*directories)) && !begins(path, users, sizeof(users) / sizeof(*users));
}

/* Names that the kernel makes up for what is no file, such as "[vdso]" and "//anon", tell nothing. */
static bool is_made_up(struct fold_bytes name, uint32_t module_kind)
{
	static const char *const made_up[] = {"[", "//anon"};

	return module_kind != FOLD_MODULE_ELF && begins(name, made_up, sizeof(made_up) / sizeof(*made_up));
}

int veil_path(struct veil *v, uint32_t module_kind, struct fold_bytes *text, char buf[VEIL_TEXT], bool *own)
{
	bool kernel = module_kind == FOLD_MODULE_KERNEL || module_kind == FOLD_MODULE_KO;

	if (!v || kernel || is_system(*text) || is_made_up(*text, module_kind))
		return 0;
	*own = true;
	return replace(v, VEIL_PATHS, &v->paths, "file", text, buf);
}

/* ---- pids and tids share their numbers: the first thread of a process has its pid */

static uint32_t *pid_slot(const struct veil *v, uint32_t pid)
{
	uint32_t mask = v->pid_slots - 1;

	for (uint32_t i = pid * UINT32_C(2654435761) & mask;; i = (i + 1) & mask)
		if (!v->pids[2 * (size_t)i + 1] || v->pids[2 * (size_t)i] == pid)
			return &v->pids[2 * (size_t)i];
}

static int grow_pids(struct veil *v)
{
	struct veil more = {.pid_slots = v->pid_slots ? 2 * v->pid_slots : 1024};

	more.pids = calloc(2 * (size_t)more.pid_slots, sizeof(*more.pids));
	if (!more.pids)
		return -1;
	for (size_t i = 0; i < v->pid_slots; i++) {
		uint32_t *slot = &v->pids[2 * i];

		if (slot[1])
			memcpy(pid_slot(&more, slot[0]), slot, 2 * sizeof(*slot));
	}
	free(v->pids);
	v->pids = more.pids;
	v->pid_slots = more.pid_slots;
	return 0;
}

int veil_pid(struct veil *v, uint32_t *pid)
{
	uint32_t *slot;

	if (!v || !(v->parts & VEIL_PIDS) || !*pid)
		return 0;
	if (v->npids >= v->pid_slots / 2 && grow_pids(v))
		return -1;
	slot = pid_slot(v, *pid);
	if (!slot[1]) {
		slot[0] = *pid;
		slot[1] = ++v->npids;
		v->hidden[__builtin_ctz(VEIL_PIDS)]++;
	}
	*pid = slot[1];
	return 0;
}
