#!/bin/sh
# SPDX-License-Identifier: MIT
# same_bytes.sh [--update | --keep FOLDER] BUILD: whether tgraph, tpu, tpgnn and nests of a build (build/release) still write the
# bytes that they wrote when tests/golden/same_bytes.txt was made: checkpoints, predictions, printed tables and messages,
# JSON, CSV, data and scripts of plots, reports. Every command below runs with one thread and again with two, in a folder
# of its own on a few of the files in examples/data. Each file that appears there and is not empty is an artefact and has a
# line in the table (or is in the line of its folder, plots), so a file more or less is a difference, too.
#
#   sh tests/same_bytes.sh build/release             compares; exit status 1 and a list when something differs, 77 when the
#                                                    table is for another kind of build
#   sh tests/same_bytes.sh --keep /tmp/a build/...   and leaves the artefacts, for a diff -r with those of another commit
#   sh tests/same_bytes.sh --update build/release    rewrites the table; say in the commit why bytes changed
#
# Which builds have the same bytes: numbers depend on whether a fused multiply-add is one instruction (core/vmath.h, the
# products' core/tile_*.c and the C library's exp, log and pow, which choose by the processor) and on nothing else of it,
# since the compiler neither reassociates nor contracts. So the table holds for every x86-64 build that may use FMA (presets
# release and v3, on all processors since 2015), of the compiler and the C library in its head. AUGUR_ISA is avx2 here.
# Boosted trees are another library's: artefacts under boosted/ are passed over where its version differs, or it is missing.
#
# What may differ between two runs is kept out of the way instead of being edited:
#   paths                the programs run in the folder of their data, and are found by PATH
#   number of threads    comes from OMP_NUM_THREADS, which is written nowhere
#   gnuplot              a stand-in makes a picture that quotes the script it was given
#   times                timing.jsonl and study.html are not compared; nothing else has any
#   processor            its name is replaced in config.json and report.html, when all commands are done
cd "$(dirname "$0")/.." || exit 1
root=$PWD
table=$root/tests/golden/same_bytes.txt
export LC_ALL=C

usage() {
    echo "usage: sh tests/same_bytes.sh [--update | --keep FOLDER] BUILD" >&2
    exit 2
}

update=""
keep=""
case "$1" in
--update) update=1; shift ;;
--keep) keep=$2; shift 2 || usage ;;
esac
[ $# = 1 ] && [ -d "$1" ] || usage
build=$(cd "$1" && pwd)

# ---- which build this is

value_of() { # value_of NAME: from the table's head
    sed -n "s/^# $1: //p" "$table"
}

compiler_of_build() { # "GNU 12"
    cat "$build"/CMakeFiles/*/CMakeCCompiler.cmake |
        sed -n 's/^set(CMAKE_C_COMPILER_\(ID\|VERSION\) "\([A-Za-z]*[0-9]*\).*/\2/p' | head -n 2 | paste -s -d ' '
}

has_fma() { # of the build, by what its compiler defines for its -march
    march=$(sed -n '/core\/error\.c/s/.*\(-march=[^ "]*\).*/\1/p' "$build/compile_commands.json" | head -n 1)
    cc=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
    if "$cc" $march -dM -E -x c /dev/null | grep -q __FP_FAST_FMAF; then echo yes; else echo no; fi
}

xgboost_of_build() { # "1.7", or "none"
    folder=$(sed -n 's/^AUGUR_XGBOOST_INCLUDE:[A-Z]*=//p' "$build/CMakeCache.txt")
    if grep -q '^AUGUR_XGBOOST_LIBRARY:.*NOTFOUND' "$build/CMakeCache.txt" ||
        ! [ -e "$folder/xgboost/version_config.h" ]; then
        echo none
        return
    fi
    sed -n 's/^#define XGBOOST_VER_M[AJINOR]* \([0-9]*\).*/\1/p' "$folder/xgboost/version_config.h" | paste -s -d .
}

pass_over() { # pass_over WHY
    echo "same_bytes: $1, so nothing is compared."
    exit 77
}

compiler=$(compiler_of_build)
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
fma=$(has_fma)
xgboost=$(xgboost_of_build)
[ "$fma" = yes ] || pass_over "$build is not compiled for processors with a fused multiply-add (-march=x86-64-v3 or native)"
grep -qw fma /proc/cpuinfo || pass_over "this processor has no fused multiply-add"
if [ -z "$update" ]; then
    [ "$compiler" = "$(value_of compiler)" ] ||
        pass_over "the table is for $(value_of compiler), but the compiler of $build is $compiler"
    [ "$libc" = "$(value_of "C library")" ] ||
        pass_over "the table is for $(value_of "C library"), but the C library is $libc"
    boosted=""
    [ "$xgboost" = "$(value_of XGBoost)" ] && boosted=1
else
    boosted=1
    [ "$xgboost" != none ] || { echo "same_bytes: the table needs a build with libxgboost." >&2; exit 1; }
fi
programs="tgraph tpu tpgnn nests" # of all_commands
for program in $programs; do
    [ -x "$build/bin/$program" ] || { echo "same_bytes: $build/bin/$program is not there; build it first." >&2; exit 1; }
done

# ---- where it runs

if [ "$keep" ]; then
    mkdir -p "$keep" && work=$(cd "$keep" && pwd) || exit 1
    rm -rf "$work/1" "$work/2" "$work/path" "$work/differences"
else
    work=$(mktemp -d) || exit 1
fi
mkdir "$work/path" || exit 1
for program in $programs; do ln -s "$build/bin/$program" "$work/path"; done
cat >"$work/path/gnuplot" <<'END'
#!/bin/sh
for script; do :; done # the last word
{
    echo "<svg xmlns='http://www.w3.org/2000/svg'><title>stand-in</title><text>"
    sed 's/[<&]/./g' "$script"
    echo "</text></svg>"
} >"${script%.gp}.svg"
: >"${script%.gp}.pdf" # empty, so it is not an artefact
END
chmod +x "$work/path/gnuplot"
export PATH="$work/path:$PATH" AUGUR_ISA=avx2 OMP_WAIT_POLICY=passive
unset OMP_THREAD_LIMIT

failed() { # failed WHAT
    echo "same_bytes: $1; see $work."
    exit 1
}

# ---- the commands

# call NAME COMMAND...: what it prints becomes NAME.out and NAME.err; a run folder is to have the same NAME.
call() {
    name=$1
    shift
    mkdir -p "$(dirname "$name")"
    printf '%s %s\n' "$name" "$*" >>../commands
    "$@" >"$name.out" 2>"$name.err" || failed "$* ended with exit status $?: $(tail -n 1 "$name.err")"
}

few="--hidden 16 --steps 8 --eval-every 4 --save-every 2 --log-every 1"

# trained FOLDER PROGRAM DATA OPTIONS: trains, scores and predicts. DATA is the name of variables with train, valid, test.
trained() {
    at=$1
    program=$2
    eval "train=\$$3_train valid=\$$3_valid test=\$$3_test"
    options=$4
    learn="$program train --data $train --valid $valid $few $options"
    call "$at/run" $learn --no-baselines --out "$at/run"
    call "$at/eval" "$program" eval --run "$at/run" --data $test --no-baselines
    call "$at/predict" "$program" predict --run "$at/run" --data $valid --csv "$at/predict.csv"
}

# everything: what `trained` does, and all other commands. study: variants of two options.
everything() {
    trained "$1" "$2" "$3" "$4"
    call "$at/other" $learn --seed 1 --no-baselines --out "$at/other"
    both="--run $at/run --ensemble $at/other --data $test"
    call "$at/eval-json" "$program" eval $both --no-baselines --json
    call "$at/eval-both" "$program" eval $both --no-baselines --checkpoint last
    call "$at/predict-json" "$program" predict $both --json
    call "$at/inspect" "$program" inspect $train $test
    call "$at/inspect-json" "$program" inspect $train $test --json
    printf '[study]\ntitle = Two variants\nseeds = 0,1\nsteps = 4\n[as it is]\n[%s]\n%s\n' "$5" "$5" >"$at/study.ini"
    call "$at/study" "$program" ablate --study "$at/study.ini" --data $train --valid $valid $few $4 --out "$at/study"
    [ "$boosted" ] || return
    call "boosted/$at/run" $learn --out "boosted/$at/run"
    call "boosted/$at/eval" "$program" eval --run "$at/run" --data $test --fit $valid --json
}

layouts=data/layout/random
layout_train="$layouts/autoencoder_22.npz $layouts/mlp_21.npz"
layout_valid=$layouts/mlp_31.npz
layout_test="$layouts/mlp_18.npz $layouts/alexnet_16.npz"
tile_train="data/tile/mlp_202_5ecb522e66c5af42.npz data/tile/unet_1_1614f4214b6b7c7b.npz"
tile_valid=data/tile/attention_102_067d8c693b96091a.npz
tile_test="data/tile/resnet_201_efdca18fb2e72464.npz data/tile/train_mlp_200_19d79f377de6be3a.npz"
fusion_train="data/fusion/alexnet_101.npz data/fusion/mlp_102.npz"
fusion_valid=data/fusion/autoencoder_1.npz
fusion_test=data/fusion/recommender_1.npz
schedules=data/schedules
schedule_train="$schedules/transpose-add_256_512.npz $schedules/sum-columns_1024_768.npz"
schedule_valid=$schedules/sum-rows_384_320.npz
schedule_test=$schedules/transpose-add_784_64.npz

all_commands() {
    everything tgraph/layout tgraph layout "--configs 8" "direction = both"
    call tgraph/layout/split tgraph train --data $layout_train --split 0.5 $few --no-baselines --out tgraph/layout/split
    trained nests/layout nests layout "--fit network --items 8"
    [ "$boosted" ] && trained boosted/nests/layout nests layout "--fit both --items 8 --trees 20"
    everything tpu/tile tpu tile "--kernels 2" "gnn = none"
    trained tpu/fusion tpu fusion "--reduction transformer --kernels 8"
    trained tpu/gat tpu fusion "--gnn gat --reduction column --kernels 8"
    everything tpgnn/paper tpgnn schedule "--schedules 8" "pool = sag"
    trained tpgnn/authors tpgnn schedule "--preset paper-gcn --schedules 8"
    trained tpgnn/statements tpgnn schedule "--preset statements --schedules 8"
}

hashes() { find . -type f ! -empty "$@" | sed 's,^\./,,' | sort | xargs sha256sum | sed 's/^\(.\{24\}\)[^ ]*/\1/'; }

artefacts() { # artefacts THREADS: a hash and a name for each; all in a folder of plots have one line
    (cd "$work/$1/all" && hashes ! -name timing.jsonl ! -name study.html ! -path '*/plots/*' &&
        find . -name plots | while IFS= read -r folder; do
            printf '%s  %s\n' "$(cd "$folder" && hashes | sha256sum | cut -c 1-24)" "${folder#./}"
        done) | sort -k 2
}

run_all() { # run_all THREADS
    mkdir -p "$work/$1/all"
    cd "$work/$1/all" || exit 1
    ln -s "$root/examples/data" data
    export OMP_NUM_THREADS=$1
    all_commands
    name=$(sed -n 's/^  "device_name": "\(.*\)",$/\1/p' tgraph/layout/run/config.json)
    find . -name config.json -o -name report.html | xargs sed -i "s|$name|PROCESSOR|"
    cd "$root" || exit 1
    artefacts "$1" >"$work/$1/hashes"
}

counts=1
[ "$(nproc)" -gt 1 ] && counts="1 2"
for threads in $counts; do run_all $threads; done

# ---- the verdict

if [ "$update" ]; then
    cmp "$work/1/hashes" "$work/2/hashes" || failed "one and two threads differ, so the table stays as it is"
    {
        echo "# What tgraph, tpu, tpgnn and nests write, by tests/same_bytes.sh: the first 24 digits of SHA-256, and the artefact."
        printf '# compiler: %s\n# C library: %s\n# XGBoost: %s\n' "$compiler" "$libc" "$xgboost"
        cat "$work/1/hashes"
    } >"$table"
    rm -rf "$work"
    echo "same_bytes: $table has $(grep -vc '^#' "$table") artefacts."
    exit 0
fi

# differences THREADS: of its hashes from the table's, each after the number of its command.
differences() {
    awk -v boosted="$boosted" -v threads="$1" '
        FILENAME ~ /commands$/ { name[++calls] = $1; sub(/^[^ ]* /, ""); command[calls] = $0; next }
        /^#/ || (!boosted && $2 ~ /^boosted\//) { next }
        { all[$2] }
        FILENAME ~ /hashes$/ { now[$2] = $1; next }
        { before[$2] = $1 }
        function call_of(path,  i, longest) { # 0: the test itself wrote it
            for (i = 1; i <= calls; i++)
                if (index(path, name[i]) == 1 && length(name[i]) > length(name[longest])) longest = i
            return longest + 0
        }
        function verdict(path) {
            if (!(path in now)) return "is no longer written, or is empty"
            if (!(path in before)) return "is not in the table"
            return now[path] == before[path] ? "" : "has other bytes"
        }
        END {
            command[0] = "the test itself"
            for (path in all)
                if (what = verdict(path)) {
                    call = call_of(path)
                    printf "%d\t%s %s with threads %d, of %s\n", call, path, what, threads, command[call]
                }
        }' 1/commands "$table" "$1/hashes"
}

cd "$work" || exit 1
: >differences
for threads in $counts; do differences $threads >>differences || failed "awk cannot compare"; done
if [ -s differences ]; then
    sort -n differences | cut -f 2 # what comes first is the cause of the rest, mostly
    echo "same_bytes: $(sed 's/^[0-9]*\t//; s/ .*//' differences | sort -u | wc -l) artefacts differ from tests/golden/same_bytes.txt; they are in" \
        "$work/THREADS/all. To see how, build the commit before, and compare: sh tests/same_bytes.sh --keep FOLDER BUILD."
    exit 1
fi
[ "$boosted" ] || echo "same_bytes: XGBoost is $xgboost, and the table for $(value_of XGBoost): boosted/ is left out."
echo "same_bytes: $(wc -l <1/hashes) artefacts have the bytes of the table, with threads: $counts."
cd "$root" || exit 1
[ "$keep" ] || rm -rf "$work"
