#!/bin/sh
# SPDX-License-Identifier: MIT
# sh deps.sh [--full]: installs what building and testing need and this machine lacks (Debian 12, Ubuntu 24.04), by
# apt-get, as root or with sudo. --full adds what only `tests/run.sh --full` needs. Quick when everything is there.
full=0
case "$1" in
"") ;;
--full) full=1 ;;
*) echo "deps.sh: unknown option \"$1\": the only one is --full." >&2; exit 2 ;;
esac

missing=""  # packages without which the build or a test fails
optional="" # packages that improve a report or save time

has_header() {
    for folder in /usr/include /usr/include/*-linux-gnu /usr/local/include; do
        [ -e "$folder/$1" ] && return 0
    done
    return 1
}
need_program() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need_header() { has_header "$1" || missing="$missing $2"; }

# need_clang FLAG PACKAGE: clang links a program with FLAG.
need_clang() {
    echo 'int main(void) { return 0; }' | clang "$1" -x c - -o /dev/null 2>/dev/null || missing="$missing $2"
}

look() {
    missing=""
    optional=""
    need_program cc build-essential
    need_program make build-essential
    need_program c++ build-essential
    need_program cmake cmake
    need_program ninja ninja-build
    need_header zip.h libzip-dev
    need_header jansson.h libjansson-dev
    need_header xxhash.h libxxhash-dev
    need_header stb/stb_ds.h libstb-dev
    need_header cmocka.h libcmocka-dev
    command -v gnuplot >/dev/null 2>&1 || optional="$optional gnuplot-nox"
    has_header xgboost/c_api.h || optional="$optional libxgboost-dev"
    need_program pkg-config pkg-config # which the tutorial uses
    [ $full = 1 ] || return 0
    if command -v clang >/dev/null 2>&1; then
        runtime=libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev
        need_clang -fsanitize=thread "$runtime"
        need_clang -fsanitize=address "$runtime"
    else
        missing="$missing clang llvm"
    fi
    command -v ccache >/dev/null 2>&1 || optional="$optional ccache"
    command -v mpirun >/dev/null 2>&1 || optional="$optional libopenmpi-dev openmpi-bin"
    command -v ld.lld >/dev/null 2>&1 || optional="$optional lld"
    command -v clang-format-14 >/dev/null 2>&1 || optional="$optional clang-format-14"
    command -v qemu-aarch64 >/dev/null 2>&1 || optional="$optional qemu-user"
    command -v musl-gcc >/dev/null 2>&1 || optional="$optional musl-tools"
    python3 -c 'import venv, ensurepip' 2>/dev/null || optional="$optional python3-venv"
    python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null || optional="$optional python3-numpy"
    case "$(uname -m)" in
    aarch64) ;;
    *) command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 || optional="$optional gcc-aarch64-linux-gnu libc6-dev-arm64-cross" ;;
    esac
}

install() { # install PACKAGE...
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" || exit 1
}

look
[ -z "$missing$optional" ] && exit 0

sudo=none
if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo=sudo
fi
if [ "$sudo" = none ] || ! command -v apt-get >/dev/null 2>&1; then
    [ -n "$optional" ] && echo "deps.sh: these optional packages are not here:$optional." >&2
    [ -z "$missing" ] && exit 0
    echo "deps.sh: these packages are missing:$missing; installing them needs apt-get and root or sudo," \
        "so please have them installed (apt-get install$missing) and run this again." >&2
    exit 1
fi

$sudo apt-get update -q || echo "deps.sh: the package lists could not be refreshed; trying with the old ones." >&2
[ -n "$missing" ] && install $(printf '%s\n' $missing | sort -u)
for package in $optional; do
    if apt-cache show "$package" >/dev/null 2>&1; then
        (install "$package") || echo "deps.sh: the optional package $package could not be installed." >&2
    fi
done

# A second look: the runtime libraries of clang can only be named once clang is there.
look
[ -z "$missing" ] && exit 0
install $(printf '%s\n' $missing | sort -u)
look
[ -z "$missing" ] && exit 0
echo "deps.sh: still missing after installation:$missing; please install them by hand." >&2
exit 1
