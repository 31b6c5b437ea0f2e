/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whom to record: lists of processes and CPUs as users write them, and a
 * command that is started on the recorder's behalf.
 */
#ifndef FOLD_RECORD_TARGET_H
#define FOLD_RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct numbers {
	uint32_t *v; /* ascending, each once */
	size_t n;
};

/* "1,5-7": `what` names it in the message.  Adds to `out`.  0, or -1 with a line in the log. */
int numbers_parse(struct numbers *out, const char *text, uint32_t max, const char *what);
void numbers_release(struct numbers *numbers);
/* The CPUs that are running now.  0 or -errno. */
int numbers_online_cpus(struct numbers *out);
bool numbers_have(const struct numbers *numbers, uint32_t number);

/* Processes given by pid, held so that a pid used again is not taken for them. */
struct targets {
	int *fds;     /* pidfds, -1 once it ended or where there is no pidfd */
	bool *ended;
	size_t n;
};
/* 0, or -1 with a line in the log: no such process. */
int targets_open(struct targets *t, const struct numbers *pids);
void targets_close(struct targets *t);
/* Some of them still live. */
bool targets_alive(struct targets *t, const struct numbers *pids);

/* A command: forked, waiting for command_go before it becomes `argv`. */
struct command {
	pid_t pid;    /* 0: none */
	int go;       /* write end: a byte lets it go on */
	int fault;    /* read end: errno when it could not be started */
	bool ended;
	int status;   /* as waitpid gave it */
};
/* `own_stdout`: stdout is the recording, so the command's goes to stderr. */
int command_prepare(struct command *c, char *const *argv, bool own_stdout);
/* 0, or errno of exec. */
int command_go(struct command *c);
/* Did it end?  Never waits. */
bool command_ended(struct command *c);
/* Wait for the end; its exit status as a shell would say it. */
int command_wait(struct command *c);
/* An unstarted command goes away. */
void command_release(struct command *c);

#endif
