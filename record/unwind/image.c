/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF headers -> .eh_frame, Go's table, executable segments.  See image.h. */
#include "image.h"

#include <elf.h>
#include <string.h>

#include "bytes.h"

static bool in_file(const struct image *img, uint64_t offset, uint64_t size)
{
	return offset <= img->size && size <= img->size - offset;
}

/* The i-th of `n` structs of `size` bytes at `table`, copied: nothing is aligned. */
static bool entry_get(const struct image *img, uint64_t table, uint64_t i, size_t size, void *out)
{
	uint64_t offset;

	if (__builtin_mul_overflow(i, size, &offset) || __builtin_add_overflow(offset, table, &offset) || !in_file(img, offset, size))
		return false;
	memcpy(out, img->at + offset, size);
	return true;
}

static void segments_read(struct image *img, const Elf64_Ehdr *ehdr)
{
	Elf64_Phdr ph;

	for (unsigned i = 0; i < ehdr->e_phnum && img->nsegments < IMAGE_MAX_SEGMENTS; i++) {
		if (!entry_get(img, ehdr->e_phoff, i, sizeof(ph), &ph))
			return;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X) || ph.p_offset >= img->size)
			continue;
		if (ph.p_filesz > img->size - ph.p_offset)
			ph.p_filesz = img->size - ph.p_offset;
		if (!ph.p_filesz || ph.p_vaddr > UINT64_MAX - ph.p_filesz)
			continue;
		img->segments[img->nsegments++] = (struct image_segment){ ph.p_offset, ph.p_vaddr, ph.p_filesz };
	}
}

static bool name_is(const struct image *img, const Elf64_Shdr *strings, uint32_t name, const char *want)
{
	size_t n = strlen(want) + 1;

	return in_file(img, strings->sh_offset, strings->sh_size) && name <= strings->sh_size && n <= strings->sh_size - name &&
	       !memcmp(img->at + strings->sh_offset + name, want, n);
}

static void section_take(struct image *img, const Elf64_Shdr *strings, const Elf64_Shdr *sh)
{
	struct image_section s;

	if (sh->sh_type == SHT_NOBITS || !(sh->sh_flags & SHF_ALLOC) || (sh->sh_flags & SHF_COMPRESSED) || !in_file(img, sh->sh_offset, sh->sh_size))
		return;
	s = (struct image_section){ img->at + sh->sh_offset, sh->sh_size, sh->sh_addr };
	if (name_is(img, strings, sh->sh_name, ".eh_frame") && img->nframes < IMAGE_MAX_FRAMES)
		img->frames[img->nframes++] = s;
	else if (name_is(img, strings, sh->sh_name, ".gopclntab") || name_is(img, strings, sh->sh_name, ".data.rel.ro.gopclntab"))
		img->go = s;
	else if (name_is(img, strings, sh->sh_name, ".text"))
		img->text = sh->sh_addr;
}

static void sections_read(struct image *img, const Elf64_Ehdr *ehdr)
{
	Elf64_Shdr first, strings, sh;
	uint64_t n = ehdr->e_shnum, names = ehdr->e_shstrndx;

	if (!ehdr->e_shoff || ehdr->e_shentsize != sizeof(sh) || !entry_get(img, ehdr->e_shoff, 0, sizeof(first), &first))
		return;
	if (!n)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (names >= n || !entry_get(img, ehdr->e_shoff, names, sizeof(strings), &strings))
		return;
	for (uint64_t i = 1; i < n; i++) {
		if (!entry_get(img, ehdr->e_shoff, i, sizeof(sh), &sh))
			return;
		section_take(img, &strings, &sh);
	}
}

/* Without section headers the loader's pointer remains.  Its end is unknown: the
 * terminator or the end of the segment. */
static void frame_header_read(struct image *img, const Elf64_Ehdr *ehdr, const Elf64_Phdr *hdr)
{
	Elf64_Phdr ph;
	struct bytes b;
	uint8_t encoding;
	uint64_t vaddr;

	if (!in_file(img, hdr->p_offset, hdr->p_filesz))
		return;
	b = bytes_of(img->at + hdr->p_offset, hdr->p_filesz);
	bytes_uint(&b, 1);
	encoding = bytes_uint(&b, 1);
	bytes_uint(&b, 2);
	vaddr = bytes_pointer(&b, encoding, hdr->p_vaddr + 4);
	if (b.bad)
		return;
	for (unsigned i = 0; entry_get(img, ehdr->e_phoff, i, sizeof(ph), &ph) && i < ehdr->e_phnum; i++) {
		if (ph.p_type != PT_LOAD || !in_file(img, ph.p_offset, ph.p_filesz) || vaddr < ph.p_vaddr || vaddr - ph.p_vaddr >= ph.p_filesz)
			continue;
		vaddr -= ph.p_vaddr;
		img->frames[img->nframes++] = (struct image_section){ img->at + ph.p_offset + vaddr, ph.p_filesz - vaddr, ph.p_vaddr + vaddr };
		return;
	}
}

static void program_headers_search(struct image *img, const Elf64_Ehdr *ehdr)
{
	Elf64_Phdr ph;

	for (unsigned i = 0; i < ehdr->e_phnum && entry_get(img, ehdr->e_phoff, i, sizeof(ph), &ph); i++)
		if (ph.p_type == PT_GNU_EH_FRAME) {
			frame_header_read(img, ehdr, &ph);
			return;
		}
}

bool image_open(struct image *out, const uint8_t *bytes, size_t size)
{
	Elf64_Ehdr ehdr;

	*out = (struct image){ .at = bytes, .size = size };
	if (!entry_get(out, 0, 0, sizeof(ehdr), &ehdr) || memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_ident[EI_CLASS] != ELFCLASS64 || ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	if ((ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN) || ehdr.e_phentsize != sizeof(Elf64_Phdr))
		return false;
	out->machine = ehdr.e_machine;
	segments_read(out, &ehdr);
	sections_read(out, &ehdr);
	if (!out->nframes)
		program_headers_search(out, &ehdr);
	return true;
}

const struct image_segment *image_segment_at(const struct image *img, uint64_t vaddr)
{
	for (size_t i = 0; i < img->nsegments; i++) {
		const struct image_segment *s = &img->segments[i];

		if (vaddr >= s->vaddr && vaddr - s->vaddr < s->filesz)
			return s;
	}
	return NULL;
}

const uint8_t *image_code(const struct image *img, uint64_t vaddr, size_t n)
{
	const struct image_segment *s = image_segment_at(img, vaddr);

	if (!s || n > s->filesz - (vaddr - s->vaddr))
		return NULL;
	return img->at + s->offset + (vaddr - s->vaddr);
}

bool image_is_restorer(const struct image *img, uint64_t vaddr)
{
	static const uint8_t insns[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	const uint8_t *code = image_code(img, vaddr, sizeof(insns));

	return code && !memcmp(code, insns, sizeof(insns));
}
