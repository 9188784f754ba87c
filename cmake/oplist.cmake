# SPDX-License-Identifier: MIT
# From ops/oplist.txt and gnn/oplist.txt (a name per line): gen/op_table.inc, a line AG_OP_FILE(name) each, and, for
# CUDA, gen/name.cu, which includes the bodies of that op, and gen/group.cu, which runs fused groups of them. A file is
# rewritten only when it changes.
set(AUGUR_GEN ${PROJECT_BINARY_DIR}/gen)
set(table "")
set(AUGUR_OP_CUDA "")
foreach(folder ops gnn)
    set(oplist ${PROJECT_SOURCE_DIR}/${folder}/oplist.txt)
    if(NOT EXISTS ${oplist})
        continue()
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${oplist})
    file(STRINGS ${oplist} names REGEX "^[a-z]")
    foreach(name ${names})
        foreach(ending h c)
            if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${folder}/${name}.${ending})
                message(FATAL_ERROR "${folder}/oplist.txt names \"${name}\", but there is no "
                    "${folder}/${name}.${ending}: write it, or take the line out.")
            endif()
        endforeach()
        string(APPEND table "AG_OP_FILE(${name})\n")
        file(CONFIGURE OUTPUT ${AUGUR_GEN}/${name}.cu CONTENT "#include \"${folder}/${name}.h\"\n" @ONLY)
        list(APPEND AUGUR_OP_CUDA ${AUGUR_GEN}/${name}.cu)
    endforeach()
endforeach()
file(CONFIGURE OUTPUT ${AUGUR_GEN}/group.cu CONTENT "#include \"ops/group.h\"\n" @ONLY)
list(APPEND AUGUR_OP_CUDA ${AUGUR_GEN}/group.cu)
file(CONFIGURE OUTPUT ${AUGUR_GEN}/op_table.inc CONTENT "${table}" @ONLY)
