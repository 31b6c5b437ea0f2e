/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which units claim which addresses, and what the chains found in them are
 * called.  Owns the DWARF files that belong together: the one given, its
 * supplementary file and split units' files.
 */
#include "dwarf.h"

#include <dwarf.h>
#include <stdlib.h>

#include "../../format/intern.h"
#include "../model/array.h"
#include "dwarf_file.h"
#include "dwarf_line.h"
#include "dwarf_split.h"
#include "dwarf_walk.h"

#define MAX_REFERENCES 16 /* from an inlined function to its name */
#define MAX_CHAIN 512
#define MAX_CLAIMS 65536 /* units of a hostile file may all claim everything */
#define MAX_CLAIMS_EACH 16
#define MAX_FRAMES 65536 /* of an answer; chains of a hostile file may all be long */
#define MAX_FRAMES_EACH 64
#define REST_BYTES (UINT64_C(32) << 20)

struct dwarf {
	struct dwarf_work work;
	struct dwarf_file file, supplement;
	struct dwarf_finder finder;
	struct dwarf_split *split;
	struct intern strings;  /* file paths, terminated */
	uint64_t rested;        /* .debug_info before this was handed back to the kernel */
};

/* One address that one unit claims. */
struct claim {
	struct dwarf_unit *unit;
	uint32_t query;
};
struct claims {
	struct claim *v;
	size_t n, room, limit;
};

/* ------------------------------------------------------------ life */

int dwarf_new(struct dwarf **out, Elf *elf, const struct dwarf_finder *finder)
{
	struct dwarf *d = calloc(1, sizeof(*d));

	*out = NULL;
	if (!d)
		return -1;
	if (finder)
		d->finder = *finder;
	intern_init(&d->strings, 1);
	dwarf_work_begin(&d->work, 0);
	dwarf_file_init(&d->file, elf, false, &d->work);
	if (dwarf_file_units(&d->file) || dwarf_split_new(&d->split, &d->work, &d->finder)) {
		dwarf_free(d);
		return -1;
	}
	dwarf_find_supplement(&d->file, &d->supplement, &d->finder);
	*out = d;
	return 0;
}

void dwarf_free(struct dwarf *d)
{
	if (!d)
		return;
	dwarf_split_free(d->split);
	dwarf_file_release(&d->file);
	dwarf_file_release(&d->supplement);
	intern_release(&d->strings);
	free(d);
}

void dwarf_answer_release(struct dwarf_answer *answer)
{
	free(answer->frames);
	memset(answer, 0, sizeof(*answer));
}

/* ------------------------------------------------------------ claims */

static size_t first_query(const struct dwarf_query *queries, size_t n, uint64_t address)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (queries[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_claim(struct claims *claims, struct dwarf_unit *unit, size_t query)
{
	if (array_room(claims->v, claims->room, claims->n + 1))
		return -1;
	claims->v[claims->n++] = (struct claim){unit, (uint32_t)query};
	return 0;
}

/* Ranges of a unit need not be sorted or disjoint: a query is claimed once a unit. */
static int claim_unit(struct claims *claims, struct dwarf_unit *unit, const struct dwarf_query *queries, size_t n,
		      struct dwarf_unit **last)
{
	struct dwarf_ranges ranges;
	uint64_t low, high;

	dwarf_ranges_begin(&ranges, unit, &unit->root);
	while (dwarf_ranges_next(&ranges, &low, &high)) {
		for (size_t i = first_query(queries, n, low); i < n && queries[i].address < high; i++) {
			if (!dwarf_spend(unit, 1))
				return 0;
			if (last[i] != unit && add_claim(claims, unit, i))
				return -1;
			last[i] = unit;
		}
	}
	return 0;
}

static bool says_where(const struct dwarf_unit *unit)
{
	return unit->root.ranges.form || (unit->root.low.form && unit->root.high.form);
}

/* Units that do not say where their code is may have what no other unit claims;
 * those of version 2 can only say where most of it is. */
static int claim_rest(struct dwarf *d, struct claims *claims, size_t n, struct dwarf_unit *const *last)
{
	uint32_t *rest = malloc((n + 1) * sizeof(*rest));
	size_t nrest = 0;
	int err = rest ? 0 : -1;

	for (size_t i = 0; !err && i < n; i++)
		if (!last[i])
			rest[nrest++] = (uint32_t)i;
	for (size_t u = 0; !err && nrest && u < d->file.nunits && claims->n < claims->limit; u++) {
		struct dwarf_unit *unit = &d->file.units[u];

		if (unit->type == DW_UT_partial || !dwarf_unit_root(unit) || (says_where(unit) && unit->version > 2))
			continue;
		for (size_t i = 0; !err && i < nrest; i++)
			err = add_claim(claims, unit, rest[i]);
	}
	free(rest);
	return err;
}

static int claim_all(struct dwarf *d, struct claims *claims, const struct dwarf_query *queries, size_t n)
{
	struct dwarf_unit **last = calloc(n, sizeof(struct dwarf_unit *)); /* by query: who claimed it last */
	int err = last ? 0 : -1;

	claims->limit = MAX_CLAIMS + n * MAX_CLAIMS_EACH;
	for (size_t u = 0; !err && u < d->file.nunits && claims->n < claims->limit; u++) {
		struct dwarf_unit *unit = &d->file.units[u];

		if (dwarf_unit_root(unit) && says_where(unit))
			err = claim_unit(claims, unit, queries, n, last);
	}
	if (!err)
		err = claim_rest(d, claims, n, last);
	free(last);
	return err;
}

static int compare_claims(const void *x, const void *y)
{
	const struct claim *a = x, *b = y;

	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return a->query < b->query ? -1 : a->query > b->query;
}

/* ------------------------------------------------------------ names */

static bool read_entry(struct dwarf_unit *u, uint64_t offset, struct dwarf_die *die)
{
	struct dwarf_cursor c = dwarf_unit_cursor(u, offset);
	uint64_t code = cursor_uleb(&c);
	const struct dwarf_abbrev *abbrev;

	dwarf_file_rest(u->file); /* nobody holds an abbreviation now */
	if (c.bad || !code || !dwarf_unit_root(u) || !dwarf_unit_abbrevs(u))
		return false;
	abbrev = dwarf_abbrev(u->abbrevs, code);
	return abbrev && dwarf_die_read(u, &c, abbrev, die);
}

/* The linkage name of an entry or of those it refers to, else the plain name. */
static const char *name_of(struct dwarf_unit *u, uint64_t offset)
{
	const char *plain = NULL;
	struct dwarf_die die;

	for (int i = 0; i < MAX_REFERENCES && read_entry(u, offset, &die); i++) {
		const char *linkage = dwarf_value_string(u, &die.linkage_name);

		if (linkage)
			return linkage;
		if (!plain)
			plain = dwarf_value_string(u, &die.name);
		if (!dwarf_value_reference(u, die.origin.form ? &die.origin : &die.specification, &u, &offset))
			break;
	}
	return plain;
}

/* ------------------------------------------------------------ answers */

/* Work on one unit and the queries that it claims. */
struct job {
	struct dwarf *d;
	struct dwarf_unit *unit;      /* the one that claims */
	struct dwarf_unit *walked;    /* itself, or its split unit */
	struct dwarf_query *queries;
	size_t nqueries;
	const struct claim *claims;
	size_t n;
	struct walk_claim *found;
	struct dwarf_row *rows;
	struct walk_nodes nodes;
	const char **names;           /* by node: found once, for chains share outer entries */
	uint8_t *ranks;               /* by query: how good its answer is */
};

static const char *kept_file(struct job *job, uint64_t index)
{
	const char *path = dwarf_lines_file(job->unit, index);
	uint32_t id;

	if (!path || intern_add(&job->d->strings, path, strlen(path) + 1, &id))
		return NULL;
	return (const char *)intern_get(&job->d->strings, id).at;
}

static const char *node_name(struct job *job, uint32_t node)
{
	static const char nameless[] = "";

	if (!job->names[node]) {
		job->names[node] = name_of(job->walked, job->nodes.v[node].die);
		if (!job->names[node])
			job->names[node] = nameless;
	}
	return job->names[node] == nameless ? NULL : job->names[node];
}

static int add_frame(struct dwarf_answer *answer, const struct dwarf_frame *frame)
{
	if (array_room(answer->frames, answer->room, answer->n + 1))
		return -1;
	answer->frames[answer->n++] = *frame;
	return 0;
}

/* The frames of one chain: each has the line of the call that leads inwards. */
static int add_chain(struct job *job, size_t i, struct dwarf_answer *answer)
{
	struct dwarf_query *query = &job->queries[job->claims[i].query];
	uint32_t node = job->found[i].node;
	struct dwarf_frame frame = {0};
	size_t limit = MAX_FRAMES + job->nqueries * MAX_FRAMES_EACH;

	query->first = (uint32_t)answer->n;
	query->n = 0;
	if (job->rows[i].found) {
		frame.file = kept_file(job, job->rows[i].file);
		frame.line = job->rows[i].line;
	}
	if (node == WALK_NONE && !frame.file)
		return 0;
	do {
		const struct walk_node *at = node == WALK_NONE ? NULL : &job->nodes.v[node];

		frame.name = at ? node_name(job, node) : NULL;
		frame.function = at && at->function;
		if (add_frame(answer, &frame))
			return -1;
		query->n++;
		if (!at)
			break;
		frame.file = at->function ? NULL : kept_file(job, at->call_file);
		frame.line = at->call_line;
		node = at->outer;
	} while (node != WALK_NONE && query->n < MAX_CHAIN && answer->n < limit);
	return 0;
}

/* Of several units that claim an address: the one whose function begins where
 * the symbol does, then one that has a function, then the first. */
static uint8_t rank_of(const struct job *job, size_t i)
{
	uint32_t node = job->found[i].node;

	if (node == WALK_NONE)
		return job->rows[i].found ? 1 : 0;
	while (job->nodes.v[node].outer != WALK_NONE)
		node = job->nodes.v[node].outer;
	return job->nodes.v[node].low == job->queries[job->claims[i].query].function ? 3 : 2;
}

static int job_prepare(struct job *job)
{
	job->found = calloc(job->n, sizeof(*job->found));
	job->rows = calloc(job->n, sizeof(*job->rows));
	if (!job->found || !job->rows)
		return -1;
	for (size_t i = 0; i < job->n; i++) {
		job->found[i].address = job->rows[i].address = job->queries[job->claims[i].query].address;
		job->found[i].node = WALK_NONE;
	}
	return 0;
}

static int job_answer(struct job *job, struct dwarf_answer *answer)
{
	int err = 0;

	job->names = calloc(job->nodes.n + 1, sizeof(char *));
	if (!job->names)
		return -1;
	for (size_t i = 0; !err && i < job->n; i++) {
		uint8_t rank = rank_of(job, i), *best = &job->ranks[job->claims[i].query];

		if (rank <= *best)
			continue;
		*best = rank;
		err = add_chain(job, i, answer);
	}
	return err;
}

static int job_run(struct job *job, struct dwarf_answer *answer)
{
	int err = job_prepare(job);

	job->walked = dwarf_split_unit(job->d->split, job->unit);
	if (!err && job->walked)
		err = dwarf_walk(job->walked, job->found, job->n, &job->nodes);
	if (!err) {
		dwarf_lines_run(job->unit, job->rows, job->n);
		err = job_answer(job, answer);
	}
	free(job->found);
	free(job->rows);
	free(job->names);
	free(job->nodes.v);
	dwarf_unit_rest(job->unit);
	return err;
}

/*
 * A large .debug_info would stay in memory as far as it was read.  Pages of the
 * file come back by themselves when they are wanted again.
 */
static void rest_pages(struct dwarf *d, uint64_t end)
{
	struct dwarf_bytes info = d->file.sections[DWARF_INFO];

	if (end < d->rested + REST_BYTES)
		return;
	elf_rest(d->file.elf, info.at + d->rested, end - d->rested);
	d->rested = end;
}

int dwarf_resolve(struct dwarf *d, struct dwarf_query *queries, size_t n, struct dwarf_answer *answer)
{
	struct claims claims = {0};
	uint8_t *ranks = calloc(n + 1, 1);
	size_t end;
	int err;

	dwarf_work_begin(&d->work, n);
	err = ranks && n ? claim_all(d, &claims, queries, n) : -1;
	memset(answer, 0, sizeof(*answer));
	for (size_t i = 0; i < n; i++)
		queries[i].first = queries[i].n = 0;
	if (!err && claims.n)
		qsort(claims.v, claims.n, sizeof(*claims.v), compare_claims);
	d->rested = 0;
	for (size_t i = 0; !err && i < claims.n; i = end) {
		struct job job = {.d = d, .unit = claims.v[i].unit, .queries = queries, .nqueries = n, .claims = &claims.v[i], .ranks = ranks};

		for (end = i + 1; end < claims.n && claims.v[end].unit == job.unit; end++)
			;
		job.n = end - i;
		err = job_run(&job, answer);
		rest_pages(d, job.unit->end);
	}
	free(claims.v);
	free(ranks);
	return n ? err : 0;
}
