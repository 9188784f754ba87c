# SPDX-License-Identifier: MIT
# cmake --install: the library, the public headers, the CMake package, the pkg-config file and the license;
# cmake/install_programs.cmake has the programs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/augur)

target_include_directories(augur INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/augur>)
install(TARGETS augur EXPORT augurTargets)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(header ${headers})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/augur/${folder})
endforeach()

install(EXPORT augurTargets NAMESPACE augur:: DESTINATION ${package})
configure_package_config_file(cmake/augurConfig.cmake.in augurConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(augurConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/augurConfig.cmake ${PROJECT_BINARY_DIR}/augurConfigVersion.cmake
    cmake/dependencies.cmake DESTINATION ${package})

# A static library hands its own parts to the linker of the program.
set(pc_libs "")
foreach(library ${AUGUR_LIBRARIES})
    string(REGEX REPLACE "^(augur|CUDA)::" "" library ${library})
    if(NOT library MATCHES "^-")
        string(PREPEND library -l)
    endif()
    string(APPEND pc_libs " ${library}")
endforeach()
if(AUGUR_HAVE_CUDA)
    string(APPEND pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -ldl -lrt")
endif()
set(pc_private "")
if(BUILD_SHARED_LIBS)
    set(pc_private ${pc_libs})
    set(pc_libs "")
endif()
file(RELATIVE_PATH pc_up ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_up ${pc_up})
configure_file(augur.pc.in augur.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/augur.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
