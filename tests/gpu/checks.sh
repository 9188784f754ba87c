# SPDX-License-Identifier: MIT
# The parts of run.sh that pass or fail: doctor, tests, programs, sanitizers.

see_doctor() {
    part doctor "Doctor" 30
    within "$bin/tgraph" doctor --device cuda
    status=$?
    [ $status = 6 ] && stop 6 "$(grep '^tgraph: ' "$log" | head -n 1)"
    table what result seconds
    result $status "doctor"
    write ""
    sed -n '/^\$ /,/^(exit/p' "$log" | grep -v '^\$ \|^(exit' >"$scratch/doctor"
    quote "$scratch/doctor"
}

# Tests with tapes on the device; those of ops hold values and gradients against an oracle in double, and two runs
# against each other bit by bit.
run_tests() {
    part tests "Tests on the device" 120 210
    most=$((40 * slower))
    piece=""
    if [ $on_host = 1 ]; then # where ctest runs all of them, in full
        piece="env AUGUR_TEST_PIECE=1/8"
        leave_out "Tests other than $short_tests, and seven eighths of the ops in test_ops: ctest has them where there is no GPU."
    fi
    table test result seconds
    for name in $targets; do
        [ $on_host = 0 ] || case " $short_tests " in *" $name "*) ;; *) continue ;; esac
        case $name in
        test_*) built "$tests/$name" && check "$name" $piece "$tests/$name" ;;
        esac
    done
}
short_tests="test_device_fails test_device_linear test_device_tape test_dropout test_fused_ops test_ops test_plan"

# first K KIND: the first K files of a kind of data, on the host execution the smallest; other files than those are for validation.
first() {
    order=""
    case $on_host:$2 in 1:layout/* | 1:schedules) order=-rS ;; esac # those of other kinds are small, or have one configuration
    ls $order examples/data/"$2"/*.npz | head -n "$1"
}

# worst_apart ONE TWO: the largest relative difference of the losses in two metrics.csv, and how many there are.
worst_apart() {
    awk -F, 'FNR == 1 { next }
        FILENAME == ARGV[1] { loss[$1] = $2; next }
        { d = $2 - loss[$1]; if (d < 0) d = -d; s = loss[$1] < 0 ? -loss[$1] : loss[$1]; if (!s) s = 1
          if (!($1 in loss) || !(d / s <= 1e9)) d = 1e9 * s; if (d / s > worst) worst = d / s; n++ }
        END { printf "%.1e %d\n", n ? worst : 1e9, n }' "$1" "$2"
}

# losses_in FILE: how many losses there are that differ. Where all are the same, nothing was compared.
losses_in() { tail -n +2 "$1" | cut -d, -f2 | sort -u | wc -l; }

# ran WHERE COMMAND...: the training $name once, in a process of its own; a failure is printed.
ran() {
    where=$1
    shift
    within "$@" --out "$scratch/$name.$where"
    status=$?
    [ $status = 0 ] || result $status "$name, $where"
    return $status
}

# near ONE OTHER LEAST MOST: the losses of the training $name on ONE and OTHER are more than LEAST and at most MOST apart.
near() {
    set -- "$@" $(worst_apart "$scratch/$name.$1/metrics.csv" "$scratch/$name.$2/metrics.csv")
    awk "BEGIN { exit !($5 > $3 && $5 <= $4 && $6 == $steps && $(losses_in "$scratch/$name.$1/metrics.csv") > 1) }"
    result $? "$name: losses of $6 steps, $2 against $1, at most $5 apart ($4)"
}

# same OTHER WHO: the checkpoint of the training $name on the device is that of OTHER, too.
same() {
    within cmp "$scratch/$name.cuda/last.safetensors" "$scratch/$name.$1/last.safetensors"
    result $? "$name: $2 write the same checkpoint"
}

# train NAME COMMAND...: the same training on the CPU, on the device and there again; of two programs also with each kernel
# launched by itself, and of one with products in tf32.
train() {
    name=$1
    shift
    built "$1" && ran cpu "$@" --device cpu && ran cuda "$@" --device cuda && ran again "$@" --device cuda || return
    near cpu cuda -1 1e-4
    same again "two processes on the device"
    case $name in tgraph | tpgnn)
        ran launched env AUGUR_GRAPHS=0 "$@" --device cuda && same launched "graphs that are replayed and AUGUR_GRAPHS=0"
        ;;
    esac
    [ $name != tgraph ] || { ran tf32 "$@" --device cuda --precision tf32 && near cuda tf32 0 1e-2; }
}

train_programs() {
    steps=$((20 - 17 * on_host))
    part programs "Programs: $steps steps on cuda and on cpu" 100 200
    # A low rate, since a step that is taken differently at a kink grows with it.
    common="--steps $steps --log-every 1 --eval-every $steps --no-baselines --quiet --seed 1 --learning-rate 1e-4 --threads 4"
    small=""
    narrow=""
    if [ $on_host = 1 ]; then
        small="--hidden 16"
        narrow="$small --embedding 8 --kernels 2"
    fi
    table what result seconds
    train tgraph "$bin/tgraph" train $common $small --configs $((32 - 28 * on_host)) --data $(first 3 layout/random) --valid $(first 4 layout/random | tail -n 1)
    train nests "$bin/nests" train $common $small --fit network --items 8 --data $(first 3 layout/random) --valid $(first 4 layout/random | tail -n 1)
    train tpu-lstm "$bin/tpu" train $common $narrow --data $(first 3 tile) --valid $(first 4 tile | tail -n 1)
    train tpu-transformer "$bin/tpu" train $common $narrow --reduction transformer --data $(first 3 fusion) --valid $(first 4 fusion | tail -n 1)
    trees=$(first 3 schedules)
    tasks="--tasks $((4 - 2 * on_host)) --schedules $((8 - 5 * on_host))"
    other=$(first 4 schedules | tail -n 1)
    train tpgnn "$bin/tpgnn" train $common $small $tasks --data $trees --valid "$other"
    train tpgnn-statements "$bin/tpgnn" train --preset statements $common $small $tasks --data $trees --valid "$other"
}

# sanitize PIECES SECONDS TOOL: over test_ops, its cases in pieces that run side by side. A piece that is not done in time is
# no failure, but it is printed.
sanitize() {
    pieces=$1
    began=$(date +%s)
    ends=$((began + $2))
    tool=$3
    [ $ends -le $last ] || ends=$last
    for piece in $(seq "$pieces"); do
        (
            log=$scratch/$tool.$piece
            within env "AUGUR_TEST_PIECE=$piece/$pieces" compute-sanitizer --tool "$tool" --error-exitcode 99 --print-limit 10 "$tests/test_ops"
            echo $? >"$scratch/$tool.$piece.status"
        ) &
    done
    wait
    clean=0
    bad=0
    for piece in $(seq "$pieces"); do
        cat "$scratch/$tool.$piece" >>"$log"
        case $(cat "$scratch/$tool.$piece.status") in
        0) clean=$((clean + 1)) ;;
        124) grep -q '^========= .*\(Invalid\|Error:\|hazard\|Uninitialized\|Barrier error\)' "$scratch/$tool.$piece" && bad=1 ;;
        *) bad=1 ;;
        esac
    done
    took=$(($(date +%s) - began))
    if [ $bad = 0 ] && [ $clean = 0 ]; then
        result 124 "$tool over test_ops"
        return
    fi
    result $bad "$tool: nothing found; $clean of $pieces pieces of test_ops ended without a finding"
    [ $clean = $pieces ] || leave_out "$((pieces - clean)) of $pieces pieces of test_ops under compute-sanitizer's $tool: they found something, failed, or took longer than there was time."
}

run_sanitizers() {
    if [ $on_host = 1 ]; then
        leave_out "compute-sanitizer: kernels run on the CPU, where the preset cuda-host-checked has a checker of its own."
        return
    fi
    if ! command -v compute-sanitizer >/dev/null 2>&1; then
        [ -x /usr/local/cuda/bin/compute-sanitizer ] || { leave_out "compute-sanitizer: this machine has none."; return; }
        PATH=$PATH:/usr/local/cuda/bin
    fi
    built "$tests/test_ops" || return
    part sanitizer "compute-sanitizer over test_ops" 170 200
    table what result seconds
    sanitize 4 40 memcheck
    sanitize 4 40 initcheck
    sanitize 4 40 synccheck
    sanitize 24 50 racecheck
}
