#include "projection/viscosity_solver.h"

#include <algorithm>

#include "core/real.h"
#include "projection/rigid_blocks.h"
#include "projection/viscous_bodies.h"

namespace glug {
namespace {

// (V10) Liquid, and the bodies it drags.
template <int D, class T>
struct DraggingSystem {
  const ViscositySystem<D, T>& liquid;
  const ViscousBodies<D, T>& bodies;

  void apply(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const {
    liquid.apply(exec, x, y);
    if (!bodies.empty()) bodies.apply(exec, x, y);
  }
  double apply_dot(const Exec& exec, const MacVector<D>& x, MacVector<D>& y) const {
    apply(exec, x, y);
    return liquid.space(exec).dot(x, y);
  }
};

// (V7) Each component by itself; (V8), (V9) what moves as one besides; (V10) each body by itself.
template <int D, class T>
struct ViscosityPreconditioner {
  const std::array<Multigrid<D, T>, D>& of_axis;
  RigidBlocks<D, T>& rigid;
  const ViscousBodies<D, T>& bodies;

  void apply(const Exec& exec, const MacVector<D>& r, MacVector<D>& z) const {
    for (int a = 0; a < D; ++a) of_axis[a].apply(exec, r[a], z[a]);
    if (!rigid.empty()) rigid.add(exec, r, z);
    if (!bodies.empty()) bodies.precondition(r, z);
  }
};

}  // namespace

template <int D, class T>
ViscositySolver<D, T>::ViscositySolver(const Grid<D>& grid)
    : system_(grid),
      work_{MacVector<D>(grid), MacVector<D>(grid), MacVector<D>(grid), MacVector<D>(grid)},
      x_(grid) {
  rigid_ = std::make_unique<RigidBlocks<D, T>>(grid);
  bodies_ = std::make_unique<ViscousBodies<D, T>>();
  for (int a = 0; a < D; ++a) multigrid_[a] = Multigrid<D, T>(grid_of_faces(grid, a));
}

template <int D, class T>
ViscositySolver<D, T>::~ViscositySolver() = default;

template <int D, class T>
SolveReport ViscositySolver<D, T>::step(const Exec& exec, const ViscosityInput<D, T>& input,
                                        const PcgOptions& options, MacView<D, T> velocity) {
  system_.build(exec, input);
  SolveReport report;
  bodies_->build(exec, input, system_);
  if (system_.unknowns() == 0) return report;
  if (!bodies_->empty()) system_.extend_rhs(bodies_->rhs().data(), bodies_->unknowns());
  for (int a = 0; a < D; ++a) {
    const BlocksView<D> blocks = system_.blocks(a);
    // Cross terms read across faces that are no unknowns: these must be 0, whatever an older solve left.
    const CellSpace<D> all{exec, blocks, nullptr};
    for (MacVector<D>* v : {&work_.r, &work_.z, &work_.p, &work_.Ap, &x_}) {
      (*v)[a].restrict_to(exec, blocks, a == 0 ? bodies_->unknowns() : 0);
      all.zero((*v)[a]);
    }
    multigrid_[a].prepare(exec, system_.stencil(a));
    const View<D, const T> anchor = system_.stencil(a).read().anchor, u = input.velocity[a];
    const View<D, double> x = x_[a].cells.view();
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
      if (anchor(i) > 0) x(i) = u(i);
    });
  }
  rigid_->prepare(exec, input, system_);
  const MacSpace<D> space = system_.space(exec);
  const double size = space.norm(system_.rhs());
  // Fast walls make a large right-hand side: what is small beside it need not be small beside the liquid.
  PcgOptions how = options;
  how.tolerance *= size > 0 ? std::min(1.0, system_.momentum() / size) : 1.0;
  report = pcg(space, DraggingSystem<D, T>{system_, *bodies_},
               ViscosityPreconditioner<D, T>{multigrid_, *rigid_, *bodies_}, NoNullSpace{}, system_.rhs(), x_,
               work_, how);
  if (system_.momentum() > 0) report.residual *= size / system_.momentum();
  for (int a = 0; a < D; ++a) {
    const BlocksView<D> blocks = system_.blocks(a);
    const View<D, const T> anchor = system_.stencil(a).read().anchor;
    const View<D, const double> x = x_[a].cells.read();
    const View<D, T> u = velocity[a];
    for_each_cell(exec, blocks, blocks.grid.cell_range(), [=](const Index<D>& i) {
      if (anchor(i) > 0) u(i) = static_cast<T>(x(i));
    });
  }
  return report;
}

template class ViscositySolver<2, Real>;
template class ViscositySolver<3, Real>;

}  // namespace glug
