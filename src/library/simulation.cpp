// The Simulation of glug.h: a State of two or three dimensions behind one face.
#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "core/for_each.h"
#include "library/glug.h"
#include "library/library_scene.h"
#include "output/checkpoint.h"
#include "output/frame_files.h"
#include "output/frame_of_state.h"
#include "output/particle_attributes.h"
#include "output/save_state.h"
#include "output/solid_files.h"
#include "output/this_machine.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "scene/remarks.h"
#include "scene/suggest.h"
#include "simulation/advance.h"
#include "simulation/solids.h"

namespace glug {

struct Simulation::Impl {
  Impl(Scene s, const SimulationOptions& options)
      : scene(std::move(s)),
        exec{options.threads > 0 ? options.threads
                                 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))},
        remarks(scene_remarks(scene)) {}
  virtual ~Impl() = default;
  virtual void load(const std::filesystem::path& checkpoint) = 0;
  virtual StepReport advance_state() = 0;
  virtual StepReport describe_state() const = 0;
  virtual int frame() const = 0;
  virtual double time() const = 0;
  virtual std::vector<int> cells() const = 0;
  virtual Array positions() = 0;
  virtual Array velocities() = 0;
  virtual Array ids() const = 0;
  virtual std::vector<std::string> field_names() const = 0;
  virtual Array field(const std::string& name) const = 0;
  virtual Array known() const = 0;
  virtual std::vector<BubbleInfo> bubbles() const = 0;
  virtual std::vector<BodyInfo> bodies() const = 0;
  virtual std::vector<ProbeInfo> probes() const = 0;
  virtual void save(const std::filesystem::path& checkpoint) const = 0;
  virtual void write_frame(const std::filesystem::path& folder) = 0;

  Scene scene;
  Exec exec;
  std::vector<std::string> remarks;
  Report last;
  std::string failure;  // why there is nothing more to simulate; empty = there is
};

namespace {

template <class T>
constexpr ElementType type_of();
template <>
constexpr ElementType type_of<float>() {
  return ElementType::float32;
}
template <>
constexpr ElementType type_of<double>() {
  return ElementType::float64;
}
template <>
constexpr ElementType type_of<std::uint32_t>() {
  return ElementType::uint32;
}
template <>
constexpr ElementType type_of<std::uint8_t>() {
  return ElementType::uint8;
}

// The part `range` of a view.
template <int D, class T>
Array array_of(View<D, const T> view, const Range<D>& range, std::shared_ptr<const void> owner) {
  Array array{type_of<T>(), &view(range.lo), {}, {}, std::move(owner)};
  for (int a = 0; a < D; ++a) {
    array.shape.push_back(range.extent(a));
    array.stride.push_back(view.stride[a] * static_cast<std::int64_t>(sizeof(T)));
  }
  return array;
}

// An array of what `owner` holds, which lives as long as the array does.
template <int D>
Array rows_of(const Buffer<Vec<D, float>>& rows, std::shared_ptr<const void> owner) {
  return {ElementType::float32,
          rows.data(),
          {static_cast<std::int64_t>(rows.size()), D},
          {static_cast<std::int64_t>(sizeof(Vec<D, float>)), static_cast<std::int64_t>(sizeof(float))},
          std::move(owner)};
}

Report report_of(const StepReport& step) {
  Report report{step.step, step.frame, step.time, step.dt, step.frame_done, step.remark, {}};
  auto add = [&](const char* name, const auto& value, const OptionInfo&) {
    report.figures.emplace_back(name, static_cast<double>(value));
  };
  StepReport::columns(step, add);
  return report;
}

template <int D>
struct ImplOf : Simulation::Impl {
  ImplOf(Scene s, const SimulationOptions& options)
      : Impl(std::move(s), options),
        preview(preview_options(scene)),
        state(std::make_shared<State<D>>(initialise(exec, make_setup<D>(scene)))),
        gauges(make_probes(scene)) {
    if (need_origins(scene.output.particle_attributes)) origins.emplace(exec, *state);
  }

  void load(const std::filesystem::path& checkpoint) override {
    load_state(exec, checkpoint, *state);
    update_solids(exec, state->active.view(), *state);
    if (origins) origins->load(CheckpointReader(checkpoint), *state, checkpoint);
  }
  StepReport advance_state() override {
    shown.reset();
    const StepReport report = advance(exec, *state);
    if (origins) origins->follow(exec, *state);
    return report;
  }
  StepReport describe_state() const override {
    StepReport report;
    report.frame = state->frame;
    describe(exec, *state, report);
    return report;
  }
  int frame() const override { return state->frame; }
  double time() const override { return state->time; }
  std::vector<int> cells() const override {
    const Index<D>& n = state->setup.grid.cells;
    return std::vector<int>(n.v, n.v + D);
  }

  // Made once for a state, and given to all who ask.
  std::shared_ptr<const FrameData<D>> particles_in_metres() {
    if (!shown) shown = std::make_shared<const FrameData<D>>(frame_of(exec, *state));
    return shown;
  }
  Array positions() override {
    const std::shared_ptr<const FrameData<D>> now = particles_in_metres();
    return rows_of<D>(now->positions, now);
  }
  Array velocities() override {
    const std::shared_ptr<const FrameData<D>> now = particles_in_metres();
    return rows_of<D>(now->velocities, now);
  }
  Array ids() const override {
    // Sorting exchanges the arrays of particles and frees those that are too small: these numbers are copied.
    const std::size_t count = static_cast<std::size_t>(state->particles.count);
    auto copy = std::make_shared<std::vector<std::uint32_t>>(state->particles.arrays.id.begin(),
                                                             state->particles.arrays.id.begin() + count);
    return {ElementType::uint32, copy->data(), {static_cast<std::int64_t>(count)}, {4}, copy};
  }

  // f(name, array) for every field.
  template <class F>
  void visit_fields(F f) const {
    static constexpr const char* velocity_names[] = {"velocity_x", "velocity_y", "velocity_z"};
    const Grid<D>& grid = state->setup.grid;
    const Range<D> all = grid.cell_range();
    if (state->setup.has_smoke()) {
      f("density", array_of<D>(state->smoke.density.read(), all, state));
      f("temperature", array_of<D>(state->smoke.temperature.read(), all, state));
    } else {
      f("phi", array_of<D>(state->phi.read(), all, state));
    }
    f("pressure", array_of<D>(state->pressure.cells.read(), all, state));
    for (int a = 0; a < D; ++a)
      f(velocity_names[a], array_of<D>(state->velocity[a].read(), grid.face_range(a), state));
    f("solid", array_of<D>(state->solid.read(), grid.node_range(), state));
  }
  std::vector<std::string> field_names() const override {
    std::vector<std::string> names;
    visit_fields([&](const char* name, const Array&) { names.emplace_back(name); });
    return names;
  }
  Array field(const std::string& name) const override {
    Array found;
    visit_fields([&](const char* n, Array array) {
      if (name == n) found = std::move(array);
    });
    if (!found.data)
      throw InputError("there is no field \"" + name + "\"; there are " + quoted_list(field_names()));
    return found;
  }
  Array known() const override {
    auto field = std::make_shared<Field<D, std::uint8_t>>(state->setup.grid.cell_range());
    const BlocksView<D> blocks = state->active.view();
    const View<D, std::uint8_t> out = field->view();
    const Range<D> all = state->setup.grid.cell_range();
    for_each_block(exec, blocks, [=](std::int32_t slot) {
      visit(intersection(blocks.indices(slot), all), [&](const Index<D>& i) { out(i) = 1; });
    });
    return array_of<D>(field->read(), all, field);
  }

  std::vector<BubbleInfo> bubbles() const override {
    std::vector<BubbleInfo> list;
    for (const Bubble<D>& b : state->bubbles.list) {
      if (!(b.area > 0) && !b.ambient) continue;  // air that no liquid touches
      BubbleInfo info{b.id, b.volume, b.rest_volume, {}, b.pressure, b.ambient, b.free};
      for (int a = 0; a < D; ++a) info.center[static_cast<std::size_t>(a)] = b.center[a];
      list.push_back(info);
    }
    return list;
  }
  std::vector<BodyInfo> bodies() const override {
    std::vector<BodyInfo> list;
    for (std::size_t n = 0; n < state->solids.size(); ++n) {
      const SolidBody& body = state->solids[n];
      const Pose& p = body.pose;
      BodyInfo info;
      info.name = state->setup.solids[n].name;
      info.moves = body.moves();
      info.rigid = body.rigid;
      info.quaternion = quaternion_of(p.world_from_body);
      std::copy_n(p.position.v, 3, info.position.begin());
      std::copy_n(p.velocity.v, 3, info.velocity.begin());
      std::copy_n(p.angular_velocity.v, 3, info.spin.begin());
      list.push_back(std::move(info));
    }
    return list;
  }

  void save(const std::filesystem::path& checkpoint) const override {
    write_state(exec, *state, scene.source, {}, checkpoint, origins ? &*origins : nullptr);
  }
  void write_frame(const std::filesystem::path& folder) override {
    FrameData<D> data = frame_of(exec, *state);
    if (const auto& asked = scene.output.particle_attributes; !asked.none())
      add_attributes(exec, *state, asked, origins ? &*origins : nullptr, data);
    if (solids_in.insert(std::filesystem::absolute(folder).string()).second)
      write_solids(exec, data.frame, scene.output, folder);
    glug::write_frame(exec, data.frame, scene.output, preview, preview_scene, folder);
  }
  std::vector<ProbeInfo> probes() const override {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    const auto vector = [](const std::optional<Vec3>& v) -> std::array<double, 3> {
      if (!v) return {unknown, unknown, unknown};
      return {(*v)[0], (*v)[1], (*v)[2]};
    };
    std::vector<ProbeInfo> all;
    for (const Probe& probe : gauges) {
      const ProbeReading r = read_probe(exec, *state, probe);
      all.push_back({probe.name, r.pressure.value_or(unknown), r.level.value_or(unknown), vector(r.velocity),
                     vector(r.force), vector(r.torque)});
    }
    return all;
  }

  PreviewOptions preview;
  PreviewScene preview_scene;
  std::shared_ptr<State<D>> state;  // shared with the arrays that look into it
  std::vector<Probe> gauges;
  std::optional<ParticleOrigins<D>> origins;
  std::shared_ptr<const FrameData<D>> shown;
  std::set<std::string> solids_in;  // folders that have them
};

std::unique_ptr<Simulation::Impl> make_impl(Scene scene, const SimulationOptions& options) {
  constexpr int most_threads = 1024;
  if (options.threads < 0 || options.threads > most_threads)
    throw InputError("threads must be between 1 and " + std::to_string(most_threads) +
                     ", or 0 for all, got " + std::to_string(options.threads));
  std::unique_ptr<Simulation::Impl> impl;
  if (scene.grid.dimension == 2)
    impl = std::make_unique<ImplOf<2>>(std::move(scene), options);
  else
    impl = std::make_unique<ImplOf<3>>(std::move(scene), options);
  impl->last = report_of(impl->describe_state());
  return impl;
}

}  // namespace

double Report::operator[](const std::string& column) const {
  for (const auto& [name, value] : figures)
    if (name == column) return value;
  std::vector<std::string> names;
  for (const auto& f : figures) names.push_back(f.first);
  const std::string meant = nearest(column, names);
  throw InputError("there is no figure \"" + column + "\"" +
                   (meant.empty() ? "; docs/reference.md lists the columns of stats.csv"
                                  : ": did you mean \"" + meant + "\"?"));
}

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(const SceneSource& scene, const SimulationOptions& options)
    : impl_(make_impl(read_source(scene, options), options)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation Simulation::load(const std::filesystem::path& checkpoint, const SimulationOptions& options) {
  SceneSource source = scene_from_text(CheckpointReader(checkpoint).text("scene"));
  Simulation simulation(make_impl(read_source(source, options), options));
  simulation.impl_->load(checkpoint);
  simulation.impl_->last = report_of(simulation.impl_->describe_state());
  return simulation;
}

Report Simulation::step() {
  if (!impl_->failure.empty())
    throw SimulationError("the simulation has failed before: " + impl_->failure +
                          "; load a checkpoint to go on from there");
  try {
    impl_->last = report_of(impl_->advance_state());
  } catch (const std::bad_alloc&) {
    impl_->failure = "out of memory";
    throw SimulationError("out of memory: a smaller grid.resolution needs less");
  } catch (const std::exception& error) {
    impl_->failure = error.what();
    throw;
  }
  return impl_->last;
}

Report Simulation::advance_frame(const std::function<void(const Report&)>& after_each) {
  while (true) {
    Report report = step();
    if (after_each) after_each(report);
    if (report.frame_done) return report;
  }
}

const Report& Simulation::report() const { return impl_->last; }
int Simulation::dimension() const { return impl_->scene.grid.dimension; }
int Simulation::frame() const { return impl_->frame(); }
int Simulation::frames() const { return impl_->scene.time.frames; }
double Simulation::time() const { return impl_->time(); }
double Simulation::cell_size() const { return spacing(impl_->scene.grid); }
std::vector<int> Simulation::cells() const { return impl_->cells(); }
const std::string& Simulation::scene() const { return impl_->scene.source; }
const std::vector<std::string>& Simulation::remarks() const { return impl_->remarks; }
Array Simulation::positions() const { return impl_->positions(); }
Array Simulation::velocities() const { return impl_->velocities(); }
Array Simulation::ids() const { return impl_->ids(); }
Array Simulation::field(const std::string& name) const { return impl_->field(name); }
std::vector<std::string> Simulation::field_names() const { return impl_->field_names(); }
Array Simulation::known() const { return impl_->known(); }
std::vector<BubbleInfo> Simulation::bubbles() const { return impl_->bubbles(); }
std::vector<BodyInfo> Simulation::bodies() const { return impl_->bodies(); }
std::vector<ProbeInfo> Simulation::probes() const { return impl_->probes(); }
void Simulation::save(const std::filesystem::path& checkpoint) const { impl_->save(checkpoint); }
void Simulation::write_frame(const std::filesystem::path& folder) { impl_->write_frame(folder); }

}  // namespace glug
