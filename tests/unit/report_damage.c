/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The damage campaign: recordings cut at every byte, bytes changed, chunks taken
 * out, repeated and exchanged, sectors zeroed, put behind each other.  Each is
 * loaded as a report loads it.  All samples of undamaged chunks come out, no other
 * ones, the place of the damage is told, and a damaged total is never a whole one.
 *
 *   report_damage [FILE...]     default: the recordings in tests/damage
 *
 * FOLD_DAMAGE=long in the environment changes every byte, in two ways.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "damage_subject.h"
#include "../../report/log.h"
#include "../../report/model/recording.h"
#include "../../report/model/select.h"
#include "../../report/output/output.h"

#define SHOWN 20 /* failures of a recording that are printed */
#define SECTOR 512

struct campaign {
	struct subject s;
	bool *hurt;         /* by piece of `s`, for the damage that is tried */
	int fd;             /* what is loaded */
	char path[32];
	size_t stride;      /* of payload bytes that are changed */
	unsigned ways;      /* to change a byte */
	uint64_t cuts, flips, rearranged, sectors, wrong;
};

/* What came out of a load. */
struct outcome {
	bool failed;
	uint64_t read, counted;
	uint64_t damages, lost_bytes, first; /* first: offset of the first damage */
	bool whole;                          /* nothing says that something is missing */
	bool silent;                         /* the line below every report says nothing of damage */
};

__attribute__((format(printf, 2, 3)))
static void wrong(struct campaign *c, const char *format, ...)
{
	va_list args;

	if (c->wrong++ >= SHOWN)
		return;
	printf("%s: ", c->s.name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* -------------------------------------------------------------- one load */

static void put(struct campaign *c, size_t at, const uint8_t *from, size_t n)
{
	if (n && pwrite(c->fd, from, n, (off_t)at) != (ssize_t)n)
		abort();
}

static void resize(struct campaign *c, size_t n)
{
	if (ftruncate(c->fd, (off_t)n))
		abort();
}

static void restore(struct campaign *c)
{
	resize(c, c->s.size);
	put(c, 0, c->s.bytes, c->s.size);
}

static struct outcome sum_up(const struct recording *rec)
{
	struct outcome o = {.whole = true, .first = UINT64_MAX};
	const struct report report = {.rec = rec};
	char line[OUTPUT_LOSS_LINE];

	for (size_t i = 0; i < rec->nevents; i++)
		o.read += rec->events[i].read;
	for (size_t i = 0; i < rec->ncounts; i++)
		o.counted += rec->counts[i].count;
	for (size_t i = 0; i < rec->nsegments; i++) {
		const struct rec_segment *s = &rec->segments[i];

		o.damages += s->damages;
		o.lost_bytes += s->lost_bytes;
		if (s->damages && s->first_damage.offset < o.first)
			o.first = s->first_damage.offset;
		o.whole &= s->ended && s->sum_closes && !s->damages;
	}
	o.silent = !*output_loss_line(&report, line, sizeof(line));
	return o;
}

static struct outcome load(struct campaign *c)
{
	static const struct select all;
	struct recording rec;
	char *files[] = {c->path};
	struct outcome o = {.failed = true};

	if (!recording_load(&rec, files, 1, &all, NULL)) {
		o = sum_up(&rec);
		if (o.counted != o.read)
			wrong(c, "%llu samples were read, %llu are in the report", (unsigned long long)o.read, (unsigned long long)o.counted);
	}
	recording_release(&rec);
	return o;
}

/* Does nothing of the segment follow that counts samples or their sum?  Then nobody can miss piece `i`. */
static bool behind_the_end(const struct campaign *c, size_t i)
{
	for (size_t k = i; k < c->s.n && c->s.v[k].segment == c->s.v[i].segment; k++)
		if (c->s.v[k].type == FOLD_META || c->s.v[k].type == FOLD_BATCH || c->s.v[k].type == FOLD_END)
			return false;
	return true;
}

/* Is all that is hurt at the end, and whole recordings or what stood behind them?
 * Where it is gone altogether, what is left is whole as it stands. */
static bool ends_whole(const struct campaign *c)
{
	size_t first = 0;

	while (first < c->s.n && !c->hurt[first])
		first++;
	return first == c->s.n || c->s.v[first].header || behind_the_end(c, first);
}

/* Is what came out what c->hurt says?  `what` and `at` name the damage. */
static struct outcome expect(struct campaign *c, const char *what, size_t at)
{
	struct expected e = subject_expect(&c->s, c->hurt);
	struct outcome o = load(c);

	if (e.uncertain)
		return o;
	if (o.failed != e.unusable)
		wrong(c, "%s %zu: %s", what, at, o.failed ? "refused" : "not refused");
	if (!o.failed && o.read != e.samples)
		wrong(c, "%s %zu: %llu samples, not %llu", what, at, (unsigned long long)o.read, (unsigned long long)e.samples);
	if (!o.failed && o.read != c->s.samples && (o.whole || o.silent) && !ends_whole(c))
		wrong(c, "%s %zu: %llu of %llu samples, and nothing is said", what, at, (unsigned long long)o.read,
		      (unsigned long long)c->s.samples);
	return o;
}

/* Damage that no END tells of: it has a place. */
static void expect_place(struct campaign *c, const char *what, size_t at, const struct outcome *o, size_t first, size_t bytes)
{
	if (o->failed)
		return;
	if (o->whole || o->silent || !o->damages)
		wrong(c, "%s %zu: nothing is said", what, at);
	else if (o->first != first)
		wrong(c, "%s %zu: told of byte %llu, not %zu", what, at, (unsigned long long)o->first, first);
	else if (o->lost_bytes != bytes)
		wrong(c, "%s %zu: %llu bytes passed over, not %zu", what, at, (unsigned long long)o->lost_bytes, bytes);
}

/* ----------------------------------------------------------------- damage */

static void hurt_none(struct campaign *c)
{
	memset(c->hurt, 0, c->s.n * sizeof(*c->hurt));
}

/* Pieces that overlap [from, until). */
static void hurt_range(struct campaign *c, size_t from, size_t until)
{
	for (size_t i = 0; i < c->s.n; i++)
		c->hurt[i] = c->s.v[i].at < until && c->s.v[i].end > from;
}

static void cut_everywhere(struct campaign *c)
{
	for (size_t n = c->s.size; n-- > 0;) {
		const struct piece *p = &c->s.v[subject_at(&c->s, n)];
		struct outcome o;

		resize(c, n);
		hurt_range(c, n, c->s.size);
		o = expect(c, "cut at byte", n);
		if (n > p->at)
			expect_place(c, "cut at byte", n, &o, p->at, n - p->at);
		c->cuts++;
	}
	restore(c);
}

static void flip_byte(struct campaign *c, size_t n, uint8_t change)
{
	const struct piece *p = &c->s.v[subject_at(&c->s, n)];
	uint8_t byte = c->s.bytes[n] ^ change;
	struct outcome o;

	put(c, n, &byte, 1);
	hurt_range(c, n, n + 1);
	o = expect(c, "changed byte", n);
	expect_place(c, "changed byte", n, &o, p->at, p->end - p->at);
	put(c, n, &c->s.bytes[n], 1);
	c->flips++;
}

/* Every byte of headers, and of payloads one in `stride`. */
static void flip_bytes(struct campaign *c)
{
	for (size_t n = 0; n < c->s.size; n++) {
		const struct piece *p = &c->s.v[subject_at(&c->s, n)];
		bool header = p->header || n < p->at + FOLD_CHUNK_HEADER_SIZE;

		if (!header && (n - p->at) % c->stride)
			continue;
		flip_byte(c, n, (uint8_t)(1u << n % 8));
		if (header || c->ways > 1)
			flip_byte(c, n, 0xff);
	}
}

static void zero_sectors(struct campaign *c)
{
	static const uint8_t nothing[SECTOR];

	for (size_t at = 0; at < c->s.size; at += SECTOR) {
		size_t n = c->s.size - at < SECTOR ? c->s.size - at : SECTOR;

		put(c, at, nothing, n);
		hurt_range(c, at, at + n);
		expect(c, "zeroed sector at byte", at);
		put(c, at, c->s.bytes + at, n);
		c->sectors++;
	}
}

/* The pieces of `order` in their order, and nothing else. */
static void arrange(struct campaign *c, const size_t *order, size_t n)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct piece *p = &c->s.v[order[i]];

		put(c, at, c->s.bytes + p->at, p->end - p->at);
		at += p->end - p->at;
	}
	resize(c, at);
	c->rearranged++;
}

static void delete_pieces(struct campaign *c, size_t *order)
{
	for (size_t i = 1; i < c->s.n; i++) {
		struct outcome o;
		size_t n = 0;

		for (size_t k = 0; k < c->s.n; k++)
			if (k != i)
				order[n++] = k;
		arrange(c, order, n);
		hurt_none(c);
		c->hurt[i] = true;
		o = expect(c, "without piece", i);
		if (!c->s.v[i].header && !behind_the_end(c, i) && (o.whole || o.silent))
			wrong(c, "without piece %zu: nothing is said", i);
	}
}

static void repeat_pieces(struct campaign *c, size_t *order)
{
	hurt_none(c);
	for (size_t i = 0; i < c->s.n; i++) {
		const struct piece *p = &c->s.v[i];
		struct outcome o;
		size_t n = 0;

		if (p->header)
			continue;
		for (size_t k = 0; k < c->s.n; k++) {
			order[n++] = k;
			if (k == i)
				order[n++] = k;
		}
		arrange(c, order, n);
		o = expect(c, "repeated piece", i);
		expect_place(c, "repeated piece", i, &o, p->end, p->end - p->at);
	}
}

/* Of two chunks in the wrong order the one with the smaller number comes too late. */
static void exchange_pieces(struct campaign *c, size_t *order)
{
	for (size_t i = 0; i + 1 < c->s.n; i++) {
		const struct piece *p = &c->s.v[i], *q = p + 1;
		struct outcome o;

		if (p->header || q->header)
			continue;
		for (size_t k = 0; k < c->s.n; k++)
			order[k] = k == i ? k + 1 : k == i + 1 ? i : k;
		arrange(c, order, c->s.n);
		hurt_none(c);
		c->hurt[i] = true;
		o = expect(c, "exchanged piece", i);
		expect_place(c, "exchanged piece", i, &o, p->at, p->end - p->at);
	}
}

/*
 * Is the byte that the cut takes the one that the next recording begins with?  Then
 * nobody can see that it was cut, and what follows has no file header.  META shows a
 * new recording then, but not one that is the same again.
 */
static bool hides_header(const struct campaign *c, size_t n)
{
	return n < c->s.size && c->s.bytes[n] == c->s.bytes[0];
}

/* Two copies behind each other, the first one without a part at its end. */
static void append_whole(struct campaign *c)
{
	for (size_t n = c->s.size; n > FOLD_HEADER_SIZE; n -= n > 2 * c->stride ? c->stride : 1) {
		struct expected e;
		struct outcome o;

		if (hides_header(c, n))
			continue;
		put(c, n, c->s.bytes, c->s.size);
		resize(c, n + c->s.size);
		hurt_range(c, n, c->s.size);
		e = subject_expect(&c->s, c->hurt);
		o = load(c);
		if (!e.unusable && (o.failed || o.read != e.samples + c->s.samples))
			wrong(c, "cut at byte %zu, a whole one behind it: %llu samples", n, (unsigned long long)o.read);
		if (e.samples != c->s.samples && (o.whole || o.silent) && !ends_whole(c))
			wrong(c, "cut at byte %zu, a whole one behind it: nothing is said", n);
		put(c, 0, c->s.bytes, n);
		c->rearranged++;
	}
	restore(c);
}

/* --------------------------------------------------------------- campaign */

static void run(struct campaign *c)
{
	size_t *order = malloc((c->s.n + 1) * sizeof(*order));
	struct outcome o;

	c->hurt = calloc(c->s.n, sizeof(*c->hurt));
	c->fd = memfd_create("damage", MFD_CLOEXEC);
	if (c->fd < 0 || !order || !c->hurt)
		abort();
	snprintf(c->path, sizeof(c->path), "/proc/self/fd/%d", c->fd);
	restore(c);
	o = expect(c, "undamaged", 0);
	if (o.failed || o.damages || o.whole != c->s.ended)
		wrong(c, "undamaged, and told as damaged");
	flip_bytes(c);
	zero_sectors(c);
	delete_pieces(c, order);
	repeat_pieces(c, order);
	restore(c);
	exchange_pieces(c, order);
	restore(c);
	append_whole(c);
	cut_everywhere(c);
	close(c->fd);
	free(order);
	free(c->hurt);
}

struct tried { /* over all recordings */
	uint64_t files, bytes, cuts, flips, sectors, rearranged, wrong;
};

static void add(struct tried *all, const struct campaign *c)
{
	all->files++;
	all->bytes += c->s.size;
	all->cuts += c->cuts;
	all->flips += c->flips;
	all->sectors += c->sectors;
	all->rearranged += c->rearranged;
	all->wrong += c->wrong;
}

static void print(const struct tried *t)
{
	printf("  %llu bytes: %llu cuts, %llu changed bytes, %llu zeroed sectors, %llu rearranged; %llu wrong\n",
	       (unsigned long long)t->bytes, (unsigned long long)t->cuts, (unsigned long long)t->flips, (unsigned long long)t->sectors,
	       (unsigned long long)t->rearranged, (unsigned long long)t->wrong);
}

static void run_file(const char *path, struct tried *all)
{
	bool every = getenv("FOLD_DAMAGE") && !strcmp(getenv("FOLD_DAMAGE"), "long");
	struct campaign c = {.stride = every ? 1 : 31, .ways = every ? 2 : 1};
	struct tried one = {0};

	if (subject_load(&c.s, path))
		run(&c);
	else
		wrong(&c, "is no recording, or has been damaged before");
	add(&one, &c);
	add(all, &c);
	printf("%sok %s\n", c.wrong ? "not " : "", c.s.name);
	print(&one);
	fflush(stdout);
	subject_release(&c.s);
}

static const char *const kept[] = {"command.foldrec", "frame-pointers.foldrec", "aggregated.foldrec", "processes.foldrec"};

int main(int argc, char **argv)
{
	const char *top = getenv("SRC");
	struct tried all = {0};
	char path[4096];

	/* Thousands of recordings are refused here, each with a line that says why. */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	log_set_level(LOG_QUIET);
	for (int i = 1; i < argc; i++)
		run_file(argv[i], &all);
	for (size_t i = 0; argc < 2 && i < sizeof(kept) / sizeof(*kept); i++) {
		snprintf(path, sizeof(path), "%s/tests/damage/%s", top ? top : ".", kept[i]);
		run_file(path, &all);
	}
	printf("%llu recordings\n", (unsigned long long)all.files);
	print(&all);
	return all.wrong != 0;
}
