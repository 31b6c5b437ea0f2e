/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines for people.  Owns how much is said; the only state that outlives a call
 * in the recorder.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>

static enum log_level log_level = LOG_NORMAL;

void log_set_level(enum log_level level)
{
	log_level = level;
}

/* One write per line: stderr is often shared with the command. */
static void line(const char *kind, const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "fold-record: %s%s\n", kind, text);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("", format, args);
	va_end(args);
}

void log_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line("warning: ", format, args);
	va_end(args);
}

void log_info(const char *format, ...)
{
	va_list args;

	if (log_level < LOG_NORMAL)
		return;
	va_start(args, format);
	line("", format, args);
	va_end(args);
}

void log_detail(const char *format, ...)
{
	va_list args;

	if (log_level < LOG_VERBOSE)
		return;
	va_start(args, format);
	line("", format, args);
	va_end(args);
}
