# SPDX-License-Identifier: MIT
# The parts of run.sh that measure.

# printed: what the last command of the log printed.
printed() { awk '/^\$ / { text = ""; next } /^\(exit status/ { next } { text = text $0 "\n" } END { printf "%s", text }' "$log"; }

measured() { # measured STATUS WHAT: what was printed goes into the summary
    status=$1
    printed >"$scratch/printed"
    quote "$scratch/printed"
    write ""
    table what result seconds
    result "$status" "$2"
}

# On the host execution shapes are small, and there are few rows: `few WORD` takes those with the word in their name.
quick() { [ $on_host = 1 ] && echo --quick; }
few() { [ $on_host = 1 ] && echo --only "$1"; }
bits_in() { [ -f "$1" ] && grep -oE '"(name|shape|bits)": *"[^"]*"' "$1"; }

# A table with GB/s and GFLOP/s, and the same bits in a second process.
measure_ops() {
    part ops "Ops, compared with a copy" 60 140
    built "$bin/bench" || return
    within "$bin/bench" --device cuda --ops $(quick) $(few norm) --json "$scratch/ops.1"
    measured $? "ops, each with the same bits in its first and last run"
    [ -f "$scratch/ops.1" ] && cp "$scratch/ops.1" "$out/ops.json"
    within "$bin/bench" --device cuda --ops $(quick) $(few norm) --rounds 1 --json "$scratch/ops.2"
    bits_in "$scratch/ops.1" >"$scratch/bits.1"
    bits_in "$scratch/ops.2" >"$scratch/bits.2"
    [ -s "$scratch/bits.1" ] && [ -s "$scratch/bits.2" ] && within cmp "$scratch/bits.1" "$scratch/bits.2"
    result $? "two processes have the same bits in the gradients of $(grep -c bits "$scratch/bits.1") ops"
}

# steps NAME SECONDS TITLE WHAT COMMAND...: a part of its own, with its rows in OUT/NAME.json.
steps() {
    name=$1
    part "$name" "$3" 60 "$2"
    built "$bin/bench" || return
    what=$4
    shift 4
    within "$@" --device cuda --steps $(quick) $(few 1x25) --json "$scratch/$name"
    measured $? "$what"
    [ -f "$scratch/$name" ] && cp "$scratch/$name" "$out/$name.json"
}

measure_steps() {
    steps steps 120 "Training steps" "steps" "$bin/bench"
    steps steps-launched 110 "Training steps, each kernel launched by itself" "steps with AUGUR_GRAPHS=0" \
        env AUGUR_GRAPHS=0 "$bin/bench"
    steps steps-tf32 100 "Training steps with products in tf32" "steps in tf32" "$bin/bench" --precision tf32
}

# The same steps in PyTorch and PyG on the device, in turn with ours.
measure_peers() {
    python=${AUGUR_GPU_PYTHON:-python3}
    "$python" -c "import torch, torch_geometric" >/dev/null 2>&1 || { leave_out "PyTorch: $python has no torch_geometric."; return; }
    part peers "Training steps, compared with PyTorch and PyG" 130
    within "$bin/bench" --device cuda --peer "$python" --steps $(quick) $(few 1x25) --json "$scratch/peers"
    measured $? "steps in turn with PyTorch's"
    [ -f "$scratch/peers" ] && cp "$scratch/peers" "$out/peers.json"
}
