# SPDX-License-Identifier: MIT
# core/tile_*.c, the micro-kernels of the matrix product, are compiled for one instruction set each, whatever the rest is
# compiled for; core/tiles.c chooses among them when the program runs. Multiply-add is one instruction there.
set(tile_flags -O2 -ffp-contract=fast) # in a debug build, too: its tests would be slow
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # two copies of each loop would keep the strides from the registers
    list(APPEND tile_flags -fno-version-loops-for-strides)
endif()
set(tile_base "")
set(tile_avx2 "")
set(tile_avx512 "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    set(tile_base -march=x86-64)
    set(tile_avx2 -march=x86-64 -mavx2 -mfma)
    set(tile_avx512 -march=x86-64 -mavx512f -mfma)
endif()
foreach(set base avx2 avx512)
    set_source_files_properties(core/tile_${set}.c PROPERTIES COMPILE_OPTIONS "${tile_flags};${tile_${set}}")
endforeach()
