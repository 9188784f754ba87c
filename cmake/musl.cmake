# SPDX-License-Identifier: MIT
# Toolchain for the C library musl: musl-tools, and the libraries of build/musl-root (tests/ports/root.sh).
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_FIND_ROOT_PATH ${CMAKE_CURRENT_LIST_DIR}/../build/musl-root)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
