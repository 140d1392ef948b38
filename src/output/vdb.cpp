#include "output/vdb.h"

#include <fmt/format.h>

#include "core/buffer.h"
#include "core/error.h"
#include "geometry/sample_tile.h"
#include "geometry/volume.h"
#include "output/atomic_file.h"
#include "output/up_axis.h"

#ifdef GLUG_HAVE_OPENVDB
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/Prune.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <span>
#include <streambuf>
#endif

namespace glug {

#ifdef GLUG_HAVE_OPENVDB

bool have_openvdb() { return true; }

namespace {

constexpr int band_cells = 3;  // half width of the narrow band, the width most tools expect

// Every .vdb file has a tag of its own, by which readers know that it changed: 36 characters, after two magic
// numbers, the library's version and a byte. OpenVDB draws it at random; ours follows from all other bytes,
// so that the same frame is the same file.
constexpr std::uint64_t tag_begin = 21, tag_end = tag_begin + 36;

// A stream that writes through an AtomicFile, so that a full disk is noticed where it happens.
class AtomicStream : public std::streambuf {
 public:
  explicit AtomicStream(AtomicFile& file) : file_(file) {}

  // The tag that belongs to what was written.
  std::string tag() const {
    const std::uint64_t a = sum_, b = (sum_ ^ (sum_ >> 29)) * 0xbf58476d1ce4e5b9u;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xffff, a & 0xffff,
                       b >> 48, b & 0xffffffffffff);
  }

 protected:
  int_type overflow(int_type c) override {
    const char byte = traits_type::to_char_type(c);
    write(&byte, 1);
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* data, std::streamsize bytes) override {
    write(data, static_cast<std::size_t>(bytes));
    return bytes;
  }
  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const auto here = static_cast<off_type>(file_.position());
    end_ = std::max(end_, here);
    const off_type base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? here : end_;
    if (base + offset != here) file_.seek(static_cast<std::uint64_t>(base + offset));
    return base + offset;
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(position, std::ios_base::beg, which);
  }

 private:
  void write(const char* data, std::size_t bytes) {
    const std::uint64_t begin = file_.position();
    for (std::size_t n = 0; n < bytes; ++n)
      if (begin + n < tag_begin || begin + n >= tag_end)
        sum_ = (sum_ ^ static_cast<unsigned char>(data[n])) * 0x100000001b3u;  // FNV-1a
    file_.write(data, bytes);
  }

  AtomicFile& file_;
  off_type end_ = 0;
  std::uint64_t sum_ = 0xcbf29ce484222325u;
};

// io::File opens its files itself and does not look whether the bytes arrive; its base class writes to any
// stream.
struct Archive : openvdb::io::Archive {
  using openvdb::io::Archive::write;
};

// The compressor does not look whether it got the memory it asks for. It is asked for here, and given back.
constexpr std::size_t compressor_bytes = std::size_t{16} << 20;

// What a reader may want to know of the file, whatever grids it takes.
template <int D>
openvdb::MetaMap metadata_of(const Frame<D>& frame) {
  openvdb::MetaMap map;
  map.insertMeta("creator", openvdb::StringMetadata("Glug"));
  map.insertMeta("scene", openvdb::StringMetadata(frame.title));
  map.insertMeta("units", openvdb::StringMetadata("m, s, kg"));
  map.insertMeta("up_axis", openvdb::StringMetadata(name_of(frame.up_axis)));
  map.insertMeta("frame", openvdb::Int32Metadata(frame.number));
  map.insertMeta("time", openvdb::DoubleMetadata(frame.time));
  map.insertMeta("fps", openvdb::DoubleMetadata(frame.fps));
  return map;
}

template <int D>
void write_grids(const Frame<D>& frame, const openvdb::GridPtrVec& grids, const std::filesystem::path& path) {
  if (frame.vdb_floats == VdbFloats::half)
    for (const openvdb::GridBase::Ptr& grid : grids) grid->setSaveFloatAsHalf(true);
  (void)Buffer<char>(compressor_bytes);
  AtomicFile file(path);
  AtomicStream buffer(file);
  std::ostream stream(&buffer);
  stream.exceptions(std::ios_base::badbit | std::ios_base::failbit);
  Archive archive;
  archive.write(stream, grids, /*seekable=*/true, metadata_of(frame));
  file.seek(tag_begin);
  file.write(buffer.tag());
  file.commit();
}

// The voxel of a cell. With z up, cells are turned as points are; voxels stay aligned with the axes.
template <int D>
openvdb::Coord voxel(UpAxis up, const Index<D>& i) {
  const int depth = D == 3 ? i[D - 1] : 0;
  if (up == UpAxis::y) return {i[0], i[1], depth};
  return {i[0], D == 3 ? -1 - depth : 0, i[1]};
}

// Index coordinates to metres: voxel i is cell i, its centre (i + 1/2) h. The one layer of a 2D frame lies in
// the plane z = 0 of the simulation.
template <int D>
openvdb::math::Transform::Ptr cell_transform(UpAxis up, double h) {
  auto transform = openvdb::math::Transform::createLinearTransform(h);
  openvdb::Vec3d half(0.5 * h);
  if (D == 2) half[up == UpAxis::y ? 2 : 1] = 0;
  transform->postTranslate(half);
  return transform;
}

// The voxels of a box of cells.
template <int D>
openvdb::CoordBBox voxels_of(UpAxis up, const Range<D>& cells) {
  const openvdb::Coord a = voxel<D>(up, cells.lo), b = voxel<D>(up, cells.hi - Index<D>::filled(1));
  return {openvdb::Coord::minComponent(a, b), openvdb::Coord::maxComponent(a, b)};
}

template <class GridType>
void describe(GridType& grid, const char* name, double time) {
  grid.setName(name);
  grid.insertMeta("time", openvdb::DoubleMetadata(time));
  grid.insertMeta("creator", openvdb::StringMetadata("Glug"));
}

// Whether every sample of a block of cells lies deeper than `depth` in the liquid.
template <int D>
bool is_deep(const LiquidSamples<D>& liquid, const Range<D>& cells, float depth) {
  const auto deep_at = [&](const Index<D>& i) {
    return liquid.grid.cell_range().contains(i) && liquid.blocks.slot_of_cell(i) >= 0 &&
           liquid.phi(i) - liquid.lift < -depth && liquid.solid(i) > depth;
  };
  // Most blocks that are not show it at a corner.
  if (!deep_at(cells.lo) || !deep_at(cells.hi - Index<D>::filled(1))) return false;
  bool deep = true;
  visit(cells.grown(band_cells), [&](const Index<D>& i) { deep = deep && deep_at(i); });
  return deep;
}

template <int D>
openvdb::FloatGrid::Ptr surface_grid(const Frame<D>& frame, const LiquidSamples<D>& liquid) {
  const Grid<D> voxels = liquid.sample_grid();
  const float background = band_cells * static_cast<float>(voxels.h);
  auto grid = openvdb::FloatGrid::create(background);
  describe(*grid, "surface", frame.time);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(cell_transform<D>(frame.up_axis, voxels.h));
  auto accessor = grid->getAccessor();
  const Range<D> domain = voxels.cell_range();
  SampleTile<D> tile;
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot) {
    const Range<D> cells = intersection(frame.blocks.indices(slot), frame.grid.cell_range());
    if (cells.size() == 0) continue;
    Range<D> r{cells.lo * liquid.parts, cells.hi * liquid.parts};
    if (is_deep(liquid, cells, background)) {
      grid->tree().fill(voxels_of<D>(frame.up_axis, r), -background, false);
      continue;
    }
    for (int a = 0; a < D; ++a) {
      if (r.lo[a] == domain.lo[a]) r.lo[a] -= band_cells;
      if (r.hi[a] == domain.hi[a]) r.hi[a] += band_cells;
    }
    // Of each block of samples that it meets.
    Range<D> blocks;
    for (int a = 0; a < D; ++a) {
      blocks.lo[a] = (r.lo[a] + block_edge<D>) / block_edge<D> - 1;  // r.lo may be negative
      blocks.hi[a] = (r.hi[a] - 1) / block_edge<D> + 1;
    }
    visit(blocks, [&](const Index<D>& b) {
      const Range<D> own{b * block_edge<D>, (b + Index<D>::filled(1)) * block_edge<D>};
      load_samples<D>(liquid, own, tile);
      visit(intersection(own, r), [&](const Index<D>& i) {
        const float value = tile.phi[SampleTile<D>::at(i - own.lo)];
        if (value >= background) return;
        if (value <= -background)
          accessor.setValueOff(voxel<D>(frame.up_axis, i), -background);
        else
          accessor.setValueOn(voxel<D>(frame.up_axis, i), value);
      });
    });
  }
  openvdb::tools::pruneLevelSet(grid->tree());
  return grid;
}

// Velocity on the faces: component a of voxel i is on the low face of cell i, as staggered grids have it. In
// the liquid, down to this depth (m), and a little beyond.
template <int D>
openvdb::Vec3SGrid::Ptr velocity_grid(const Frame<D>& frame, float depth) {
  auto grid = openvdb::Vec3SGrid::create(openvdb::Vec3s(0));
  describe(*grid, "vel", frame.time);
  grid->setGridClass(openvdb::GRID_STAGGERED);
  grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
  grid->setTransform(cell_transform<D>(frame.up_axis, frame.grid.h));
  auto accessor = grid->getAccessor();
  const float reach = band_cells * static_cast<float>(frame.grid.h);
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot) {
    visit(intersection(frame.blocks.indices(slot), frame.grid.node_range()), [&](const Index<D>& i) {
      const auto near_surface = [&](const Index<D>& cell) {
        const float phi = frame.phi_at(cell);
        return phi < reach && phi > -depth;
      };
      bool wanted = near_surface(i);
      for (int a = 0; a < D; ++a) wanted |= near_surface(i - Index<D>::unit(a));
      if (!wanted) return;
      if (frame.up_axis == UpAxis::z) {
        // What was across z is across -y there: the low face of a cell becomes its high one.
        for (int a = 0; a < D; ++a) {
          if (!frame.grid.face_range(a).contains(i)) continue;
          const openvdb::Coord v = voxel<D>(UpAxis::z, a == 2 ? i - Index<D>::unit(a) : i);
          openvdb::Vec3s u = accessor.getValue(v);
          u[a == 0 ? 0 : 3 - a] = a == 2 ? -frame.velocity[a](i) : frame.velocity[a](i);
          accessor.setValueOn(v, u);
        }
        return;
      }
      openvdb::Vec3s u(0);
      for (int a = 0; a < D; ++a)
        if (frame.grid.face_range(a).contains(i)) u[a] = frame.velocity[a](i);
      accessor.setValueOn(voxel<D>(UpAxis::y, i), u);
    });
  }
  return grid;
}

template <int D>
openvdb::FloatGrid::Ptr pressure_grid(const Frame<D>& frame) {
  auto grid = openvdb::FloatGrid::create(0.0f);
  describe(*grid, "pressure", frame.time);
  grid->setTransform(cell_transform<D>(frame.up_axis, frame.grid.h));
  auto accessor = grid->getAccessor();
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot)
    visit(intersection(frame.blocks.indices(slot), frame.grid.cell_range()), [&](const Index<D>& i) {
      if (frame.phi(i) < 0)
        accessor.setValueOn(voxel<D>(frame.up_axis, i), static_cast<float>(frame.pressure(i)));
    });
  return grid;
}

// The share of each cell that is liquid, as fog: what liquid_volume in stats.csv adds up.
template <int D>
openvdb::FloatGrid::Ptr density_grid(const Frame<D>& frame) {
  auto grid = openvdb::FloatGrid::create(0.0f);
  describe(*grid, "density", frame.time);
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  grid->setTransform(cell_transform<D>(frame.up_axis, frame.grid.h));
  auto accessor = grid->getAccessor();
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot)
    visit(intersection(frame.blocks.indices(slot), frame.grid.cell_range()), [&](const Index<D>& i) {
      const double share = cell_liquid_fraction<D>(frame.blocks, frame.grid, frame.phi, frame.solid, i);
      if (share > 0) accessor.setValueOn(voxel<D>(frame.up_axis, i), static_cast<float>(share));
    });
  grid->tree().prune();
  return grid;
}

// Solids and walls near the liquid.
template <int D>
openvdb::FloatGrid::Ptr solid_grid(const Frame<D>& frame, const LiquidSamples<D>& cells) {
  const float background = band_cells * static_cast<float>(frame.grid.h);
  auto grid = openvdb::FloatGrid::create(background);
  describe(*grid, "solid", frame.time);
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(cell_transform<D>(frame.up_axis, frame.grid.h));
  auto accessor = grid->getAccessor();
  for (std::int32_t slot = 0; slot < frame.blocks.count; ++slot)
    visit(intersection(frame.blocks.indices(slot), frame.grid.cell_range()), [&](const Index<D>& i) {
      const float distance = cells(i).solid;
      if (distance >= background) return;
      if (distance <= -background)
        accessor.setValueOff(voxel<D>(frame.up_axis, i), -background);
      else
        accessor.setValueOn(voxel<D>(frame.up_axis, i), distance);
    });
  openvdb::tools::pruneLevelSet(grid->tree());
  return grid;
}

template <int D>
openvdb::FloatGrid::Ptr smoke_grid(const Frame<D>& frame, const char* name, View<D, const float> field) {
  auto grid = openvdb::FloatGrid::create(0.0f);
  describe(*grid, name, frame.time);
  grid->setGridClass(openvdb::GRID_FOG_VOLUME);
  grid->setTransform(cell_transform<D>(frame.up_axis, frame.grid.h));
  auto accessor = grid->getAccessor();
  visit(frame.grid.cell_range(), [&](const Index<D>& i) {
    if (field(i) != 0 && cell_open_fraction<D>(frame.solid, frame.grid.h, i) > 0)
      accessor.setValueOn(voxel<D>(frame.up_axis, i), field(i));
  });
  return grid;
}

// Particle values as OpenVDB's point tools ask for them, without a copy. Not by dimension: what the tools
// make of a type is much to compile.
struct VectorList {
  using PosType = openvdb::Vec3s;
  using ValueType = openvdb::Vec3s;
  using value_type = ValueType;
  const float* values;
  std::size_t count;
  int dimension;
  UpAxis up;
  std::size_t size() const { return count; }
  template <class V>
  void get(V& out, std::size_t n) const {
    Vec<3, float> v{};
    for (int a = 0; a < dimension; ++a)
      v[a] = values[n * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(a)];
    v = in_file<3>(up, v);
    for (int a = 0; a < 3; ++a) out[a] = v[a];
  }
  template <class V>
  void get(V& out, std::size_t n, openvdb::Index) const {
    get(out, n);
  }
  void getPos(std::size_t n, PosType& out) const { get(out, n); }
};
struct FloatList {
  using ValueType = float;
  using value_type = ValueType;
  const float* values;
  std::size_t count;
  std::size_t size() const { return count; }
  void get(ValueType& out, std::size_t n) const { out = values[n]; }
  void get(ValueType& out, std::size_t n, openvdb::Index) const { get(out, n); }
};
struct IdList {
  using ValueType = std::int32_t;
  using value_type = ValueType;
  const std::uint32_t* values;
  std::size_t count;
  std::size_t size() const { return count; }
  void get(ValueType& out, std::size_t n) const { out = static_cast<std::int32_t>(values[n]); }
  void get(ValueType& out, std::size_t n, openvdb::Index) const { get(out, n); }
};

openvdb::points::PointDataGrid::Ptr points_grid(const openvdb::math::Transform& transform,
                                                const VectorList& positions, const VectorList& velocities,
                                                const std::uint32_t* ids,
                                                std::span<const FrameAttribute> attributes) {
  namespace vp = openvdb::points;
  using Indices = openvdb::tools::PointIndexTree;
  const std::size_t count = positions.count;
  const auto index =
      openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(positions, transform);
  auto grid = vp::createPointDataGrid<vp::NullCodec, vp::PointDataGrid>(*index, positions, transform);
  auto& tree = grid->tree();
  if (count == 0) return grid;
  vp::appendAttribute(tree, "id", vp::TypedAttributeArray<std::int32_t>::attributeType());
  vp::populateAttribute<vp::PointDataTree, Indices, IdList>(tree, index->tree(), "id", IdList{ids, count});
  vp::appendAttribute(tree, "v", vp::TypedAttributeArray<openvdb::Vec3s>::attributeType());
  vp::populateAttribute<vp::PointDataTree, Indices, VectorList>(tree, index->tree(), "v", velocities);
  for (const FrameAttribute& attribute : attributes) {
    vp::appendAttribute(tree, attribute.name, vp::TypedAttributeArray<float>::attributeType());
    vp::populateAttribute<vp::PointDataTree, Indices, FloatList>(tree, index->tree(), attribute.name,
                                                                 FloatList{attribute.values, count});
  }
  return grid;
}

template <int D>
openvdb::GridBase::Ptr particles_grid(const Frame<D>& frame) {
  const auto list = [&](const Vec<D, float>* values) {
    return VectorList{values ? values->v : nullptr, static_cast<std::size_t>(frame.particle_count), D,
                      frame.up_axis};
  };
  const auto transform = cell_transform<D>(frame.up_axis, frame.grid.h);
  auto grid =
      points_grid(*transform, list(frame.positions), list(frame.velocities), frame.ids, frame.attributes);
  describe(*grid, "points", frame.time);
  return grid;
}

// OpenVDB runs on threads of its own; it may use as many as we may. An arena starts none for a single one,
// and takes nothing back at its end: both failed, and ended the program, where memory had run out.
template <class F>
void with_threads(const Exec& exec, F&& f) {
  openvdb::initialize();
  const int most = tbb::this_task_arena::max_concurrency();
  tbb::task_arena(std::clamp(exec.threads, 1, std::max(1, most))).execute(f);
}

}  // namespace

template <int D>
void write_surface_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                       const std::filesystem::path& path) {
  const auto level_set = surface.level_set(exec);
  with_threads(exec, [&] {
    write_grids(
        frame,
        {surface_grid(frame, level_set), velocity_grid(frame, band_cells * static_cast<float>(frame.grid.h))},
        path);
  });
}

template <int D>
void write_volume_vdb(const Exec& exec, const Frame<D>& frame, const ShownSurface<D>& surface,
                      const std::filesystem::path& path) {
  const auto level_set = surface.level_set(exec);
  with_threads(exec, [&] {
    const LiquidSamples<D> cells = surface.of_cells();
    write_grids(frame,
                {surface_grid(frame, level_set), velocity_grid(frame, std::numeric_limits<float>::infinity()),
                 pressure_grid(frame), density_grid(frame), solid_grid(frame, cells)},
                path);
  });
}

template <int D>
void write_smoke_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  with_threads(exec, [&] {
    write_grids(frame,
                {smoke_grid<D>(frame, "density", frame.density),
                 smoke_grid<D>(frame, "temperature", frame.temperature),
                 velocity_grid(frame, std::numeric_limits<float>::infinity()), pressure_grid(frame)},
                path);
  });
}

template <int D>
void write_particles_vdb(const Exec& exec, const Frame<D>& frame, const std::filesystem::path& path) {
  with_threads(exec, [&] { write_grids(frame, {particles_grid(frame)}, path); });
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
template void write_particles_vdb<2>(const Exec&, const Frame<2>&, const std::filesystem::path&);
template void write_particles_vdb<3>(const Exec&, const Frame<3>&, const std::filesystem::path&);

}  // namespace glug
