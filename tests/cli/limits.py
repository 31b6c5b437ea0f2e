#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits.py STATUS MIB ARGUMENTS: fold-report ends with this status and stays below so much memory.

Its standard output is this one's, its messages follow on standard error.
"""
import os
import subprocess
import sys

status, limit = int(sys.argv[1]), int(sys.argv[2])
report = subprocess.Popen([os.environ["FOLD_REPORT"], *sys.argv[3:]])
_, code, usage = os.wait4(report.pid, 0)
code = os.waitstatus_to_exitcode(code)
used = usage.ru_maxrss >> 10
if code != status or used > limit:
    print("fold-report %s: exit %d, want %d; %d MiB, may take %d" % (" ".join(sys.argv[3:]), code, status, used, limit), file=sys.stderr)
    sys.exit(1)
