// lift_limit.h: growth that volume corrections ask for, cut to what the liquid's energy allows
// (energy_book.h). Growth by dV under the pressure p is work p dV. The liquid comes first, then bubbles, the
// largest first: their measures are the surest, a bubble of a few cells is shown two cells too small. What is
// cut off is not forgotten: the error is still there in the next step.
// Theory: docs/theory.md (B9).
#pragma once

#include <vector>

#include "simulation/state.h"

namespace glug {

// However little may be lifted, an error is made good in so many seconds; the liquid's sooner, since its
// volume is known to a thousandth, if it lacks as large a share as this one; more in less, to two thirds of
// them, and less in more.
inline constexpr double lift_seconds = 0.5, liquid_lift_seconds = 0.125, large_lack = 0.01;
// .. but for what a bubble may be shown too small by, in cells: that is made good only where there is room
// for it. Of a bubble of more cells than unsure_bubble it is less, as one over its size.
inline constexpr double unsure_cells = 2, unsure_bubble = 25;

// The share of a growth that may be had: all of it where it lifts no more than `room` J, else as much as
// that allows, and no less than `least`.
double lift_share(double work, double room, double least);

// In which the liquid's growth by this share of its volume is made good, s.
double seconds_to_grow(double lack);

// The share of what a bubble of so many cells lacks, in cells, that is certain.
double sure_share(double cells, double missing);

// J that a displacement lifts the liquid by: -sum over faces of m_f g . d_f, m_f as in (P8).
template <int D>
double lift_of(const Exec& exec, const ProjectionInput<D, float>& in, const Vec<D, double>& gravity,
               MacView<D, const float> displacement);

// Whether what is lifted is held against the book: not where air has a mass or walls pull at the liquid,
// whose energies no column holds.
template <int D>
bool book_holds(const Setup<D>& setup);

// J that may be lifted now; 0 where the book tells nothing.
template <int D>
double lift_room(const State<D>& state);

// One step's correction. What it lifts goes to the book.
template <int D>
class LiftLimit {
 public:
  LiftLimit(State<D>& state, double seconds);

  // Whether anything is cut.
  bool holds() const { return holds_; }

  // Of the liquid's growth, m^D; its right-hand side alone is in state.rhs.
  double share_of_liquid(const Exec& exec, double growth);

  // Cuts the growth of bubbles, by Bubble::unknown, m^D.
  void cut_bubbles(std::vector<double>& growth);

  // The displacement that came of it, on the faces: made smaller where it lifts more than pressures said. In
  // a step that jerks the liquid they tell what holds it back, not what it weighs.
  void cut_displacement(const Exec& exec, const ProjectionInput<D, float>& in,
                        MacView<D, float> displacement);

 private:
  void lift(double work) { state_->ledger.energy.lifting = lifted_ += work; }

  State<D>* state_;
  double seconds_, room_, lifted_ = 0;
  bool holds_;
};

}  // namespace glug
