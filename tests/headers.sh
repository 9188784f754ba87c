# SPDX-License-Identifier: MIT
# headers.sh CC LIBRARY HEADER...: each public header compiles alone, in C and in C++; and what they refuse when a program
# is compiled or linked: a shape of five sizes, and a program in double with the library in float.
set -e
cc=$1
library=$2
shift 2
headers=$*
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/use.c" <<'END'
#include <augur.h>
#define SIZES 5, 6
int main(void)
{
    const int n = 7;
    const ag_shape none = AG_SCALAR, one = AG_SHAPE(n), two = AG_SHAPE(SIZES), four = AG_SHAPE(1, 2, n + 1, 4);
    const ag_shape low = AG_SHAPE(2, INT_MIN);
    if (none.rank != 0 || one.rank != 1 || one.size[0] != 7 || one.size[1] != 1) return 1;
    if (two.rank != 2 || two.size[1] != 6 || two.size[2] != 1 || four.rank != 4 || four.size[2] != 8) return 2;
    if (low.rank != 2 || ag_shape_count(low) != -1) return 3; /* no size ends the list */
    return ag_shape_count(four) == 64 ? 0 : 4;
}
END
cat > "$work/five.c" <<'END'
#include <augur.h>
ag_shape five(void);
ag_shape five(void) { return AG_SHAPE(2, 4, 1, 1, 3); }
END
cp "$work/use.c" "$work/use.cpp"
cp "$work/five.c" "$work/five.cpp"

# refused TEXT COMMAND...: the command has to fail, and to say TEXT.
refused() {
    text=$1
    shift
    if "$@" > "$work/said" 2>&1; then
        echo "headers: this should have failed: $*" >&2
        exit 1
    fi
    grep -q "$text" "$work/said" || { cat "$work/said" >&2; echo "headers: no \"$text\" from $*" >&2; exit 1; }
}

# in_language ENDING COMPILER...
in_language() {
    ending=$1
    shift
    for header in $headers; do
        printf '#include "%s"\nint main(void) { return 0; }\n' "$header" > "$work/one.$ending"
        "$@" -Wall -Wextra -Wpedantic -Werror -I"$root" -c "$work/one.$ending" -o "$work/one.o"
    done
    "$@" -Wall -Wextra -Wpedantic -Werror -I"$root" -c "$work/use.$ending" -o "$work/float.o"
    "$@" -DAG_DOUBLE -I"$root" -c "$work/use.$ending" -o "$work/double.o"
    "$@" "$work/float.o" "$library" -Wl,--allow-shlib-undefined -Wl,-rpath,"$(dirname "$library")" -o "$work/use"
    "$work/use"
    refused ag_library_built_for_double \
        "$@" "$work/double.o" "$library" -Wl,--allow-shlib-undefined -o "$work/use"
    refused AG_SHAPE_has_1_to_4_sizes "$@" -I"$root" -c "$work/five.$ending" -o "$work/five.o"
}

in_language c "$cc" -std=c11
in_language c "$cc" -std=gnu11 -O2
if command -v c++ > /dev/null; then
    in_language cpp c++ -std=c++11
fi
