#include "particles/narrow_band.h"

#include <algorithm>
#include <cmath>

#include "core/reduce.h"
#include "geometry/volume.h"

namespace glug {
namespace {

// Whether a cell keeps its particles however deep it lies.
template <int D>
GLUG_INLINE bool is_kept(const BandInput<D>& in, const Index<D>& i) {
  for (int a = 0; a < D; ++a)
    if ((in.sides.open[a][0] && i[a] < in.side_layers) ||
        (in.sides.open[a][1] && i[a] >= in.grid.cells[a] - in.side_layers))
      return true;
  for (int k = 0; k < in.kept_count; ++k)
    if (in.kept[k].contains(i)) return true;
  return false;
}

// f(cell) for the marked cells of deep blocks that are deep now, block by block, added up.
template <int D, class F>
double sum_deep(const Exec& exec, const DeepLiquid<D>& deep, F f) {
  const BlocksView<D> blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  return reduce_blocks(exec, blocks, 0.0, Plus{}, [=](std::int32_t slot) {
    double sum = 0;
    visit(boxes[slot], [&](const Index<D>& i) {
      if (was_deep(mark(i))) sum += f(i);
    });
    return sum;
  });
}

}  // namespace

template <int D>
void mark_deep(const Exec& exec, const BandInput<D>& input, DeepLiquid<D>& deep) {
  const BandInput<D> in = input;
  const Range<D> cells = in.grid.cell_range();
  const View<D, std::uint8_t> mark = deep.mark.view();
  const View<D, float> stock = deep.stock.view();
  for_each_cell(exec, in.known, cells, [=](const Index<D>& i) {
    const bool was = mark(i) == is_deep;
    const bool will = in.phi(i) < -(was ? in.stays : in.begins) && !is_kept(in, i);
    mark(i) = was ? (will ? is_deep : ends_deep) : (will ? turns_deep : not_deep);
    if (!was && will) stock(i) = 0;
  });
  list_deep(exec, in.known, deep);
}

template <int D>
void list_deep(const Exec& exec, const BlocksView<D>& known, DeepLiquid<D>& deep) {
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const Range<D> cells = known.grid.cell_range();
  std::vector<Range<D>> found(static_cast<std::size_t>(known.count));
  Range<D>* box = found.data();
  for_each_block(exec, known, [=](std::int32_t slot) {
    const Range<D> own = intersection(known.indices(slot), cells);
    Range<D> hull{own.hi, own.lo};
    visit(own, [&](const Index<D>& i) {
      if (mark(i) == not_deep) return;
      hull.lo = min(hull.lo, i);
      hull.hi = max(hull.hi, i + Index<D>::filled(1));
    });
    box[slot] = hull;
  });
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(deep.blocks.total()), 0);
  deep.boxes.clear();
  for (std::int32_t slot = 0; slot < known.count; ++slot) {
    if (box[slot].size() == 0) continue;
    flags[static_cast<std::size_t>(known.ids[slot])] = 1;
    deep.boxes.push_back(box[slot]);
  }
  deep.blocks.assign(flags);
}

template <int D>
void fill_stock(const Exec& exec, const Grid<D>& grid, View<D, const float> solid, int particles_per_cell,
                DeepLiquid<D>& deep) {
  const View<D, float> stock = deep.stock.view();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const double h = grid.h;
  for_each_cell(exec, deep.blocks.view(), grid.cell_range(), [=](const Index<D>& i) {
    if (mark(i) == is_deep)
      stock(i) = static_cast<float>(particles_per_cell * cell_open_fraction<D>(solid, h, i));
  });
}

template <int D>
void settle_deep(const Exec& exec, DeepLiquid<D>& deep) {
  const BlocksView<D> blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const View<D, std::uint8_t> mark = deep.mark.view();
  const std::int64_t count = reduce_blocks(exec, blocks, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
    std::int64_t n = 0;
    visit(boxes[slot], [&](const Index<D>& i) {
      mark(i) = will_be_deep(mark(i)) ? is_deep : not_deep;
      n += mark(i);
    });
    return n;
  });
  if (count > 0) {
    const View<D, float> stock = deep.stock.view();
    const float share = static_cast<float>(deep.spare / static_cast<double>(count));
    deep.beside -= reduce_blocks(exec, blocks, Vec<D, double>{}, Plus{}, [=](std::int32_t slot) {
      Vec<D, double> place{};
      visit(boxes[slot], [&](const Index<D>& i) {
        if (mark(i) != is_deep) return;
        stock(i) += share;
        place += (i.template as<double>() + Vec<D, double>::filled(0.5)) * static_cast<double>(share);
      });
      return place;
    });
    deep.spare = 0;
  }
  const Blocks<D> marked = deep.blocks;
  list_deep(exec, marked.view(), deep);
}

template <int D>
double deep_count(const Exec& exec, const DeepLiquid<D>& deep) {
  return sum_deep(exec, deep, [=](const Index<D>&) { return 1.0; });
}

template <int D>
double deep_stock(const Exec& exec, const DeepLiquid<D>& deep) {
  const View<D, const float> stock = deep.stock.read();
  return deep.spare + sum_deep(exec, deep, [=](const Index<D>& i) { return static_cast<double>(stock(i)); });
}

template <int D>
double deep_kinetic(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> u_before,
                    MacView<D, const float> u_after, double fresh) {
  const View<D, const float> stock = deep.stock.read();
  return sum_deep(exec, deep, [=](const Index<D>& i) {
    double squares = 0;  // means over the cell of what is interpolated between its faces
    for (int a = 0; a < D; ++a) {
      const Index<D> high = i + Index<D>::unit(a);
      const double u = (1 - fresh) * u_before[a](i) + fresh * u_after[a](i);
      const double v = (1 - fresh) * u_before[a](high) + fresh * u_after[a](high);
      squares += (u * u + u * v + v * v) / 3;
    }
    return 0.5 * squares * stock(i);
  });
}

template <int D>
double deep_potential(const Exec& exec, const DeepLiquid<D>& deep, const Grid<D>& grid,
                      const Vec<D, double>& gravity) {
  const View<D, const float> stock = deep.stock.read();
  const double middles =
      sum_deep(exec, deep, [=](const Index<D>& i) { return -dot(gravity, grid.cell_center(i)) * stock(i); });
  return middles - grid.h * dot(gravity, deep.beside);
}

template <int D>
double deep_speed(const Exec& exec, const DeepLiquid<D>& deep, MacView<D, const float> velocity) {
  const BlocksView<D> blocks = deep.blocks.view();
  const Range<D>* boxes = deep.boxes.data();
  const View<D, const std::uint8_t> mark = deep.mark.read();
  const View<D, const float> stock = deep.stock.read();
  const float squared = reduce_blocks(exec, blocks, 0.f, Maximum{}, [=](std::int32_t slot) {
    float most = 0;
    visit(boxes[slot], [&](const Index<D>& i) {
      // In solids, and where they leave next to nothing of a cell, velocity is what was made up for it.
      if (mark(i) != is_deep || stock(i) < 0.5f) return;
      float sum = 0;
      for (int a = 0; a < D; ++a) {
        const float u = 0.5f * (velocity[a](i) + velocity[a](i + Index<D>::unit(a)));
        sum += u * u;
      }
      if (most == most && !(sum <= most)) most = sum;  // what is not a number stays
    });
    return most;
  });
  return std::sqrt(static_cast<double>(squared));
}

#define GLUG_INSTANTIATE(D)                                                                            \
  template void mark_deep<D>(const Exec&, const BandInput<D>&, DeepLiquid<D>&);                        \
  template void list_deep<D>(const Exec&, const BlocksView<D>&, DeepLiquid<D>&);                       \
  template void fill_stock<D>(const Exec&, const Grid<D>&, View<D, const float>, int, DeepLiquid<D>&); \
  template void settle_deep<D>(const Exec&, DeepLiquid<D>&);                                           \
  template double deep_count<D>(const Exec&, const DeepLiquid<D>&);                                    \
  template double deep_stock<D>(const Exec&, const DeepLiquid<D>&);                                    \
  template double deep_kinetic<D>(const Exec&, const DeepLiquid<D>&, MacView<D, const float>,          \
                                  MacView<D, const float>, double);                                    \
  template double deep_potential<D>(const Exec&, const DeepLiquid<D>&, const Grid<D>&,                 \
                                    const Vec<D, double>&);                                            \
  template double deep_speed<D>(const Exec&, const DeepLiquid<D>&, MacView<D, const float>);
GLUG_INSTANTIATE(2)
GLUG_INSTANTIATE(3)
#undef GLUG_INSTANTIATE

}  // namespace glug
