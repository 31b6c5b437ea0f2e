/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages for people, on stderr, each a line with the program's name before it. */
#ifndef FOLD_REPORT_LOG_H
#define FOLD_REPORT_LOG_H

enum log_level { LOG_QUIET = 0, LOG_NORMAL = 1, LOG_VERBOSE = 2 };
void log_set_level(enum log_level level);

/* What failed, where, why, and what to do next. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));  /* not with -q */
void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2))); /* with -v */

/*
 * How far long work is: one line that the next one, or any message, replaces.
 * Shown on a terminal only, after a second of work, a few times a second; call it
 * as often as you like.  log_progress_end() takes it away.
 */
void log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_progress_end(void);

#endif
