# SPDX-License-Identifier: MIT
# Fails, with the line, when an #include goes against core <- autograd <- ops <- gnn <- examples or core <- optim <-
# examples, when CUDA's own words are used outside of core/, or when a file is longer than 400 lines.
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

# may FOLDER FOLDERS: files of FOLDER include our headers from FOLDERS (separated by |) alone.
may() {
    found=$(files_of "$1" | xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' |
        grep -E '"(\.\./|augur\.h|(core|autograd|ops|gnn|optim|examples|harness|tpugraphs|lab|tgraph|tpu|tpgnn|tests)/)' |
        grep -vE "\"($2)/")
    report "$1/ may include ($2)/ alone, by the path from the root" "$found"
}
may core 'core'
may autograd 'core|autograd'
may ops 'core|autograd|ops'
may gnn 'core|autograd|ops|gnn'
may optim 'core|optim'
report "examples/ uses the library, never tests/" "$(files_of examples | xargs -r grep -HnE '#[[:space:]]*include[[:space:]]*"(\.\./)*tests/')"

for folder in autograd ops gnn optim examples augur.h; do
    report "CUDA stays in core/" "$(files_of $folder | xargs -r grep -HnE '__CUDACC__|<<<|cublas|curand|\<cub\>')"
done
for folder in core autograd ops gnn optim examples tests augur.h; do
    report "over 400 lines" "$(files_of $folder | xargs -r wc -l | awk '$2 != "total" && $1 > 400 { print $2 ": " $1 " lines" }')"
done
exit $bad
