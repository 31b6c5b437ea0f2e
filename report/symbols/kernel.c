/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The base of a kernel in its vmlinux file.  A random address in kernel text
 * stands behind a call about once in twenty times, a return address always, and
 * kernels are placed in steps of 2 MiB: a few return addresses single out one
 * of some hundred places.
 */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#include "../model/array.h"

#define STEP (UINT64_C(2) << 20)
#define MAX_PLACES 4096
#define MAX_RETURNS 4096 /* more would not make it surer */
#define MIN_RETURNS 8
#define MAX_CODE 32      /* sections */

struct code { /* an executable section */
	uint64_t address, size;
	const uint8_t *at;
};
struct image {
	struct code v[MAX_CODE];
	size_t n;
	uint64_t low, high; /* of all */
	uint32_t machine;
};

/* ------------------------------------------------------------ the file */

static bool symbol_value(Elf *elf, const char *name, uint64_t *value)
{
	uint64_t entries = elf_entries(elf, sizeof(Elf32_Sym));
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		struct elf_strings names;
		Elf_Data *data;
		GElf_Shdr header;
		GElf_Sym sym;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB || !(data = elf_getdata(scn, NULL)))
			continue;
		names = elf_strings(elf, header.sh_link);
		for (int i = 1; entries && gelf_getsym(data, i, &sym); i++, entries--) {
			if (sym.st_shndx != SHN_UNDEF && elf_string_begins(names, sym.st_name, name, strlen(name) + 1)) {
				*value = sym.st_value;
				return true;
			}
		}
	}
	return false;
}

static void image_read(struct image *image, const struct elf_file *file)
{
	Elf_Scn *scn = NULL;

	*image = (struct image){.machine = file->machine, .low = UINT64_MAX};
	while ((scn = elf_nextscn(file->elf, scn)) && image->n < MAX_CODE) {
		GElf_Shdr header;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_EXECINSTR) ||
		    !header.sh_size || header.sh_size > UINT64_MAX - header.sh_addr)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		image->v[image->n++] = (struct code){header.sh_addr, data->d_size, data->d_buf};
		if (header.sh_addr < image->low)
			image->low = header.sh_addr;
		if (header.sh_addr + header.sh_size > image->high)
			image->high = header.sh_addr + header.sh_size;
	}
}

static const struct code *code_at(const struct image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n; i++)
		if (address - image->v[i].address < image->v[i].size)
			return &image->v[i];
	return NULL;
}

/* ------------------------------------------------------------ calls */

/* call near, relative: and what it calls is code. */
static bool x86_direct_call(const struct image *image, const uint8_t *end, uint64_t address)
{
	uint32_t displacement;

	if (end[-5] != 0xe8)
		return false;
	displacement = end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;
	return code_at(image, address + (uint64_t)(int64_t)(int32_t)displacement);
}

/* call through a register or memory: ff /2 with 2 to 7 bytes */
static bool x86_indirect_call(const uint8_t *end)
{
	static const struct { uint8_t length, mod, rm_is_sib; } forms[] = {
		{2, 3, 0}, {2, 0, 0}, {3, 1, 0}, {4, 1, 1}, {3, 0, 1}, {6, 2, 0}, {7, 2, 1}, {7, 0, 1}, {6, 0, 0},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const uint8_t *p = end - forms[i].length;
		uint8_t modrm = p[1];

		if (p[0] == 0xff && (modrm >> 3 & 7) == 2 && modrm >> 6 == forms[i].mod &&
		    ((modrm & 7) == 4) == (forms[i].rm_is_sib && forms[i].mod != 3))
			return true;
	}
	return false;
}

/* Does a call instruction end at `address`? */
static bool behind_call(const struct image *image, uint64_t address)
{
	const struct code *code = code_at(image, address - 1);
	uint64_t into;
	const uint8_t *end;
	uint32_t word;

	if (!code)
		return false;
	into = address - code->address;
	end = code->at + into;
	if (into < 8)
		return false;
	switch (image->machine) {
	case EM_X86_64:
		return x86_direct_call(image, end, address) || x86_indirect_call(end);
	case EM_AARCH64:
		word = end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;
		return !(address & 3) && ((word & 0xfc000000) == 0x94000000 || (word & 0xfffff000) == 0xd63f0000);
	default:
		return false;
	}
}

static size_t score(const struct image *image, const uint64_t *returns, size_t n, uint64_t base)
{
	size_t hits = 0;

	for (size_t i = 0; i < n; i++)
		hits += behind_call(image, base + returns[i]);
	return hits;
}

enum kernel_answer kernel_recover(const struct elf_file *file, const uint64_t *returns, size_t n, uint64_t *base)
{
	uint64_t most = 0, first, last, places;
	size_t best = 0, second = 0;
	struct image image;

	image_read(&image, file);
	if (!image.n || (file->machine != EM_X86_64 && file->machine != EM_AARCH64))
		return KERNEL_NO_TEXT;
	if (n > MAX_RETURNS)
		n = MAX_RETURNS;
	if (n < MIN_RETURNS)
		return KERNEL_TOO_FEW;
	for (size_t i = 0; i < n; i++)
		most = returns[i] > most ? returns[i] : most;
	/* from where the highest offset is the lowest code, to where offset 0 is the highest */
	first = (image.low - most) & ~(STEP - 1);
	last = image.high & ~(STEP - 1);
	places = (last - first) / STEP + 1;
	for (uint64_t i = 0; i < places && i < MAX_PLACES; i++) {
		size_t hits = score(&image, returns, n, first + i * STEP);

		if (hits > best) {
			second = best;
			best = hits;
			*base = first + i * STEP;
		} else if (hits > second) {
			second = hits;
		}
	}
	return places <= MAX_PLACES && best * 10 >= n * 8 && second * 2 <= best ? KERNEL_FOUND : KERNEL_AMBIGUOUS;
}

/* ------------------------------------------------------------ the recording */

static int compare_offsets(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* Distinct offsets of frames that have called another.  Spread over all when
 * there are more than are needed.  0, or -1: out of memory. */
static int collect_returns(const struct recording *rec, uint32_t module, uint64_t **out, size_t *n)
{
	size_t room = 0, kept = 0;
	uint64_t *v = NULL;

	*n = 0;
	for (size_t i = 0; i < rec->nnodes; i++) {
		uint32_t caller = rec->nodes[i].parent;
		const struct rec_node *node = caller < rec->nnodes ? &rec->nodes[caller] : NULL;

		if (!node || node->kind != REC_FRAME_CODE || node->module != module || node->exact)
			continue;
		if (array_room(v, room, *n + 1)) {
			free(v);
			return -1;
		}
		v[(*n)++] = node->offset;
	}
	if (*n)
		qsort(v, *n, sizeof(*v), compare_offsets);
	for (size_t i = 0; i < *n; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	if (kept > MAX_RETURNS) {
		for (size_t i = 0; i < MAX_RETURNS; i++)
			v[i] = v[i * (kept / MAX_RETURNS)];
		kept = MAX_RETURNS;
	}
	*out = v;
	*n = kept;
	return 0;
}

enum kernel_answer kernel_base(const struct recording *rec, uint32_t module, const struct elf_file *file, uint64_t *base)
{
	const struct rec_module *m = &rec->modules[module];
	uint32_t flags = m->segment < rec->nsegments ? rec->segments[m->segment].meta.flags : 0;
	enum kernel_answer answer;
	uint64_t *returns;
	size_t n;

	if (!(flags & FOLD_FLAG_KERNEL_ANCHORED))
		return symbol_value(file->elf, "_text", base) ? KERNEL_FOUND : KERNEL_NO_TEXT;
	if (collect_returns(rec, module, &returns, &n))
		return KERNEL_TOO_FEW;
	answer = kernel_recover(file, returns, n, base);
	free(returns);
	return answer;
}
