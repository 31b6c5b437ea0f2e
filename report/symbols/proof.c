/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparing a file with what was recorded.  Missing ids and all-zero ones match nothing. */
#include "proof.h"

#include <string.h>

const struct fold_module_id *proof_id(const struct rec_module *m)
{
	const struct fold_module_id *best = NULL;

	for (size_t i = 0; i < m->nids && i < FOLD_MAX_IDS; i++) {
		const struct fold_module_id *id = &m->ids[i];

		if (id->kind < FOLD_ID_GNU || id->kind > FOLD_ID_HASH || !id->bytes.size || id->bytes.size > FOLD_MAX_BUILD_ID)
			continue;
		if (!best || id->kind < best->kind)
			best = id;
	}
	return best;
}

static bool segment_exists(const struct fold_segment *want, const struct fold_segment *v, size_t n, bool by_offset)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].vaddr == want->vaddr &&
		    (!by_offset || (v[i].offset == want->offset && v[i].filesz == want->filesz)))
			return true;
	return false;
}

/* The recorded executable segments are those of the file.  A debug file has the
 * addresses only, and some have no segments at all. */
static bool same_layout(const struct rec_module *m, const struct elf_file *file)
{
	struct fold_segment v[FOLD_MAX_SEGMENTS];
	size_t n = elf_segments(file->elf, v, FOLD_MAX_SEGMENTS);

	if (!n || n > FOLD_MAX_SEGMENTS)
		return true;
	for (size_t i = 0; i < m->nsegments; i++)
		if (!segment_exists(&m->segments[i], v, n, file->offers & ELF_HAS_CODE))
			return false;
	return true;
}

static bool same_id(const struct fold_module_id *want, const struct elf_id *got)
{
	return got->size && got->size == want->bytes.size && !memcmp(got->bytes, want->bytes.at, got->size);
}

/* By the best id that was recorded.  A file with a better one than was recorded
 * is another file. */
static bool identified(const struct fold_module_id *id, const struct elf_file *file)
{
	struct elf_id hash;

	if (!id)
		return false;
	if (id->kind == FOLD_ID_GNU)
		return same_id(id, &file->gnu);
	if (file->gnu.size)
		return false;
	if (id->kind == FOLD_ID_GO)
		return same_id(id, &file->go);
	if (file->go.size)
		return false;
	hash = elf_file_hash(file);
	return same_id(id, &hash);
}

/* The target of a debug link; one with a build-id is proven by that. */
static bool linked(const struct debuglink *link, const struct elf_file *file)
{
	return link && !file->gnu.size && debuglink_proves(link, file);
}

enum module_try_result proof_judge(const struct rec_module *m, const struct fold_module_id *id,
				   const struct debuglink *link, const struct elf_file *file)
{
	if (m->machine && m->machine != file->machine)
		return TRY_OTHER_BUILD;
	if (!identified(id, file) && !linked(link, file))
		return TRY_OTHER_BUILD;
	return same_layout(m, file) ? TRY_TAKEN : TRY_OTHER_LAYOUT;
}
