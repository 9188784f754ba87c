# SPDX-License-Identifier: MIT
# Toolchain that compiles all of our C for aarch64 on another machine (gcc-aarch64-linux-gnu) and links nothing: the
# libraries need not be there in that architecture, and of their headers those of this machine will do.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_AR aarch64-linux-gnu-ar)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

execute_process(COMMAND cc -print-multiarch OUTPUT_VARIABLE here OUTPUT_STRIP_TRAILING_WHITESPACE)
list(APPEND CMAKE_LIBRARY_PATH /usr/lib/${here})
list(APPEND CMAKE_INCLUDE_PATH /usr/include/${here})
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include -idirafter /usr/include/${here}") # after the compiler's own
set(CMAKE_C_LINK_EXECUTABLE "<CMAKE_COMMAND> -E touch <TARGET>")
set(CMAKE_C_CREATE_SHARED_LIBRARY "<CMAKE_COMMAND> -E touch <TARGET>")
