#include "output/vdb.h"

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/sample_tile.h"
#include "geometry/volume.h"

#ifdef GLUG_HAVE_OPENVDB
#include <openvdb/tools/Prune.h>

#include <limits>

#include "output/vdb_leaves.h"
#endif

namespace glug {

#ifdef GLUG_HAVE_OPENVDB

bool have_openvdb() { return true; }

namespace {

constexpr int band_cells = 3;  // half width of the narrow band, the width most tools expect

using Floats = openvdb::FloatGrid;
using Vectors = openvdb::Vec3SGrid;

Floats::Ptr float_grid(const char* name, double time, const openvdb::math::Transform::Ptr& transform,
                       openvdb::GridClass kind, float background) {
  auto grid = new_grid<Floats>(name, time, transform);
  grid->setGridClass(kind);
  grid->tree().root().setBackground(background, false);
  return grid;
}

template <int D>
Floats::Ptr cell_grid(const Frame<D>& frame, const char* name, openvdb::GridClass kind, float background) {
  return float_grid(name, frame.time, cell_transform<D>(frame.up_axis, frame.grid.h), kind, background);
}

// The samples of the listed blocks, by leaves, and of a band around the domain.
template <int D>
std::vector<Range<D>> boxes_of_samples(const Frame<D>& frame, const LiquidSamples<D>& liquid) {
  std::vector<Range<D>> boxes;
  const Range<D> domain = liquid.sample_grid().cell_range();
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot) {
    const Range<D> cells = intersection(frame.blocks.indices(slot), frame.grid.cell_range());
    if (cells.size() == 0) continue;
    Range<D> r{cells.lo * liquid.parts, cells.hi * liquid.parts};
    for (int a = 0; a < D; ++a) {
      if (r.lo[a] == domain.lo[a]) r.lo[a] -= band_cells;
      if (r.hi[a] == domain.hi[a]) r.hi[a] += band_cells;
    }
    visit_leaf_boxes(r, [&](const Range<D>& box) { boxes.push_back(box); });
  }
  return boxes;
}

// The block of samples that holds a leaf's.
template <int D>
Range<D> block_of_samples(const Range<D>& box) {
  Range<D> own;
  for (int a = 0; a < D; ++a) {
    own.lo[a] = ((box.lo[a] + block_edge<D>) / block_edge<D> - 1) * block_edge<D>;  // may be negative
    own.hi[a] = own.lo[a] + block_edge<D>;
  }
  return own;
}

template <int D>
Floats::Ptr surface_grid(const Exec& exec, const Frame<D>& frame, const LiquidSamples<D>& liquid) {
  const Grid<D> voxels = liquid.sample_grid();
  const float background = band_cells * static_cast<float>(voxels.h);
  auto grid = float_grid("surface", frame.time, cell_transform<D>(frame.up_axis, voxels.h),
                         openvdb::GRID_LEVEL_SET, background);
  const Range<D> deep_in_domain = voxels.cell_range().grown(-band_cells);
  fill_leaves<D>(exec, frame.up_axis, boxes_of_samples(frame, liquid), *grid,
                 [=](const Range<D>& box, LeafDraft<D, Floats>& draft) {
                   const SampleExtremes known = sample_extremes<D>(liquid, box);
                   if (known.lowest >= background) return;
                   if (known.all_known && known.highest <= -background && known.nearest >= background &&
                       intersection(box, deep_in_domain).size() == box.size())
                     return draft.fill_off(-background);
                   SampleTile<D> tile;
                   const Range<D> own = block_of_samples(box);
                   load_samples<D>(liquid, own, tile);
                   visit(box, [&](const Index<D>& i) {
                     const float value = tile.phi[SampleTile<D>::at(i - own.lo)];
                     if (value >= background) return;
                     if (value <= -background)
                       draft.set_off(i, -background);
                     else
                       draft.set_on(i, value);
                   });
                 });
  openvdb::tools::pruneLevelSet(grid->tree());
  return grid;
}

// With z up, what was across z is across -y: the low face of a cell becomes its high one, in another voxel.
template <int D>
void set_turned_faces(const Frame<D>& frame, const Index<D>& i, Vectors::Accessor& accessor) {
  for (int a = 0; a < D; ++a) {
    if (!frame.grid.face_range(a).contains(i)) continue;
    const openvdb::Coord v = voxel<D>(UpAxis::z, a == 2 ? i - Index<D>::unit(a) : i);
    openvdb::Vec3s u = accessor.getValue(v);
    u[a == 0 ? 0 : 3 - a] = a == 2 ? -frame.velocity[a](i) : frame.velocity[a](i);
    accessor.setValueOn(v, u);
  }
}

// Velocity on the faces: component a of voxel i is on the low face of cell i, as staggered grids have it. In
// the liquid, down to this depth (m), and a little beyond.
template <int D>
Vectors::Ptr velocity_grid(const Exec& exec, const Frame<D>& frame, float depth) {
  auto grid = new_grid<Vectors>("vel", frame.time, cell_transform<D>(frame.up_axis, frame.grid.h));
  grid->setGridClass(openvdb::GRID_STAGGERED);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  const float reach = band_cells * static_cast<float>(frame.grid.h);
  const Frame<D>* given = &frame;
  // f(i) for the faces of a box that are wanted: those of cells near the surface.
  const auto visit_wanted = [=](const Range<D>& box, auto&& f) {
    constexpr int width = leaf_edge + 1;
    bool near[power(width, D)] = {};
    const auto at = [&](const Index<D>& i) {
      int n = 0;
      for (int a = D - 1; a >= 0; --a) n = n * width + i[a] - box.lo[a] + 1;
      return n;
    };
    bool any = false;
    visit(Range<D>{box.lo - Index<D>::filled(1), box.hi}, [&](const Index<D>& i) {
      const float phi = given->phi_at(i);
      near[at(i)] = phi < reach && phi > -depth;
      any |= near[at(i)];
    });
    if (!any) return;
    visit(box, [&](const Index<D>& i) {
      bool wanted = near[at(i)];
      for (int a = 0; a < D; ++a) wanted |= near[at(i - Index<D>::unit(a))];
      if (wanted) f(i);
    });
  };
  const std::vector<Range<D>> boxes = leaf_boxes(frame.blocks, frame.grid.node_range());
  if (frame.up_axis == UpAxis::z) {
    auto accessor = grid->getAccessor();
    for (const Range<D>& box : boxes)
      visit_wanted(box, [&](const Index<D>& i) { set_turned_faces(frame, i, accessor); });
    return grid;
  }
  fill_leaves<D>(exec, UpAxis::y, boxes, *grid, [=](const Range<D>& box, LeafDraft<D, Vectors>& draft) {
    visit_wanted(box, [&](const Index<D>& i) {
      openvdb::Vec3s u(0);
      for (int a = 0; a < D; ++a)
        if (given->grid.face_range(a).contains(i)) u[a] = given->velocity[a](i);
      draft.set_on(i, u);
    });
  });
  return grid;
}

template <int D>
Floats::Ptr pressure_grid(const Exec& exec, const Frame<D>& frame) {
  auto grid = cell_grid(frame, "pressure", openvdb::GRID_UNKNOWN, 0);
  const View<D, const float> phi = frame.phi;
  const View<D, const double> pressure = frame.pressure;
  fill_leaves<D>(exec, frame.up_axis, leaf_boxes(frame.blocks, frame.grid.cell_range()), *grid,
                 [=](const Range<D>& box, LeafDraft<D, Floats>& draft) {
                   visit(box, [&](const Index<D>& i) {
                     if (phi(i) < 0) draft.set_on(i, static_cast<float>(pressure(i)));
                   });
                 });
  return grid;
}

// The share of each cell that is liquid, as fog: what liquid_volume in stats.csv adds up.
template <int D>
Floats::Ptr density_grid(const Exec& exec, const Frame<D>& frame) {
  auto grid = cell_grid(frame, "density", openvdb::GRID_FOG_VOLUME, 0);
  const Frame<D>* f = &frame;
  fill_leaves<D>(exec, frame.up_axis, leaf_boxes(frame.blocks, frame.grid.cell_range()), *grid,
                 [=](const Range<D>& box, LeafDraft<D, Floats>& draft) {
                   visit(box, [&](const Index<D>& i) {
                     const double share = cell_liquid_fraction<D>(f->blocks, f->grid, f->phi, f->solid, i);
                     if (share > 0) draft.set_on(i, static_cast<float>(share));
                   });
                 });
  grid->tree().prune();
  return grid;
}

// Solids and walls near the liquid.
template <int D>
Floats::Ptr solid_grid(const Exec& exec, const Frame<D>& frame, const LiquidSamples<D>& cells) {
  const float background = band_cells * static_cast<float>(frame.grid.h);
  auto grid = cell_grid(frame, "solid", openvdb::GRID_LEVEL_SET, background);
  fill_leaves<D>(exec, frame.up_axis, leaf_boxes(frame.blocks, frame.grid.cell_range()), *grid,
                 [=](const Range<D>& box, LeafDraft<D, Floats>& draft) {
                   visit(box, [&](const Index<D>& i) {
                     const float distance = cells(i).solid;
                     if (distance >= background) return;
                     if (distance <= -background)
                       draft.set_off(i, -background);
                     else
                       draft.set_on(i, distance);
                   });
                 });
  openvdb::tools::pruneLevelSet(grid->tree());
  return grid;
}

template <int D>
Floats::Ptr smoke_grid(const Exec& exec, const Frame<D>& frame, const char* name,
                       View<D, const float> field) {
  auto grid = cell_grid(frame, name, openvdb::GRID_FOG_VOLUME, 0);
  std::vector<Range<D>> boxes;
  visit_leaf_boxes(frame.grid.cell_range(), [&](const Range<D>& box) { boxes.push_back(box); });
  const View<D, const float> solid = frame.solid;
  const double h = frame.grid.h;
  fill_leaves<D>(exec, frame.up_axis, boxes, *grid, [=](const Range<D>& box, LeafDraft<D, Floats>& draft) {
    visit(box, [&](const Index<D>& i) {
      if (field(i) != 0 && cell_open_fraction<D>(solid, h, i) > 0) draft.set_on(i, field(i));
    });
  });
  return grid;
}

}  // namespace

template <int D>
void write_surface_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                       const std::filesystem::path& path) {
  const auto level_set = surface.level_set(exec);
  const float reach = band_cells * static_cast<float>(frame.grid.h);
  with_openvdb(exec, [&] {
    write_grids(frame, {surface_grid(exec, frame, level_set), velocity_grid(exec, frame, reach)}, path);
  });
}

template <int D>
void write_volume_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                      const std::filesystem::path& path) {
  const auto level_set = surface.level_set(exec);
  with_openvdb(exec, [&] {
    write_grids(
        frame,
        {surface_grid(exec, frame, level_set),
         velocity_grid(exec, frame, std::numeric_limits<float>::infinity()), pressure_grid(exec, frame),
         density_grid(exec, frame), solid_grid(exec, frame, surface.of_cells())},
        path);
  });
}

template <int D>
void write_smoke_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  with_openvdb(exec, [&] {
    write_grids(
        frame,
        {smoke_grid<D>(exec, frame, "density", frame.density),
         smoke_grid<D>(exec, frame, "temperature", frame.temperature),
         velocity_grid(exec, frame, std::numeric_limits<float>::infinity()), pressure_grid(exec, frame)},
        path);
  });
}

#else

bool have_openvdb() { return false; }

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) {
  throw InputError(
      fmt::format("{}: .vdb files need OpenVDB, which this build was made without; install it (Debian: "
                  "libopenvdb-dev) and build again, or choose ply or vti",
                  path.string()));
}

}  // namespace

template <int D>
void write_surface_vdb(const Exec&, const Frame<D>&, const ShownSurface<D>&,
                       const std::filesystem::path& path) {
  refuse(path);
}
template <int D>
void write_volume_vdb(const Exec&, const Frame<D>&, const ShownSurface<D>&,
                      const std::filesystem::path& path) {
  refuse(path);
}
template <int D>
void write_particles_vdb(const Exec&, const Frame<D>&, const std::filesystem::path& path) {
  refuse(path);
}
template <int D>
void write_smoke_vdb(const Exec&, const Frame<D>&, const std::filesystem::path& path) {
  refuse(path);
}
template void write_particles_vdb<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_vdb<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

#endif

template void write_surface_vdb<2>(const Exec&, const Frame<2>&, const ShownSurface<2>&,
                                   const std::filesystem::path&);
template void write_surface_vdb<3>(const Exec&, const Frame<3>&, const ShownSurface<3>&,
                                   const std::filesystem::path&);
template void write_volume_vdb<2>(const Exec&, const Frame<2>&, const ShownSurface<2>&,
                                  const std::filesystem::path&);
template void write_volume_vdb<3>(const Exec&, const Frame<3>&, const ShownSurface<3>&,
                                  const std::filesystem::path&);
template void write_smoke_vdb<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_smoke_vdb<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug
