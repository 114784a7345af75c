# Installs the libraries as a package for other projects: headers, archives, and the files for
# find_package(). They are the install component "library". Everything else (the program, its completions,
# its manual page) is the component "runtime".
#
#   cmake --install build/release --component library --prefix ~/drover
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# drover_install_libraries(name...)
#
# Installs each existing drover::<name>, with the headers of its folder as include/drover/<folder>. Users
# include them by the names that they have here: "coro/task.h". The list must contain the libraries that a
# library USES.
function(drover_install_libraries)
  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/drover)
  foreach(name ${ARGN})
    if(NOT TARGET drover_${name})
      continue()
    endif()
    get_target_property(source_folder drover_${name} SOURCE_DIR)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${source_folder})
    file(GLOB headers RELATIVE ${source_folder} CONFIGURE_DEPENDS
      ${source_folder}/*.h ${source_folder}/detail/*.h)
    list(FILTER headers EXCLUDE REGEX _test[.]h$)  # headers of tests
    foreach(header ${headers})
      get_filename_component(below ${header} DIRECTORY)
      install(FILES ${source_folder}/${header} COMPONENT library
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drover/${folder}/${below})
    endforeach()
    get_target_property(type drover_${name} TYPE)
    if(type STREQUAL INTERFACE_LIBRARY)
      target_compile_features(drover_${name} INTERFACE cxx_std_20)
    else()
      target_compile_features(drover_${name} PUBLIC cxx_std_20)
    endif()
    set_target_properties(drover_${name} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS drover_${name} EXPORT drover-targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drover)
  endforeach()
  install(EXPORT drover-targets NAMESPACE drover:: DESTINATION ${package_folder} COMPONENT library)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/drover-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/drover-config.cmake INSTALL_DESTINATION ${package_folder})
  # Below 1.0 a new minor version may change anything.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/drover-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/package/drover-config.cmake
    ${PROJECT_BINARY_DIR}/package/drover-config-version.cmake
    DESTINATION ${package_folder} COMPONENT library)
endfunction()
