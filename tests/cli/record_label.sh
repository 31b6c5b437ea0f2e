#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# R-LBL-4: labels that were asked for, and no other; what is no label is refused before anything is written.
set -u
try() { # TEXT-OF-THE-ERROR OPTION...
	local want=$1
	shift
	"$FOLD_RECORD" "$@" -o refused.foldrec true 2>err && { echo "accepted: $*"; exit 1; }
	grep -qF -e "$want" err || { echo "$*: not told \"$want\" but: $(cat err)"; exit 1; }
	[ ! -e refused.foldrec ] || { echo "$*: a file was written all the same"; exit 1; }
}
try 'is not KEY=VALUE' --label host
try 'is not KEY=VALUE' --label =web1
try 'has a key that is not' --label 'Host=web1'
try 'has a key that was given before' --label host=a --label host=b
try 'has a value of more than' --label "k=$(printf '%0300d' 1)"
# an idle machine has no samples: the roots below need some
work=(sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done')
"$FOLD_RECORD" -q -F 999 -o plain.foldrec -- "${work[@]}" 2>err || { echo "cannot record here: $(tail -n 1 err)"; exit 77; }
"$FOLD_RECORD" -q -F 999 --label site=north --label host=web1 -o labelled.foldrec -- "${work[@]}" || exit 1
"$FOLD_REPORT" check -q labelled.foldrec || exit 1
"$FOLD_REPORT" dump plain.foldrec | grep '"is":"label"' && { echo "a label that nobody asked for"; exit 1; }
"$FOLD_REPORT" dump labelled.foldrec | grep '"is":"label"' >labels
printf '%s\n' '{"is":"label","key":"host","value":"web1"}' '{"is":"label","key":"site","value":"north"}' | cmp - labels || exit 1
"$FOLD_REPORT" info labelled.foldrec | grep -q '^  labels  *host=web1  site=north$' || { echo "info does not tell the labels"; exit 1; }
"$FOLD_REPORT" info --strings labelled.foldrec | grep -qx 'LABEL  *web1' || { echo "info --strings does not list them"; exit 1; }
roots() { "$FOLD_REPORT" -q --by "$1" plain.foldrec labelled.foldrec | sed 's/;.*//; s/ [0-9]*$//' | sort -u | tr '\n' ' '; }
[ "$(roots host)" = "plain web1 " ] || { echo "--by host: $(roots host)"; exit 1; }
[ "$(roots label:site)" = "[unlabelled] north " ] || { echo "--by label:site: $(roots label:site)"; exit 1; }
"$FOLD_REPORT" --by label: plain.foldrec 2>/dev/null && { echo "--by label: was accepted"; exit 1; }
[ $? = 2 ]
