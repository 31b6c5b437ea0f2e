/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The named call tree that outputs draw: the trie of offsets folded onto a trie
 * of names.  Frames are shared by all nodes with the same name, module and kind.
 */
#ifndef FOLD_REPORT_TREE_H
#define FOLD_REPORT_TREE_H

#include "../symbols/symbolize.h"
#include "recording.h"
#include "select.h"

enum tree_by { TREE_BY_COMM = 0, TREE_BY_PROCESS, TREE_BY_THREAD, TREE_BY_CPU, TREE_BY_LABEL, TREE_BY_EVENT, TREE_BY_NONE };

enum frame_kind { /* what colours and annotations go by */
	FRAME_ROOT = 0,    /* a root from --by: comm, thread ... */
	FRAME_USER, FRAME_KERNEL, FRAME_JIT, FRAME_INLINED,
	FRAME_UNKNOWN,     /* marker or unnamed */
};
struct frame {
	const char *name;  /* terminated, raw bytes as the symbol has them: outputs escape */
	const char *module; /* base name of the module, "" none */
	const char *file;  /* source file or NULL */
	uint32_t line;     /* 0 none */
	enum frame_kind kind;
	uint64_t self, total; /* samples with it as leaf; samples with it anywhere, counted once */
};
struct tree_node {
	uint32_t parent, child, next; /* first child, next sibling; TREE_NONE */
	uint32_t frame;
	uint64_t self, total; /* samples, or weight when `weighted` */
};
#define TREE_NONE UINT32_MAX

struct tree_options {
	enum tree_by by;
	const char *label; /* BY_LABEL: its key */
	bool compared;     /* equal names are one root, whosever: recordings are compared by them */
	bool reverse;      /* root = leaf: callers below */
	bool offsets;      /* name+0x12 */
	bool annotate;     /* _[k], _[j], _[i] are appended to names */
	bool lines;        /* one frame per source line: "name file.c:12" */
	bool merge_unnamed; /* unnamed frames of a module become one, "[libx.so]", instead of "[libx.so]+0x12" */
	uint32_t event;    /* which event's samples */
	const char *match; /* keep only stacks with a frame whose name matches; NULL all */
};
struct tree {
	size_t nnodes; struct tree_node *nodes; /* nodes[0]: the root of all, frame 0 "all"; a parent stands before its children; siblings sorted by name bytes */
	size_t nframes; struct frame *frames;
	uint32_t *leaves;  /* per rec->counts: the node its samples end in, TREE_NONE when not in this tree */
	uint64_t total;    /* samples (weight) in the tree */
	bool weighted;
	struct intern text; /* of the frames */
};

/* Children, siblings and totals of nodes of which the parents, the order and self are known. */
void tree_link(struct tree *tree);
/* self and total of frames, from nodes that are linked.  0, or -1 out of memory. */
int tree_sum_frames(struct tree *tree);

/* In build.c.  0, or -1: bad regex or memory, said in the log. */
int tree_build(struct tree *tree, const struct recording *rec, struct symbolizer *symbolizer, const struct tree_options *options);
void tree_release(struct tree *tree);

#endif
