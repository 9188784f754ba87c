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

# shared NAME OPTION... FILE.c...: usr/lib/libNAME.so. Most of the time of the packages' own builds goes into what they
# look for, which is known here, and into static libraries, tests and examples.
shared() {
    name=$1
    shift
    musl-gcc -O1 -shared -fPIC -I usr/include "$@" -o "usr/lib/lib$name.so"
}

has() { printf -- '-DHAVE_%s ' "$@"; }

musl_root() {
    take_sources 's/^deb /deb-src /; s/^Types:.*/Types: deb-src/'
    apt update
    apt source --download-only zlib libzip jansson xxhash cmocka
    rm -f ./*.asc
    mkdir -p usr/include usr/lib
    ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(cc -print-multiarch)/asm" usr/include/ # of the kernel
    for package in zlib libzip jansson xxhash cmocka; do unpack $package; done
    (cd zlib && CC=musl-gcc ./configure >/dev/null)
    shared z zlib/*.c
    cp zlib/zlib.h zlib/zconf.h xxhash/xxhash.h cmocka/include/cmocka.h usr/include/
    shared xxhash xxhash/xxhash.c
    cp jansson/src/jansson.h usr/include/
    sed 's/\(LOCALECONV\) 0/\1 1/; /define JANSSON_CONFIG_H/a #define JSON_HAVE_ATOMIC_BUILTINS 1' \
        jansson/android/jansson_config.h >usr/include/jansson_config.h
    : >jansson/src/jansson_private_config.h
    shared jansson $(has ATOMIC_BUILTINS CLOSE FCNTL_H GETPID GETTIMEOFDAY OPEN READ SCHED_H SCHED_YIELD STDINT_H \
        SYS_STAT_H SYS_TIME_H SYS_TYPES_H UNISTD_H) jansson/src/*.c
    shared cmocka $(has CLOCK_REALTIME GCC_THREAD_LOCAL_STORAGE INTTYPES_H MALLOC_H SIGLONGJMP SIGNAL_H STRINGS_H STRSIGNAL \
        STRUCT_TIMESPEC UNISTD_H) -I cmocka/include cmocka/src/cmocka.c
    cmake -G Ninja -S libzip -B libzip/build -DCMAKE_C_COMPILER=musl-gcc -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 \
        -DCMAKE_INSTALL_PREFIX="$folder/usr" -DCMAKE_PREFIX_PATH="$folder/usr" -DCMAKE_INSTALL_LIBDIR=lib \
        -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF \
        -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
        -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DENABLE_ZSTD=OFF
    cmake --build libzip/build -j2 --target install
}

trap '[ -e complete ] || tail -n 20 log >&2' EXIT
${kind}_root >log 2>&1
: >complete
