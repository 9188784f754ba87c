# SPDX-License-Identifier: MIT
# Fails, with the line, when an #include goes against core <- autograd <- ops <- gnn <- layers <- examples or core <-
# optim <- layers or core <- metrics <- examples, or into a room of examples/ or of tests/ that is closed to it, when
# CUDA's own words are used outside of core/, when a kernel is initialised without the names of its fields, when a file is
# longer than 400 lines, when a folder has too many files to find one, or when a global name lacks the prefix of its room.
cd "$(dirname "$0")/.." || exit 1
bad=0

report() { # report WHAT LINES
    if [ -n "$2" ]; then
        echo "layering: $1:"
        printf '%s\n' "$2"
        bad=1
    fi
}

files_of() { find "$1" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) 2>/dev/null; }

of_examples=$(cd examples && ls -d */ | sed 's,/$,,' | paste -s -d '|')

# may FOLDER FOLDERS: files of FOLDER include our headers only from FOLDERS (separated by |).
may() {
    found=$(files_of "$1" | xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        grep -E '"(\.\./|augur\.h|(core|autograd|ops|gnn|optim|layers|metrics|examples|'"$of_examples"'|tests)/)' |
        grep -vE "\"($2)/")
    report "$1/ may include only ($2)/, by the path from the root" "$found"
}
may core 'core'
may autograd 'core|autograd'
may ops 'core|autograd|ops'
may gnn 'core|autograd|ops|gnn'
may optim 'core|optim'
may metrics 'core|metrics'
may layers 'core|autograd|ops|gnn|optim|layers'

# A room of core/: files. ours SOURCES...: their lines that include our headers.
ours() { grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(augur\.h|(core|autograd|ops|gnn|optim|layers|metrics)/)' "$@"; }
report "core/io/ may include core/types.h, error.h, memory.h, shape.h, internal.h, float_mode.h and its own" "$(ours core/io/*.[ch] |
    grep -vE '"core/((types|error|memory|shape|internal|float_mode)\.h|io/)')"
report "core/core.h is for users: include the headers that it names" "$(grep -rn --include='*.[ch]' --include='*.cu' \
    '"core/core\.h"' core autograd ops gnn optim layers metrics examples tests)"
report "core/ knows no files, which are core/io's" "$(ours core/*.[ch] core/cuda/* | grep '"core/io/')"

# Programs see what users see. The list is that of CMakeLists.txt, and FOLDER/FOLDER.h.
public=$(sed -n 's/^set(headers \([^)]*\)).*/\1/p' CMakeLists.txt)
for folder in $(sed -n 's/^set(folders \([^)]*\)).*/\1/p' CMakeLists.txt); do
    public="$public $folder/${folder##*/}.h"
done
report "examples/ may include of the library only its public headers ($public)" "$(ours $(files_of examples) |
    grep -vE "\"($(echo $public | sed 's/\./\\./g; s/ /|/g'))\"")"
report "examples/ may use only ag_x, never ag__x" "$(files_of examples | xargs grep -HnE '\<(ag|AG)__')"

# Of the headers of examples/, the files of a room may include their own and those of the rooms after it in its row, each
# of which has its row above and is used: so no room includes another in a circle. A program's name is all of its rooms.
rows=' '
while read -r room rooms; do
    for other in $rooms; do
        case "$rows$other" in *.h | *" $other "*) ;; *) report "the row of examples/$room comes before that of" "$other" ;; esac
        grep -qE "^#include \"examples/$other[/\"]" "examples/$room/"*.[ch] || report "examples/$room/ includes nothing of" "$other"
    done
    rows="$rows$room "
    found=$(find "examples/$room" -maxdepth 1 -name '*.[ch]' -exec grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*("|<examples/)' {} + |
        grep -vE "\"(augur\.h|(core|autograd|ops|gnn|optim|layers|metrics)/.*|examples/($room/[^/]*|($(echo $rooms | sed 's/ /|/g'))(/.*)?))\"")
    report "examples/$room/ may include ($rooms), by the path from the root" "$found"
done <<'ROWS'
harness/base
harness/files       harness/base
harness/cli         harness/base harness/files
harness/machine     harness/base harness/files harness/cli
harness/report      harness/base harness/files harness/cli harness/machine
harness/run         harness/base harness/files harness/cli harness/machine harness/report
harness/model       harness/base harness/files harness/cli harness/machine harness/report harness/run
harness/rank        harness/base harness/files harness/model
harness/baseline    harness/base harness/machine
harness/mpi         harness/base
harness/commands    harness/base harness/mpi harness/files harness/cli harness/machine harness/report harness/model harness/rank
harness/study       harness/base harness/files harness/cli harness/report harness/model harness/rank
harness             harness/base harness/mpi harness/cli harness/report harness/run harness/rank harness/study
tpugraphs           harness
tpugraphs/hlo       tpugraphs
rows                harness tpugraphs
small
tabular             harness
lab/program         harness tpugraphs
lab/text            harness lab/program
lab/nets            lab/program
lab/nest            tpugraphs lab/program
lab/run             harness lab/nest
lab/tile            harness tpugraphs lab/program lab/nest lab/run
lab/measure         harness
lab/fusion          harness lab/program lab/run lab/tile
lab/collect         harness lab/program lab/text lab/nets lab/run lab/measure lab/fusion
lab                 harness lab/text lab/nets lab/measure lab/collect
tgraph/rows         harness tpugraphs rows
tgraph/data         harness tpugraphs rows tgraph/rows
tgraph/model        harness tgraph/data
tgraph              harness tpugraphs/hlo tgraph/model
tgraph/baseline     harness tgraph
tpu/data            harness tpugraphs
tpu/rows            harness tpugraphs rows tpu/data
tpu/model           harness rows tpu/data tpu/rows
tpu/baseline        harness tpu/data
tpu                 harness tpu/model tpu/baseline
tune                harness lab tpu
tpgnn/data          harness tpugraphs
tpgnn/nest          harness tpgnn/data
tpgnn/rows          harness rows tpgnn/nest
tpgnn/model         harness rows tpgnn/nest tpgnn/rows
tpgnn               harness tpgnn/model tpgnn/rows
tpgnn/baseline      harness tpgnn
nests               harness tpugraphs rows
nests/makers        harness tgraph/data tpu/rows tpgnn/rows nests
library             harness tgraph tpu tpgnn nests
ROWS
report "a room of examples/ has a row above" "$(find examples/*/ -name '*.[ch]' | sed 's,examples/,,; s,/[^/]*$,,' | sort -u |
    while IFS= read -r room; do case "$rows" in *" $room "*) ;; *) echo "$room" ;; esac; done)"

# named FOLDER PREFIX: the functions and constants that are seen outside of their file begin with PREFIX.
named() {
    report "global names of $1/ begin with $2" "$(files_of "$1" | xargs -r grep -HnE '^[a-z][a-z0-9_ ]*[ *]+[a-z0-9_]+[[(]' |
        grep -vE ':[0-9]+:((static|typedef) |[a-z][a-z0-9_ ]*[ *]+'"$2"'[a-z0-9_]*[[(])')"
}
for room in examples/lab/*/; do
    room=${room%/}
    case $room in */nest | */tile) named "$room" "${room##*/}_" ;; *) named "$room" lab_ ;; esac
done

report "examples/ uses the library, never tests/" "$(files_of examples | xargs -r grep -HnE '#[[:space:]]*include[[:space:]]*"(\.\./)*tests/')"

# Rooms of tests/ share only support/; those of the library know no example.
report "a test belongs into a room of tests/ (tests/README.md)" "$(ls tests/*.[ch] 2>/dev/null)"
for room in tests/*/; do
    room=${room%/}
    case $room in tests/support | tests/both) continue ;; esac # these are shared
    others=$(ls -d tests/*/ | sed 's,^tests/,,; s,/$,,' | grep -vxE "support|cuda_on_host|${room#tests/}" | paste -s -d '|')
    found=$(files_of "$room" | xargs -r grep -HnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"(\.\./|tests/|($others)/)" |
        while IFS= read -r line; do # tests/core and core have one name: what is there decides
            header=$(expr "$line" : '.*"\(.*\)"')
            case $header in ../* | tests/*) ;; *) [ -e "tests/$header" ] || continue ;; esac
            printf '%s\n' "$line"
        done)
    report "$room/ may include its own headers by name, support/ and cuda_on_host/" "$found"
done
for room in core autograd ops gnn optim layers metrics; do
    report "tests/$room/ includes nothing of examples/" "$(files_of "tests/$room" |
        xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"(\.\./)*examples/')"
done

for folder in autograd ops gnn optim layers metrics examples augur.h; do
    report "CUDA stays in core/" "$(files_of $folder | xargs -r grep -HnE '__CUDACC__|<<<|cublas|curand|\<cub\>')"
done
# docs/ops.md has its column CUDA from the field of that name: an initialiser without names could fill another one.
for folder in core autograd ops gnn tests; do
    report "a kernel's initialiser names its fields" "$(files_of $folder | xargs -r awk '
        FNR == 1 { first = 0 }
        first && !/^ *\./ { print FILENAME ":" FNR ": " $0 }
        { first = 0 }
        /ag_kernel [A-Za-z0-9_#]+ = [{] *\\?$/ { first = 1; next }
        /ag_kernel [A-Za-z0-9_#]+ = [{]/ && !/= [{] *\./ { print FILENAME ":" FNR ": " $0 }')"
done

for folder in core autograd ops gnn optim layers metrics examples tests augur.h; do
    report "over 400 lines" "$(files_of $folder | xargs -r wc -l | awk '$2 != "total" && $1 > 400 { print $2 ": " $1 " lines" }')"
done

report "too many files in a folder" "$(for folder in core autograd ops gnn optim layers metrics examples tests; do
    find "$folder" -type d
done | while IFS= read -r folder; do
    case $folder in examples/*) most=30 ;; *) most=65 ;; esac
    count=$(find "$folder" -maxdepth 1 -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' -o -name '*.hpp' \) | wc -l)
    [ "$count" -le $most ] || echo "$folder: $count files, and at most $most are allowed: make rooms of it"
done)"

report "the name of a temporary file comes from mktemp" "$(find tests -name '*.sh' | xargs grep -nE '\$\$([^0-9]|$)|/tmp/[a-z]' |
    grep -v ':[0-9]*: *#')"
exit $bad
