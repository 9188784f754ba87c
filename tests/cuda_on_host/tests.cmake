# SPDX-License-Identifier: MIT
# AUGUR_CUDA=host: what `cmake --build --preset cuda-host` builds (the target cuda_tests) and `ctest --preset cuda-host`
# runs: the self-test of the runtime, and those of tests/test_*.c that run kernels.
set(AUGUR_TESTS_ON_CUDA "test_ops|test_ops_runs|test_attention|test_lstm|test_fused_ops|test_dropout|test_tape|test_plan|test_optim|test_device|test_device_tape|test_device_fails") # their names, separated by |
string(APPEND AUGUR_TESTS_ON_CUDA "|test_doctor|test_program_device|test_quickstart|test_bench_device") # whole programs

add_custom_target(cuda_tests)

file(GLOB selftest CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/selftest/*.cu)
cuda_on_host_kernels(${selftest})
set(mistakes ${selftest})
list(FILTER mistakes INCLUDE REGEX "/(mistakes|shared)[a-z_]*\\.cu$")
list(FILTER selftest EXCLUDE REGEX "/mistakes[a-z_]*\\.cu$")

# cuda_selftest: what must come out; for some orders of threads and streams (0: in order).
add_executable(cuda_selftest ${selftest})
# cuda_mistakes: each planted mistake in a process of its own.
add_executable(cuda_mistakes ${mistakes})
foreach(name cuda_selftest cuda_mistakes)
    target_link_libraries(${name} PRIVATE cuda_on_host)
    add_dependencies(cuda_tests ${name})
endforeach()
foreach(seed 0 1 2 3)
    add_test(NAME cuda_selftest_${seed} COMMAND cuda_selftest)
    set_tests_properties(cuda_selftest_${seed} PROPERTIES LABELS quick TIMEOUT 600 ENVIRONMENT "CUDA_ON_HOST_SEED=${seed};CUDA_ON_HOST_BYTES=67108864")
endforeach()
add_test(NAME cuda_selftest_mprotect COMMAND cuda_selftest)
set_tests_properties(cuda_selftest_mprotect PROPERTIES LABELS quick TIMEOUT 600 ENVIRONMENT "CUDA_ON_HOST_MPROTECT=1;CUDA_ON_HOST_BYTES=67108864")
foreach(seed 1 2)
    add_test(NAME cuda_mistakes_${seed} COMMAND cuda_mistakes)
    set_tests_properties(cuda_mistakes_${seed} PROPERTIES LABELS quick TIMEOUT 600 ENVIRONMENT "CUDA_ON_HOST_SEED=${seed};CUDA_ON_HOST_BYTES=67108864")
endforeach()
# What does not compile, with or without the checker.
if(NOT AUGUR_CUDA_CHECKED)
    add_test(NAME cuda_refused COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/refused.sh ${CMAKE_CXX_COMPILER})
    set_tests_properties(cuda_refused PROPERTIES LABELS quick TIMEOUT 600)
endif()
