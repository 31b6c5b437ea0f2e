/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target: the identity of any bytes as an ELF file, as notes of the kernel's,
 * and names in them as in the vdso.  What comes out must obey the limits of the
 * file format.
 */
#include "../../record/identity.h"
#include "../../record/vdso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth, const char *what)
{
	if (truth)
		return;
	fprintf(stderr, "identity breaks its promise: %s\n", what);
	abort();
}

static void check(const struct identity *id)
{
	require(id->nids <= FOLD_MAX_IDS, "number of ids");
	require(id->nsegments <= FOLD_MAX_SEGMENTS, "number of segments");
	for (size_t i = 0; i < id->nids; i++) {
		uint8_t sum = 0;

		require(id->ids[i].size >= 1 && id->ids[i].size <= FOLD_MAX_BUILD_ID, "size of an id");
		for (size_t j = 0; j < id->ids[i].size; j++)
			sum |= id->ids[i].bytes[j];
		require(sum != 0, "an id of zeros");
		require(!i || id->ids[i - 1].kind <= id->ids[i].kind, "order of ids");
	}
}

static void look_for_names(const uint8_t *data, size_t size)
{
	struct vdso_symbol symbol;
	struct vdso v;

	vdso_init_image(&v, data, size);
	for (uint64_t offset = 0; offset < size; offset += 64) {
		if (!vdso_symbol(&v, offset, &symbol))
			continue;
		require((const uint8_t *)symbol.name >= data && (const uint8_t *)symbol.name + strlen(symbol.name) < data + size, "a name");
		require(offset - symbol.offset < symbol.size, "a function covers what was asked for");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct identity_image image = {.fd = -1, .at = data, .size = size};
	struct identity id;

	require(!identity_read(&image, &id), "memory can be read");
	require(!size || id.nids > 0 || !id.elf, "a file has an id");
	check(&id);
	look_for_names(data, size);
	for (size_t align = 4; align <= 8; align += 4) {
		for (int big = 0; big < 2; big++) {
			id = (struct identity){0};
			identity_notes(&id, data, size, align, big);
			require(id.nids <= FOLD_MAX_IDS, "number of ids in notes");
		}
	}
	return 0;
}
