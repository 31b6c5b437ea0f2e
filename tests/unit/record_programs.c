/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sampling object must load where the kernel has no type information: its
 * .BTF.ext has no relocations, and nothing in it asks for a kernel type.
 */
#include "../../record/programs.h"
#include "test.h"

#include <gelf.h>
#include <libelf.h>

struct btf_ext {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t header_size;
	uint32_t func_info_off, func_info_len, line_info_off, line_info_len;
	uint32_t core_relo_off, core_relo_len;
};

static Elf_Data *section(Elf *elf, const char *wanted)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) && !strcmp(elf_strptr(elf, strings, header.sh_name), wanted))
			return elf_getdata(scn, NULL);
	return NULL;
}

TEST(sample_has_no_relocations)
{
	size_t size;
	void *bytes = program_unpack(program_sample, program_sample_end, &size);
	struct btf_ext ext = { 0 };
	Elf_Data *data;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = bytes ? elf_memory(bytes, size) : NULL;
	CHECK(elf);
	if (!elf)
		return;
	data = section(elf, ".BTF.ext");
	CHECK(data && data->d_size >= sizeof(ext));
	if (data && data->d_size >= sizeof(ext)) {
		memcpy(&ext, data->d_buf, sizeof(ext));
		CHECK_EQ(ext.magic, 0xeb9f);
		CHECK(ext.func_info_len > 0);
		if (ext.header_size >= sizeof(ext))
			CHECK_EQ(ext.core_relo_len, 0);
	}
	CHECK(section(elf, ".maps"));
	CHECK(!section(elf, ".ksyms"));
	elf_end(elf);
	free(bytes);
}

TEST_MAIN()
