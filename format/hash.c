/* SPDX-License-Identifier: BSD-2-Clause */
/* SipHash with one round a word and three at the end; see hash.h. */
#include "hash.h"
#include "wire.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

void hash_key_init(struct hash_key *key)
{
	struct timespec now;

	if (getrandom(key, sizeof(*key), GRND_NONBLOCK) == (ssize_t)sizeof(*key))
		return;
	/* An early boot or an old kernel: better than a constant. */
	clock_gettime(CLOCK_MONOTONIC, &now);
	key->a = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
	key->b = (uint64_t)(uintptr_t)key;
}

struct sip {
	uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t v, unsigned by)
{
	return v << by | v >> (64 - by);
}

static void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static void sip_word(struct sip *s, uint64_t word)
{
	s->v3 ^= word;
	sip_round(s);
	s->v0 ^= word;
}

uint64_t hash_bytes(const struct hash_key *key, const void *at, size_t n)
{
	struct sip s = {
		key->a ^ UINT64_C(0x736f6d6570736575), key->b ^ UINT64_C(0x646f72616e646f6d),
		key->a ^ UINT64_C(0x6c7967656e657261), key->b ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *p = at;
	uint8_t last[8] = {0};
	size_t left = n;

	for (; left >= 8; p += 8, left -= 8)
		sip_word(&s, le64_get(p));
	if (left)
		memcpy(last, p, left);
	last[7] = (uint8_t)n;
	sip_word(&s, le64_get(last));
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
