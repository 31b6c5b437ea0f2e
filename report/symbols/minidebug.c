/* SPDX-License-Identifier: BSD-2-Clause */
/* The section's content is an xz stream. */
#include "minidebug.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

int minidebug_open(struct minidebug *m, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_section(elf, ".gnu_debugdata", &header);
	Elf_Data *data = scn && header.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	int err;

	memset(m, 0, sizeof(*m));
	if (!data || !data->d_buf || !data->d_size)
		return -ENOENT;
	m->image = unpack(data->d_buf, data->d_size, &size);
	if (!m->image)
		return -EINVAL;
	err = elf_file_memory(&m->file, ".gnu_debugdata", m->image, size);
	if (err)
		minidebug_release(m);
	return err;
}

void minidebug_release(struct minidebug *m)
{
	elf_file_close(&m->file);
	free(m->image);
	memset(m, 0, sizeof(*m));
}
