/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a recording: one chunk per call, one write per chunk, nothing ever
 * changed afterwards.  Same structs in, same bytes out.
 */
#ifndef FOLD_FORMAT_WRITER_H
#define FOLD_FORMAT_WRITER_H

#include "error.h"
#include "fold.h"
#include "source.h"

struct writer;

struct writer_options {
	int level;  /* zstd level; 0 means 3; -1 stores uncompressed */
};

/* `sink` is copied, `options` may be NULL.  0, or -1 out of memory. */
int writer_new(struct writer **out, struct fold_sink sink, const struct writer_options *options);
void writer_free(struct writer *w);

/*
 * Each writes one chunk (writer_meta: the file header too, and first).  0, or
 * -1 with writer_fault() set: IO (errno in it), MEMORY, or LIMIT when the
 * payload is beyond FOLD_MAX_RAW.  After IO nothing more can be written.
 */
int writer_meta(struct writer *w, const struct fold_meta *meta);
int writer_batch(struct writer *w, const struct fold_batch *batch);
int writer_note(struct writer *w, const struct fold_note *note);
int writer_symbols(struct writer *w, const struct fold_symbols *symbols);
/* `end->chunks` and `end->headers_crc` are filled by the writer. */
int writer_end(struct writer *w, const struct fold_end *end);

const struct fold_fault *writer_fault(const struct writer *w);
uint64_t writer_bytes(const struct writer *w); /* written so far */
uint64_t writer_raw_bytes(const struct writer *w); /* before compression */

#endif
