# SPDX-License-Identifier: MIT
# rename64.sh NM OBJCOPY IN OUT: copies the archive IN with its global symbols renamed: ag_x to ag64_x, ag__x to
# ag64__x, any other name x to ag64_x. Names that compilers make (__x) stay, except __odr_asan, one per global.
set -e
"$1" -g --defined-only -P "$3" | awk '
    NF < 2 { next }
    $1 ~ /^ag_/ { print $1, "ag64" substr($1, 3); next }
    $1 !~ /^__/ || $1 ~ /^__odr_asan/ { print $1, "ag64_" $1 }' | sort -u > "$4.names"
"$2" --redefine-syms="$4.names" "$3" "$4"
