/* SPDX-License-Identifier: BSD-2-Clause */
/* From counts to a tree of names, drawn as folded lines. */
#include "recording_fixture.h"

#include "../../report/model/tree.h"

/*
 * A kernel, a program and a library with names from the file itself, code
 * without a name at 0x900 of the program, and generated code.
 */
struct scene {
	struct file f;
	uint32_t kernel, prog, lib, jit, a, b;
};

static void scene_open_as(struct scene *s, const struct fold_meta *meta)
{
	uint32_t proc, other;

	file_open(&s->f, meta);
	s->kernel = file_module(&s->f, FOLD_MODULE_KERNEL, "[kernel]", "kkkk", 0x10000);
	s->prog = file_module(&s->f, FOLD_MODULE_ELF, "/opt/prog", "pppp", 0x1000);
	s->lib = file_module(&s->f, FOLD_MODULE_ELF, "/usr/lib/libx.so", "xxxx", 0x1000);
	s->jit = file_module(&s->f, FOLD_MODULE_JIT, "[anon]", NULL, 0x1000);
	file_sym(&s->f, false, s->kernel, 0x1000, 0x100, "entry");
	file_sym(&s->f, false, s->kernel, 0x2000, 0x100, "read");
	file_sym(&s->f, true, s->jit, 0x10, 0x10, "js:loop");
	file_sym(&s->f, true, s->prog, 0x100, 0x100, "main");
	file_sym(&s->f, true, s->prog, 0x200, 0x100, "work");
	file_sym(&s->f, true, s->prog, 0x300, 0x100, "rec");
	file_sym(&s->f, true, s->lib, 0x200, 0x100, "work");
	proc = file_proc(&s->f, 5, "app");
	other = file_proc(&s->f, 6, "app");
	s->a = file_thread(&s->f, proc, 5, "app");
	s->b = file_thread(&s->f, other, 7, "pool");
}

static void scene_open(struct scene *s)
{
	scene_open_as(s, NULL);
}

static fold_frame prog(const struct scene *s, uint64_t offset) { return file_frame(&s->f, s->prog, offset); }
static fold_frame kernel(const struct scene *s, uint64_t offset) { return file_frame(&s->f, s->kernel, offset); }

static void draw(const struct tree *tree, uint32_t node, char *path, size_t n, char *out, size_t size)
{
	const struct tree_node *t = &tree->nodes[node];
	uint64_t sum = t->self;

	if (node)
		n += (size_t)sprintf(path + n, "%s%s", n ? ";" : "", tree->frames[t->frame].name);
	if (t->self)
		snprintf(out + strlen(out), size - strlen(out), "%s %" PRIu64 "\n", path, t->self);
	for (uint32_t child = t->child; child != TREE_NONE; child = tree->nodes[child].next) {
		CHECK(child > node);
		CHECK_EQ(tree->nodes[child].parent, node);
		if (tree->nodes[child].next != TREE_NONE)
			CHECK(strcmp(tree->frames[tree->nodes[child].frame].name,
				     tree->frames[tree->nodes[tree->nodes[child].next].frame].name) <= 0);
		draw(tree, child, path, n, out, size);
		sum += tree->nodes[child].total;
		path[n] = '\0';
	}
	CHECK_EQ(t->total, sum);
}

static const struct frame *frame_of(const struct tree *tree, const char *name)
{
	for (size_t i = 1; i < tree->nframes; i++)
		if (!strcmp(tree->frames[i].name, name))
			return &tree->frames[i];
	return NULL;
}

struct made { struct recording rec; struct symbolizer *symbolizer; struct tree tree; char text[4096]; };

/* Writes what is pending, loads it and draws it; ends the scene's file. */
static const char *make(struct scene *s, struct made *m, const struct tree_options *options)
{
	struct symbolizer_options nowhere = {.no_system = true};
	struct rec_keep keep = {.cpus = options->by == TREE_BY_CPU};
	char path[1024] = "";

	if (s->f.batch.samples.n)
		file_flush(&s->f);
	CHECK(!load(&m->rec, &s->f, NULL, &keep));
	CHECK(!symbolizer_new(&m->symbolizer, &m->rec, &nowhere));
	CHECK(!tree_build(&m->tree, &m->rec, m->symbolizer, options));
	m->text[0] = '\0';
	draw(&m->tree, 0, path, 0, m->text, sizeof(m->text));
	return m->text;
}

static void made_release(struct made *m)
{
	tree_release(&m->tree);
	symbolizer_free(m->symbolizer);
	recording_release(&m->rec);
}

static void expect(struct scene *s, const struct tree_options *options, const char *want)
{
	struct made m;

	CHECK_STR(make(s, &m, options), want);
	made_release(&m);
}

/* A stack that is not there is code of the side that was not asked for. */
TEST(the_side_that_was_not_recorded)
{
	static const char *const want[] = {[FOLD_SIDE_KERNEL] = "app;[user code] 1\n", [FOLD_SIDE_USER] = "app;[kernel code] 1\n", [3] = "app;[unknown] 1\n"};
	struct fold_meta meta = file_usual();
	struct scene s;

	for (uint32_t sides = 1; sides <= 3; sides++) {
		meta.sides = sides;
		scene_open_as(&s, &meta);
		file_sample(&s.f, (struct row){.thread = s.a});
		expect(&s, &(struct tree_options){0}, want[sides]);
		file_release(&s.f);
	}
}

TEST(kernel_on_top_of_user)
{
	struct scene s;
	uint32_t u, k;

	scene_open(&s);
	u = file_stack(&s.f, 1, 0, 2, prog(&s, 0x150), prog(&s, 0x250));
	k = file_stack(&s.f, 0, 0, 2, kernel(&s, 0x1010), kernel(&s, 0x2010));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u, .kstack = k});
	file_sample(&s.f, (struct row){.thread = s.b, .ustack = u});
	file_sample(&s.f, (struct row){.thread = s.b, .kstack = k});
	file_sample(&s.f, (struct row){.thread = s.b});
	expect(&s, &(struct tree_options){0}, "app;[unknown] 1\napp;entry;read 1\napp;main;work 1\napp;main;work;entry;read 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_PROCESS, .annotate = true},
	       "app-5;main;work;entry_[k];read_[k] 1\napp-6;[unknown] 1\napp-6;entry_[k];read_[k] 1\napp-6;main;work 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_THREAD},
	       "app-5/5;main;work;entry;read 1\npool-6/7;[unknown] 1\npool-6/7;entry;read 1\npool-6/7;main;work 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_NONE}, "[unknown] 1\nentry;read 1\nmain;work 1\nmain;work;entry;read 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_EVENT, .match = "^work$"},
	       "cpu-clock;main;work 1\ncpu-clock;main;work;entry;read 1\n");
	expect(&s, &(struct tree_options){.match = "app"}, ""); /* roots are no frames */
	expect(&s, &(struct tree_options){.event = 5}, "");
	file_release(&s.f);
}

/* One address, once a pc and once a return address: the first byte of a function belongs to it, or to the call before. */
TEST(leaf_is_exact_caller_is_not)
{
	struct scene s;
	uint32_t leaf, inner, exact;

	scene_open(&s);
	leaf = file_stack(&s.f, 1, 0, 2, prog(&s, 0x150), prog(&s, 0x300));
	inner = file_stack(&s.f, 1, 0, 3, prog(&s, 0x150), prog(&s, 0x300), prog(&s, 0x150));
	exact = file_stack(&s.f, 1, 0, 4, prog(&s, 0x150), frame_marker(FOLD_MARK_EXACT), prog(&s, 0x300), prog(&s, 0x150));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = leaf});
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = inner});
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = exact});
	expect(&s, &(struct tree_options){0}, "app;main;rec 1\napp;main;rec;main 1\napp;main;work;main 1\n");
	expect(&s, &(struct tree_options){.offsets = true},
	       "app;main+0x50;rec+0x0 1\napp;main+0x50;rec+0x0;main+0x50 1\napp;main+0x50;work+0x100;main+0x50 1\n");
	file_release(&s.f);
}

TEST(markers)
{
	struct scene s;
	fold_frame gone = frame_marker(FOLD_MARK_UNMAPPED);
	uint32_t holes, cut;

	scene_open(&s);
	holes = file_stack(&s.f, 1, 0, 5, gone, prog(&s, 0x150), gone, gone, prog(&s, 0x250));
	cut = file_stack(&s.f, 1, FOLD_STACK_END_DEPTH, 2, frame_marker(FOLD_MARK_REDACTED), prog(&s, 0x150));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = holes});
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = cut});
	expect(&s, &(struct tree_options){0}, "app;[truncated];[redacted];main 1\napp;[unknown];main;[unknown];work 1\n");
	file_release(&s.f);
}

TEST(unnamed_code)
{
	struct scene s;
	struct made m;
	uint32_t u;

	scene_open(&s);
	u = file_stack(&s.f, 1, 0, 3, prog(&s, 0x901), prog(&s, 0x150), prog(&s, 0x910));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	u = file_stack(&s.f, 1, 0, 2, file_frame(&s.f, s.jit, 0x18), file_frame(&s.f, s.jit, 0x10));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	CHECK_STR(make(&s, &m, &(struct tree_options){0}), "app;[prog]+0x901;main;[prog]+0x910 1\napp;js:loop;js:loop 1\n");
	CHECK_EQ(frame_of(&m.tree, "[prog]+0x910")->kind, FRAME_UNKNOWN);
	CHECK_EQ(frame_of(&m.tree, "js:loop")->kind, FRAME_JIT);
	CHECK_EQ(frame_of(&m.tree, "main")->kind, FRAME_USER);
	CHECK_STR(frame_of(&m.tree, "main")->module, "prog");
	made_release(&m);
	expect(&s, &(struct tree_options){.merge_unnamed = true}, "app;[prog];main;[prog] 1\napp;js:loop;js:loop 1\n");
	expect(&s, &(struct tree_options){.annotate = true},
	       "app;[prog]+0x901;main;[prog]+0x910 1\napp;js:loop_[j];js:loop_[j] 1\n");
	file_release(&s.f);
}

TEST(recursion_counts_once)
{
	struct scene s;
	struct made m;
	uint32_t u;

	scene_open(&s);
	u = file_stack(&s.f, 1, 0, 4, prog(&s, 0x150), prog(&s, 0x350), prog(&s, 0x250), prog(&s, 0x350));
	for (int i = 0; i < 3; i++)
		file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	u = file_stack(&s.f, 1, 0, 2, prog(&s, 0x150), prog(&s, 0x350));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	make(&s, &m, &(struct tree_options){0});
	CHECK_EQ(m.tree.total, 4);
	CHECK_EQ(frame_of(&m.tree, "rec")->total, 4);
	CHECK_EQ(frame_of(&m.tree, "rec")->self, 4);
	CHECK_EQ(frame_of(&m.tree, "work")->total, 3);
	CHECK_EQ(frame_of(&m.tree, "work")->self, 0);
	CHECK_EQ(m.tree.frames[0].total, 4);
	CHECK_EQ(m.rec.ncounts, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct tree_node *leaf = &m.tree.nodes[m.tree.leaves[i]];

		CHECK_EQ(leaf->self, m.rec.counts[i].count);
		CHECK_STR(m.tree.frames[leaf->frame].name, "rec");
	}
	made_release(&m);
	file_release(&s.f);
}

TEST(reversed)
{
	struct scene s;
	struct made m;
	uint32_t u, k;

	scene_open(&s);
	u = file_stack(&s.f, 1, 0, 2, prog(&s, 0x150), prog(&s, 0x250));
	k = file_stack(&s.f, 0, 0, 1, kernel(&s, 0x2010));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u, .kstack = k});
	file_sample(&s.f, (struct row){.thread = s.b, .ustack = file_stack(&s.f, 1, 0, 1, prog(&s, 0x350)), .kstack = k});
	file_sample(&s.f, (struct row){.thread = s.b, .ustack = u});
	CHECK_STR(make(&s, &m, &(struct tree_options){.reverse = true}), "read;rec;app 1\nread;work;main;app 1\nwork;main;app 1\n");
	CHECK_EQ(frame_of(&m.tree, "read")->self, 2);
	CHECK_EQ(frame_of(&m.tree, "app")->self, 0);
	CHECK_STR(m.tree.frames[m.tree.nodes[m.tree.leaves[1]].frame].name, "app");
	made_release(&m);
	file_release(&s.f);
}

TEST(same_name_in_two_modules)
{
	struct scene s;
	struct made m;

	scene_open(&s);
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = file_stack(&s.f, 1, 0, 1, prog(&s, 0x250))});
	file_sample(&s.f, (struct row){.thread = s.a,
				       .ustack = file_stack(&s.f, 1, 0, 1, file_frame(&s.f, s.lib, 0x250))});
	CHECK_STR(make(&s, &m, &(struct tree_options){0}), "app;work 1\napp;work 1\n");
	CHECK_EQ(m.tree.nframes, 4);
	made_release(&m);
	file_release(&s.f);
}

TEST(by_cpu)
{
	struct scene s;
	uint32_t u;

	scene_open(&s);
	u = file_stack(&s.f, 1, 0, 1, prog(&s, 0x250));
	file_sample(&s.f, (struct row){.cpu = 3, .thread = s.a, .ustack = u});
	file_sample(&s.f, (struct row){.cpu = 11, .thread = s.b, .ustack = u});
	file_sample(&s.f, (struct row){.cpu = 3, .thread = s.b, .ustack = u});
	expect(&s, &(struct tree_options){.by = TREE_BY_CPU}, "cpu-11;work 1\ncpu-3;work 2\n");
	file_release(&s.f);
}

TEST(lost_definitions_in_the_tree)
{
	struct scene s;
	uint64_t first;

	scene_open(&s);
	uint32_t u = file_stack(&s.f, 1, 0, 1, prog(&s, 0x250));
	first = file_flush(&s.f);
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	file_flush(&s.f);
	file_damage(&s.f, first, 33);
	expect(&s, &(struct tree_options){0}, "[lost];[lost] 1\n");
	file_release(&s.f);
}

TEST(bad_regex)
{
	struct scene s;
	struct recording rec;
	struct symbolizer *symbolizer;
	struct tree tree;
	struct symbolizer_options nowhere = {.no_system = true};

	scene_open(&s);
	file_flush(&s.f);
	CHECK(!load(&rec, &s.f, NULL, NULL));
	CHECK(!symbolizer_new(&symbolizer, &rec, &nowhere));
	CHECK(tree_build(&tree, &rec, symbolizer, &(struct tree_options){.match = "("}));
	symbolizer_free(symbolizer);
	recording_release(&rec);
	file_release(&s.f);
}

/* R-LBL-4: a host has the name that its user gave it, or that of the file. */
TEST(roots_by_label)
{
	struct fold_meta meta = file_usual();
	struct scene s;
	uint32_t u;

	meta.nlabels = 2;
	meta.labels[0] = (struct fold_label){{(const uint8_t *)"host", 4}, {(const uint8_t *)"web1", 4}};
	meta.labels[1] = (struct fold_label){{(const uint8_t *)"site", 4}, {(const uint8_t *)"north", 5}};
	scene_open_as(&s, &meta);
	u = file_stack(&s.f, 1, 0, 1, prog(&s, 0x250));
	file_sample(&s.f, (struct row){.thread = s.a, .ustack = u});
	expect(&s, &(struct tree_options){.by = TREE_BY_LABEL, .label = "host"}, "web1;work 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_LABEL, .label = "site"}, "north;work 1\n");
	expect(&s, &(struct tree_options){.by = TREE_BY_LABEL, .label = "sit"}, "[unlabelled];work 1\n");
	file_release(&s.f);
}

TEST_MAIN()
