/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of frames: see palette.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "palette.h"

struct family { double hue, saturation, light, dark; }; /* lightness on light and dark paper */

/* By enum frame_kind. */
static const struct family kinds[] = {
	{222, 0.10, 0.82, 0.34}, /* root: slate */
	{32, 0.80, 0.70, 0.36},  /* user: amber */
	{211, 0.62, 0.72, 0.38}, /* kernel: blue */
	{146, 0.42, 0.66, 0.32}, /* JIT: green */
	{52, 0.72, 0.76, 0.40},  /* inlined: straw */
	{230, 0.03, 0.76, 0.42}, /* unknown: grey */
};
static const char *const kind_names[] = {"", "user", "kernel", "JIT", "inlined", "unknown"};

/* By rank of the module; the last is for all others. */
static const struct family modules[PALETTE_FAMILIES] = {
	{32, 0.80, 0.70, 0.36}, {211, 0.62, 0.72, 0.38}, {146, 0.42, 0.66, 0.32}, {348, 0.62, 0.74, 0.40},
	{270, 0.46, 0.76, 0.42}, {184, 0.46, 0.66, 0.32}, {52, 0.72, 0.72, 0.36}, {84, 0.44, 0.66, 0.32},
	{316, 0.44, 0.76, 0.40}, {238, 0.54, 0.78, 0.44}, {12, 0.62, 0.70, 0.40}, {222, 0.08, 0.80, 0.38},
};

/* By enum output_colors: hues that names are spread over. */
static const struct range { double from, to, saturation, light, dark; } ranges[] = {
	[OUTPUT_COLORS_HASH] = {0, 330, 0.60, 0.74, 0.38}, [OUTPUT_COLORS_HOT] = {2, 54, 0.82, 0.66, 0.36},
	[OUTPUT_COLORS_MEM] = {92, 150, 0.46, 0.66, 0.32}, [OUTPUT_COLORS_IO] = {192, 238, 0.58, 0.74, 0.38},
	[OUTPUT_COLORS_RED] = {352, 366, 0.68, 0.72, 0.38}, [OUTPUT_COLORS_GREEN] = {108, 136, 0.46, 0.66, 0.32},
	[OUTPUT_COLORS_BLUE] = {206, 222, 0.62, 0.74, 0.38}, [OUTPUT_COLORS_AQUA] = {174, 190, 0.48, 0.66, 0.32},
	[OUTPUT_COLORS_YELLOW] = {48, 58, 0.74, 0.70, 0.36}, [OUTPUT_COLORS_PURPLE] = {268, 292, 0.46, 0.76, 0.42},
	[OUTPUT_COLORS_ORANGE] = {24, 36, 0.82, 0.70, 0.36},
};

static char letter(const struct palette *p)
{
	return p->by == OUTPUT_COLORS_KIND ? 'k' : p->by == OUTPUT_COLORS_MODULE ? 'm' : 'h';
}

static size_t nfamilies(const struct palette *p)
{
	return p->by == OUTPUT_COLORS_KIND ? sizeof(kinds) / sizeof(*kinds) : p->by == OUTPUT_COLORS_MODULE ? PALETTE_FAMILIES : PALETTE_FAMILIES + 1;
}

/* By name, the last family is that of roots. */
static struct family family(const struct palette *p, size_t i)
{
	const struct range *range = &ranges[p->by];

	if (p->by == OUTPUT_COLORS_KIND)
		return kinds[i];
	if (p->by == OUTPUT_COLORS_MODULE)
		return modules[i];
	if (i == PALETTE_FAMILIES)
		return kinds[FRAME_ROOT];
	return (struct family){range->from + (range->to - range->from) * i / (PALETTE_FAMILIES - 1), range->saturation, range->light, range->dark};
}

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619u;
	return h ^ h >> 15;
}

static void add_key(struct palette *p, const char *name, unsigned number, uint64_t self)
{
	struct palette_key *key = &p->keys[p->nkeys++];

	key->name = name;
	key->self = self;
	snprintf(key->class, sizeof(key->class), "%c%x2", letter(p), number);
}

static void by_kind(struct palette *p)
{
	uint64_t self[sizeof(kinds) / sizeof(*kinds)] = {0};
	bool used[sizeof(kinds) / sizeof(*kinds)] = {0};

	for (size_t i = 0; i < p->tree->nframes; i++) {
		enum frame_kind kind = p->tree->frames[i].kind;

		p->family[i] = kind;
		self[kind] += p->tree->frames[i].self;
		used[kind] |= p->tree->frames[i].total > 0;
	}
	for (unsigned k = FRAME_ROOT + 1; k < sizeof(kinds) / sizeof(*kinds); k++)
		if (used[k])
			add_key(p, kind_names[k], k, self[k]);
}

struct share { const char *module; uint64_t self; };

static int by_module_name(const void *a, const void *b)
{
	return strcmp(((const struct share *)a)->module, ((const struct share *)b)->module);
}

static int by_self(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return by_module_name(a, b);
}

static int by_module(struct palette *p)
{
	const struct frame *frames = p->tree->frames;
	struct share *shares = calloc(p->tree->nframes + 1, sizeof(*shares));
	size_t n = 0, kept = 0;
	uint64_t others = 0;

	if (!shares)
		return -1;
	for (size_t i = 0; i < p->tree->nframes; i++)
		if (frames[i].kind != FRAME_ROOT)
			shares[n++] = (struct share){frames[i].module, frames[i].self};
	if (n)
		qsort(shares, n, sizeof(*shares), by_module_name);
	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(shares[kept - 1].module, shares[i].module))
			shares[kept - 1].self += shares[i].self;
		else
			shares[kept++] = shares[i];
	}
	if (kept)
		qsort(shares, kept, sizeof(*shares), by_self);
	for (size_t i = PALETTE_FAMILIES - 1; i < kept; i++)
		others += shares[i].self;
	for (size_t i = 0; i < kept && i < PALETTE_FAMILIES - 1; i++)
		add_key(p, shares[i].module[0] ? shares[i].module : "no module", i, shares[i].self);
	if (kept >= PALETTE_FAMILIES)
		add_key(p, "others", PALETTE_FAMILIES - 1, others);
	for (size_t i = 0; i < p->tree->nframes; i++) {
		p->family[i] = PALETTE_FAMILIES - 1;
		for (size_t k = 0; frames[i].kind != FRAME_ROOT && k < kept && k < PALETTE_FAMILIES - 1; k++)
			if (!strcmp(shares[k].module, frames[i].module))
				p->family[i] = k;
	}
	free(shares);
	return 0;
}

static void by_name(struct palette *p)
{
	for (size_t i = 0; i < p->tree->nframes; i++)
		p->family[i] = p->tree->frames[i].kind == FRAME_ROOT ? PALETTE_FAMILIES : hash(p->tree->frames[i].name) / PALETTE_SHADES % PALETTE_FAMILIES;
}

int palette_init(struct palette *p, const struct tree *tree, enum output_colors by)
{
	*p = (struct palette){.tree = tree, .by = by};
	p->family = calloc(tree->nframes + 1, 1);
	if (!p->family)
		return -1;
	if (by == OUTPUT_COLORS_MODULE)
		return by_module(p);
	if (by == OUTPUT_COLORS_KIND)
		by_kind(p);
	else
		by_name(p);
	return 0;
}

void palette_release(struct palette *p)
{
	free(p->family);
	*p = (struct palette){0};
}

const char *palette_class(const struct palette *p, uint32_t frame, char *buf)
{
	snprintf(buf, PALETTE_CLASS, "%c%x%x", letter(p), p->family[frame], hash(p->tree->frames[frame].name) % PALETTE_SHADES);
	return buf;
}

static unsigned channel(double hue, double saturation, double light, double n)
{
	double k = fmod(n + hue / 30, 12), a = saturation * (light < 1 - light ? light : 1 - light);
	double m = fmin(fmin(k - 3, 9 - k), 1);

	return 255 * (light - a * (m > -1 ? m : -1)) + 0.5;
}

static void rules(const struct palette *p, struct emit *e, bool dark)
{
	for (size_t i = 0; i < nfamilies(p); i++)
		for (int shade = 0; shade < PALETTE_SHADES; shade++) {
			struct family f = family(p, i);
			double hue = fmod(f.hue + (shade - 2) * 2.5 + 360, 360);
			double light = (dark ? f.dark : f.light) + (shade - 2) * 0.022;
			double saturation = dark ? f.saturation * 0.62 : f.saturation;

			emit_printf(e, ".%c%zx%x>rect{fill:#%02x%02x%02x}\n", letter(p), i, shade,
				    channel(hue, saturation, light, 0), channel(hue, saturation, light, 8),
				    channel(hue, saturation, light, 4));
		}
}

void palette_css(const struct palette *p, struct emit *e)
{
	rules(p, e, false);
	emit_str(e, "@media (prefers-color-scheme: dark) {\n");
	rules(p, e, true);
	emit_str(e, "}\n");
}
