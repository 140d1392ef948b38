# CUDA: the files named in glug_for_cuda() are compiled by nvcc, from the same sources, so that their loops run on
# a GPU too. Nothing else knows of it; the CPU build does not need it.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU generations to build for (90: H100, H200)")
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
# CMake 3.25 does not know how recent versions of nvcc are asked for the dialect.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
# 554: a view of const converts to itself; 186: comparing an unsigned number with 0, in templates; 177: a name only one of the two passes uses.
set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} --extended-lambda --expt-relaxed-constexpr -Xcompiler=-fopenmp \
-diag-suppress=554,186,177")
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")

# glug_for_cuda(ROOM FILE...): nvcc compiles these files of the room.
function(glug_for_cuda room)
  foreach(file ${ARGN})
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${room}/${file}.cpp PROPERTIES LANGUAGE CUDA)
  endforeach()
  target_compile_definitions(glug_core PUBLIC GLUG_CUDA=1)
  target_link_libraries(glug_core PUBLIC CUDA::cudart)
endfunction()
