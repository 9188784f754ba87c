#!/bin/sh
# SPDX-License-Identifier: MIT
# root.sh aarch64|musl FOLDER: fills FOLDER with what the library and its tests link, for another processor (packages of
# the distribution) or another C library (the sources of those packages, built with musl-gcc). apt-get downloads and
# checks them with lists of its own in FOLDER, so nothing is installed and nobody has to be root. Quick when all is there.
set -e
kind=$1
case "$kind" in
aarch64 | musl) ;;
*) echo "root.sh: unknown kind \"$kind\": it is aarch64 or musl." >&2; exit 2 ;;
esac
mkdir -p "$2"
cd "$2"
[ -e complete ] && exit 0
folder=$PWD
mkdir -p apt/lists/partial apt/cache/archives/partial apt/sources
: >apt/status # nothing is installed: packages come with all that they need

apt() { # apt ARGUMENT...
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/apt/sources" -o Dir::State="$folder/apt" \
        -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt/cache" \
        -o Acquire::Languages=none "$@"
}

take_sources() { # take_sources SED-COMMAND: this machine's lists of sources, changed
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ -e "$list" ] && sed "$1" "$list" >"apt/sources/$(basename "$list")"
    done
    [ -e apt/sources/sources.list ] && mv apt/sources/sources.list apt/sources/main.list
    return 0
}

aarch64_root() {
    take_sources ''
    set -- -o APT::Architecture=arm64 -o APT::Architectures=arm64
    apt "$@" update
    apt "$@" install -y --no-install-recommends --download-only \
        libc6-dev libzip-dev libjansson-dev libxxhash-dev libstb-dev libcmocka-dev
    for package in apt/cache/archives/*.deb; do dpkg-deb -x "$package" .; done
}

unpack() { # unpack PACKAGE: into the folder PACKAGE
    mkdir "$1" && tar -xf "$1"_*.orig.tar.* -C "$1" --strip-components 1
}

with_cmake() { # with_cmake PACKAGE OPTION...
    package=$1
    shift
    unpack "$package"
    cmake -G Ninja -S "$package" -B "$package/build" -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_INSTALL_PREFIX="$folder/usr" -DCMAKE_PREFIX_PATH="$folder/usr" -DCMAKE_INSTALL_LIBDIR=lib "$@"
    cmake --build "$package/build" -j2 --target install
}

musl_root() {
    take_sources 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/'
    apt update
    apt source --download-only zlib libzip jansson xxhash cmocka
    rm -f ./*.asc
    mkdir -p usr/include usr/lib
    ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(cc -print-multiarch)/asm" usr/include/ # of the kernel
    unpack zlib
    (cd zlib && CC=musl-gcc ./configure --prefix="$folder/usr" && make -s -j2 install)
    with_cmake libzip -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
        -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
        -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF
    with_cmake jansson -DJANSSON_EXAMPLES=OFF -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_BUILD_SHARED_LIBS=ON
    with_cmake cmocka -DWITH_EXAMPLES=OFF
    unpack xxhash
    musl-gcc -O1 -shared -fPIC xxhash/xxhash.c -o usr/lib/libxxhash.so
    cp xxhash/xxhash.h usr/include/
}

trap '[ -e complete ] || tail -n 20 log >&2' EXIT
${kind}_root >log 2>&1
: >complete
