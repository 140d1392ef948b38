#include "projection/stream_sources.h"

#include <cmath>

#include "core/real.h"
#include "projection/face.h"

namespace glug {
namespace {

// Ways from the cells that keep their volume to free air, each by a face to a cell that is nearer.
template <int D, class T>
class Ways {
 public:
  struct Step {
    std::int8_t axis = -1, high = 0;  // the face on the way; axis -1: none, a closed body of liquid ends here
  };

  Ways(const ProjectionInput<D, T>& in, MacView<D, const std::int32_t> owner)
      : in_(in), owner_(owner), cells_(in.grid.cell_range()) {
    const std::size_t count = static_cast<std::size_t>(cells_.size());
    reached_.assign(count, 0);
    step_.assign(count, Step{});
    visit(cells_, [&](const Index<D>& i) {
      if (!keeps(i)) return;
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high)
          if (!is_reached(i) && passes(a, face(i, a, high)) && !keeps(beyond(i, a, high))) reach(i, a, high);
    });
    follow(0);
  }

  // Cells in the order that they were reached in.
  const std::vector<std::size_t>& order() const { return order_; }
  Index<D> cell(std::size_t n) const { return cells_.at(static_cast<std::ptrdiff_t>(n)); }
  std::size_t number(const Index<D>& i) const { return static_cast<std::size_t>(cells_.number_of(i)); }
  Step step(std::size_t n) const { return step_[n]; }
  bool is_reached(const Index<D>& i) const { return reached_[number(i)] != 0; }
  bool contains(const Index<D>& i) const { return cells_.contains(i); }

  // Liquid, and air that keeps its volume.
  bool keeps(const Index<D>& i) const {
    if (!cells_.contains(i)) return false;
    if (in_.blocks.slot_of_cell(i) >= 0 && in_.label(i) == Cell::liquid) return true;
    return in_.air.data && in_.label(i) == Cell::air && bubble_at(in_, i) >= 0;
  }
  // Ways within what i is in and no free air; returns where its cells begin in the order.
  std::size_t close(const Index<D>& i) {
    const std::size_t begin = order_.size();
    reached_[number(i)] = 1;
    order_.push_back(number(i));
    follow(begin);
    return begin;
  }

  static Index<D> face(const Index<D>& i, int a, int high) { return high ? i + Index<D>::unit(a) : i; }
  static Index<D> beyond(const Index<D>& i, int a, int high) {
    return high ? i + Index<D>::unit(a) : i - Index<D>::unit(a);
  }

 private:
  bool passes(int a, const Index<D>& f) const {
    return in_.open[a](f) > 0 || (owner_[a].data && owner_[a](f) < 0);
  }
  void reach(const Index<D>& i, int a, int high) {
    reached_[number(i)] = 1;
    step_[number(i)] = {static_cast<std::int8_t>(a), static_cast<std::int8_t>(high)};
    order_.push_back(number(i));
  }
  void follow(std::size_t head) {
    for (; head < order_.size(); ++head) {
      const Index<D> i = cell(order_[head]);
      for (int a = 0; a < D; ++a)
        for (int high = 0; high < 2; ++high) {
          const Index<D> j = beyond(i, a, high);
          if (keeps(j) && !is_reached(j) && passes(a, face(i, a, high))) reach(j, a, 1 - high);
        }
    }
  }

  const ProjectionInput<D, T>& in_;
  MacView<D, const std::int32_t> owner_;
  Range<D> cells_;
  std::vector<std::uint8_t> reached_;
  std::vector<Step> step_;
  std::vector<std::size_t> order_;
};

}  // namespace

// (Q13)
template <int D>
template <class T>
void StreamSources<D>::find(const ProjectionInput<D, T>& in, MacView<D, const std::int32_t> owner,
                            const std::vector<FaceFlux<D>>& missing) {
  const auto clear = [&] {
    for (const FaceFlux<D>& f : used_) flux_[f.axis].view()(f.face) = 0;
    used_.clear();
  };
  clear();
  removed_ = 0;
  if (missing.empty()) return;
  Ways<D, T> ways(in, owner);
  // What has to leave each cell by its way.
  std::vector<double> excess(static_cast<std::size_t>(in.grid.cell_range().size()), 0);
  for (const FaceFlux<D>& f : missing)
    for (int high = 0; high < 2; ++high) {  // out of the lower cell, into the higher one
      const Index<D> i = high ? f.face : f.face - Index<D>::unit(f.axis);
      if (ways.keeps(i)) excess[ways.number(i)] += high ? f.flux : -f.flux;
    }
  for (const FaceFlux<D>& f : missing)
    for (const Index<D>& i : {f.face - Index<D>::unit(f.axis), f.face}) {
      if (!ways.keeps(i) || ways.is_reached(i)) continue;
      const std::size_t begin = ways.close(i);
      double all = 0, room = 0;
      for (std::size_t k = begin; k < ways.order().size(); ++k) {
        all += excess[ways.order()[k]];
        room += volume_weight(in, ways.cell(ways.order()[k]));
      }
      if (!(room > 0)) continue;
      for (std::size_t k = begin; k < ways.order().size(); ++k)
        excess[ways.order()[k]] -= all / room * volume_weight(in, ways.cell(ways.order()[k]));
      removed_ += std::abs(all);
    }
  if (flux_[0].range().size() == 0) flux_ = MacField<D, double>(in.grid, 1);
  for (std::size_t k = ways.order().size(); k-- > 0;) {
    const std::size_t n = ways.order()[k];
    const auto [axis, high] = ways.step(n);
    if (excess[n] == 0 || axis < 0) continue;
    const Index<D> i = ways.cell(n), next = ways.beyond(i, axis, high);
    used_.push_back({axis, ways.face(i, axis, high), high ? excess[n] : -excess[n]});
    if (ways.contains(next)) excess[ways.number(next)] += excess[n];
  }
  for (const FaceFlux<D>& f : used_) flux_[f.axis].view()(f.face) = f.flux;
}

#define GLUG_INSTANTIATE(D)                   \
  template class StreamSources<D>;            \
  template void StreamSources<D>::find<Real>( \
      const ProjectionInput<D, Real>&, MacView<D, const std::int32_t>, const std::vector<FaceFlux<D>>&);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
