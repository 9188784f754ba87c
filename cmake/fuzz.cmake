# SPDX-License-Identifier: MIT
# fuzz_*.c: one libFuzzer program each, run for AUGUR_FUZZ_SECONDS from its seeds in tests/fuzz/seeds/NAME, if any.
set(AUGUR_FUZZ_SECONDS 8 CACHE STRING "Seconds that ctest runs each fuzz target")
add_custom_target(fuzzers)

# The files of the programs that read data, and those that they call: a build of all takes 50 s of CPU more. If a new
# target needs another one, the linker names what is missing.
set(examples ${PROJECT_SOURCE_DIR}/examples)
set(reading harness/base/*.c harness/cli/*.c harness/files/*.c harness/study/study.c lab/program/*.c lab/text/*.c rows/*.c
    tpgnn/data/*.c tpgnn/model/batch*.c tpgnn/nest/*.c tpgnn/rows/*.c tpugraphs/budget.c tpugraphs/raw.c tpugraphs/hlo/*.c)
list(TRANSFORM reading PREPEND ${examples}/)
file(GLOB reading CONFIGURE_DEPENDS ${reading})
add_library(reading STATIC ${reading})
target_link_libraries(reading PUBLIC harness_parts)
# bag.c has options of its own (examples/CMakeLists.txt), which hold in that folder only.
get_property(options SOURCE ${examples}/harness/base/bag.c TARGET_DIRECTORY harness PROPERTY COMPILE_OPTIONS)
set_property(SOURCE ${examples}/harness/base/bag.c PROPERTY COMPILE_OPTIONS ${options})

file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(source ${fuzzers})
    get_filename_component(name ${source} NAME_WE)
    set(corpus ${PROJECT_BINARY_DIR}/corpus/${name})
    file(MAKE_DIRECTORY ${corpus})
    set(seeds ${PROJECT_SOURCE_DIR}/tests/fuzz/seeds/${name})
    if(NOT IS_DIRECTORY ${seeds})
        set(seeds "")
    endif()
    add_executable(${name} ${source})
    add_dependencies(fuzzers ${name})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${examples})
    target_link_libraries(${name} PRIVATE reading)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME ${name} COMMAND ${name} -max_total_time=${AUGUR_FUZZ_SECONDS} -timeout=60 -rss_limit_mb=2048
        -max_len=16384 ${corpus} ${seeds})
    set_tests_properties(${name} PROPERTIES LABELS full TIMEOUT 1800)
endforeach()
