#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# make install puts programs and manual pages where DESTDIR and PREFIX say, and
# make uninstall takes all of them away again.
set -u
make -s -C "$SRC" BUILD="$BUILD" PREFIX=/usr DESTDIR="$PWD/root" install >/dev/null || exit 1
for file in bin/fold-record bin/fold-report share/man/man1/fold-record.1 share/man/man1/fold-report.1; do
	[ -s "root/usr/$file" ] || { echo "$file was not installed"; exit 1; }
done
root/usr/bin/fold-report --version || exit 1
root/usr/bin/fold-record --version || exit 1
make -s -C "$SRC" BUILD="$BUILD" PREFIX=/usr DESTDIR="$PWD/root" uninstall || exit 1
left=$(find root -type f)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
