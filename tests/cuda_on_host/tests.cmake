# SPDX-License-Identifier: MIT
# AUGUR_CUDA=host: what `cmake --build --preset cuda-host` builds (the target cuda_tests) and `ctest --preset cuda-host`
# runs: the self-test of the runtime, and those of tests/test_*.c that run kernels.
set(AUGUR_TESTS_ON_CUDA "test_ops|test_ops_runs|test_tape|test_plan|test_optim|test_device|test_device_tape|test_doctor|test_program_device|test_quickstart|test_bench_device") # their names, separated by |

add_custom_target(cuda_tests)
