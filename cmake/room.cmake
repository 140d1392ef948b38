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
    glug_together(glug_${name})
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

# glug_together(TARGET): as GLUG_TOGETHER says. Files with options of their own stay alone.
function(glug_together target)
  if(GLUG_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # A file that is included counts as a header, where types without linkage would be a mistake; and a name that hides
    # one of another file is none. Builds with a compiler cache still look for both.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    # A twentieth of the compiler's time is looking for memory to use again; it may take a fifth more first.
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-expand=300 --param ggc-min-heapsize=500000>")
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
    glug_together(glug_${name}_exact)
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
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Nor does this stop a build: with some processors g++ 12 says it of its own AVX-512 headers (its bug 105593).
  list(APPEND GLUG_WARNINGS -Wno-error=uninitialized)
endif()

# Eight files of a room are compiled as one, so that what they include is read, and templates they share are made, once: a
# first build takes about two thirds of the time. Names in a room's unnamed namespaces must differ for it. Not with a
# compiler cache, where a change of one file should cost one file.
if(CMAKE_CXX_COMPILER_LAUNCHER OR GLUG_CUDA)
  set(together OFF)
else()
  set(together ON)
endif()
option(GLUG_TOGETHER "Compile several files as one (a first build; OFF to work on Glug itself)" ${together})

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
