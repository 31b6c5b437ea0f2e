/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines for people on stderr.  A line goes out in one write, so that lines of
 * several programs in a pipe do not mix, and nothing in it can move a cursor:
 * names from a recording are bytes that a stranger chose.
 */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "log.h"

static enum log_level log_level = LOG_NORMAL;

void log_set_level(enum log_level level)
{
	log_level = level;
}

__attribute__((format(printf, 2, 0)))
static void line(const char *what, const char *format, va_list args)
{
	char buf[4096];
	int n, m;

	n = snprintf(buf, sizeof(buf) - 1, "fold-report: %s", what);
	m = vsnprintf(buf + n, sizeof(buf) - 1 - n, format, args);
	if (m < 0)
		return;
	n += m;
	if (n > (int)sizeof(buf) - 2)
		n = sizeof(buf) - 2;
	for (int i = 0; i < n; i++)
		if ((unsigned char)buf[i] < ' ' || buf[i] == 0x7f)
			buf[i] = ' ';
	buf[n++] = '\n';
	/* A stderr that is gone is nothing anyone could be told about. */
	if (write(STDERR_FILENO, buf, n) < 0)
		return;
}

#define LINE(what) \
	do { \
		va_list args; \
		va_start(args, format); \
		line(what, format, args); \
		va_end(args); \
	} while (0)

void log_error(const char *format, ...)
{
	LINE("");
}

void log_warning(const char *format, ...)
{
	LINE("warning: ");
}

void log_info(const char *format, ...)
{
	if (log_level >= LOG_NORMAL)
		LINE("");
}

void log_detail(const char *format, ...)
{
	if (log_level >= LOG_VERBOSE)
		LINE("");
}
