// bubble_problem.h: projections with bubbles, for tests.
#pragma once

#include <algorithm>
#include <cmath>

#include "projection/test_problem.h"

namespace glug {

// A projection with every pocket of air an unknown but for the free ones. All blocks are listed.
template <int D, class T>
struct BubbleProblem : TestProblem<D, T> {
  Components<D> air;
  std::vector<std::int32_t> unknown;
  std::int32_t unknowns = 0;

  BubbleProblem(const Index<D>& cells, double h) : TestProblem<D, T>(cells, h), air(this->grid) {}

  // free(i): whether the pocket that holds cell i is free.
  template <class F>
  void find_air(F free) {
    this->label_all();
    find_components<D, T>(Exec{}, this->blocks.view(), this->labels.read(), CellSet(Cell::air),
                          this->open.read(), air);
    std::vector<std::uint8_t> is_free(static_cast<std::size_t>(air.count), 0);
    visit(this->grid.cell_range(), [&](const Index<D>& i) {
      if (air.of_cell(i) >= 0 && free(i)) is_free[static_cast<std::size_t>(air.of_cell(i))] = 1;
    });
    unknown.clear();
    unknowns = 0;
    for (std::uint8_t f : is_free) unknown.push_back(f ? -1 : unknowns++);
  }
  ProjectionInput<D, T> with_bubbles() const {
    ProjectionInput<D, T> in = this->input();
    in.air = air.of_cell.read();
    in.air_unknown = unknown.data();
    in.air_unknowns = unknowns;
    in.swept = this->blocks.view();
    return in;
  }
  SolveReport project_bubbles(const SolverOptions& how, int threads = 1) {
    return this->project(with_bubbles(), how, threads);
  }
  double worst_bubble_flux() const {
    double worst = 0;
    for (double f : bubble_fluxes(Exec{}, with_bubbles(), this->system)) worst = std::max(worst, std::abs(f));
    return worst;
  }
  // The unknown of the pocket around a place.
  std::int32_t pocket(const Index<D>& i) const {
    return unknown.at(static_cast<std::size_t>(air.of_cell(i)));
  }
};

// Two bubbles, one of them at a ball that turns, below free air in a tank with a slanted floor.
template <int D, class T>
BubbleProblem<D, T> stirred_bubbles(int n) {
  BubbleProblem<D, T> t(Index<D>::filled(n), 1.0 / n);
  t.sides.open[1][1] = true;
  stir_around_ball(t, 1);
  t.set_liquid([&](const Point<D>& x) {
    const double bubbles =
        std::max(0.16 - norm(x - place<D>(0.25, 0.4)), 0.13 - norm(x - place<D>(0.62, 0.56)));
    return std::max(bubbles, x[1] - 0.83 - 0.02 * std::sin(9 * x[0]));
  });
  t.find_air([&](const Index<D>& i) { return i[1] == n - 1; });
  return t;
}

}  // namespace glug
