/* SPDX-License-Identifier: BSD-2-Clause */
/* fold-record: options in, exit status out. */
#include "hostcheck.h"
#include "options.h"
#include "recorder.h"

int main(int argc, char **argv)
{
	struct options options;
	int status = 0;

	switch (options_parse(&options, argc, argv)) {
	case OPTIONS_WRONG:
		status = 2;
		break;
	case OPTIONS_DONE:
		break;
	case OPTIONS_RUN:
		status = options.check ? !host_check() : recorder_run(&options);
		break;
	}
	options_release(&options);
	return status;
}
