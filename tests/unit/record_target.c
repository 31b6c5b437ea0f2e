/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists as users write them, and commands that start, fail and end. */
#include "../../record/target.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static void parse(const char *text, int result, size_t n)
{
	struct numbers list = { 0 };

	CHECK_EQ(numbers_parse(&list, text, 1000, "things"), result);
	if (!result)
		CHECK_EQ(list.n, n);
	numbers_release(&list);
}

TEST(lists)
{
	struct numbers list = { 0 };

	CHECK_EQ(numbers_parse(&list, "7,1-3,2,1000", 1000, "things"), 0);
	CHECK_EQ(list.n, 5);
	CHECK_EQ(list.v[0], 1);
	CHECK_EQ(list.v[1], 2);
	CHECK_EQ(list.v[2], 3);
	CHECK_EQ(list.v[3], 7);
	CHECK_EQ(list.v[4], 1000);
	CHECK(numbers_have(&list, 7));
	CHECK(!numbers_have(&list, 4));
	CHECK_EQ(numbers_parse(&list, "4", 1000, "things"), 0);
	CHECK_EQ(list.n, 6);
	numbers_release(&list);
}

TEST(lists_that_are_none)
{
	static const char *const bad[] = { "", ",", "1,", ",1", "a", "1x", "1-", "-1", "3-1", "1001", "1-1001", "99999999999999999999", "1--2", " 1", "1 ,2" };

	fclose(stderr); /* messages are expected */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		parse(bad[i], -1, 0);
	parse("0", 0, 1);
	parse("5-5", 0, 1);
	parse("0-1000", 0, 1001);
}

TEST(online_cpus)
{
	struct numbers list = { 0 };

	CHECK_EQ(numbers_online_cpus(&list), 0);
	CHECK_EQ(list.n, sysconf(_SC_NPROCESSORS_ONLN));
	numbers_release(&list);
}

static int run(const char *text)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)text, NULL };
	struct command c;

	CHECK_EQ(command_prepare(&c, argv, false), 0);
	CHECK(!command_ended(&c));
	CHECK_EQ(command_go(&c), 0);
	return command_wait(&c);
}

TEST(commands)
{
	char *argv[] = { (char *)"/nonexistent/command", NULL };
	struct command c;

	CHECK_EQ(run("exit 5"), 5);
	CHECK_EQ(run("true"), 0);
	CHECK_EQ(run("kill -9 $$"), 128 + SIGKILL);
	CHECK_EQ(command_prepare(&c, argv, false), 0);
	CHECK_EQ(command_go(&c), ENOENT);
	CHECK(command_ended(&c));
}

TEST(a_command_that_never_starts_goes_away)
{
	char *argv[] = { (char *)"true", NULL };
	struct command c;

	CHECK_EQ(command_prepare(&c, argv, false), 0);
	command_release(&c);
	CHECK(c.ended);
	CHECK(kill(c.pid, 0) && errno == ESRCH);
}

TEST(targets)
{
	struct numbers pids = { 0 };
	struct targets t = { 0 };
	pid_t pid = fork();
	char text[16];

	if (!pid) {
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d", pid);
	CHECK_EQ(numbers_parse(&pids, text, 4194304, "pids"), 0);
	CHECK_EQ(targets_open(&t, &pids), 0);
	CHECK(targets_alive(&t, &pids));
	kill(pid, SIGKILL);
	for (int i = 0; i < 60000 && targets_alive(&t, &pids); i++)
		usleep(1000);
	CHECK(!targets_alive(&t, &pids));
	targets_close(&t);
	numbers_release(&pids);
}

TEST_MAIN()
