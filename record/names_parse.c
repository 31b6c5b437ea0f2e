/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel prints for an address.  It prints addresses, too, where it knows no
 * name: those must not get any further. */
#include "names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "0x12", and what stands behind it. */
static bool take_hex(char **p, uint64_t *out)
{
	char *end;

	if (strncmp(*p, "0x", 2) != 0)
		return false;
	errno = 0;
	*out = strtoull(*p, &end, 16);
	if (errno || end == *p + 2)
		return false;
	*p = end;
	return true;
}

bool names_parse(char *text, uint64_t address, struct kernel_symbol *out)
{
	char *plus = strrchr(text, '+'), *p;
	uint64_t into, size;

	/* what has no name is printed as a number */
	if (!plus || plus == text || !strncmp(text, "0x", 2))
		return false;
	p = plus + 1;
	if (!take_hex(&p, &into) || *p++ != '/' || !take_hex(&p, &size) || (*p && *p != ' '))
		return false;
	if (into >= size || into > address || size > UINT64_MAX - (address - into))
		return false;
	*plus = '\0';
	*out = (struct kernel_symbol){.start = address - into, .size = size, .name = text};
	return true;
}
