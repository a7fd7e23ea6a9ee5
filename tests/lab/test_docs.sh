#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands that pages invite to paste (docs_check says which).
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.." || exit 2
# shellcheck disable=SC2046 # no blanks in names
exec "$here/docs_check" $(grep -l '^<!-- run ' README.md docs/*.md pprec/*/README.md)
