# SPDX-License-Identifier: MIT
# AUGUR_CUDA=host: what `cmake --build --preset cuda-host` builds (the target cuda_tests) and `ctest --preset cuda-host`
# runs: the self-test of the runtime, and those of tests/*/test_*.c that run kernels.
set(AUGUR_TESTS_ON_CUDA test_attention test_average test_classes test_device test_device_fails test_device_groups test_device_linear
    test_device_rows test_device_step test_device_tape test_dropout test_fused_ops
    test_norms test_recurrent test_ops test_ops_table test_plan test_print test_shards)
# These are long, of the same kernels, or whole programs: where there is a checker, it looks at nothing.
set(AUGUR_TESTS_UNCHECKED test_bench_device test_device_replay test_doctor test_ops_runs test_optim test_program_device
    test_quickstart)
list(APPEND AUGUR_TESTS_ON_CUDA ${AUGUR_TESTS_UNCHECKED})

add_custom_target(cuda_tests)

file(GLOB selftest CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/selftest/*.cu)
cuda_on_host_kernels(${selftest})
set(mistakes ${selftest})
list(FILTER mistakes INCLUDE REGEX "/mistakes[a-z_]*\\.cu$")

# cuda_selftest: what is refused, as by a GPU.
add_executable(cuda_selftest ${CMAKE_CURRENT_LIST_DIR}/selftest/right.cu)
# cuda_mistakes: each planted mistake in a process of its own; for some orders of threads and streams.
add_executable(cuda_mistakes ${mistakes})
foreach(name cuda_selftest cuda_mistakes)
    target_link_libraries(${name} PRIVATE cuda_on_host)
    add_dependencies(cuda_tests ${name})
endforeach()
function(add_selftest name program)
    add_test(NAME ${name} COMMAND ${program})
    set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 600 ENVIRONMENT "CUDA_ON_HOST_BYTES=67108864;${ARGN}")
endfunction()
add_selftest(cuda_selftest cuda_selftest)
foreach(seed 0 1 2)
    add_selftest(cuda_mistakes_${seed} cuda_mistakes CUDA_ON_HOST_SEED=${seed})
endforeach()
add_selftest(cuda_selftest_mprotect cuda_selftest CUDA_ON_HOST_MPROTECT=1)
add_selftest(cuda_mistakes_mprotect cuda_mistakes CUDA_ON_HOST_MPROTECT=1)
if(AUGUR_CUDA_CHECKED) # what the checker finds is missed without it
    add_selftest(cuda_mistakes_unchecked cuda_mistakes CUDA_ON_HOST_CHECK=0)
    # The table of what kernels move.
    add_executable(cuda_counted ${CMAKE_CURRENT_LIST_DIR}/selftest/counted.cu)
    target_link_libraries(cuda_counted PRIVATE cuda_on_host)
    add_dependencies(cuda_tests cuda_counted)
    add_selftest(cuda_counted cuda_counted CUDA_ON_HOST_COUNT=1)
    set_tests_properties(cuda_counted PROPERTIES
        PASS_REGULAR_EXPRESSION "the kernel +1 +8000 +4000 +4000 +4000\n")
endif()
# Sources that must not compile.
add_test(NAME cuda_refused COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/refused.sh ${CMAKE_CXX_COMPILER})
set_tests_properties(cuda_refused PROPERTIES LABELS quick TIMEOUT 600)
# Ranks with a device each, between which the stand-in for NCCL moves data.
add_dependencies(cuda_tests tgraph tpu nccl_on_host)
add_test(NAME ranks_nccl COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/programs/ranks_nccl.sh ${PROJECT_BINARY_DIR}/bin
    $<TARGET_FILE_DIR:nccl_on_host>)
set_tests_properties(ranks_nccl PROPERTIES LABELS quick TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT CUDA_ON_HOST_CHECK=0)
