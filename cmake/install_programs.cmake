# SPDX-License-Identifier: MIT
# cmake --install: the programs, their trained models, the library of all models with its header, and what is made from the
# programs' tables of options: man pages, and completion for bash and zsh.
include(GNUInstallDirs)
install(TARGETS ${AUGUR_PROGRAMS})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/augur PATTERN *.sh EXCLUDE)
if(TARGET augur_models)
    install(TARGETS augur_models)
    install(FILES library/augur_models.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()

if(NOT CMAKE_CROSSCOMPILING AND NOT AUGUR_SANITIZE AND NOT AUGUR_COVERAGE) # the programs run
    set(manual ${PROJECT_BINARY_DIR}/manual)
    get_filename_component(docs ../docs ABSOLUTE)
    add_custom_command(OUTPUT ${manual}/stamp DEPENDS ${AUGUR_PROGRAMS} ${docs}/make_manual.sh ${docs}/make_options.sh
        COMMAND sh ${docs}/make_manual.sh $<TARGET_FILE_DIR:tgraph> ${manual}
        COMMAND ${CMAKE_COMMAND} -E touch ${manual}/stamp
        COMMENT "Writing man pages and completion" VERBATIM)
    add_custom_target(augur_manual ALL DEPENDS ${manual}/stamp)
    install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(DIRECTORY ${manual}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(DIRECTORY ${manual}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
