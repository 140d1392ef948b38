// air_measures.h: how much air each bubble holds, where, and what it touches; and how much each body of
// liquid holds. A pass over the cells near surfaces and solids; blocks that are all air count as one.
#pragma once

#include <vector>

#include "regions/bubbles.h"

namespace glug {

template <int D>
struct AirSums {
  double cells = 0;         // volume, in cells
  Vec<D, double> moment{};  // sum of the air in each cell times its place, m
  double area = 0;          // open area towards liquid, in faces
  double outside = 0;       // open area at open sides of the domain, in faces
};

template <int D>
struct AirMeasures {
  std::vector<AirSums<D>> sums;              // per bubble
  std::vector<RegionPair> contacts;          // (bubble, body of liquid) and the faces between them
  std::vector<std::int32_t> liquid_outside;  // bodies of liquid at an open side of the domain
  std::vector<double> liquid;                // volume of each body, in cells
};

// (B2) regions: the first `air` of them are bubbles.
template <int D>
AirMeasures<D> measure_air(const Exec& exec, const AirInput<D>& input, const Components<D>& regions,
                           std::int32_t air, const BlockKinds<D>& kinds);

}  // namespace glug
