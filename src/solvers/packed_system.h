// packed_system.h: a whole system, stencil, extra unknowns, movers and null space, on unknowns that lie side
// by side. It is what conjugate gradients iterate on.
//
//   PackedSystem<D, T> packed;
//   packed.assign(exec, stencil, extras, movers, constants);   // whenever one of them changed
//   pcg(packed.space(exec), packed, M, packed.constants(), b, x, work, options);
#pragma once

#include "solvers/component_means.h"
#include "solvers/extra_unknowns.h"
#include "solvers/listed_movers.h"
#include "solvers/packed_stencil.h"
#include "solvers/packed_vector.h"

namespace glug {

template <int D, class T>
class PackedSystem {
 public:
  // stiff: movers that preconditioners know nothing of; pockets: sets of cells whose constants only movers
  // see.
  void assign(const Exec& exec, const Stencil<D, T>& stencil, const ExtraUnknowns<T>& extras,
              const Movers<D>& movers, const ComponentMeans<D>& constants, const Movers<D>& stiff = {},
              const ComponentMeans<D>& pockets = {});

  const PackedStencil<D, T>& stencil() const { return stencil_; }
  const ExtraUnknowns<T>& extras() const { return extras_; }
  const ListedMovers<D>& movers() const { return movers_; }
  const ListedMovers<D>& stiff() const { return stiff_; }
  const ComponentMeans<D>& constants() const { return constants_; }
  const ComponentMeans<D>& pockets() const { return pockets_; }
  // How long vectors of cells are.
  std::size_t room() const { return stencil_.room(); }

  PackedSpace space(const Exec& exec) const { return {exec, stencil_.begin, stencil_.end()}; }
  // Zeroed.
  PackedVector vector() const {
    return {Buffer<double>(room()), Buffer<double>(static_cast<std::size_t>(extras_.count()))};
  }
  // Makes it as long as this system's vectors are.
  void fit(PackedVector& v) const {
    make_room(room(), stencil_.end(), v.cells);
    v.extra = Buffer<double>(static_cast<std::size_t>(extras_.count()));
  }
  void pack(const Exec& exec, const Vector<D>& from, PackedVector& to) const;
  void unpack(const Exec& exec, const PackedVector& from, Vector<D>& to) const;

  void apply(const Exec& exec, const PackedVector& x, PackedVector& y) const { (void)apply_dot(exec, x, y); }
  // The same; returns x . A x.
  double apply_dot(const Exec& exec, const PackedVector& x, PackedVector& y) const {
    double dot = stencil_.apply_dot(exec, x.numbers(), y.numbers());
    dot += extras_.apply(exec, x, y);  // sets y of its unknowns; movers add to it
    dot += movers_.apply(exec, x, y);
    dot += stiff_.apply(exec, x, y);
    return dot;
  }

 private:
  PackedStencil<D, T> stencil_;
  ExtraUnknowns<T> extras_;
  ListedMovers<D> movers_, stiff_;
  ComponentMeans<D> constants_, pockets_;
};

// The simplest preconditioner, z = r / diagonal, in which all movers count but the stiff ones. Parallel, and
// slow to converge: a yardstick.
class PackedDiagonal {
 public:
  // Whenever the system changed.
  template <int D, class T>
  void prepare(const Exec& exec, const PackedSystem<D, T>& system);
  void apply(const Exec& exec, const PackedVector& r, PackedVector& z) const {
    PackedSpace(exec, begin_, end_).product(inverse_, r, z);
  }

 private:
  PackedVector inverse_;
  std::ptrdiff_t begin_ = 0, end_ = 0;  // of the cells
};

}  // namespace glug
