// lift_off.h: a light body that lies on something under water keeps a film of water below it. Where two
// solids touch the grid sees no gap, so no pressure would act there: the water above would hold a cork on the
// floor for ever. Theory: docs/theory.md (R17).
#pragma once

#include "core/exec.h"
#include "simulation/state.h"

namespace glug {

// Opens what free bodies that are lighter than the liquid lie on: slits in state.open, listed with the others
// (slits.h), which closes them again, and in state.film; the cells between count as liquid for the step.
// After open_slits, while state.velocity is that of the last step.
template <int D>
void open_films(const Exec& exec, State<D>& state);

// Velocities in films, which have no particles: state.velocity, and as the step began velocity_before. After
// the particles' ones; `kick`: s, that gravity acts for. Returns how much of each face's mass, in full faces,
// no particle beside it brought: what film_kinetic() counts.
template <int D>
std::vector<double> carry_films(State<D>& state, double kick);

// After the pressure: remembers velocities in films; particles beside them see the mean over whole faces.
template <int D>
void spread_films(State<D>& state);

// Of what is in films and in no particle, J; fresh: where between velocities before and after the present
// instant lies.
template <int D>
double film_kinetic(const State<D>& state, const std::vector<double>& bare, double fresh);

}  // namespace glug
