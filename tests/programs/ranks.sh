#!/bin/sh
# SPDX-License-Identifier: MIT
# ranks.sh BIN [KILLS]: training by mpirun ends with the bytes of one process, for any number of ranks and shards; so does a
# run of which ranks or mpirun are killed KILLS times (4) and which goes on with another number of ranks; what is refused,
# and a rank that hangs is named. Skipped (77) where there is no mpirun, or the build has no MPI.
here=$(cd "$(dirname "$0")" && pwd)
bin=$1 kills=${2:-4} failed=0
command -v mpirun > /dev/null || { echo "ranks: there is no mpirun (Debian: apt install openmpi-bin libopenmpi-dev)."; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# In a container: as root, without ssh, and where a process may not read another's memory.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm_rsh_agent=sh OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl_vader_backing_directory="$work" OMPI_MCA_btl_sm_backing_directory="$work" # killed ranks leave files there
case $(mpirun --version 2>&1) in
*"Open MPI"*) start="mpirun --oversubscribe --bind-to none" ;;
*) start=mpirun ;;
esac
$start -n 2 true > log 2>&1 || { echo "ranks: mpirun cannot start two processes here: $(tail -n 3 log)"; exit 77; }
data=$here/../../examples/data
list() { find "$data/$1" -name '*.npz' | sort | sed -n "$2"; } # list FOLDER LINES: of its files

fail() {
    echo "ranks: $*"
    failed=1
}
# weights RUN: a hash of all that the next step depends on, and of the rows of metrics.
weights() { cat "$1/last.safetensors" "$1/best.safetensors" "$1/metrics.csv" | cksum; }

# train RANKS RUN WORDS...: by mpirun, or for 0 ranks as one process without it.
train() {
    ranks=$1 run=$2
    shift 2
    if [ "$ranks" = 0 ]; then set -- $program train --out "$run" $often "$@"; else
        set -- $start -n "$ranks" $program train --out "$run" $often "$@"; fi
    "$@" > "$work/log" 2>&1
}
often="--threads 1 --no-baselines"

# same NAME RANKS SHARDS WORDS...: of the program NAME.
same() {
    name=$1 counts=$2 shards=$3
    shift 3
    program=$bin/$name
    for ranks in $counts; do
        run=$name-$shards-$ranks
        train "$ranks" "$run" --shards "$shards" --steps 30 --eval-every 10 "$@" || { cat "$work/log"; fail "$run ended with an error"; return; }
        [ "$(weights "$run")" = "$(weights "$name-$shards-0")" ] || fail "$run has other bytes than one process"
    done
}

layouts="$(list layout 1,3p)"
$start -n 2 "$bin/tgraph" train --data $layouts --out none --steps 1 > log 2>&1
grep -q "the build has no MPI" log && { echo "ranks: the build has no MPI."; exit 77; }
grep -q -- "--shards" log || fail "1 shard and 2 ranks are not refused: $(cat log)"
[ -e none/config.json ] && fail "the refused run has begun"

tgraph="--data $layouts --valid $(list layout 4p) --hidden 16 --configs 8"
same tgraph "0 1" 1 $tgraph
same tgraph "0 1 2 3" 3 $tgraph
same tgraph "0 2 3 4" 8 $tgraph
same tpu "0 2" 3 --data $(list tile 1,3p) --valid $(list tile 4p) --hidden 16 --kernels 3 --configs 3
same tpgnn "0 3" 3 --data $(list schedules 1,3p) --valid $(list schedules 4p) --hidden 8 --tasks 2 --schedules 4
same nests "0 2" 3 --data $layouts --valid $(list layout 4p) --fit network --members 1 --hidden 16 --groups 2 --items 8

# ---- killed, and on with another number of ranks
# any NUMBER: one of 0..NUMBER-1.
any() { awk -v n="$1" -v seed="$(od -An -N4 -tu4 /dev/urandom)" 'BEGIN { srand(seed); print int(rand() * n) }'; }
rows_of() { if [ -e "$1/metrics.csv" ]; then wc -l < "$1/metrics.csv"; else echo 0; fi; }
program=$bin/tgraph
long="--shards 4 --steps 400 --eval-every 50 --save-every 20 $tgraph"
train 0 whole $long || fail "the run that nobody kills: $(cat log)"
caught=0 more="" tries=0
while [ "$caught" -lt "$kills" ] && [ "$tries" -lt $((4 * kills)) ]; do
    tries=$((tries + 1))
    rm -f ended
    { train $((1 + $(any 4))) killed $long $more; echo $? > ended; } &
    rows=$(rows_of killed)
    wanted=$((rows + $(any 9))) # 0: at once
    for i in $(seq 600); do
        [ -e ended ] && break
        [ "$(rows_of killed)" -ge "$wanted" ] && pgrep -f "^$program train --out killed" > /dev/null && break
        sleep 0.05
    done
    ranks=$(pgrep -f "^$program train --out killed")
    if [ "$(any 4)" = 0 ]; then victim=$(pgrep -f "^mpirun.* $program train --out killed" | head -n 1); else
        victim=$(echo $ranks | tr ' ' '\n' | sed -n "$((1 + $(any "$(echo $ranks | wc -w)")))p"); fi
    struck=""
    [ -n "$victim" ] && kill -9 "$victim" 2> /dev/null && struck=yes
    wait
    while pgrep -f "^$program train --out killed" > /dev/null; do sleep 0.1; done # those of a mpirun that was killed
    [ -e killed/config.json ] && more=--resume
    if [ "$(cat ended)" != 0 ]; then
        [ -n "$struck" ] || { fail "a run that was not killed: $(cat log)"; break; }
        caught=$((caught + 1))
        continue
    fi
    [ "$(weights killed)" = "$(weights whole)" ] || fail "after $caught kills a run has other bytes"
    rm -rf killed # which ended: another one
    more=""
done
train $((1 + $(any 4))) killed $long $more || fail "after $caught kills: $(cat log)"
[ "$(weights killed)" = "$(weights whole)" ] || fail "after $caught kills the run has other bytes"
[ "$caught" = "$kills" ] || fail "only $caught of $kills kills came before the end"
echo "$caught kills"

# begun RUN: waits until it has saved.
begun() { for i in $(seq 600); do [ -e "$1/last.safetensors" ] && return; sleep 0.1; done; }

# ---- an interruption, a rank that hangs, other data
train 2 stopped $long &
begun stopped
pkill -TERM -f "^$program train --out stopped" # one after the other
wait
grep -q "interrupted after step" log || fail "an interruption: $(cat log)"
train 3 stopped $long --resume || fail "after an interruption: $(cat log)"
[ "$(weights stopped)" = "$(weights whole)" ] || fail "after an interruption the run has other bytes"

train 2 hangs $long --steps 100000 --rank-patience 2 &
begun hangs
victim=$(pgrep -f "^$program train --out hangs" | head -n 1)
kill -STOP "$victim"
wait
grep -q "rank [01] (process $victim on .*) has not come to .* for 2 s (--rank-patience)" log || fail "a rank that hangs: $(cat log)"
kill -9 "$victim" 2> /dev/null

program=$bin/tpu
train 2 missing --shards 2 --data nothing.npz
grep -q "nothing.npz" log || fail "a file that is missing: $(cat log)"
[ "$(grep -c "nothing.npz" log)" = 1 ] || fail "several ranks speak of a file that is missing: $(cat log)"
[ -e missing/rank-1.log ] && fail "a run that did not begin left its folder in use"

# What is refused leaves the run in the folder as it was.
program=$bin/tgraph
before=$(weights whole)
$start -n 1 $program train --out whole $often $long --force : -n 1 $program train --out whole $often $long --force --seed 1 > log 2>&1
grep -q "rank 1 has other options than rank 0" log || fail "other options: $(cat log)"
[ "$(weights whole)" = "$before" ] || fail "a refused run has changed the folder"
exit $failed
