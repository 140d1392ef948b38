# The Python module (python/, docs/python.md): build/<preset>/python/glug, ready for PYTHONPATH or to be copied.
# Made for Debian's Python, whose packages packages.txt names; -DPython_EXECUTABLE=... chooses another.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.8 QUIET COMPONENTS Interpreter Development.Module)
find_package(pybind11 QUIET)
if(NOT Python_Development.Module_FOUND OR NOT pybind11_FOUND)
  message(STATUS "pybind11 or Python's headers not found: no Python module (Debian: pybind11-dev python3-dev)")
  return()
endif()

set(folder ${PROJECT_BINARY_DIR}/python/glug)
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/glug/*)
file(COPY ${files} DESTINATION ${folder})
pybind11_add_module(glug_python MODULE NO_EXTRAS python/module.cpp)
set_target_properties(glug_python PROPERTIES OUTPUT_NAME _glug LIBRARY_OUTPUT_DIRECTORY ${folder})
target_compile_options(glug_python PRIVATE -O1 -Wall -Wextra -Wshadow -Werror)
target_link_libraries(glug_python PRIVATE glug_library)
# `./glug python` gives the folder (python3 -m site); nothing else installs it.
set(GLUG_PYTHON_FOLDER glug_python CACHE STRING "Where cmake --install puts the Python module")
install(DIRECTORY ${folder} DESTINATION ${GLUG_PYTHON_FOLDER} COMPONENT python EXCLUDE_FROM_ALL
        PATTERN __pycache__ EXCLUDE)
