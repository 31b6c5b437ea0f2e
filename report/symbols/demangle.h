/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linker names to the names people wrote: Itanium C++, Rust (legacy and v0), D.
 * Names are hostile: what would take too long or grow too large stays mangled.
 */
#ifndef FOLD_REPORT_DEMANGLE_H
#define FOLD_REPORT_DEMANGLE_H

#include <stddef.h>

#define DEMANGLE_MAX_IN 4096   /* longer names stay as they are */
#define DEMANGLE_MAX_OUT 16384 /* names that grow beyond stay as they are */

/*
 * The demangled form of `name`, terminated, in `buf` of DEMANGLE_MAX_OUT + 1
 * bytes; its length, or 0 when the name is not mangled or is to stay so.
 */
size_t demangle(const char *name, char *buf);

/* Length of `name` without what compilers put behind the names of the parts and
 * clones that they make: foo.cold, foo.part.0, foo.constprop.1.isra.0 ... */
size_t name_without_suffix(const char *name);

#endif
