/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables and mappings in a store of plain memory, as the walker would find them. */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../record/unwind/mappings.h"
#include "../../record/unwind/replay.h"
#include "../../record/unwind/resolver.h"

#define TGID 1234
#define CHILD 1235
#define GONE 4194303 /* no process */

/* ---- a store without a kernel */

static struct unwind_store store;
static uint64_t words[UNWIND_PROCESSES]; /* by tgid */
static uint32_t images[UNWIND_PROCESSES];
static bool shards_refused;

static int shard_new(struct unwind_store *s, uint32_t i)
{
	if (shards_refused)
		return -1;
	s->shards[i] = calloc(1, UNWIND_SHARD_BYTES);
	return s->shards[i] ? 0 : -1;
}

static int process_set(struct unwind_store *s, uint32_t tgid, uint64_t word)
{
	words[tgid] = word;
	return 0;
}

static uint32_t process_image(struct unwind_store *s, uint32_t tgid)
{
	return images[tgid];
}

static struct tables tables;
static struct objects objects;
static struct mappings mappings;
static struct packed *packed;

static void begin(size_t max_bytes)
{
	memset(&store, 0, sizeof(store));
	memset(words, 0, sizeof(words));
	memset(images, 0, sizeof(images));
	shards_refused = false;
	store.pages = calloc(UNWIND_PAGES, sizeof(*store.pages));
	store.rules = calloc(UNWIND_RULES, sizeof(*store.rules));
	store.mappings = calloc(UNWIND_MAPPINGS, sizeof(*store.mappings));
	store.shard_new = shard_new;
	store.process_set = process_set;
	store.process_image = process_image;
	tables_init(&tables, &store, max_bytes);
	objects_init(&objects, &tables, NULL);
	mappings_init(&mappings, &store, &objects);
	packed = calloc(1, sizeof(*packed));
}

static void end(void)
{
	mappings_release(&mappings);
	objects_release(&objects);
	tables_release(&tables);
	for (size_t i = 0; i < UNWIND_SHARDS; i++)
		free(store.shards[i]);
	free(store.pages);
	free(store.rules);
	free(store.mappings);
	free(packed);
}

/* ---- packed tables */

static void page(void)
{
	packed->pages[packed->npages++] = packed->nrows;
}

static void row(uint32_t pc_lo, uint32_t rule)
{
	packed->rows[packed->nrows++] = unwind_row(pc_lo, rule);
}

/* CFA = rsp + 8 from 0x2000 on, rsp + 16 from 0x2010 on, then nothing. */
static void pack_function(void)
{
	packed->status = PACKED_OK;
	packed->npages = packed->nrows = packed->nrules = 0;
	packed->nsegments = 1;
	packed->segments[0] = (struct image_segment){ 0x1000, 0x1000, 0x20000 };
	page();
	row(0, UNWIND_GAP);
	row(0x2000, 1);
	row(0x2010, 2);
	row(0x2100, UNWIND_END);
	row(0x2200, UNWIND_GAP);
}

static uint32_t rule_at(const struct table_place *p, uint32_t vaddr)
{
	const struct unwind_page *pg = &store.pages[p->page + (vaddr >> UNWIND_PAGE_SHIFT) - p->first_page];
	const uint32_t *rows = store.shards[pg->rows / UNWIND_SHARD_ROWS] + pg->rows % UNWIND_SHARD_ROWS;
	const uint32_t *index = rows - UNWIND_INDEX_WORDS;
	uint32_t k = (vaddr & 0xffff) >> UNWIND_INDEX_SHIFT, i = 0, word = 0;
	uint32_t below = k ? unwind_index_get(index[(k - 1) / 2], k - 1) : 0, to = unwind_index_get(index[k / 2], k);

	for (; i < pg->n && unwind_row_pc(rows[i]) <= (vaddr & 0xffff); i++)
		word = unwind_row_rule(rows[i]);
	/* the index must lead to the same row */
	CHECK(i >= below && i <= to);
	return word;
}

TEST(rows_are_found)
{
	struct table_place place;

	begin(1 << 20);
	pack_function();
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_ADDED);
	CHECK_EQ(place.npages, 1);
	CHECK_EQ(rule_at(&place, 0x1fff), UNWIND_GAP);
	CHECK_EQ(rule_at(&place, 0x2000), 1);
	CHECK_EQ(rule_at(&place, 0x200f), 1);
	CHECK_EQ(rule_at(&place, 0x2010), 2);
	CHECK_EQ(rule_at(&place, 0x21ff), UNWIND_END);
	CHECK_EQ(rule_at(&place, 0xffff), UNWIND_GAP);
	end();
}

TEST(what_has_no_room_takes_none)
{
	struct table_place place;

	begin(1 << 20);
	packed->status = PACKED_OK;
	for (uint32_t i = 0; i < 5 * 60000; i++) { /* four such pages are a MiB */
		if (i % 60000 == 0)
			page();
		row(i % 60000, i & 1);
	}
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_FULL);
	pack_function();
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_ADDED);
	CHECK_EQ(rule_at(&place, 0x2010), 2);
	CHECK_EQ(tables.nshards, 1);
	end();
}

TEST(long_rules_are_shared_between_files)
{
	struct unwind_rule rule = { .base = 10, .off = 0 }, other = { .base = 12 };
	struct table_place a, b;

	begin(1 << 20);
	pack_function();
	row(0x3000, UNWIND_EXT << 14 | 0);
	packed->rules[packed->nrules++] = rule;
	CHECK_EQ(tables_add(&tables, packed, &a), TABLES_ADDED);
	packed->rules[0] = other;
	packed->rules[packed->nrules++] = rule;
	row(0x3010, UNWIND_EXT << 14 | 1);
	CHECK_EQ(tables_add(&tables, packed, &b), TABLES_ADDED);
	CHECK_EQ(tables.nrules, 2);
	CHECK_EQ(rule_at(&a, 0x3000), rule_at(&b, 0x3010));
	CHECK_EQ(store.rules[rule_at(&b, 0x3000) & 0x3fff].base, 12);
	end();
}

TEST(damaged_tables_are_refused)
{
	struct table_place place;

	begin(1 << 20);
	pack_function();
	packed->pages[0] = 1;
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_DAMAGED);
	pack_function();
	packed->npages = PACK_MAX_PAGES + 1;
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_DAMAGED);
	pack_function();
	packed->nrows = UINT32_MAX;
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_DAMAGED);
	pack_function();
	packed->nrules = UNWIND_RULES + 1;
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_DAMAGED);
	pack_function();
	row(0x3000, UNWIND_EXT << 14 | 77); /* no such rule */
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_ADDED);
	CHECK_EQ(rule_at(&place, 0x3000), UNWIND_BAD);
	end();
}

TEST(memory_is_capped)
{
	struct table_place place;
	int added = 0;

	begin(2 << 20);
	packed->status = PACKED_OK;
	page();
	for (uint32_t i = 0; i < 60000; i++)
		row(i, i & 1);
	while (added < 100 && tables_add(&tables, packed, &place) == TABLES_ADDED)
		added++;
	CHECK_EQ(added, 8); /* four to a MiB: a page does not straddle shards */
	CHECK_EQ(tables.nshards, 2);
	end();
	begin(1 << 20);
	pack_function();
	shards_refused = true;
	CHECK_EQ(tables_add(&tables, packed, &place), TABLES_FULL);
	end();
}

/* ---- mappings */

static uint32_t object(enum object_state state)
{
	struct stat st = { .st_ino = objects.n + 1, .st_size = 1 };
	uint32_t id = objects_add(&objects, dup(0), &st, "x");

	objects.v[id]->state = state;
	if (state == OBJECT_TABLE) {
		pack_function();
		packed->rules[packed->nrules++] = (struct unwind_rule){ .base = UNWIND_REG_SP, .flags = UNWIND_DEREF, .off = -8 };
		packed->rules[packed->nrules++] = (struct unwind_rule){ .base = UNWIND_REG_SP, .off = 24, .rbx = 2 };
		packed->rules[packed->nrules++] = (struct unwind_rule){ .base = UNWIND_REG_RBX, .off = 16 };
		for (uint32_t i = 0; i < packed->nrules; i++)
			row(0x3000 + i * 0x100, UNWIND_EXT << 14 | i);
		tables_add(&tables, packed, &objects.v[id]->table);
		objects.v[id]->nsegments = 1;
		objects.v[id]->segments = calloc(1, sizeof(struct image_segment));
		objects.v[id]->segments[0] = packed->segments[0];
	}
	return id;
}

static struct unwind_process process(uint32_t tgid)
{
	struct unwind_process p = {0};

	unwind_process_unpack(&p, words[tgid]);
	return p;
}

/* As find_mapping() in the kernel. */
static const struct unwind_mapping *mapped_at(uint32_t tgid, uint64_t pc)
{
	struct unwind_process p = process(tgid);

	for (uint32_t i = 0; words[tgid] && i < range_size(p.class); i++) {
		const struct unwind_mapping *m = &store.mappings[p.base + i];

		if (pc >= m->start && pc < m->end)
			return m->serial == p.serial ? m : NULL;
	}
	return NULL;
}

static void map(uint32_t tgid, uint64_t start, uint64_t end_, uint64_t offset, uint32_t id)
{
	mappings_map(&mappings, mappings_task(&mappings, tgid), start, end_, offset, id);
}

TEST(process_words)
{
	struct unwind_process in = { .tgid = 4194303, .base = 65532, .class = 10, .image = 200, .serial = 65535 }, out;

	unwind_process_unpack(&out, unwind_process_pack(&in));
	CHECK_EQ(out.tgid, in.tgid);
	CHECK_EQ(out.base, in.base);
	CHECK_EQ(out.class, in.class);
	CHECK_EQ(out.image, in.image);
	CHECK_EQ(out.serial, in.serial);
}

TEST(mappings_are_published)
{
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_TABLE);
	map(TGID, 0x500000, 0x510000, 0x1000, id);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_ANONYMOUS);
	CHECK_EQ(words[TGID], 0);
	mappings_publish(&mappings, 1, 0);
	CHECK_EQ(process(TGID).class, 0);
	CHECK_EQ(store.mappings[process(TGID).base + 2].start, UNWIND_NOWHERE);
	CHECK_EQ(process(TGID).tgid, TGID);
	CHECK(mapped_at(TGID, 0x50ffff) && mapped_at(TGID, 0x50ffff)->flags == UNWIND_HAS_TABLE);
	CHECK_EQ(mapped_at(TGID, 0x500000)->bias, 0x500000 - 0x1000);
	CHECK(mapped_at(TGID, 0x400000) && !mapped_at(TGID, 0x400000)->flags);
	CHECK(!mapped_at(TGID, 0x510000));
	end();
}

TEST(nothing_is_guessed_in_a_file_that_could_not_be_opened)
{
	begin(1 << 20);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_OPAQUE);
	mappings_publish(&mappings, 1, 0);
	CHECK(mapped_at(TGID, 0x400000) && mapped_at(TGID, 0x400000)->flags == UNWIND_OPAQUE);
	end();
}

/* Of the C library, which is mapped here. */
static bool library(struct event_mmap *m, char *path, size_t size)
{
	struct identity_image image;
	struct identity id = {0};
	struct stat st;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int fd;

	*path = 0;
	while (maps && !*path && fgets(line, sizeof(line), maps)) {
		if (strstr(line, " r-xp ") && strstr(line, "/libc"))
			snprintf(path, size, "%.*s", (int)strcspn(strchr(line, '/'), "\n"), strchr(line, '/'));
	}
	if (maps)
		fclose(maps);
	fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0 || fstat(fd, &st))
		return false;
	image = (struct identity_image){ .fd = fd, .size = st.st_size };
	identity_read(&image, &id);
	close(fd);
	*m = (struct event_mmap){ .start = 0x1000, .length = 0x1000, .path = path };
	for (size_t i = 0; i < id.nids; i++)
		if (id.ids[i].kind == FOLD_ID_GNU && id.ids[i].size <= sizeof(m->build_id)) {
			m->build_id_size = id.ids[i].size;
			memcpy(m->build_id, id.ids[i].bytes, m->build_id_size);
		}
	return m->build_id_size;
}

TEST(a_file_seen_before_is_known_when_its_process_is_gone)
{
	struct event_mmap m, other;
	struct resolver r;
	char path[512];
	uint32_t id;

	begin(1 << 20);
	resolver_init(&r, "/proc", &objects);
	if (library(&m, path, sizeof(path))) {
		CHECK_EQ(resolver_ask(&r, GONE, &m), MAPPED_OPAQUE);
		id = resolver_ask(&r, (uint32_t)getpid(), &m);
		CHECK(id < objects.n);
		CHECK_EQ(resolver_ask(&r, GONE, &m), id);
		other = m;
		other.build_id[3] ^= 1;
		CHECK_EQ(resolver_ask(&r, GONE, &other), MAPPED_OPAQUE);
		other = m;
		other.path = "/lib/another";
		CHECK_EQ(resolver_ask(&r, GONE, &other), MAPPED_OPAQUE);
	}
	resolver_release(&r);
	end();
}

TEST(code_whose_table_is_on_its_way_is_unknown)
{
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_WAITING);
	map(TGID, 0x500000, 0x510000, 0x1000, id);
	mappings_publish(&mappings, 1, 0);
	CHECK(!mapped_at(TGID, 0x500000));
	objects.v[id]->state = OBJECT_NO_TABLE;
	objects.v[id]->why = OBJECT_CAP;
	objects.changes++;
	mappings_publish(&mappings, 2, 0);
	CHECK(mapped_at(TGID, 0x500000) && mapped_at(TGID, 0x500000)->flags == UNWIND_OPAQUE);
	end();
}

TEST(a_fork_shares_until_one_maps)
{
	struct unwind_process parent;

	begin(1 << 20);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 1, 0);
	parent = process(TGID);
	parent.tgid = CHILD; /* what the kernel's side does */
	words[CHILD] = unwind_process_pack(&parent);
	mappings_fork(&mappings, CHILD, TGID);
	map(TGID, 0x600000, 0x601000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 2, UINT64_MAX / 2);
	CHECK(mapped_at(TGID, 0x600000) != NULL);
	CHECK(!mapped_at(CHILD, 0x600000));
	CHECK(mapped_at(CHILD, 0x400000) != NULL);
	/* its range is not given to anybody while the child has it */
	for (uint32_t i = 0; i < 100; i++)
		map(2000 + i, 0x700000, 0x701000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 3, UINT64_MAX / 2);
	CHECK(mapped_at(CHILD, 0x400000) != NULL);
	end();
}

TEST(an_exec_counts)
{
	begin(1 << 20);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 1, 0);
	CHECK_EQ(process(TGID).image, 0);
	mappings_exec(&mappings, TGID, 2);
	map(TGID, 0x500000, 0x501000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 3, 0);
	CHECK_EQ(process(TGID).image, 1);
	CHECK(!mapped_at(TGID, 0x400000));
	CHECK(mapped_at(TGID, 0x500000) != NULL);
	mappings_exit(&mappings, TGID, 4);
	CHECK_EQ(words[TGID], 0);
	CHECK(!mappings_find(&mappings, TGID));
	end();
}

TEST(ranges_rest_before_they_are_used_again)
{
	uint32_t first, serial;

	begin(1 << 20);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 1000, 0);
	first = process(TGID).base;
	serial = process(TGID).serial;
	map(TGID, 0x500000, 0x501000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 2000, 1000);
	map(CHILD, 0x500000, 0x501000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 3000, 2000 + RANGE_REST_NS);
	CHECK(process(CHILD).base != first);
	map(CHILD + 1, 0x500000, 0x501000, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 4000, 2001 + RANGE_REST_NS);
	CHECK_EQ(process(CHILD + 1).base, first);
	CHECK(process(CHILD + 1).serial != serial);
	end();
}

TEST(all_ranges_taken)
{
	struct unwind_task *t;

	begin(1 << 20);
	for (uint32_t i = 0; i < 20; i++) {
		t = mappings_task(&mappings, 1 + i);
		for (uint64_t a = 0; a < 5000; a++)
			mappings_map(&mappings, t, a << 20, (a << 20) + 4096, 0, MAPPED_ANONYMOUS);
	}
	mappings_publish(&mappings, 1, 0);
	CHECK_EQ(range_size(process(1).class), UNWIND_MAX_MAPPINGS);
	CHECK_EQ(range_size(process(16).class), UNWIND_MAX_MAPPINGS);
	CHECK_EQ(words[17], 0);
	CHECK_EQ(mappings.unpublished, 4);
	end();
}

TEST(neighbours_without_tables_are_joined)
{
	begin(1 << 20);
	for (uint64_t a = 0; a < 1000; a++)
		map(TGID, a << 12, (a + 1) << 12, 0, MAPPED_ANONYMOUS);
	mappings_publish(&mappings, 1, 0);
	CHECK_EQ(store.mappings[process(TGID).base + 1].start, UNWIND_NOWHERE);
	CHECK(mapped_at(TGID, 999 << 12) != NULL);
	end();
}

/* ---- walking again */

struct copy {
	struct event_raw_copy head;
	uint64_t stack[EVENT_COPY_BYTES / 8];
};

TEST(a_copied_stack_is_walked)
{
	static struct replay r;
	static struct copy c = { .head = { .size = 512 } };
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_TABLE);
	map(TGID, 0x500000, 0x520000, 0x1000, id);
	r.store = &store;
	r.objects = &objects;
	c.head.regs[UNWIND_REG_SP] = 0x7000;
	c.head.regs[UNWIND_REG_RA] = 0x500000 + 0x2005 - 0x1000; /* CFA = rsp + 8 */
	c.stack[0] = 0x500000 + 0x2020 - 0x1000;                 /* CFA = rsp + 16 */
	c.stack[2] = 0x500000 + 0x2101 - 0x1000;                 /* outermost */
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_ROOT);
	CHECK_EQ(r.n, 3);
	CHECK_EQ(r.words[2], c.stack[2]);
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 2);
	CHECK_EQ(r.end, UNWIND_ENDED_DEPTH);
	CHECK_EQ(r.n, 2);
	c.head.size = 20; /* the second return address was not copied */
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_UNREADABLE);
	c.head.size = 512;
	c.stack[2] = 0x900000;
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_UNMAPPED);
	end();
}

/* Code that calls nobody may have anything below rsp, its CFA too. */
TEST(what_is_below_a_stack_is_copied)
{
	static struct replay r;
	static struct copy c = { .head = { .size = 512 } };
	const uint64_t cfa = 0x7028;
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_TABLE);
	map(TGID, 0x500000, 0x520000, 0x1000, id);
	r.store = &store;
	r.objects = &objects;
	c.head.regs[UNWIND_REG_SP] = 0x7000;
	c.head.regs[UNWIND_REG_RA] = 0x500000 + 0x3005 - 0x1000;
	memcpy(c.head.below + sizeof(c.head.below) - 8, &cfa, 8);
	c.stack[4] = 0x500000 + 0x2101 - 0x1000;
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_ROOT);
	CHECK_EQ(r.n, 2);
	end();
}

/* Code that aligns the stack and keeps the old rsp in rbx, which its callee saves. */
TEST(rbx_of_a_caller_is_found)
{
	static struct replay r;
	static struct copy c = { .head = { .size = 512 } };
	const struct mapset *maps;
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_TABLE);
	map(TGID, 0x500000, 0x520000, 0x1000, id);
	maps = mappings_find(&mappings, TGID)->maps;
	r.store = &store;
	r.objects = &objects;
	c.head.regs[UNWIND_REG_SP] = 0x7000;
	c.head.regs[UNWIND_REG_RBX] = 0x1234;
	c.head.regs[UNWIND_REG_RA] = 0x500000 + 0x3105 - 0x1000; /* CFA = rsp + 24, rbx at CFA - 16 */
	c.stack[1] = 0x7020;
	c.stack[2] = 0x500000 + 0x3205 - 0x1000; /* CFA = rbx + 16 */
	c.stack[5] = 0x500000 + 0x2101 - 0x1000; /* outermost */
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_ROOT);
	CHECK_EQ(r.n, 3);
	/* Of a frame between the two nobody says where it has rbx: nothing proves the number that is there. */
	c.stack[2] = 0x500000 + 0x2005 - 0x1000; /* CFA = rsp + 8 */
	c.stack[3] = 0x500000 + 0x3205 - 0x1000;
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_BAD_RULE);
	CHECK_EQ(r.n, 3);
	end();
}

/* Generated code, interrupted: rbp may be any number there. */
TEST(a_zero_is_no_root_without_evidence)
{
	static struct replay r;
	static struct copy c = { .head = { .size = 512 } };
	const struct mapset *maps;

	begin(1 << 20);
	map(TGID, 0x400000, 0x401000, 0, MAPPED_ANONYMOUS);
	maps = mappings_find(&mappings, TGID)->maps;
	r.store = &store;
	r.objects = &objects;
	c.head.regs[UNWIND_REG_SP] = 0x7000;
	c.head.regs[UNWIND_REG_RA] = 0x400010;
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_GAP);
	c.head.regs[UNWIND_REG_FP] = 0x7020; /* the words there are 0 */
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_GAP);
	/* What a program begins with: argc, argv, and a 0 behind it. */
	c.head.regs[UNWIND_REG_FP] = 0;
	c.stack[0] = 2;
	c.stack[1] = c.stack[2] = 0x7100;
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_FP_ROOT);
	c.stack[3] = 1;
	replay_walk(&r, maps, &c.head, 512);
	CHECK_EQ(r.end, UNWIND_ENDED_GAP);
	end();
}

/* Larger stacks are copied in part: what lies behind that was not unreadable. */
TEST(a_stack_that_was_cut_is_said_to_be)
{
	static struct replay r;
	static struct copy c = { .head = { .size = 14336, .cut = 1 } };
	uint32_t id;

	begin(1 << 20);
	id = object(OBJECT_TABLE);
	map(TGID, 0x500000, 0x520000, 0x1000, id);
	r.store = &store;
	r.objects = &objects;
	c.head.regs[UNWIND_REG_SP] = 0x7000;
	c.head.regs[UNWIND_REG_RA] = 0x500000 + 0x2005 - 0x1000;
	for (size_t i = 0; i < sizeof(c.stack) / sizeof(c.stack[0]); i++)
		c.stack[i] = 0x500000 + 0x2020 - 0x1000;
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 1024);
	CHECK_EQ(r.end, UNWIND_ENDED_DEPTH);
	CHECK(r.n < 1024 && r.n > 500);
	CHECK(r.cut);
	c.head.cut = 0;
	replay_walk(&r, mappings_find(&mappings, TGID)->maps, &c.head, 1024);
	CHECK_EQ(r.end, UNWIND_ENDED_UNREADABLE);
	CHECK(!r.cut);
	end();
}

TEST_MAIN()
