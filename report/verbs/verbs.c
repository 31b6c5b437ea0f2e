/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of verbs. */
#include <stddef.h>
#include <string.h>

#include "verbs.h"

const struct verb verbs[] = {
	{"info", "info FILE...", "what was recorded, how well, and what it cost", verb_info},
	{"check", "check FILE...", "is every rule of the format kept?", verb_check},
	{"diff", "diff BEFORE NOW", "what changed between two recordings", verb_diff},
	{"merge", "merge -o OUT FILE...", "many recordings as one", verb_merge},
	{"redact", "redact -o OUT FILE", "the same without what is not to be given away", verb_redact},
	{"embed", "embed -o OUT FILE", "names into a copy, for machines without debug files", verb_embed},
	{"missing", "missing FILE...", "which debug files would bring how many names", verb_missing},
	{"explain", "explain FILE ADDRESS", "how the name of one address comes about", verb_explain},
	{"dump", "dump FILE", "every item of the file as a line of JSON", verb_dump},
	{NULL, NULL, NULL, NULL},
};

const struct verb *verb_by_name(const char *name)
{
	for (const struct verb *v = verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}
