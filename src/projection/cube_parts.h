// cube_parts.h: the unknowns of a viscosity system in cubes of four cells, the connected parts they form in
// each cube, and the pieces of liquid that these parts make up. Two turns of a rope that lie side by side in
// a cube are two parts of it; a drop and the pool below it are two pieces, even where they all but touch: an
// unknown is connected to what it is coupled to most, and by more than a fiftieth of both resistances.
// Theory: docs/theory.md (V8).
#pragma once

#include <cstdint>
#include <vector>

#include "projection/viscosity_system.h"

namespace glug {

template <int D, class T>
class CubeParts {
 public:
  static constexpr int width = 4;  // cells; with 8 a rope takes half as many iterations more

  void find(const Exec& exec, const ViscositySystem<D, T>& system);

  // Parts of all cubes are numbered through, cube after cube.
  std::int32_t count() const { return static_cast<std::int32_t>(cube_.size()); }
  std::int32_t pieces() const { return pieces_; }
  std::int32_t piece(std::int32_t part) const { return piece_[static_cast<std::size_t>(part)]; }
  // The lowest cell of a part's cube.
  Index<D> low(std::int32_t part) const { return cubes_[static_cast<std::size_t>(cube(part))] * width; }
  // How many of the 3^D cubes around a part's hold some of its piece.
  int cubes_around(std::int32_t part) const;
  // Coupled to it, however weakly, in ascending order.
  const std::vector<std::int32_t>& neighbours(std::int32_t part) const {
    return neighbours_[static_cast<std::size_t>(part)];
  }
  // The largest part of the same piece and cube where this one has but few faces: what is connected around
  // the corner only. Itself otherwise.
  std::int32_t lead(std::int32_t part) const { return lead_[static_cast<std::size_t>(part)]; }
  // The part that a face of an axis belongs to; -1 = it is no unknown.
  std::int32_t part_of(int axis, const Index<D>& face) const;

  // f(axis, face) for the unknowns of a part.
  template <class F>
  void visit_unknowns(std::int32_t part, F&& f) const {
    const std::int32_t own = cube(part);
    const std::uint8_t number = static_cast<std::uint8_t>(part - begin_[static_cast<std::size_t>(own)]);
    const Index<D> lo = cubes_[static_cast<std::size_t>(own)] * width;
    const std::uint8_t* local = local_.data() + static_cast<std::size_t>(own) * faces;
    for (int axis = 0; axis < D; ++axis)
      visit(Range<D>{lo, lo + Index<D>::filled(width)}, [&](const Index<D>& i) {
        if (*local++ == number) f(axis, i);
      });
  }

  // f(axis, face, entry) over the row of A that a face has, but for what cut cells couple.
  template <class F>
  static void visit_row(const ViscositySystem<D, T>& system, int axis, const Index<D>& i, F&& f) {
    const StencilView<D, const T> A = system.stencil(axis).read();
    f(axis, i, A.diagonal(i));
    for (int c = 0; c < D; ++c) {
      const Index<D> step = Index<D>::unit(c);
      f(axis, i - step, -static_cast<double>(A.coupling[c](i)));
      f(axis, i + step, -static_cast<double>(A.coupling[c](i + step)));
      if (c == axis) continue;
      // (V5) Edges i and i + step, each with the two faces of axis c across it.
      const View<D, const T> cross = system.cross(edge_kind<D>(axis, c));
      const Index<D> across = Index<D>::unit(axis);
      const double below = cross(i), above = cross(i + step);
      f(c, i, below);
      f(c, i - across, -below);
      f(c, i + step, -above);
      f(c, i + step - across, above);
    }
  }

 private:
  static constexpr int volume = D == 2 ? width * width : width * width * width, faces = D * volume;
  static constexpr std::uint8_t none = 255;

  void list_cubes(const Exec& exec, const ViscositySystem<D, T>& system);
  // Parts of one cube; returns how many.
  int find_parts(const ViscositySystem<D, T>& system, std::int32_t own);
  void join_pieces(const std::vector<std::vector<std::int32_t>>& connected);
  void find_leads();

  // f(axis, face, connected) over the row, without the diagonal and without zeros.
  template <class F>
  static void visit_couplings(const ViscositySystem<D, T>& system, int axis, const Index<D>& i, F&& f);
  std::int32_t cube(std::int32_t part) const { return cube_[static_cast<std::size_t>(part)]; }
  std::size_t linear(const Index<D>& at) const;
  // The cube at these coordinates; -1 = none.
  std::int32_t number(const Index<D>& at) const;

  Index<D> grid_{};                         // cubes along each axis
  std::vector<Index<D>> cubes_;             // coordinates, by number
  std::vector<std::int32_t> of_;            // number of each cube of the grid; -1 = no liquid
  std::vector<std::uint8_t> local_;         // of each cube's faces, axis by axis: which of its parts
  std::vector<std::int32_t> begin_, cube_;  // first part of each cube; cube of each part
  std::vector<std::int32_t> piece_, lead_;  // of each part
  std::vector<std::vector<std::int32_t>> neighbours_;
  std::int32_t pieces_ = 0;
};

}  // namespace glug
