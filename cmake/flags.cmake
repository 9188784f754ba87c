# SPDX-License-Identifier: MIT
# How all of our C is compiled. Never -ffast-math: with it the tail of a loop gets other bits than its body, and no NaN is
# found.
if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
    endif()
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(CMAKE_C_FLAGS_DEBUG STREQUAL "-g") # CMake's own: what a caller gives stays
        set(CMAKE_C_FLAGS_DEBUG "-O1 -g")
        if(AUGUR_SANITIZE) # its reports need only functions and lines
            set(CMAKE_C_FLAGS_DEBUG "-O1 -g1")
        endif()
    endif()
    set(flags -Wall -Wextra)
else() # optimised whatever the other project says of its own code, and without the warnings that it asks for
    set(flags $<IF:$<CONFIG:Release>,-O3,$<IF:$<CONFIG:RelWithDebInfo,MinSizeRel>,-O2,-Og>> -w)
    set(CMAKE_UNITY_BUILD OFF)
    if(NOT CMAKE_CONFIGURATION_TYPES AND NOT CMAKE_BUILD_TYPE MATCHES "Rel")
        message(STATUS "augur: CMAKE_BUILD_TYPE is \"${CMAKE_BUILD_TYPE}\", so it is compiled with -Og; Release makes it faster")
    endif()
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)

# After all flags that the caller or another project gave. Those from -fno-fast-math on take back what -ffast-math allows;
# core/strict.h refuses what is left of it.
list(APPEND flags -fno-fast-math -fno-finite-math-only -fno-associative-math -fno-reciprocal-math -fsigned-zeros
    -fno-math-errno -fno-trapping-math -ffp-contract=off)
if(AUGUR_WERROR)
    list(APPEND flags -Werror)
    if(NOT AUGUR_SANITIZE) # which give each variable of an inlined function a place of its own
        list(APPEND flags -Wframe-larger-than=16384) # threads may have 128 KiB (core/threads.h)
    endif()
endif()
include(CheckCCompilerFlag)
check_c_compiler_flag(-fstack-clash-protection AUGUR_HAS_STACK_CLASH_PROTECTION)
if(AUGUR_HAS_STACK_CLASH_PROTECTION) # what does not fit ends at the guard page, and overwrites nothing
    list(APPEND flags -fstack-clash-protection)
endif()
if(AUGUR_ARCH)
    list(APPEND flags -march=${AUGUR_ARCH})
elseif(AUGUR_NATIVE)
    check_c_compiler_flag(-march=native AUGUR_HAS_MARCH_NATIVE)
    if(AUGUR_HAS_MARCH_NATIVE)
        list(APPEND flags -march=native)
    endif()
    # The whole width of AVX-512, of which gcc takes half on most processors; elsewhere it changes nothing.
    check_c_compiler_flag(-mprefer-vector-width=512 AUGUR_HAS_VECTOR_WIDTH)
    if(AUGUR_HAS_VECTOR_WIDTH)
        list(APPEND flags -mprefer-vector-width=512)
    endif()
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND AUGUR_SANITIZE MATCHES "address")
    # gcc 12 stores 64 bytes at once in variables that the sanitizer aligns to 32: a segmentation fault.
    check_c_compiler_flag(-mno-avx512f AUGUR_HAS_NO_AVX512F)
    if(AUGUR_HAS_NO_AVX512F)
        list(APPEND flags -mno-avx512f)
    endif()
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C>:${flags}>")

if(AUGUR_SANITIZE)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fsanitize=${AUGUR_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
    add_link_options(-fsanitize=${AUGUR_SANITIZE})
endif()
if(AUGUR_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
        message(FATAL_ERROR "AUGUR_FUZZ needs clang, but the compiler is ${CMAKE_C_COMPILER}: configure with --preset fuzz.")
    endif()
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>")
endif()
if(AUGUR_COVERAGE)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:--coverage>")
    add_link_options(--coverage)
endif()
