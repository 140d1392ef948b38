#include "projection/phase_volumes.h"

#include "core/real.h"
#include "core/reduce.h"
#include "projection/growth_share.h"
#include "regions/cell_pairs.h"

namespace glug {
namespace {

// Sums of f over the cells of each region.
template <int D, class Region, class F>
std::vector<double> sums_of(const Exec& exec, const BlocksView<D>& blocks, std::size_t count, Region region,
                            F f) {
  const auto found = region_sums<D, 1>(exec, blocks, static_cast<std::int32_t>(count), region,
                                       [=](const Index<D>& i) { return std::array<double, 1>{f(i)}; });
  std::vector<double> sums;
  for (const auto& s : found) sums.push_back(s[0]);
  return sums;
}

}  // namespace

template <int D, class T>
void volume_correction_rhs(const Exec& exec, const ProjectionInput<D, T>& input,
                           const PressureSystem<D, T>& system, const PhaseGrowth<D>& growth, Vector<D>& rhs) {
  const BlocksView<D> blocks = system.active.view();
  const Range<D> cells = input.grid.cell_range();
  rhs.restrict_to(exec, blocks);
  const View<D, double> b = rhs.cells.view();
  const View<D, const Cell> label = input.label;
  const View<D, const std::int32_t> pocket = growth.pocket;
  const std::int32_t* number = growth.number.data();
  const auto weight = [=](const Index<D>& i) { return volume_weight(input, i); };

  // Part 0 is the liquid, the numbered pockets follow, the last part is all other gas. Each grows alike in
  // all its cells.
  const std::int32_t rest = static_cast<std::int32_t>(growth.gas.size()) + 1;
  const auto part = [=](const Index<D>& i) {
    if (label(i) == Cell::solid || label(i) == Cell::affine) return -1;
    if (label(i) == Cell::liquid) return 0;
    const std::int32_t n = pocket(i) < 0 ? -1 : number[pocket(i)];
    return n < 0 ? rest : n + 1;
  };
  // Liquid too thin to be measured does not grow.
  const double liquid = growth.liquid;
  const auto grows = [=](const Index<D>& i) {
    return label(i) == Cell::liquid ? growth_share(input, i, liquid) : weight(i);
  };
  std::vector<double> rate = sums_of(exec, blocks, growth.gas.size() + 2, part, grows);
  for (std::size_t k = 0; k < rate.size(); ++k) {
    const double wanted = k == 0 ? growth.liquid : k <= growth.gas.size() ? growth.gas[k - 1] : 0;
    rate[k] = rate[k] > 0 ? wanted / (input.grid.face_area() * rate[k]) : 0;
  }
  const double* of_part = rate.data();
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
    const std::int32_t p = part(i);
    b(i) = p < 0 ? 0 : of_part[p] * grows(i);
  });
  if (system.constants.empty()) return;

  // Closed components.
  const std::size_t count = system.closed.size();
  const View<D, const std::int32_t> of_cell = system.liquid.of_cell.read();
  const std::uint8_t* closed = system.closed.data();
  const auto all = [=](const Index<D>& i) {
    const std::int32_t c = of_cell(i);
    return c >= 0 && closed[c] ? c : -1;
  };
  const std::vector<double> net = sums_of(exec, blocks, count, all, [=](const Index<D>& i) { return b(i); });
  const std::vector<double> whole = sums_of(exec, blocks, count, all, weight);
  const std::vector<double> yielding =
      sums_of(exec, blocks, count, all, [=](const Index<D>& i) { return part(i) == rest ? weight(i) : 0.0; });
  std::vector<double> shares(count, 0);
  for (std::size_t c = 0; c < count; ++c) {
    const double volume = yielding[c] > 0 ? yielding[c] : whole[c];
    shares[c] = volume > 0 ? net[c] / volume : 0;
  }
  const double *share = shares.data(), *yields = yielding.data();
  for_each_cell(exec, blocks, cells, [=](const Index<D>& i) {
    const std::int32_t c = all(i);
    if (c >= 0 && (part(i) == rest || !(yields[c] > 0))) b(i) -= share[c] * weight(i);
  });
}

#define GLUG_INSTANTIATE(D, T)                                                         \
  template void volume_correction_rhs<D, T>(const Exec&, const ProjectionInput<D, T>&, \
                                            const PressureSystem<D, T>&, const PhaseGrowth<D>&, Vector<D>&);
GLUG_INSTANTIATE(2, Real)
GLUG_INSTANTIATE(3, Real)
#undef GLUG_INSTANTIATE

}  // namespace glug
