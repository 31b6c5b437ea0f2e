/* SPDX-License-Identifier: BSD-2-Clause */
/* fold-report: the first word says which verb; without one, it is a report. */
#include <stddef.h>

#include "verbs/verbs.h"

int main(int argc, char **argv)
{
	const struct verb *verb = argc > 1 ? verb_by_name(argv[1]) : NULL;

	return verb ? verb->run(argc - 1, argv + 1) : verb_report(argc, argv);
}
