/* SPDX-License-Identifier: BSD-2-Clause */
/* The checksum is the CRC-32 of zlib and Ethernet, not the CRC-32C of recordings. */
#include "debuglink.h"

#include <string.h>
#include <zlib.h>

bool debuglink_read(Elf *elf, struct debuglink *out)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_section(elf, ".gnu_debuglink", &header);
	Elf_Data *data = scn && header.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	const uint8_t *at = data ? data->d_buf : NULL, *end, *crc;
	GElf_Ehdr file;
	bool big;

	if (!at || !gelf_getehdr(elf, &file))
		return false;
	end = memchr(at, 0, data->d_size);
	if (!end || end == at || memchr(at, '/', (size_t)(end - at)))
		return false;
	crc = at + (((size_t)(end - at) + 4) & ~(size_t)3);
	if ((size_t)(crc - at) + 4 > data->d_size)
		return false;
	big = file.e_ident[EI_DATA] == ELFDATA2MSB;
	out->name = (const char *)at;
	out->crc = 0;
	for (int i = 0; i < 4; i++)
		out->crc |= (uint32_t)crc[i] << 8 * (big ? 3 - i : i);
	return true;
}

bool debuglink_proves(const struct debuglink *link, const struct elf_file *file)
{
	size_t size;
	const char *at = elf_rawfile(file->elf, &size);

	return at && crc32_z(0, (const uint8_t *)at, size) == link->crc;
}
