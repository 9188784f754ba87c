# SPDX-License-Identifier: MIT
# cmake --build ... --target docs: what is written from the code and committed, pages and the header of the elementwise ops.
add_executable(make_prototypes EXCLUDE_FROM_ALL docs/make_prototypes.c)
target_include_directories(make_prototypes PRIVATE ${PROJECT_SOURCE_DIR})
add_executable(make_ops EXCLUDE_FROM_ALL docs/make_ops.c)
target_include_directories(make_ops PRIVATE ${AUGUR_GEN})
target_link_libraries(make_ops PRIVATE augur_static)
add_executable(make_mistakes EXCLUDE_FROM_ALL docs/make_mistakes.c)
target_include_directories(make_mistakes PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(make_mistakes PRIVATE augur_static)
add_custom_target(docs COMMAND make_prototypes ops/elementwise_ops.h COMMAND make_ops docs/ops.md
    COMMAND make_mistakes docs/errors.md
    COMMAND sh docs/make_architecture.sh > docs/architecture.svg
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT "Writing what is made from the code" VERBATIM)
