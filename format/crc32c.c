/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CRC-32C, eight bytes a step.  The tables are constants that the compiler works
 * out: a CRC is linear, so entry b of a table is the xor of the entries of b's
 * bits, and 64 numbers stand for all 2,048.
 */
#include "crc32c.h"
#include "wire.h"

/* BIT_k_i: entry 1 << i of table k, which is the polynomial 0x82f63b78 shifted
 * on by 8 * k + 7 - i steps. */
#define BIT_0_0 0xf26b8303u
#define BIT_0_1 0xe13b70f7u
#define BIT_0_2 0xc79a971fu
#define BIT_0_3 0x8ad958cfu
#define BIT_0_4 0x105ec76fu
#define BIT_0_5 0x20bd8edeu
#define BIT_0_6 0x417b1dbcu
#define BIT_0_7 0x82f63b78u
#define BIT_1_0 0x13a29877u
#define BIT_1_1 0x274530eeu
#define BIT_1_2 0x4e8a61dcu
#define BIT_1_3 0x9d14c3b8u
#define BIT_1_4 0x3fc5f181u
#define BIT_1_5 0x7f8be302u
#define BIT_1_6 0xff17c604u
#define BIT_1_7 0xfbc3faf9u
#define BIT_2_0 0xa541927eu
#define BIT_2_1 0x4f6f520du
#define BIT_2_2 0x9edea41au
#define BIT_2_3 0x38513ec5u
#define BIT_2_4 0x70a27d8au
#define BIT_2_5 0xe144fb14u
#define BIT_2_6 0xc76580d9u
#define BIT_2_7 0x8b277743u
#define BIT_3_0 0xdd45aab8u
#define BIT_3_1 0xbf672381u
#define BIT_3_2 0x7b2231f3u
#define BIT_3_3 0xf64463e6u
#define BIT_3_4 0xe964b13du
#define BIT_3_5 0xd725148bu
#define BIT_3_6 0xaba65fe7u
#define BIT_3_7 0x52a0c93fu
#define BIT_4_0 0x38116facu
#define BIT_4_1 0x7022df58u
#define BIT_4_2 0xe045beb0u
#define BIT_4_3 0xc5670b91u
#define BIT_4_4 0x8f2261d3u
#define BIT_4_5 0x1ba8b557u
#define BIT_4_6 0x37516aaeu
#define BIT_4_7 0x6ea2d55cu
#define BIT_5_0 0xef306b19u
#define BIT_5_1 0xdb8ca0c3u
#define BIT_5_2 0xb2f53777u
#define BIT_5_3 0x6006181fu
#define BIT_5_4 0xc00c303eu
#define BIT_5_5 0x85f4168du
#define BIT_5_6 0x0e045bebu
#define BIT_5_7 0x1c08b7d6u
#define BIT_6_0 0x68032cc8u
#define BIT_6_1 0xd0065990u
#define BIT_6_2 0xa5e0c5d1u
#define BIT_6_3 0x4e2dfd53u
#define BIT_6_4 0x9c5bfaa6u
#define BIT_6_5 0x3d5b83bdu
#define BIT_6_6 0x7ab7077au
#define BIT_6_7 0xf56e0ef4u
#define BIT_7_0 0x493c7d27u
#define BIT_7_1 0x9278fa4eu
#define BIT_7_2 0x211d826du
#define BIT_7_3 0x423b04dau
#define BIT_7_4 0x847609b4u
#define BIT_7_5 0x0d006599u
#define BIT_7_6 0x1a00cb32u
#define BIT_7_7 0x34019664u

#define ENTRY(k, b) \
	(((b) & 1 ? BIT_##k##_0 : 0) ^ ((b) & 2 ? BIT_##k##_1 : 0) ^ ((b) & 4 ? BIT_##k##_2 : 0) ^ \
	 ((b) & 8 ? BIT_##k##_3 : 0) ^ ((b) & 16 ? BIT_##k##_4 : 0) ^ ((b) & 32 ? BIT_##k##_5 : 0) ^ \
	 ((b) & 64 ? BIT_##k##_6 : 0) ^ ((b) & 128 ? BIT_##k##_7 : 0))
#define ENTRIES_4(k, b) ENTRY(k, b), ENTRY(k, (b) + 1), ENTRY(k, (b) + 2), ENTRY(k, (b) + 3)
#define ENTRIES_16(k, b) ENTRIES_4(k, b), ENTRIES_4(k, (b) + 4), ENTRIES_4(k, (b) + 8), ENTRIES_4(k, (b) + 12)
#define ENTRIES_64(k, b) ENTRIES_16(k, b), ENTRIES_16(k, (b) + 16), ENTRIES_16(k, (b) + 32), ENTRIES_16(k, (b) + 48)
#define TABLE(k) {ENTRIES_64(k, 0), ENTRIES_64(k, 64), ENTRIES_64(k, 128), ENTRIES_64(k, 192)}

/* tables[k][b]: what byte b does to a CRC k bytes further on. */
static const uint32_t tables[8][256] = {
	TABLE(0), TABLE(1), TABLE(2), TABLE(3), TABLE(4), TABLE(5), TABLE(6), TABLE(7),
};

static uint32_t eight(const uint8_t *p, uint32_t crc)
{
	uint32_t low = le32_get(p) ^ crc, high = le32_get(p + 4);

	return tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^ tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
	       tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^ tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
}

uint32_t crc32c(uint32_t crc, const void *at, size_t n)
{
	const uint8_t *p = at;

	crc = ~crc;
	for (; n >= 8; p += 8, n -= 8)
		crc = eight(p, crc);
	for (; n; n--)
		crc = tables[0][(crc ^ *p++) & 0xff] ^ crc >> 8;
	return ~crc;
}
