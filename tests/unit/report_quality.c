/* SPDX-License-Identifier: BSD-2-Clause */
/* How stacks ended, and what missing names cost. */
#include "recording_fixture.h"

#include "../../report/model/quality.h"
#include "../../report/model/unnamed.h"

struct scene {
	struct file f;
	uint32_t kernel, prog, lib, a;
};

static void scene_open(struct scene *s)
{
	file_open(&s->f, NULL);
	s->kernel = file_module(&s->f, FOLD_MODULE_KERNEL, "[kernel]", "kkkk", 0x10000);
	s->prog = file_module(&s->f, FOLD_MODULE_ELF, "/opt/prog", "pppp", 0x1000);
	s->lib = file_module(&s->f, FOLD_MODULE_ELF, "/opt/lib", "llll", 0x1000);
	file_sym(&s->f, false, s->kernel, 0x1000, 0x100, "entry");
	file_sym(&s->f, true, s->prog, 0x100, 0x100, "main");
	s->a = file_thread(&s->f, file_proc(&s->f, 5, "app"), 5, "app");
}

static fold_frame prog(const struct scene *s, uint64_t offset) { return file_frame(&s->f, s->prog, offset); }
static fold_frame lib(const struct scene *s, uint64_t offset) { return file_frame(&s->f, s->lib, offset); }

static void sample(struct scene *s, int n, uint32_t user, uint32_t kernel)
{
	for (int i = 0; i < n; i++)
		file_sample(&s->f, (struct row){.thread = s->a, .ustack = user, .kstack = kernel});
}

TEST(ends_of_stacks)
{
	struct scene s;
	struct recording rec;
	struct quality q;
	fold_frame gone = frame_marker(FOLD_MARK_UNMAPPED);

	scene_open(&s);
	sample(&s, 5, file_stack(&s.f, 1, FOLD_STACK_END_ROOT, 2, prog(&s, 0x150), lib(&s, 0x10)), 0);
	sample(&s, 3, file_stack(&s.f, 1, FOLD_STACK_END_GAP, 3, gone, lib(&s, 0x20), prog(&s, 0x10)), 0);
	sample(&s, 2, file_stack(&s.f, 1, 200, 1, prog(&s, 0x20)), 0); /* an end of a later version */
	sample(&s, 6, file_stack(&s.f, 1, FOLD_STACK_END_EXITING, 1, lib(&s, 0x30)), 0); /* no fault of the library */
	sample(&s, 1, 0, file_stack(&s.f, 0, 0, 1, file_frame(&s.f, s.kernel, 0x1010)));
	sample(&s, 4, 0, 0);
	file_flush(&s.f);
	CHECK(!load(&rec, &s.f, NULL, NULL));
	CHECK(!quality_measure(&q, &rec, 0));
	CHECK_EQ(q.samples, 21);
	CHECK_EQ(q.neither, 4);
	CHECK_EQ(q.user.samples, 16);
	CHECK_EQ(q.user.ends[FOLD_STACK_END_ROOT], 5);
	CHECK_EQ(q.user.ends[FOLD_STACK_END_GAP], 3);
	CHECK_EQ(q.user.ends[QUALITY_ENDS - 1], 2);
	CHECK_EQ(q.user.unmapped, 3);
	CHECK_EQ(q.user.lost, 0);
	CHECK_EQ(q.user.frames, 5 * 2 + 3 * 2 + 2 + 6);
	CHECK_EQ(q.user.ends[FOLD_STACK_END_EXITING], 6);
	CHECK_EQ(q.kernel.samples, 1);
	CHECK_EQ(q.nmodules, 2);
	CHECK_EQ(q.modules[0].module, s.lib);
	CHECK_EQ(q.modules[0].samples, 3);
	CHECK_EQ(q.modules[1].samples, 2);
	quality_release(&q);
	recording_release(&rec);
	file_release(&s.f);
}

TEST(what_missing_names_cost)
{
	struct symbolizer_options nowhere = {.no_system = true};
	struct scene s;
	struct recording rec;
	struct symbolizer *symbolizer;
	struct unnamed u;

	scene_open(&s);
	sample(&s, 5, file_stack(&s.f, 1, 0, 2, prog(&s, 0x150), lib(&s, 0x10)), 0);
	/* twice in the library, once as leaf: one sample of it */
	sample(&s, 3, file_stack(&s.f, 1, 0, 3, lib(&s, 0x20), prog(&s, 0x150), lib(&s, 0x10)), 0);
	/* on both sides: two modules, one sample each */
	sample(&s, 2, file_stack(&s.f, 1, 0, 1, lib(&s, 0x10)), file_stack(&s.f, 0, 0, 1, file_frame(&s.f, s.kernel, 0x1)));
	sample(&s, 7, file_stack(&s.f, 1, 0, 1, prog(&s, 0x150)), 0);
	file_flush(&s.f);
	CHECK(!load(&rec, &s.f, NULL, NULL));
	CHECK(!symbolizer_new(&symbolizer, &rec, &nowhere));
	CHECK(!unnamed_measure(&u, &rec, symbolizer));
	CHECK_EQ(u.samples, 17);
	CHECK_EQ(u.affected, 10);
	CHECK_EQ(u.n, 2);
	CHECK_EQ(u.v[0].module, s.lib);
	CHECK_EQ(u.v[0].samples, 10);
	CHECK_EQ(u.v[0].selves, 10);
	CHECK_EQ(u.v[1].module, s.kernel);
	CHECK_EQ(u.v[1].samples, 2);
	unnamed_release(&u);
	symbolizer_free(symbolizer);
	recording_release(&rec);
	file_release(&s.f);
}

TEST_MAIN()
