#include "solvers/packed_system.h"

#include "core/real.h"

namespace glug {

template <int D, class T>
void PackedSystem<D, T>::assign(const Exec& exec, const Stencil<D, T>& stencil,
                                const ExtraUnknowns<T>& extras, const Movers<D>& movers,
                                const ComponentMeans<D>& constants, const Movers<D>& stiff,
                                const ComponentMeans<D>& pockets) {
  stencil_.assign(exec, stencil);
  const Range<D> layout = solver_cells<D>(stencil.blocks().grid);
  const auto place_of = [&](std::ptrdiff_t offset) { return stencil_.place(layout.at(offset)); };
  movers_.assign(exec, movers, place_of);
  stiff_.assign(exec, stiff, place_of);
  extras_ = extras;
  extras_.renumber(exec, place_of);
  constants_ = constants.renumbered(exec, place_of, stencil_.begin, stencil_.end());
  pockets_ = pockets.renumbered(exec, place_of, stencil_.begin, stencil_.end());
}

template <int D, class T>
void PackedSystem<D, T>::pack(const Exec& exec, const Vector<D>& from, PackedVector& to) const {
  stencil_.pack(exec, from.cells.read(), to.cells.data());
  for (std::size_t k = 0; k < to.extra.size(); ++k) to.extra[k] = from.extra[k];
}

template <int D, class T>
void PackedSystem<D, T>::unpack(const Exec& exec, const PackedVector& from, Vector<D>& to) const {
  stencil_.unpack(exec, from.cells.data(), to.cells.view());
  for (std::size_t k = 0; k < from.extra.size(); ++k) to.extra[k] = from.extra[k];
}

template <int D, class T>
void PackedDiagonal::prepare(const Exec& exec, const PackedSystem<D, T>& system) {
  const PackedStencil<D, T>& stencil = system.stencil();
  begin_ = stencil.begin;
  end_ = stencil.end();
  system.fit(inverse_);
  double* diagonal = inverse_.cells.data();
  const T* inverse = stencil.inverse_diagonal();
  PackedSpace(exec, begin_, end_).cells(inverse_, [=](std::ptrdiff_t i) { diagonal[i] = 1.0 / inverse[i]; });
  system.movers().add_diagonal(exec, diagonal);
  for (std::int32_t k = 0; k < system.extras().count(); ++k) inverse_.extra[k] = system.extras().diagonal(k);
  PackedSpace(exec, begin_, end_).each(inverse_, inverse_, inverse_, [](double sum, double) {
    return sum > 0 ? 1 / sum : 0.0;
  });
}

template struct VectorOps<PackedSpace, PackedVector>;
#define GLUG_INSTANTIATE(D, T)       \
  template class PackedSystem<D, T>; \
  template void PackedDiagonal::prepare<D, T>(const Exec&, const PackedSystem<D, T>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
