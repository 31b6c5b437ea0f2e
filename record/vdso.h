/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vdso: code that the kernel maps into every process and that no file holds.
 * Ours is everybody's (of our ABI), so identity and names are read from it.
 */
#ifndef FOLD_RECORD_VDSO_H
#define FOLD_RECORD_VDSO_H

#include "identity.h"

struct vdso {
	const uint8_t *at;   /* the image in our own memory, NULL: none */
	uint64_t size;
	struct identity identity;
};

void vdso_init(struct vdso *v);
/* Any image, for tests. */
void vdso_init_image(struct vdso *v, const uint8_t *at, size_t size);

struct vdso_symbol {
	const char *name;
	uint64_t offset, size;
};
/* The function that covers `offset` of the image. */
bool vdso_symbol(const struct vdso *v, uint64_t offset, struct vdso_symbol *out);

#endif
