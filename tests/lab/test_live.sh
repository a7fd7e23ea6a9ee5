#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --live: on terminals of several sizes and while they change, it fits, shows what it should
# and gives the terminal back however it ends; elsewhere it prints lines.
set -u
# shellcheck source=tests/lab/lib.sh
. "$(dirname "$0")/lib.sh"
lab_private "$@"
# shellcheck source=tests/lab/probe.sh
. "$(dirname "$0")/probe.sh"
# The python that has pyte may not be the first one.
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import pyte' 2>"$scratch/null" && python=$candidate && break
done
[ -n "$python" ] || { need python3; python=python3; }

lab_up --name pplive --rate 10mbit
in_background "$lab" exec --name pplive snd "$BIN/pptrans" -h "$RECEIVER4" -p "$port" -n 2 -s 1500 -d 20 -q \
    >"$scratch/sent"
# shellcheck disable=SC3045 # dash and bash have it
ulimit -c 0
cd "$scratch" || exit 2
"$lab" exec --name pplive rcv "$python" "$lab_dir/terminal.py" "$BIN/pprec" "$port" || lab_failed=1
cd / && scratch_clean
test_end
