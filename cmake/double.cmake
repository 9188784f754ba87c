# SPDX-License-Identifier: MIT
# augur64, the oracle: the library's C in double, with ag_x called ag64_x, so that a test links float and double.
# tests/both/*.c exist twice, too: in `both` as they are, in augur64 with any global name x called ag64_x.
file(GLOB both CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/both/*.c)
if(both)
    add_library(both STATIC ${both})
    target_include_directories(both PRIVATE ${PROJECT_SOURCE_DIR}/tests ${AUGUR_GEN}
        $<TARGET_PROPERTY:harness_parts,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(both PUBLIC augur_static augur::cmocka) # and the programs, when a test of theirs links it
    target_compile_options(both PRIVATE -Wdouble-promotion $<$<CONFIG:Release>:-O1>)
endif()

set(AUGUR_ORACLE "" CACHE FILEPATH "libaugur64.a of another build of these sources on this machine (empty: make it here)")
if(AUGUR_ORACLE)
    set(archive ${AUGUR_ORACLE})
    add_custom_target(rename64)
else()
    set(archive ${PROJECT_BINARY_DIR}/libaugur64.a)
    set(double ${AUGUR_SOURCES}) # what computes: no test reads or writes files in double, or scores
    list(FILTER double EXCLUDE REGEX "/(core/io|metrics)/")
    add_library(augur_double STATIC ${double} ${both})
    target_compile_definitions(augur_double PRIVATE AG_DOUBLE)
    target_include_directories(augur_double PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests ${AUGUR_GEN})
    target_link_libraries(augur_double PRIVATE ${AUGUR_C_LIBRARIES} augur::cmocka)
    target_compile_options(augur_double PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-g1>) # no user waits for it
    set(ops64 ${AUGUR_SOURCES})
    list(FILTER ops64 INCLUDE REGEX "/(ops|gnn)/")
    set_source_files_properties(${ops64} PROPERTIES COMPILE_OPTIONS "${AUGUR_OP_FLAGS}") # as in augur_objects
    if(AUGUR_SANITIZE) # which watch the same code in float
        target_compile_options(augur_double PRIVATE -fno-sanitize=all)
    endif()
    add_custom_command(OUTPUT ${archive} DEPENDS augur_double ${PROJECT_SOURCE_DIR}/cmake/rename64.sh
        COMMAND sh ${PROJECT_SOURCE_DIR}/cmake/rename64.sh ${CMAKE_NM} ${CMAKE_OBJCOPY} $<TARGET_FILE:augur_double> ${archive}
        COMMENT "Renaming the double library to ag64_*" VERBATIM)
    add_custom_target(rename64 DEPENDS ${archive})
endif()

add_library(augur64 STATIC IMPORTED GLOBAL)
set_target_properties(augur64 PROPERTIES IMPORTED_LOCATION ${archive})
target_link_libraries(augur64 INTERFACE ${AUGUR_C_LIBRARIES}) # and what of the programs is not there twice
add_dependencies(augur64 rename64)
