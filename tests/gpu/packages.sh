#!/bin/sh
# SPDX-License-Identifier: MIT
# sh tests/gpu/packages.sh [DIR]: what building needs besides compilers (libzip, jansson, xxhash, stb, cmocka, and what they
# load), fetched as Debian packages and unpacked into DIR (build/gpu-packages), installing nothing: headers in DIR/include,
# libraries in DIR/lib. For a machine that has none of them and no way to get them: take DIR along (some 10 MB); run.sh
# uses it. The machine needs the same processor architecture and a C library that is not older.
cd "$(dirname "$0")/../.." || exit 1
case "$1" in
-*) echo "packages.sh: unknown option \"$1\": the only argument is a folder." >&2; exit 2 ;;
esac
to=${1:-build/gpu-packages}
headers="libzip-dev libjansson-dev libxxhash-dev libstb-dev libcmocka-dev"
libraries="libzip4 libzip4t64 libjansson4 libxxhash0 libcmocka0" # one of the two names of libzip is there

stop() {
    echo "packages.sh: $1" >&2
    exit 1
}

command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 ||
    stop "apt-get and dpkg are needed: run this on Debian or Ubuntu, and take $to along."

# known PACKAGE...: those that the package lists have.
known() {
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 && echo "$package"
    done
}

# The libraries that a library needs at run time, except those of every machine with a compiler.
needed() {
    apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances "$@" |
        grep -v '^[ <|]' | grep -vE '^(libc6|libgcc|gcc-|libcrypt1|libstdc|debconf|dpkg|cdebconf|perl|tar$|install-info)' | sort -u
}

mkdir -p "$to" || stop "the folder $to cannot be made."
work=$(mktemp -d "$to/work.XXXXXX") || stop "the folder $to cannot be written to."
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
list="$headers $(needed $(known $libraries))"
(cd "$work" && apt-get download -q $list) 2>"$work/errors" || {
    cat "$work/errors" >&2
    stop "not all packages could be downloaded ($list); refresh the lists with \`apt-get update\` and run this again."
}
for package in "$work"/*.deb; do
    dpkg -x "$package" "$work/root" || stop "$package cannot be unpacked."
done

rm -rf "$to/include" "$to/lib"
mkdir "$to/include" "$to/lib" || stop "the folder $to cannot be written to."
cp -R "$work"/root/usr/include/. "$to/include"
triplet=$(basename "$(dirname "$(find "$work/root" -name libzip.so)")")
for folder in "$work/root/lib/$triplet" "$work/root/usr/lib/$triplet"; do
    [ -d "$folder" ] && find "$folder" -maxdepth 1 -name 'lib*.so*' -exec cp -P {} "$to/lib" \;
done
for link in "$to"/lib/*; do # to a library that nobody needs
    [ -e "$link" ] || rm "$link"
done
for library in zip jansson xxhash cmocka; do
    [ -e "$to/lib/lib$library.so" ] || stop "no package has lib$library."
done
for header in zip.h jansson.h xxhash.h stb/stb_ds.h cmocka.h; do
    [ -e "$to/include/$header" ] || stop "no package has $header."
done
echo "$to: $(du -smc "$to/include" "$to/lib" | tail -n 1 | cut -f1) MB ($(find "$to/lib" -type f | wc -l) libraries)"
