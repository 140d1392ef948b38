#include "projection/rigid_blocks.h"

#include <algorithm>

#include "core/for_each.h"

namespace glug {
namespace {

// A piece is thin where its cubes and their neighbours are at most this share of what there could be: ropes 5
// and 7 cells thick have 0.5 and 0.7, a tank of 64 cells 0.9.
constexpr double thin_share = 0.8;
// The factorisation may cost this many operations for each unknown: some five multigrid cycles.
constexpr double most_work = 1000;
// Nothing holds a piece whose faces have on average, along each axis, no more than a full face's mass.
constexpr double afloat_anchor = 1.001;

}  // namespace

// How fast a face of an axis moves in each of its block's motions; lengths in cells.
template <int D, class T>
void RigidBlocks<D, T>::motions_of(const Block& block, int axis, const Index<D>& face, double* m) const {
  for (int k = 0; k < motions; ++k) m[k] = 0;
  m[axis] = 1;
  Vec<D, double> x{};
  for (int a = 0; a < D; ++a) x[a] = face[a] + (a == axis ? 0.0 : 0.5) - block.middle[a];
  int turn = D;
  for (int p = 0; p < D; ++p)
    for (int q = p + 1; q < D; ++q, ++turn) m[turn] = axis == p ? -x[q] : axis == q ? x[p] : 0;
}

template <int D, class T>
std::vector<typename RigidBlocks<D, T>::Kind> RigidBlocks<D, T>::kinds_of_pieces(
    const ViscositySystem<D, T>& system, ThinPieces thin) const {
  struct Tally {
    double cubes = 0, around = 0, anchor[D] = {}, faces[D] = {};
  };
  std::vector<Tally> tallies(static_cast<std::size_t>(parts_.pieces()));
  for (std::int32_t part = 0; part < parts_.count(); ++part) {
    Tally& t = tallies[static_cast<std::size_t>(parts_.piece(part))];
    ++t.cubes;
    t.around += parts_.cubes_around(part);
    parts_.visit_unknowns(part, [&](int axis, const Index<D>& i) {
      t.anchor[axis] += static_cast<double>(system.stencil(axis).read().anchor(i));
      ++t.faces[axis];
    });
  }
  std::vector<Kind> kinds;
  for (const Tally& t : tallies) {
    bool afloat = true;
    for (int a = 0; a < D; ++a) afloat = afloat && t.anchor[a] <= afloat_anchor * t.faces[a];
    const bool is_thin = thin == ThinPieces::in_cubes && t.around <= thin_share * power(3, D) * t.cubes;
    kinds.push_back(is_thin ? Kind::thin : afloat ? Kind::afloat : Kind::left_out);
  }
  return kinds;
}

// Thin pieces in Cuthill and McKee's order, outwards from the first part of each.
template <int D, class T>
double RigidBlocks<D, T>::list_blocks(const std::vector<Kind>& kind_of_piece) {
  blocks_.clear();
  used_.clear();
  block_of_part_.assign(static_cast<std::size_t>(parts_.count()), -1);
  std::vector<std::int32_t> block_of_piece(kind_of_piece.size(), -1);
  const auto block_of = [&](std::int32_t part) -> std::int32_t& {
    return block_of_part_[static_cast<std::size_t>(part)];
  };
  const auto make = [&](Kind kind, std::int32_t part) {
    block_of(part) = static_cast<std::int32_t>(blocks_.size());
    Block block;
    block.kind = kind;
    for (int a = 0; a < D; ++a) block.middle[a] = parts_.low(part)[a] + 0.5 * CubeParts<D, T>::width;
    block.parts.push_back(part);
    block.first = block_of(part);
    blocks_.push_back(std::move(block));
  };
  const auto add_thin = [&](std::int32_t part) {
    const std::int32_t lead = parts_.lead(part);
    if (block_of(lead) < 0) make(Kind::thin, lead);
    if (lead == part) return;
    block_of(part) = block_of(lead);
    blocks_[static_cast<std::size_t>(block_of(part))].parts.push_back(part);
  };
  for (std::int32_t start = 0; start < parts_.count(); ++start) {
    const std::size_t piece = static_cast<std::size_t>(parts_.piece(start));
    if (kind_of_piece[piece] == Kind::afloat) {
      if (block_of_piece[piece] < 0) {
        make(Kind::afloat, start);
        block_of_piece[piece] = block_of(start);
      } else {
        block_of(start) = block_of_piece[piece];
        blocks_[static_cast<std::size_t>(block_of(start))].parts.push_back(start);
      }
    } else if (kind_of_piece[piece] == Kind::thin && block_of(start) < 0) {
      std::size_t next = blocks_.size();
      add_thin(start);
      for (; next < blocks_.size(); ++next)
        for (std::size_t k = 0; k < blocks_[next].parts.size(); ++k)
          for (std::int32_t n : parts_.neighbours(blocks_[next].parts[k]))
            if (parts_.piece(n) == parts_.piece(start) && block_of(n) < 0) add_thin(n);
    }
  }
  double work = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& b = blocks_[k];
    for (std::int32_t part : b.parts) used_.push_back(part);
    for (std::int32_t part : b.parts)
      for (std::int32_t n : parts_.neighbours(part))
        if (block_of(n) >= 0) b.first = std::min(b.first, block_of(n));
    if (b.kind == Kind::afloat) {
      Vec<D, double> sum{};
      for (std::int32_t part : b.parts)
        for (int a = 0; a < D; ++a) sum[a] += parts_.low(part)[a];
      for (int a = 0; a < D; ++a)
        b.middle[a] = sum[a] / static_cast<double>(b.parts.size()) + 0.5 * CubeParts<D, T>::width;
    }
    const double envelope = motions * (static_cast<double>(k) - b.first + 1);
    work += motions * envelope * envelope;
  }
  return work;
}

// Rows of different blocks by different threads: the factor has a row for each motion of each block.
template <int D, class T>
void RigidBlocks<D, T>::assemble(const Exec& exec, const ViscositySystem<D, T>& system) {
  std::vector<std::int32_t> first;
  for (const Block& b : blocks_)
    for (int m = 0; m < motions; ++m) first.push_back(motions * b.first);
  factor_.resize(first);
  for_each_task(exec, static_cast<std::ptrdiff_t>(blocks_.size()), [&](std::ptrdiff_t k) {
    const std::int32_t own = static_cast<std::int32_t>(k);
    const Block& block = blocks_[static_cast<std::size_t>(k)];
    double here[motions], there[motions];
    const auto add = [&](std::int32_t other, double entry) {
      for (int m = 0; m < motions; ++m)
        for (int n = 0; n < (other == own ? m + 1 : motions); ++n)
          factor_.at(motions * own + m, motions * other + n) += entry * here[m] * there[n];
    };
    for (std::int32_t part : block.parts) {
      const std::vector<std::int32_t>& around = parts_.neighbours(part);
      const bool inside = std::all_of(around.begin(), around.end(), [&](std::int32_t n) {
        return block_of_part_[static_cast<std::size_t>(n)] == own;
      });
      parts_.visit_unknowns(part, [&](int axis, const Index<D>& i) {
        motions_of(block, axis, i, here);
        if (inside) {  // nothing around moves otherwise: no strain, its mass alone
          std::copy(here, here + motions, there);
          add(own, static_cast<double>(system.stencil(axis).read().anchor(i)));
          return;
        }
        CubeParts<D, T>::visit_row(system, axis, i, [&](int other_axis, const Index<D>& j, double entry) {
          const std::int32_t other_part = entry == 0 ? -1 : parts_.part_of(other_axis, j);
          if (other_part < 0) return;
          const std::int32_t other = block_of_part_[static_cast<std::size_t>(other_part)];
          if (other < 0 || other > own) return;  // the lower triangle alone
          motions_of(blocks_[static_cast<std::size_t>(other)], other_axis, j, there);
          add(other, entry);
        });
      });
    }
  });
  factor_.factorise();
  x_.resize(first.size());
  sums_.resize(used_.size() * motions);
}

template <int D, class T>
void RigidBlocks<D, T>::prepare(const Exec& exec, const ViscositySystem<D, T>& system) {
  parts_.find(exec, system);
  const double most = most_work * static_cast<double>(system.unknowns());
  if (list_blocks(kinds_of_pieces(system, ThinPieces::in_cubes)) > most &&
      list_blocks(kinds_of_pieces(system, ThinPieces::as_others)) > most)
    blocks_.clear();
  if (!blocks_.empty()) assemble(exec, system);
}

template <int D, class T>
void RigidBlocks<D, T>::add(const Exec& exec, const MacVector<D>& r, MacVector<D>& z) {
  const auto block_at = [&](std::ptrdiff_t n) {
    return block_of_part_[static_cast<std::size_t>(used_[static_cast<std::size_t>(n)])];
  };
  for_each_task(exec, static_cast<std::ptrdiff_t>(used_.size()), [&](std::ptrdiff_t n) {
    double sum[motions] = {}, m[motions];
    const Block& block = blocks_[static_cast<std::size_t>(block_at(n))];
    parts_.visit_unknowns(used_[static_cast<std::size_t>(n)], [&](int axis, const Index<D>& i) {
      motions_of(block, axis, i, m);
      for (int k = 0; k < motions; ++k) sum[k] += m[k] * r[axis].cells(i);
    });
    for (int k = 0; k < motions; ++k) sums_[static_cast<std::size_t>(motions * n + k)] = sum[k];
  });
  std::fill(x_.begin(), x_.end(), 0.0);
  for (std::size_t n = 0; n < used_.size(); ++n)
    for (std::size_t k = 0; k < motions; ++k)
      x_[static_cast<std::size_t>(motions * block_at(static_cast<std::ptrdiff_t>(n))) + k] +=
          sums_[motions * n + k];
  factor_.solve(x_.data());
  for_each_task(exec, static_cast<std::ptrdiff_t>(used_.size()), [&](std::ptrdiff_t n) {
    double m[motions];
    const Block& block = blocks_[static_cast<std::size_t>(block_at(n))];
    const double* x = x_.data() + motions * block_at(n);
    parts_.visit_unknowns(used_[static_cast<std::size_t>(n)], [&](int axis, const Index<D>& i) {
      motions_of(block, axis, i, m);
      double sum = 0;
      for (int k = 0; k < motions; ++k) sum += m[k] * x[k];
      z[axis].cells(i) += sum;
    });
  });
}

template class RigidBlocks<2, float>;
template class RigidBlocks<2, double>;
template class RigidBlocks<3, float>;
template class RigidBlocks<3, double>;

}  // namespace glug
