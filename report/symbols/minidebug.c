/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacking with liblzma, within limits: a few bytes of xz can stand for terabytes. */
#include "minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

#define MAX_IMAGE (UINT64_C(256) << 20)
#define MAX_DECODER (UINT64_C(128) << 20)

/* All that the stream gives, in a buffer that grows.  NULL: broken, or too much. */
static char *unpack(const void *packed, size_t packed_size, size_t *size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	size_t room = 4 * packed_size + 65536;
	char *image = malloc(room), *larger;
	lzma_ret ret = image ? lzma_stream_decoder(&stream, MAX_DECODER, 0) : LZMA_MEM_ERROR;

	stream.next_in = packed;
	stream.avail_in = packed_size;
	stream.next_out = (uint8_t *)image;
	stream.avail_out = room;
	while (ret == LZMA_OK) {
		ret = lzma_code(&stream, LZMA_FINISH);
		if (ret != LZMA_OK || stream.avail_out)
			continue;
		larger = room < MAX_IMAGE ? realloc(image, 2 * room) : NULL;
		if (!larger)
			break;
		image = larger;
		stream.next_out = (uint8_t *)image + room;
		stream.avail_out = room;
		room *= 2;
	}
	*size = stream.total_out;
	lzma_end(&stream);
	if (ret == LZMA_STREAM_END)
		return image;
	free(image);
	return NULL;
}

int minidebug_open(struct minidebug *m, Elf *elf)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_section(elf, ".gnu_debugdata", &header);
	Elf_Data *data = scn && header.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	size_t size;
	int err;

	memset(m, 0, sizeof(*m));
	if (!data || !data->d_buf || !data->d_size || data->d_size > MAX_IMAGE / 8)
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
