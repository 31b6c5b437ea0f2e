/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and strings of which a few are at their limits or unheard of. */
#include "unusual.h"

static const struct {
	const char *at;
	size_t size;
} odd_strings[] = {
#define ODD(text) {text, sizeof(text) - 1}
	ODD("cat"), ODD("</script><script>alert(1)"), ODD("a;b c 7"), ODD("new\nline\r\n"), ODD("\x1b[31mred\x1b]0;title\a"),
	ODD("\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80"), ODD("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\xa5"), ODD("\xc2\x80\xc2\x9b" "1m\xc2\x9f\xc2\xa0"),
	ODD("\0nul\0"), ODD("\x7f"), ODD("]]>&amp;<!--"), ODD("\"quoted\\\""), ODD("=cmd|' /C calc'!A0"), ODD("\xe2\x80\xae" "exe.txt"),
	ODD("\xe2\x80\xa8"), ODD("\xc3"), ODD("\xe2\x82"), ODD("\xf0\x9f\x94"), ODD("/usr/lib/x86_64-linux-gnu/libc.so.6"), ODD(" "), ODD("%s%n"), ODD("[unknown]"),
};

uint64_t below(struct recording *g, uint64_t n)
{
	return random_below(&g->random, n);
}

bool once_in(struct recording *g, uint64_t n)
{
	return random_once_in(&g->random, n);
}

uint64_t any(struct recording *g)
{
	return random_u64(&g->random) >> below(g, 64);
}

uint32_t any32(struct recording *g)
{
	return (uint32_t)any(g);
}

uint32_t any_of(struct recording *g, uint32_t last)
{
	return once_in(g, 20) ? any32(g) : (uint32_t)below(g, last + 1);
}

struct fold_bytes any_bytes(struct recording *g, size_t size)
{
	uint8_t *at = pool_take(&g->pool, size, 1);

	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)random_u64(&g->random);
	return (struct fold_bytes){at, size};
}

struct fold_bytes any_string(struct recording *g)
{
	size_t n = sizeof(odd_strings) / sizeof(odd_strings[0]), which = below(g, n);

	if (once_in(g, 100))
		return any_bytes(g, FOLD_MAX_STRING);
	if (once_in(g, 4))
		return any_bytes(g, 1 + below(g, 40));
	return (struct fold_bytes){(const uint8_t *)odd_strings[which].at, odd_strings[which].size};
}

int64_t any_time(struct recording *g)
{
	int64_t last = INT64_MAX / (int64_t)g->meta.tick_ns;
	int64_t ticks = (int64_t)(any(g) >> 1) % (last + 1);

	if (once_in(g, 50))
		ticks = last;
	return once_in(g, 4) ? -ticks : ticks;
}
