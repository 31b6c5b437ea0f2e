/* SPDX-License-Identifier: BSD-2-Clause */
/* What the selection options mean: lists, globs, and the three ways to name a time. */
#include "select.h"

#include <fnmatch.h>
#include <string.h>
#include <time.h>

#define NS INT64_C(1000000000)
#define DAY (86400 * NS)
/* A time of day this much before the start is still meant for the same day. */
#define SLACK (6 * 3600 * NS)

/* ------------------------------------------------------------------ times */

/* Digits at *at, `min` to `max` of them. */
static bool take_number(const char **at, int min, int max, int64_t *out)
{
	int n = 0;

	for (*out = 0; n < max && **at >= '0' && **at <= '9'; n++)
		*out = *out * 10 + *(*at)++ - '0';
	return n >= min && !(**at >= '0' && **at <= '9');
}

static bool take_char(const char **at, const char *set)
{
	if (!**at || !strchr(set, **at))
		return false;
	++*at;
	return true;
}

/* ".25" as ns; nothing is 0.  Digits beyond the ninth are passed over. */
static bool take_fraction(const char **at, int64_t *ns)
{
	int64_t digit = NS / 10;
	const char *begin;

	*ns = 0;
	if (!take_char(at, "."))
		return true;
	for (begin = *at; **at >= '0' && **at <= '9'; digit /= 10)
		*ns += digit * (*(*at)++ - '0');
	return *at > begin;
}

/* "14:02", "14:02:10", "14:02:10.5" */
static bool take_time_of_day(const char **at, int64_t *ns)
{
	int64_t hour, minute, second = 0, fraction = 0;

	if (!take_number(at, 1, 2, &hour) || !take_char(at, ":") || !take_number(at, 2, 2, &minute))
		return false;
	if (take_char(at, ":") && (!take_number(at, 2, 2, &second) || !take_fraction(at, &fraction)))
		return false;
	*ns = ((hour * 60 + minute) * 60 + second) * NS + fraction;
	return hour < 24 && minute < 60 && second < 61;
}

/* "2026-11-29" */
static bool take_date(const char **at, int64_t *ns)
{
	int64_t year, month, day;
	struct tm tm = {0}, back;
	time_t seconds;

	if (!take_number(at, 4, 4, &year) || !take_char(at, "-") || !take_number(at, 2, 2, &month) ||
	    !take_char(at, "-") || !take_number(at, 2, 2, &day))
		return false;
	tm.tm_year = (int)year - 1900;
	tm.tm_mon = (int)month - 1;
	tm.tm_mday = (int)day;
	seconds = timegm(&tm);
	/* The 31st of June would become the 1st of July. */
	if (!gmtime_r(&seconds, &back) || back.tm_mon != (int)month - 1 || back.tm_mday != (int)day ||
	    seconds > INT64_MAX / NS - 86400 || seconds < INT64_MIN / NS + 86400)
		return false;
	*ns = (int64_t)seconds * NS;
	return true;
}

static bool parse_utc(struct select_time *out, const char *text)
{
	int64_t date, time = 0;

	if (!take_date(&text, &date))
		return false;
	if (take_char(&text, "Tt ") && !take_time_of_day(&text, &time))
		return false;
	take_char(&text, "Zz");
	*out = (struct select_time){SELECT_TIME_UTC, date + time};
	return !*text;
}

static bool parse_time_of_day(struct select_time *out, const char *text)
{
	out->kind = SELECT_TIME_OF_DAY;
	return take_time_of_day(&text, &out->ns) && (take_char(&text, "Zz") || true) && !*text;
}

static bool parse_offset(struct select_time *out, const char *text)
{
	int64_t seconds, fraction;

	if (!take_number(&text, 1, 9, &seconds) || !take_fraction(&text, &fraction))
		return false;
	take_char(&text, "s");
	*out = (struct select_time){SELECT_TIME_OFFSET, seconds * NS + fraction};
	return !*text;
}

int select_parse_time(struct select_time *out, const char *text)
{
	if (parse_utc(out, text) || parse_time_of_day(out, text) || parse_offset(out, text))
		return 0;
	*out = (struct select_time){0};
	return -1;
}

/* a - b, kept within the range of time stamps. */
static int64_t minus(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < b ? INT64_MIN : INT64_MAX;
	return difference;
}

int64_t select_instant(const struct select_time *time, const struct fold_clock *start, int64_t first)
{
	int64_t realtime = start->realtime > INT64_MAX ? INT64_MAX : (int64_t)start->realtime;
	int64_t ahead;

	if (time->kind == SELECT_TIME_OFFSET)
		return minus(time->ns, minus(0, first));
	if (time->kind == SELECT_TIME_UTC)
		return minus(time->ns, realtime);
	ahead = time->ns - realtime % DAY; /* from the start, on the start's day */
	if (ahead < -SLACK)
		ahead += DAY;
	else if (ahead >= DAY - SLACK)
		ahead -= DAY;
	return ahead;
}

/* ------------------------------------------------------------------ lists */

static bool listed(const uint32_t *v, size_t n, uint32_t number)
{
	if (!n)
		return true;
	for (size_t i = 0; i < n; i++)
		if (v[i] == number)
			return true;
	return false;
}

bool select_pid(const struct select *select, uint32_t pid)
{
	return listed(select->pids, select->npids, pid);
}

bool select_tid(const struct select *select, uint32_t tid)
{
	return listed(select->tids, select->ntids, tid);
}

bool select_cpu(const struct select *select, uint32_t cpu)
{
	return listed(select->cpus, select->ncpus, cpu);
}

bool select_comm(const struct select *select, const char *process, const char *thread)
{
	if (!select->ncomms)
		return true;
	for (size_t i = 0; i < select->ncomms; i++)
		if (!fnmatch(select->comms[i], process, 0) || !fnmatch(select->comms[i], thread, 0))
			return true;
	return false;
}

bool select_module(const struct select *select, const char *path)
{
	const char *base = strrchr(path, '/');

	if (!select->nmodules)
		return true;
	for (size_t i = 0; i < select->nmodules; i++)
		if (!fnmatch(select->modules[i], path, 0) || (base && !fnmatch(select->modules[i], base + 1, 0)))
			return true;
	return false;
}
