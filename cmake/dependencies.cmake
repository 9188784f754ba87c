# SPDX-License-Identifier: MIT
# What the library links, as imported targets. Also installed: a program that links the static library finds the same
# parts again. Found by header and library, since the CMake files that Debian ships for libzip ask for more.
function(augur_find name header library package)
    if(TARGET augur::${name})
        return()
    endif()
    find_path(AUGUR_${name}_INCLUDE ${header})
    find_library(AUGUR_${name}_LIBRARY ${library})
    mark_as_advanced(AUGUR_${name}_INCLUDE AUGUR_${name}_LIBRARY)
    if(NOT AUGUR_${name}_INCLUDE OR NOT AUGUR_${name}_LIBRARY)
        message(FATAL_ERROR "augur needs ${name}, but ${header} or lib${library} is not found: "
            "run `sh deps.sh`, or install ${package}, or add its place to CMAKE_PREFIX_PATH.")
    endif()
    add_library(augur::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(augur::${name} PROPERTIES IMPORTED_LOCATION ${AUGUR_${name}_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${AUGUR_${name}_INCLUDE})
endfunction()

augur_find(zip zip.h zip libzip-dev)
augur_find(jansson jansson.h jansson libjansson-dev)
augur_find(xxhash xxhash.h xxhash libxxhash-dev)
