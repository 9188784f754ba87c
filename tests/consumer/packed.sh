# SPDX-License-Identifier: MIT
# packed.sh PREFIX: uses what is installed there: each program, the library of all models, man pages, completion.
set -e
prefix=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
data=$here/../../examples/data

"$prefix/bin/tgraph" inspect "$data/layout/random/mlp_18.npz"
"$prefix/bin/tpu" inspect "$data/tile/mlp_202_5ecb522e66c5af42.npz"
"$prefix/bin/lab" families
"$prefix/bin/nests" predict --model nests-tile --data "$data/tile/mlp_202_5ecb522e66c5af42.npz" | grep '^"mlp_202'
! "$prefix/bin/nests" predict --model tile --data "$data" 2>said
grep 'there are nests-fusion, nests-layout' said
cp "$prefix/bin/nests" .
! ./nests predict --model nests-tile --data "$data" 2>said
grep 'neither the folder of this program nor one above has share/augur/models' said
mkdir -p share/augur/models
! ./nests predict --model nests-tile --data "$data" 2>said
grep 'there are none' said
schedules=$data/schedules/softmax_196_64.npz
"$prefix/bin/tpgnn" train --data "$schedules" --out run --steps 2 --no-baselines --quiet
[ -s "$prefix/share/doc/augur/LICENSE" ]

cat >tuner.c <<'END'
#include <augur_models.h>
#include <stdio.h>
int main(void)
{
    augur_models *model = augur_models_open("run", 1);
    puts(augur_models_error());
    augur_models_close(model);
    return augur_models_version() != AUGUR_MODELS_VERSION || !model;
}
END
cc -I"$prefix/include" tuner.c -L"$prefix/lib" -laugur_models -Wl,-rpath,"$prefix/lib" -o tuner
./tuner

for program in tgraph tpu tpgnn nests lab; do
    page=$prefix/share/man/man1/$program.1
    [ "$(grep -c '^\.B.* \\-\\-' "$page")" -gt 20 ]
    if command -v groff >/dev/null 2>&1; then
        groff -man -Tutf8 -ww -z "$page" >said 2>&1
        [ ! -s said ] || { cat said; exit 1; }
    fi
done

# complete SHELL WORD...: what Tab offers after these words, in a line.
cat >complete.bash <<'END'
. "$1/share/bash-completion/completions/$2"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_augur_$1"
echo "${COMPREPLY[*]}"
END
cat >complete.zsh <<'END'
_describe() { print -- ${${(P)@[-1]}%%:*} }
_files() { print files }
compadd() { shift; print -- $@ }
page=$(< "$1/share/zsh/site-functions/_$2")
shift
words=("$@")
CURRENT=$#
offer() { eval $page }
offer
END
complete() {
    shell=$1
    shift
    if command -v "$shell" >/dev/null 2>&1; then
        "$shell" "complete.$shell" "$prefix" "$@"
    else
        echo "no $shell"
    fi
}
complete bash tgraph tr | grep -x 'train\|no bash'
complete bash tgraph train --hid | grep -x -- '--hidden\|no bash'
complete bash tgraph train --dedup = fi | grep -x 'first\|no bash'
complete zsh tgraph doctor --de | grep -x -- '--device .*\|no zsh'
complete zsh tgraph train --dedup '' | grep -x 'none first fastest\|no zsh'
complete zsh tgraph train --data '' | grep -x 'files\|no zsh'
