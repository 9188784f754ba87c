#!/bin/sh
# SPDX-License-Identifier: MIT
# sh examples/demo.sh [--measure]: installs what is missing, builds, trains TGraph on the measured layouts in examples/data
# (half of the default steps: two or three minutes on two cores), scores it on programs that it has not seen, and says where
# the report is. With --measure it first measures a small data set on this machine (about three minutes) and trains on that.
cd "$(dirname "$0")/.." || exit 1
case "$1" in
"") data=examples/data/layout ;;
--measure) data=demo/layout ;;
*) echo "demo.sh: unknown option \"$1\": the only one is --measure." >&2; exit 2 ;;
esac
run=demo/run

sh deps.sh || exit 1
echo "== building"
mkdir -p build demo
if ! { cmake --preset release && cmake --build --preset release --target tgraph lab; } >build/demo.log 2>&1; then
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
echo "== training TGraph on $(wc -l <$data/split-random.train.txt) files"
$bin/tgraph train --data $data/split-random.train.txt --valid $data/split-random.valid.txt \
    --steps 24000 --eval-every 2000 --no-baselines --out $run --force >demo/train.txt || exit
echo "== scores on $(wc -l <$data/split-random.test.txt) files of programs that it has not seen, and those of baselines fitted to the same files"
$bin/tgraph eval --run $run --data $data/split-random.test.txt >demo/scores.txt || exit
sed -n '/^method /,/^$/p' demo/scores.txt
echo "Every program has its rows in demo/scores.txt."
echo "The report, with curves and plots: $run/report.html"
