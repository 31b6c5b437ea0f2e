/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of BATCH: definitions before what refers to them. */
#include "section.h"

#define BATCH_SECTION(field) \
	static void batch_##field##_encode(struct buf *to, const void *chunk, uint32_t meta_flags) \
	{ \
		field##_encode(to, &((const struct fold_batch *)chunk)->field); \
	} \
	static void batch_##field##_decode(struct decoding *d, struct span *s, void *chunk) \
	{ \
		field##_decode(d, s, &((struct fold_batch *)chunk)->field); \
	}

BATCH_SECTION(strings)
BATCH_SECTION(modules)
BATCH_SECTION(procs)
BATCH_SECTION(threads)
BATCH_SECTION(samples)
BATCH_SECTION(counts)
BATCH_SECTION(account)
BATCH_SECTION(origins)

static void batch_mmaps_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	mmaps_encode(to, &((const struct fold_batch *)chunk)->mmaps, meta_flags);
}

static void batch_mmaps_decode(struct decoding *d, struct span *s, void *chunk)
{
	mmaps_decode(d, s, &((struct fold_batch *)chunk)->mmaps);
}

static void batch_kstacks_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	stacks_encode(to, &((const struct fold_batch *)chunk)->kstacks);
}

static void batch_kstacks_decode(struct decoding *d, struct span *s, void *chunk)
{
	stacks_decode(d, s, FOLD_KSTACKS, &((struct fold_batch *)chunk)->kstacks);
}

static void batch_ustacks_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	stacks_encode(to, &((const struct fold_batch *)chunk)->ustacks);
}

static void batch_ustacks_decode(struct decoding *d, struct span *s, void *chunk)
{
	stacks_decode(d, s, FOLD_USTACKS, &((struct fold_batch *)chunk)->ustacks);
}

static void batch_ksyms_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	syms_encode(to, &((const struct fold_batch *)chunk)->ksyms);
}

static void batch_ksyms_decode(struct decoding *d, struct span *s, void *chunk)
{
	syms_decode(d, s, &((struct fold_batch *)chunk)->ksyms, NULL);
}

static void batch_jitsyms_encode(struct buf *to, const void *chunk, uint32_t meta_flags)
{
	syms_encode(to, &((const struct fold_batch *)chunk)->jitsyms);
}

static void batch_jitsyms_decode(struct decoding *d, struct span *s, void *chunk)
{
	syms_decode(d, s, &((struct fold_batch *)chunk)->jitsyms, NULL);
}

static const struct section sections[] = {
	{FOLD_STRINGS, false, batch_strings_encode, batch_strings_decode},
	{FOLD_MODULES, false, batch_modules_encode, batch_modules_decode},
	{FOLD_PROCS, false, batch_procs_encode, batch_procs_decode},
	{FOLD_MMAPS, false, batch_mmaps_encode, batch_mmaps_decode},
	{FOLD_THREADS, false, batch_threads_encode, batch_threads_decode},
	{FOLD_KSTACKS, false, batch_kstacks_encode, batch_kstacks_decode},
	{FOLD_USTACKS, false, batch_ustacks_encode, batch_ustacks_decode},
	{FOLD_SAMPLES, false, batch_samples_encode, batch_samples_decode},
	{FOLD_COUNTS, false, batch_counts_encode, batch_counts_decode},
	{FOLD_ACCOUNT, false, batch_account_encode, batch_account_decode},
	{FOLD_KSYMS, false, batch_ksyms_encode, batch_ksyms_decode},
	{FOLD_JITSYMS, false, batch_jitsyms_encode, batch_jitsyms_decode},
	{FOLD_ORIGINS, false, batch_origins_encode, batch_origins_decode},
};
const struct section_table batch_sections = {sections, sizeof(sections) / sizeof(*sections)};
