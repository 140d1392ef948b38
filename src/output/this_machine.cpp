#include "output/this_machine.h"

#include "output/preview.h"
#include "output/vdb.h"
#include "scene/estimate.h"

namespace glug {

Machine this_machine() {
  return {.memory_bytes = available_memory(), .openvdb = have_openvdb(), .embree = have_embree()};
}

}  // namespace glug
