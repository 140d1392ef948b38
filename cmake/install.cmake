# What an installed Glug is: the program with its scenes, manual page and completions; the library
#   find_package(Glug) -> Glug::glug     #include <glug/glug.h>
# as one shared object that needs no other package of ours or anybody's at compile time; and a .deb by cpack.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(GLUG_SHARED)
  # Nothing else is seen from outside: the rooms are compiled with hidden symbols, GLUG_API and this show some.
  set_source_files_properties(src/core/error.cpp PROPERTIES COMPILE_OPTIONS -fvisibility=default)
  add_library(glug_shared SHARED $<TARGET_OBJECTS:glug_library>)
  target_link_libraries(glug_shared PRIVATE glug_library)
  set_target_properties(glug_shared PROPERTIES OUTPUT_NAME glug EXPORT_NAME glug LINKER_LANGUAGE CXX
                        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
  target_compile_features(glug_shared INTERFACE cxx_std_17)
  target_include_directories(glug_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

  set(GLUG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Glug)
  install(TARGETS glug_shared EXPORT Glug LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(EXPORT Glug NAMESPACE Glug:: FILE GlugConfig.cmake DESTINATION ${GLUG_CMAKE_DIR} COMPONENT library)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/GlugConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/GlugConfigVersion.cmake DESTINATION ${GLUG_CMAKE_DIR} COMPONENT library)
  set(include ${CMAKE_INSTALL_INCLUDEDIR}/glug)
  install(FILES src/library/glug.h DESTINATION ${include} COMPONENT library)
  install(FILES src/core/api.h src/core/error.h DESTINATION ${include}/core COMPONENT library)
  install(FILES src/scene/value.h DESTINATION ${include}/scene COMPONENT library)
endif()

install(TARGETS glug RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/glug COMPONENT scenes)
# The page of `glug view`, if it was built (./glug view, or npm in viewer/).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/viewer/ DESTINATION ${CMAKE_INSTALL_DATADIR}/glug/page COMPONENT program OPTIONAL)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# Printed by the program itself, from its declarations.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  file(MAKE_DIRECTORY \${share}/man/man1 \${share}/bash-completion/completions \${share}/zsh/vendor-completions
       \${share}/fish/vendor_completions.d)
  execute_process(COMMAND $<TARGET_FILE:glug> man OUTPUT_FILE \${share}/man/man1/glug.1)
  execute_process(COMMAND $<TARGET_FILE:glug> completion bash OUTPUT_FILE \${share}/bash-completion/completions/glug)
  execute_process(COMMAND $<TARGET_FILE:glug> completion zsh OUTPUT_FILE \${share}/zsh/vendor-completions/_glug)
  execute_process(COMMAND $<TARGET_FILE:glug> completion fish OUTPUT_FILE \${share}/fish/vendor_completions.d/glug.fish)
" COMPONENT program)

# cmake --preset package && cmake --build --preset package && (cd build/package && cpack): glug_VERSION_ARCH.deb. The preset
# builds for any processor of the kind; dpkg-shlibdeps finds the packages it needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME glug)
set(CPACK_PACKAGE_VENDOR "Glug")
set(CPACK_PACKAGE_CONTACT "Glug <glug@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Liquid simulator, 2D and 3D, with trapped air that keeps its volume")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ffmpeg)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL OFF)
include(CPack)
