#include "output/frame_copy.h"

#include <algorithm>
#include <cstring>

#include "core/for_each.h"
#include "output/preview_traced.h"

namespace glug {
namespace {

// The values of the listed blocks, ghosts beside them included; the view then looks at the copy.
template <int D, class T>
void copy_listed(const Exec& exec, const BlocksView<D>& blocks, View<D, const T>& view, Field<D, T>& copy) {
  if (!view.data) return;
  copy = Field<D, T>(view.range);
  const View<D, const T> from = view;
  const View<D, T> to = copy.view();
  for_each_block(exec, blocks, [=](std::int32_t slot) {
    Range<D> r = blocks.indices(slot);
    for (int a = 0; a < D; ++a) {
      if (r.lo[a] == 0) r.lo[a] = from.range.lo[a];
      if (r.hi[a] >= blocks.grid.cells[a]) r.hi[a] = from.range.hi[a];
    }
    r = intersection(r, from.range);
    const int width = r.extent(0);
    if (width <= 0) return;
    r.hi[0] = r.lo[0] + 1;
    visit(r, [&](const Index<D>& first) {
      std::memcpy(&to(first), &from(first), static_cast<std::size_t>(width) * sizeof(T));
    });
  });
  view = copy.read();
}

// All of it: of air every cell is known.
template <int D, class T>
void copy_whole(const Exec& exec, View<D, const T>& view, Field<D, T>& copy) {
  if (!view.data) return;
  copy = Field<D, T>(view.range);
  const View<D, const T> from = view;
  const View<D, T> to = copy.view();
  for_each(exec, view.range, [=](const Index<D>& i) { to(i) = from(i); });
  view = copy.read();
}

// All that a picture in space shows of particles.
void keep_droplets(FrameData<3>& data, bool draws) {
  Frame<3>& f = data.frame;
  const std::vector<Vec<3, float>> droplets = draws ? droplets_of(f) : std::vector<Vec<3, float>>();
  data.positions = Buffer<Vec<3, float>>(droplets.size());
  std::copy(droplets.begin(), droplets.end(), data.positions.begin());
  data.velocities = {};
  f.particle_count = static_cast<std::int64_t>(droplets.size());
  f.positions = data.positions.data();
  f.velocities = nullptr;
}

}  // namespace

template <int D>
FrameCopy<D> copy_of_frame(const Exec& exec, FrameData<D> data, const Blocks<D>& blocks,
                           const OutputOptions& output) {
  FrameCopy<D> copy;
  copy.data = std::move(data);
  copy.blocks = blocks;
  Frame<D>& f = copy.data.frame;
  f.blocks = copy.blocks.view();
  const bool draws = output.preview != PreviewFormat::off, has_volume = !output.volume.none();
  const bool shows = draws || has_volume || !output.surface.none();
  const auto keep = [&](bool needed, auto& view, auto& field) {
    if (needed)
      copy_listed<D>(exec, f.blocks, view, field);
    else
      view = {};
  };
  keep(shows, f.phi, copy.phi);
  keep(shows, f.solid, copy.solid);
  // Pictures in space show no velocities.
  const bool moves = has_volume || !output.surface.none() || (draws && D == 2);
  for (int a = 0; a < D; ++a) keep(moves, f.velocity.axis[a], copy.velocity[a]);
  keep(has_volume, f.pressure, copy.pressure);
  keep(draws, f.tile, copy.tile);
  for (std::size_t k = 0; k < f.stream.size(); ++k)
    if (draws && output.shade == Shade::stream_function)
      copy_whole<D>(exec, f.stream[k], copy.stream[k]);
    else
      f.stream[k] = {};
  keep(true, f.density, copy.density);
  keep(true, f.temperature, copy.temperature);
  // Of bubbles only flat pictures tell.
  if (draws && D == 2)
    copy_whole<D>(exec, f.air, copy.air);
  else
    f.air = {};
  if (output.particles.none()) {
    f.ids = nullptr;
    if constexpr (D == 3)
      if (!f.is_smoke()) keep_droplets(copy.data, draws);
  } else {
    copy.ids = Buffer<std::uint32_t>(static_cast<std::size_t>(f.particle_count));
    if (f.particle_count > 0) std::memcpy(copy.ids.data(), f.ids, copy.ids.size() * sizeof(std::uint32_t));
    f.ids = copy.ids.data();
  }
  return copy;
}

template FrameCopy<2> copy_of_frame<2>(const Exec&, FrameData<2>, const Blocks<2>&, const OutputOptions&);
template FrameCopy<3> copy_of_frame<3>(const Exec&, FrameData<3>, const Blocks<3>&, const OutputOptions&);

}  // namespace glug
