#!/bin/sh
# SPDX-License-Identifier: MIT
# sh examples/demo.sh [--measure]: installs what is missing, builds, trains TGraph and the cost of loop nests (the program
# `nests`) on the measured layouts in examples/data, at most two minutes each on two cores, and prints what they reach on
# programs that they have not seen, with baselines and a second measurement. With --measure it first measures a small data
# set on this machine (about three minutes) and trains on that.
cd "$(dirname "$0")/.." || exit 1
case "$1" in
"") data=examples/data/layout ;;
--measure) data=demo/layout ;;
*) echo "demo.sh: unknown option \"$1\": the only one is --measure." >&2; exit 2 ;;
esac

sh deps.sh || exit 1
echo "== building"
mkdir -p build demo
if ! { cmake --preset release && cmake --build --preset release --target tgraph nests lab; } >build/demo.log 2>&1; then
    tail -n 40 build/demo.log
    echo "demo.sh: the programs do not build; the whole log is build/demo.log." >&2
    exit 1
fi
bin=build/release/bin

if [ "$1" ]; then
    echo "== measuring layouts of 72 programs on this machine (kept in $data; the same command goes on where it ended)"
    $bin/lab layout --out $data --programs 72 --configs 64 --minutes 3 || exit
    $bin/lab split $data || exit
fi
count() { wc -l <"$data/split-random.$1.txt"; }

# train PROGRAM OPTIONS...: trains on the files of $data and scores those that were held out.
train() {
    program=$1
    shift
    echo "== training $program on $(count train) files"
    $bin/$program train --data $data/split-random.train.txt --valid $data/split-random.valid.txt "$@" \
        --no-baselines --out demo/$program --force >demo/$program.train.txt || exit
    echo "== scores on $(count test) files of programs that it has not seen"
    $bin/$program eval --run demo/$program --data $data/split-random.test.txt >demo/$program.txt || exit
}
train tgraph --steps 2500 --eval-every 500
train nests --steps 12000 --eval-every 2000

# rows PROGRAM NAME|NAME...: some rows of the table of means, of the columns that both programs have.
rows() {
    awk -v names="$2" '
        $1 == "method" { for (i = 2; i <= NF; i++) from_end[$i] = NF - i; table = 1; next }
        !NF { table = 0 }
        table {
            name = $1
            for (i = 2; i <= NF && $i !~ /^(-|-?[0-9.]+)$/; i++) name = name " " $i
            if (index("|" names "|", "|" name "|"))
                printf "%-36s%7s%7s%12s%12s\n", name, $(NF - from_end["tau-b"]), $(NF - from_end["opa"]),
                    $(NF - from_end["slowdown@1"]), $(NF - from_end["slowdown@5"])
        }' "demo/$1.txt"
}
echo
printf "%-36s%7s%7s%12s%12s\n" method tau-b opa slowdown@1 slowdown@5
rows tgraph "TGraph"
rows nests "nests"
rows tgraph "boosting|ridge"
rows nests "work alone"
rows tgraph "random|second measurement, within the call"
cat <<END

nests wins here because the lab runs a program node by node: the run time is a sum over loop nests, and nests gets the
loops of each node and adds their costs, while TGraph has to find both out from the layouts of a graph.

TGraph is a graph network; nests learns the cost of a loop nest. boosting and ridge read counts of layouts, "work alone" adds
iterations of loops, and the last row is what measuring once more reaches within the call that made the files. tau-b and
opa say how much of the order is right (1: all), slowdown@5 how much is lost if the five best of a program are measured
(0: nothing).
Every program has its rows in demo/tgraph.txt and demo/nests.txt; the reports, with curves and plots, are
demo/tgraph/report.html and demo/nests/report.html.
END
