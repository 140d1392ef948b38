// packed_films.h: where thin liquid (S4) has lost its room. A film that spreads over a floor is packed by and
// by, and no volume correction looks at it: its particles measure it. When it gathers again all that is
// missing shows at once. Theory: docs/theory.md (S8).
#pragma once

#include "regions/thin_liquid.h"

namespace glug {

// Where a film lies: the pressure says what bears it.
template <int D>
struct FilmInput {
  ThinLiquidInput<D> liquid{};
  View<D, const std::uint8_t> kind{};  // Thickness
  View<D, const double> pressure{};    // Pa
  double weight = 1;                   // Pa, what a cell's depth of liquid weighs
};

// Writes into `packed`, in cells of thin liquid that something bears, how much more its particles hold than
// the surface shows of it, over what the surface shows, within two cells; 0 in all other thin cells. Leaves
// bulk alone. Returns whether there is any.
template <int D>
bool find_packed_films(const Exec& exec, const FilmInput<D>& input, const Particles<D>& particles,
                       View<D, float> packed);

}  // namespace glug
