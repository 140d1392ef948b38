# glug_room(NAME [USES ROOM...]): the library glug_NAME from src/NAME/*.cpp.
# Includes are written "room/file.h". Each room publishes a folder that holds a link to itself alone, so a
# room sees only the rooms it uses (and those they use): the one-way doors of ARCHITECTURE.md.
function(glug_room name)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  set(door ${PROJECT_BINARY_DIR}/doors/${name})
  file(MAKE_DIRECTORY ${door})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${name} ${door}/${name} SYMBOLIC)
  if(sources)
    add_library(glug_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(glug_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${GLUG_WARNINGS}>")
    if(GLUG_PRECOMPILE)
      target_precompile_headers(glug_${name} REUSE_FROM glug_headers)
      set_target_properties(glug_${name} PROPERTIES PCH_WARN_INVALID OFF)  # then they are read as ever
    endif()
    if(GLUG_SHARED)
      # The same objects are the program, the shared library and the Python module: so they have the same bits.
      set_target_properties(glug_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                            VISIBILITY_INLINES_HIDDEN ON)
      target_compile_options(glug_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>)
    endif()
  else()
    add_library(glug_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(glug_${name} ${scope} ${door})
  foreach(used ${ROOM_USES})
    target_link_libraries(glug_${name} ${scope} glug_${used})
  endforeach()
  if(GLUG_TESTS)
    glug_exact_room(${name} "${sources}" "${ROOM_USES}")
  endif()
endfunction()

# glug_exact_room(NAME SOURCES USES): glug_NAME_exact, what a room's templates are in double (core/real.h): its files that
# name Real, compiled once more. Only tests ask for it, which link it beside glug_NAME.
function(glug_exact_room name sources uses)
  set(exact "")
  foreach(file ${sources})
    file(STRINGS ${file} found REGEX "^#include \"core/real.h\"" LIMIT_COUNT 1)
    if(found)
      list(APPEND exact ${file})
    endif()
  endforeach()
  if(exact)
    add_library(glug_${name}_exact STATIC EXCLUDE_FROM_ALL ${exact})
    set(scope PUBLIC)
    target_compile_definitions(glug_${name}_exact PRIVATE GLUG_EXACT=1)
    target_compile_options(glug_${name}_exact PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${GLUG_WARNINGS}>")
    target_link_libraries(glug_${name}_exact PRIVATE fmt::fmt)
  else()
    add_library(glug_${name}_exact INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(glug_${name}_exact ${scope} glug_${name})
  foreach(used ${uses})
    target_link_libraries(glug_${name}_exact ${scope} glug_${used}_exact)
  endforeach()
endfunction()

set(GLUG_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-unknown-pragmas
    -Wno-restrict -Wno-maybe-uninitialized -Werror)  # the last two: false alarms of g++ 12 in its own std::string

# The standard library and fmt are read once instead of once a file, a sixth of a first build. Code comes out the same. Not
# with a compiler cache, which would take every file for a new one.
if(CMAKE_CXX_COMPILER_LAUNCHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR GLUG_CUDA)
  set(precompile OFF)
else()
  set(precompile ON)
endif()
option(GLUG_PRECOMPILE "Read the headers of the standard library once (g++, without a compiler cache)" ${precompile})
# To be called when the rooms' own options are known: a header is only good for files compiled in the same way.
function(glug_precompile_headers)
  set(empty ${PROJECT_BINARY_DIR}/glug_headers.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(glug_headers OBJECT ${empty})
  target_link_libraries(glug_headers PRIVATE OpenMP::OpenMP_CXX fmt::fmt)
  target_compile_options(glug_headers PRIVATE ${GLUG_WARNINGS})
  if(GLUG_SHARED)
    set_target_properties(glug_headers PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                          VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(glug_headers PRIVATE -fno-semantic-interposition)
  endif()
  target_precompile_headers(glug_headers PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map>
                            <memory> <optional> <string> <utility> <vector> <fmt/format.h>)
endfunction()

# -fno-math-errno and -fno-trapping-math let square roots and comparisons vectorise; neither changes a result.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno> $<$<COMPILE_LANGUAGE:CXX>:-fno-trapping-math>)
if(GLUG_NATIVE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-mcpu=native>)
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
endif()
if(GLUG_SANITIZE)
  add_compile_options(-fsanitize=${GLUG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GLUG_SANITIZE})
endif()
