// heritage.h: which regions of the last step became which of this one. They are joined where they share a
// cell; a cell that changed hands joins its region to those of the same kind that were beyond its open faces:
// nothing moves farther than a cell in a step (what does is found again by bubble_memory.h).
#pragma once

#include <vector>

#include "core/mac_field.h"
#include "regions/cell_pairs.h"
#include "regions/components.h"

namespace glug {

// Regions as find_regions numbers them: air first, then liquid.
template <int D>
struct HeritageInput {
  BlocksView<D> blocks{};
  MacView<D, const float> open{};
  const Components<D>* before = nullptr;
  const Components<D>* now = nullptr;
  std::int32_t air_before = 0, air_now = 0;  // how many regions are air
};

// Pairs of (before, now) with the number of cells they share, sorted; air pairs with air, liquid with
// liquid.
template <int D>
std::vector<RegionPair> heritage(const Exec& exec, const HeritageInput<D>& input);

}  // namespace glug
