/* SPDX-License-Identifier: BSD-2-Clause */
/* Distinct stacks: handles, ids, and the order of a flush. */
#include "test.h"
#include "../../format/stackset.h"

static uint32_t add(struct stackset *set, const fold_frame *frames, size_t n, uint32_t end)
{
	uint32_t handle = UINT32_MAX;

	CHECK_EQ(stackset_add(set, frames, n, end, &handle), 0);
	return handle;
}

/* Frames of stack `i`, root first; returns how many. */
static size_t frames_of(const struct fold_stacks *s, size_t i, fold_frame *frames)
{
	uint32_t at = s->v[i].leaf;
	size_t n = s->v[i].depth;

	for (size_t left = n; left; left--, at = s->nodes[at].parent)
		frames[left - 1] = s->nodes[at].frame;
	CHECK(at == FOLD_NO_NODE);
	return n;
}

TEST(same_stack_same_handle)
{
	static const fold_frame a[] = {1, 2, 3}, b[] = {1, 2, 4};
	struct stackset *set;
	struct fold_stacks out;
	uint32_t ha, hb, hend, hempty;

	CHECK_EQ(stackset_new(&set), 0);
	hb = add(set, b, 3, 0);
	ha = add(set, a, 3, 0);
	hend = add(set, a, 3, 1);
	hempty = add(set, NULL, 0, 5);
	CHECK_EQ(add(set, b, 3, 0), hb);
	CHECK_EQ(stackset_pending(set), 4);
	CHECK_EQ(stackset_flush(set, &out), 0);
	CHECK_EQ(stackset_pending(set), 0);
	/* sorted: empty, 1 2 3 ended 0, the same ended 1, 1 2 4 */
	CHECK_EQ(stackset_id(set, hempty), 0);
	CHECK_EQ(stackset_id(set, ha), 1);
	CHECK_EQ(stackset_id(set, hend), 2);
	CHECK_EQ(stackset_id(set, hb), 3);
	CHECK_EQ(out.n, 4);
	CHECK_EQ(out.nnodes, 4);
	CHECK_EQ(out.v[2].end, 1);
	CHECK_EQ(out.v[1].leaf, out.v[2].leaf);
	CHECK_EQ(out.v[0].leaf, FOLD_NO_NODE);
	stackset_free(set);
}

/* A forest node by node, and the same stacks whole, are the same stacks. */
TEST(nodes_and_whole_stacks_meet)
{
	static const fold_frame a[] = {1, 2, 3};
	struct stackset *set;
	uint32_t root, middle, leaf, again, handle;

	CHECK_EQ(stackset_new(&set), 0);
	CHECK_EQ(stackset_node(set, FOLD_NO_NODE, 1, &root), 0);
	CHECK_EQ(stackset_node(set, root, 2, &middle), 0);
	CHECK_EQ(stackset_node(set, middle, 3, &leaf), 0);
	CHECK_EQ(stackset_node(set, root, 2, &again), 0);
	CHECK_EQ(again, middle);
	CHECK_EQ(stackset_nodes(set), 3);
	CHECK_EQ(stackset_pending(set), 0); /* nodes alone are no stack */
	CHECK_EQ(stackset_close(set, leaf, 1, &handle), 0);
	CHECK_EQ(add(set, a, 3, 1), handle);
	CHECK_EQ(stackset_close(set, FOLD_NO_NODE, 5, &handle), 0);
	CHECK_EQ(add(set, NULL, 0, 5), handle);
	CHECK_EQ(stackset_pending(set), 2);
	stackset_free(set);
}

TEST(ids_go_on_over_flushes_and_forgetting)
{
	static const fold_frame a[] = {7}, b[] = {5};
	struct stackset *set;
	struct fold_stacks out;
	uint32_t ha, hb;
	size_t bytes;

	CHECK_EQ(stackset_new(&set), 0);
	ha = add(set, a, 1, 0);
	CHECK_EQ(stackset_flush(set, &out), 0);
	hb = add(set, b, 1, 0);
	CHECK_EQ(add(set, a, 1, 0), ha);
	CHECK_EQ(stackset_flush(set, &out), 0);
	CHECK_EQ(out.first_id, 1);
	CHECK_EQ(out.n, 1);
	CHECK_EQ(stackset_id(set, ha), 0);
	CHECK_EQ(stackset_id(set, hb), 1);
	bytes = stackset_bytes(set);
	CHECK(bytes > 0);
	stackset_forget(set);
	CHECK_EQ(stackset_bytes(set), 0);
	ha = add(set, a, 1, 0);
	CHECK_EQ(stackset_flush(set, &out), 0);
	CHECK_EQ(out.first_id, 2);
	CHECK_EQ(stackset_id(set, ha), 2);
	CHECK_EQ(stackset_flush(set, &out), 0);
	CHECK_EQ(out.n, 0);
	CHECK_EQ(out.first_id, 3);
	stackset_free(set);
	stackset_free(NULL);
}

TEST(limits)
{
	static fold_frame deep[FOLD_MAX_FRAMES + 1];
	struct stackset *set;
	uint32_t handle;

	CHECK_EQ(stackset_new(&set), 0);
	CHECK_EQ(stackset_add(set, deep, FOLD_MAX_FRAMES, 0, &handle), 0);
	CHECK_EQ(stackset_add(set, deep, FOLD_MAX_FRAMES + 1, 0, &handle), -1);
	stackset_free(set);
}

static int compare(const fold_frame *a, size_t na, const fold_frame *b, size_t nb)
{
	for (size_t i = 0; i < na && i < nb; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return na < nb ? -1 : na > nb;
}

/* Whatever goes in comes out, once, sorted, with every prefix shared. */
TEST(many_stacks)
{
	enum { N = 3000, DEEP = 12 };
	static fold_frame in[N][DEEP], out_frames[FOLD_MAX_FRAMES], before[FOLD_MAX_FRAMES];
	static size_t depth[N];
	static uint32_t handle[N];
	struct stackset *set;
	struct fold_stacks out;
	uint64_t x = 1;
	size_t nbefore = 0, nodes = 0;

	CHECK_EQ(stackset_new(&set), 0);
	for (size_t i = 0; i < N; i++) {
		depth[i] = (x >> 33) % DEEP;
		for (size_t j = 0; j < depth[i]; j++) {
			x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
			in[i][j] = (x >> 60) == 0 ? frame_marker(FOLD_MARK_UNMAPPED) : x >> 62;
		}
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		handle[i] = add(set, in[i], depth[i], 0);
	}
	CHECK_EQ(stackset_flush(set, &out), 0);
	for (size_t i = 0; i < N; i++) {
		size_t n = frames_of(&out, stackset_id(set, handle[i]), out_frames);

		CHECK_EQ(compare(out_frames, n, in[i], depth[i]), 0);
	}
	for (size_t i = 0; i < out.n; i++) {
		size_t n = frames_of(&out, i, out_frames), shared = 0;

		CHECK(!i || compare(before, nbefore, out_frames, n) < 0);
		while (i && shared < n && shared < nbefore && before[shared] == out_frames[shared])
			shared++;
		nodes += n - shared;
		memcpy(before, out_frames, sizeof(before));
		nbefore = n;
	}
	CHECK_EQ(out.nnodes, nodes);
	stackset_free(set);
}

TEST_MAIN()
