/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines for people on stderr.  A line goes out in one write, so that lines of
 * several programs in a pipe do not mix, and nothing in it can move a cursor:
 * names from a recording are bytes that a stranger chose.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

#define CLEAR_LINE "\r\033[K"

static enum log_level log_level = LOG_NORMAL;
static struct {
	int64_t begin, shown; /* ms; 0 not yet */
	bool visible;
} progress;

void log_set_level(enum log_level level)
{
	log_level = level;
}

/* A stderr that is gone is nothing anyone could be told about. */
static void put(const char *text, size_t n)
{
	if (write(STDERR_FILENO, text, n) < 0)
		return;
}

__attribute__((format(printf, 2, 0)))
static void line(const char *what, const char *format, va_list args)
{
	char buf[4096];
	int n, m;

	log_progress_end();
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
	put(buf, n);
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

/* Is it time to show it (again)? */
static bool progress_due(void)
{
	struct timespec t;
	int64_t now;

	if (log_level < LOG_NORMAL || clock_gettime(CLOCK_MONOTONIC_COARSE, &t))
		return false;
	now = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
	if (!progress.begin)
		progress.begin = now;
	if (now - progress.begin < 1000 || now - progress.shown < 200 || !isatty(STDERR_FILENO))
		return false;
	progress.shown = now;
	return true;
}

void log_progress(const char *format, ...)
{
	char buf[128] = CLEAR_LINE;
	size_t n = strlen(CLEAR_LINE);
	va_list args;

	if (!progress_due())
		return;
	va_start(args, format);
	vsnprintf(buf + n, sizeof(buf) - n, format, args);
	va_end(args);
	for (char *c = buf + n; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	put(buf, strlen(buf));
	progress.visible = true;
}

void log_progress_end(void)
{
	if (progress.visible)
		put(CLEAR_LINE, strlen(CLEAR_LINE));
	progress.visible = false;
}
