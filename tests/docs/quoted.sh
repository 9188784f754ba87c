# SPDX-License-Identifier: MIT
# quoted.sh NAME: the block of code that follows the line `<!-- NAME -->` of a page, for the tests that carry it out; fails
# where there is none.
cd "$(dirname "$0")/../.." || exit 1
awk -v mark="<!-- $1 -->" '$0 == mark { wait = 1; next } wait && /^```/ { wait = 0; on = 1; next } on && /^```/ { found = 1; exit } on
    END { exit !found }' README.md docs/*.md docs/formats/*.md
