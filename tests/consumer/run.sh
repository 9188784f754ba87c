# SPDX-License-Identifier: MIT
# run.sh WAY BUILD: builds and runs a program outside of the project against what users get. WAY: package (static, from
# an installed prefix, by find_package), shared (the same with a shared library), programs (those of examples/, which may
# use only what is installed), pkgconfig (C++, and the chapters of docs/tutorial), subdirectory (a part of another
# project), packed (what cpack makes).
set -e
way=$1
build=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$build/consumer/$way
rm -rf "$work"
mkdir -p "$work"

by_package() { # by_package PREFIX
    cmake -G Ninja -S "$here/package" -B "$work/use" -DCMAKE_PREFIX_PATH="$1"
    cmake --build "$work/use"
    "$work/use/use"
}

case $way in
package)
    cmake --install "$build" --prefix "$work/prefix"
    by_package "$work/prefix"
    for kind in Release Debug; do # flags that a caller gives are not overridden
        cmake -G Ninja -S "$here/../.." -B "$work/$kind" -DCMAKE_BUILD_TYPE=$kind -DCMAKE_C_FLAGS_$(echo $kind | tr a-z A-Z)=-O2 \
            -DAUGUR_CUDA=off -DAUGUR_TESTS=OFF -DAUGUR_EXAMPLES=OFF
        grep 'core/blocks\.c"' "$work/$kind/compile_commands.json" >"$work/flags"
        grep -q -- ' -O2 ' "$work/flags"
        ! grep -- ' -O[13] ' "$work/flags"
    done
    ;;
shared)
    library=$build/../consumer-shared # as deep as the build: with ccache, it takes the same objects
    rm -rf "$library"
    cmake -G Ninja -S "$here/../.." -B "$library" -DBUILD_SHARED_LIBS=ON \
        -DAUGUR_WERROR=ON -DAUGUR_CUDA=off -DAUGUR_TESTS=OFF -DAUGUR_EXAMPLES=OFF
    cmake --build "$library"
    cmake --install "$library" --prefix "$work/prefix"
    by_package "$work/prefix"
    ;;
programs)
    cmake --install "$build" --prefix "$work/prefix"
    cmake -G Ninja -S "$here/../../examples" -B "$work/use" -DCMAKE_PREFIX_PATH="$work/prefix" \
        -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 -DAUGUR_WERROR=ON
    cmake --build "$work/use" --target tgraph tpgnn quickstart # tests/layering.sh watches what the others include
    data=$here/../../examples/data
    cd "$work/use/bin"
    ./tgraph train --data "$data/layout/random/mlp_18.npz" --split 0.5 --configs 4 --hidden 16 --steps 1 --no-baselines --out run
    ./tgraph predict --model tgraph-layout --data "$data/layout/random/mlp_18.npz"
    ./tpgnn inspect "$data/schedules/transpose-add_784_64.npz"
    ./quickstart
    ;;
pkgconfig)
    cmake --install "$build" --prefix "$work/prefix"
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name augur.pc)")
    export PKG_CONFIG_PATH
    c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$here/use.cpp" $(pkg-config --cflags --libs augur) -o "$work/use"
    "$work/use"
    sh "$here/../docs/chapters.sh" "$work"
    ;;
subdirectory)
    cmake -G Ninja -S "$here/subdirectory" -B "$work/use" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0
    cmake --build "$work/use"
    "$work/use/use"
    grep 'core/blocks\.c"' "$work/use/compile_commands.json" >"$work/flags"
    grep -q -- ' -Og ' "$work/flags"
    ! grep -- '-march=native' "$work/flags"
    cmake --install "$work/use" --prefix "$work/prefix"
    [ "$(cd "$work/prefix" && find . -type f)" = ./bin/use ]
    ;;
packed)
    (cd "$build" && cpack -B "$work")
    mkdir "$work/prefix"
    tar xzf "$work"/augur-*.tar.gz -C "$work/prefix" --strip-components=1
    sh "$here/packed.sh" "$work/prefix"
    [ -e "$work"/augur-*.deb ] || { echo "no dpkg-shlibdeps, so there is no .deb"; exit 0; }
    dpkg-deb -c "$work"/augur-*.deb | sed -n 's,.* \./usr/\(.*[^/]\)$,./\1,p' | sort >"$work/deb"
    (cd "$work/prefix" && find . -type f) | sort | diff - "$work/deb"
    dpkg-deb -f "$work"/augur-*.deb Depends | grep libzip4 | grep libjansson4 | grep libxxhash0
    ;;
*)
    echo "run.sh: the way is \"$way\", but must be package, shared, programs, pkgconfig, subdirectory or packed." >&2
    exit 2
    ;;
esac
