# SPDX-License-Identifier: MIT
# AUGUR_CUDA=host: the .cu files that nvcc reads are compiled by the C++ compiler, with headers of tests/cuda_on_host where
# those of the toolkit would be, and linked with a runtime that carries kernels, streams and copies out on the CPU.
enable_language(CXX)
set(AUGUR_HAVE_CUDA ON)
set(AUGUR_CUDA_ON_HOST ON)
set(AUGUR_CUDA_SOURCES ${cuda_files})
include(cmake/cuda_batches.cmake)
set(cuda_on_host ${PROJECT_SOURCE_DIR}/tests/cuda_on_host)

# What kernels are compiled with: theirs and those of tests (cuda_on_host_kernels below).
set(warnings -Wall -Wextra)
if(AUGUR_WERROR)
    list(APPEND warnings -Werror)
endif()
set(kernel_flags -std=c++17 -x c++ -D__CUDACC__ -DAG_CUDA_ON_HOST -isystem ${cuda_on_host}/include
    -include cuda_runtime.h ${warnings} -fno-exceptions -fno-rtti -fno-math-errno -fno-trapping-math -ffp-contract=off
    -fvisibility=hidden -fstack-clash-protection
    -Wno-maybe-uninitialized) # a lane beyond the end of a strip sets nothing, and reads nothing
if(AUGUR_ARCH)
    list(APPEND kernel_flags -march=${AUGUR_ARCH})
elseif(AUGUR_NATIVE AND AUGUR_HAS_MARCH_NATIVE)
    list(APPEND kernel_flags -march=native)
endif()
if(AUGUR_CUDA_CHECKED) # the calls that this makes are ours: nothing links the sanitizer's own library
    list(APPEND kernel_flags -O1 -g1 -fsanitize=thread --param=tsan-instrument-func-entry-exit=0
        --param=tsan-distinguish-volatile=0)
else()
    list(APPEND kernel_flags -O1)
endif()

set(AUGUR_OP_FLAGS -O1) # they name kernels for CUDA, so they are others than in a build for the CPU, and do little here

# Lets the C++ compiler read these files as nvcc would.
function(cuda_on_host_kernels)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "${kernel_flags}"
        OBJECT_DEPENDS "${cuda_on_host_headers}")
endfunction()
file(GLOB_RECURSE cuda_on_host_headers CONFIGURE_DEPENDS ${cuda_on_host}/include/*)
cuda_on_host_kernels(${AUGUR_CUDA_SOURCES})

file(GLOB runtime CONFIGURE_DEPENDS ${cuda_on_host}/src/*.cpp)
if(NOT AUGUR_CUDA_CHECKED)
    list(FILTER runtime EXCLUDE REGEX "/check[a-z_]*\\.cpp$")
endif()
add_library(cuda_on_host STATIC ${runtime})
target_include_directories(cuda_on_host SYSTEM PRIVATE ${cuda_on_host}/include)
target_compile_features(cuda_on_host PRIVATE cxx_std_17)
target_compile_options(cuda_on_host PRIVATE ${warnings} -O3 -fno-rtti)
target_link_libraries(cuda_on_host PUBLIC stdc++ ${CMAKE_DL_LIBS} -Wl,--export-dynamic-symbol=cuda*)
# What the code loads as NCCL; its copies are the program's.
add_library(nccl_on_host SHARED ${cuda_on_host}/nccl.cpp)
target_include_directories(nccl_on_host SYSTEM PRIVATE ${cuda_on_host}/include)
target_compile_features(nccl_on_host PRIVATE cxx_std_17)
target_compile_options(nccl_on_host PRIVATE ${warnings} -O2)
set_target_properties(nccl_on_host PROPERTIES OUTPUT_NAME nccl SOVERSION 2
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/nccl)
set_target_properties(cuda_on_host PROPERTIES POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
foreach(source ${runtime}) # the runtime asks whether there is a checker, so that is a file of its own
    get_filename_component(name ${source} NAME)
    string(REGEX MATCH "^check" group ${name})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "runtime${group}")
endforeach()
