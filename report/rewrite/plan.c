/* SPDX-License-Identifier: BSD-2-Clause */
/* Files are read up to their last META, which for most is their first. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../format/reader.h"
#include "../infile.h"
#include "../log.h"
#include "../model/array.h"
#include "file_label.h"
#include "segments.h"

static int memory(void)
{
	log_error("out of memory");
	return -1;
}

static int plan_meta(struct plan *p, const struct fold_meta *meta, uint32_t file)
{
	struct group *g;
	int taken = 0;

	if (!file_label_has_room(p->file_label, meta))
		return file_label_no_room(p->file_label, p->files[file]);
	for (size_t i = 0; !taken && i < p->ngroups; i++) {
		g = &p->groups[i];
		taken = group_add(g, meta);
	}
	if (taken < 0)
		return memory();
	if (!taken) {
		if (array_room(p->groups, p->groups_room, p->ngroups + 1))
			return memory();
		g = &p->groups[p->ngroups];
		if (group_init(g, meta))
			return memory();
		p->ngroups++;
	}
	if (array_room(g->parts, g->parts_room, g->nparts + 1))
		return memory();
	p->passes += !g->nparts || g->parts[g->nparts - 1].file != file;
	g->parts[g->nparts++] = (struct group_part){file, p->planned[file]++};
	return 0;
}

/* With `one`, what follows the first META is not looked at. */
static int plan_reader(struct plan *p, struct reader *reader, uint32_t file, bool one)
{
	struct fold_item item;

	do {
		if (reader_next(reader, &item)) {
			char text[256];

			if (p->planned[file])
				return 0; /* what there is of it is merged, and told then */
			log_error("%s: %s", p->files[file], fault_text(reader_fault(reader), text, sizeof(text)));
			return -1;
		}
		if (item.kind == FOLD_ITEM_META && plan_meta(p, item.meta, file))
			return -1;
	} while (item.kind != FOLD_ITEM_END_OF_FILE && !(one && p->planned[file]));
	if (p->planned[file])
		return 0;
	log_error("%s: no recording in it", p->files[file]);
	return -1;
}

/* Into a group; what can be read only once stays out of all. */
static int plan_file(struct plan *p, uint32_t file, bool *once)
{
	struct reader_limits limits = {0};
	struct reader *reader = NULL;
	struct infile in;
	struct stat st;
	int err = 0;

	/* Not even opened: who writes into a FIFO would find nobody there afterwards. */
	*once = !strcmp(p->files[file], "-") || (!stat(p->files[file], &st) && !S_ISREG(st.st_mode));
	if (*once)
		return 0;
	if (infile_open(&in, p->files[file]))
		return -1;
	limits.file_size = in.size;
	*once = !in.size;
	if (!*once)
		err = reader_new(&reader, infile_source(&in), &limits) ? memory() : plan_reader(p, reader, file, segments_are_one(in.fd, in.size));
	reader_free(reader);
	infile_close(&in);
	return err;
}

int plan_init(struct plan *p, const char *const *files, size_t nfiles, const struct merge_options *options)
{
	*p = (struct plan){
		.files = files,
		.file_label = options->file_label,
		.planned = calloc(nfiles + 1, sizeof(*p->planned)),
		.later = malloc((nfiles + 1) * sizeof(*p->later)),
	};
	if (!p->planned || !p->later)
		return memory();
	for (uint32_t i = 0; i < nfiles; i++) {
		bool once = false;

		if (plan_file(p, i, &once))
			return -1;
		if (once)
			p->later[p->nlater++] = i;
	}
	p->passes += p->nlater;
	for (size_t i = 0; i < p->ngroups; i++)
		group_settle(&p->groups[i], &options->labels);
	if (p->ngroups)
		qsort(p->groups, p->ngroups, sizeof(*p->groups), group_compare);
	return 0;
}

void plan_release(struct plan *p)
{
	for (size_t i = 0; i < p->ngroups; i++)
		group_release(&p->groups[i]);
	free(p->groups);
	free(p->planned);
	free(p->later);
	*p = (struct plan){0};
}
