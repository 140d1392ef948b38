#include "projection/stream_solver.h"

#include "core/for_each.h"
#include "core/real.h"
#include "core/symmetric_eigen.h"

namespace glug {
namespace {

// Steps of conjugate gradients for the liquid's answer to a column: each costs an iteration per column. The
// third saves 4 to 7 iterations.
constexpr int answers_of(std::size_t columns) { return columns <= 6 ? 3 : 2; }

// Bound edges lie a whole cell from the free ones beside them. By halves the second level would have them
// twice as far away, and correct too much along walls: 14 iterations instead of 13 on average.
constexpr double anchor_share = 0.6;

}  // namespace

template <int D, class T>
StreamSolver<D, T>::StreamSolver(const Grid<D>& grid) : multigrid_(StackedEdges<D>(grid).grid) {
  multigrid_.set_anchor_share(anchor_share);
}

template <int D, class T>
void StreamSolver<D, T>::prepare(const Exec& exec, const SolverOptions& how,
                                 const StreamSystem<D, T>& system) {
  how_ = how;
  system_ = &system;
  for (StreamVector* v : {&work_.r, &work_.z, &work_.p, &work_.Ap, &rhs_, &x_}) system.fit(*v);
  const Stencil<D, T>& stencil = system.stencil();
  const PackedSystem<D, T>& packed = system.packed();
  const bool by_multigrid = how.preconditioner == Preconditioner::multigrid;
  if constexpr (D == 3)
    shifts_.assign(system.grid(), by_multigrid ? system.solids().shores() : std::vector<StreamShore>{},
                   system.mass(), packed.stencil());
  if (by_multigrid) {
    multigrid_.prepare(exec, stencil, shifts_.extras(), {}, &packed);
  } else if (how.preconditioner == Preconditioner::incomplete_cholesky) {
    if (r_.cells.range().size() == 0) {
      const Grid<D>& grid = stencil.blocks().grid;
      incomplete_cholesky_ = IncompleteCholesky<D, T>(grid);
      r_ = z_ = Vector<D>(grid);
    }
    incomplete_cholesky_.factorise(exec, stencil);
  } else {
    diagonal_.prepare(exec, packed);
  }
  carry_columns(exec, system);
}

template <int D, class T>
double StreamSolver<D, T>::apply_to_edges(const Exec& exec, const StreamVector& r, StreamVector& z) const {
  for (double& column : z.columns()) column = 0;
  if (how_.preconditioner == Preconditioner::multigrid) {
    if constexpr (D == 3) shifts_.gather(r, asked_);
    shift_.resize(asked_.size());
    const double dot =
        multigrid_.apply_dot(exec, r.cells.data(), asked_.data(), z.cells.data(), shift_.data());
    if constexpr (D == 3) shifts_.scatter(shift_, z);
    return dot;
  }
  if (how_.preconditioner == Preconditioner::incomplete_cholesky) {
    const PackedStencil<D, T>& edges = system_->packed().stencil();
    edges.unpack(exec, r.cells.data(), r_.cells.view());
    incomplete_cholesky_.apply(exec, r_, z_);
    edges.pack(exec, z_.cells.read(), z.cells.data());
  } else {
    diagonal_.apply(exec, r, z);
  }
  return system_->space(exec).dot(r, z);
}

template <int D, class T>
void StreamSolver<D, T>::carry_columns(const Exec& exec, const StreamSystem<D, T>& system) {
  carried_.clear();
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < system.columns().count(); ++k)
    if (!system.columns().is_held(k)) free.push_back(k);
  const std::size_t n = free.size();
  if (n == 0 || n > most_carried) return;
  const PackedSpace space = system.space(exec);
  std::vector<StreamVector> effects(n);  // A V
  for (std::size_t k = 0; k < n; ++k) {
    StreamVector& effect = effects[k];
    system.fit(effect);
    space.zero(effect);
    system.columns().write(free[k], effect);
    carried_.emplace_back();
    StreamVector& column = carried_.back();
    system.fit(column);
    space.zero(column);
    column.columns()[free[k]] = 1;
    StreamVector &z = work_.z, &p = work_.p, &Ap = work_.Ap;
    double before = 0;
    for (int pass = 0; pass < answers_of(n); ++pass) {
      const double now = apply_to_edges(exec, effect, z);
      if (pass == 0)
        space.copy(z, p);
      else
        space.xpay(z, now / before, p);
      const double pAp = system.apply_dot(exec, p, Ap);
      if (!(pAp > 0)) break;
      space.axpy(-now / pAp, p, column);
      space.axpy(-now / pAp, Ap, effect);
      before = now;
    }
  }
  const Eigen::Index size = static_cast<Eigen::Index>(n);
  Eigen::MatrixXd coarse(size, size);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      coarse(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = space.dot(carried_[i], effects[j]);
  // A drop that touches nothing but an island moves with it: such a column has no effect.
  const SymmetricEigen solved = symmetric_eigen(0.5 * (coarse + coarse.transpose()));
  const double least = 1e-9 * solved.values.maxCoeff();
  Eigen::VectorXd inverse(size);
  for (Eigen::Index i = 0; i < size; ++i) inverse(i) = solved.values(i) > least ? 1 / solved.values(i) : 0.0;
  coarse_ = solved.vectors * inverse.asDiagonal() * solved.vectors.transpose();
}

// (Q9)
template <int D, class T>
double StreamSolver<D, T>::apply_dot(const Exec& exec, const StreamVector& r, StreamVector& z) const {
  double dot = apply_to_edges(exec, r, z);
  const std::size_t n = r.columns().size();
  if (n == 0) return dot;
  if (carried_.empty()) {
    for (std::size_t k = 0; k < n; ++k) {
      const double diagonal = system_->columns().diagonal(k);
      z.columns()[k] = diagonal > 0 && !system_->columns().is_held(k) ? r.columns()[k] / diagonal : 0;
      dot += r.columns()[k] * z.columns()[k];
    }
    return dot;
  }
  const PackedSpace space = system_->space(exec);
  Eigen::VectorXd t(static_cast<Eigen::Index>(carried_.size()));
  for (std::size_t k = 0; k < carried_.size(); ++k)
    t(static_cast<Eigen::Index>(k)) = space.dot(carried_[k], r);
  const Eigen::VectorXd c = coarse_ * t;
  for (std::size_t k = 0; k < carried_.size(); ++k)
    space.axpy(c(static_cast<Eigen::Index>(k)), carried_[k], z);
  return dot + c.dot(t);
}

template <int D, class T>
SolveReport StreamSolver<D, T>::solve(const Exec& exec, const StreamSystem<D, T>& system,
                                      StreamFunction<D>& psi) {
  system.gather(exec, psi, x_);
  const SolveReport report = pcg(system.space(exec), system, *this, NoNullSpace{}, rhs_, x_, work_,
                                 PcgOptions{how_.tolerance, how_.max_iterations});
  system.scatter(exec, x_, psi);
  return report;
}

template class StreamSolver<2, Real>;
template class StreamSolver<3, Real>;

}  // namespace glug
