// module.cpp: Glug for Python (docs/python.md): library/glug.h and nothing behind it.
// Arrays are views: NumPy is given the simulation's own memory, read only, with an owner that keeps it alive.
#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "library/glug.h"

namespace py = pybind11;
using namespace glug;

namespace {

Value value_of(py::handle object, const std::string& name);

Table table_of(const py::dict& dict, const std::string& name) {
  Table table;
  for (const auto& [key, value] : dict) {
    if (!py::isinstance<py::str>(key))
      throw InputError((name.empty() ? "scene" : name) + ": keys must be strings, got " +
                       py::repr(key).cast<std::string>());
    const std::string k = key.cast<std::string>();
    table.entries.emplace_back(k, value_of(value, name.empty() ? k : name + "." + k));
  }
  return table;
}

// NumPy's scalars and arrays count as what they hold.
Value value_of(py::handle object, const std::string& name) {
  if (py::isinstance<py::bool_>(object)) return object.cast<bool>();
  if (py::isinstance<py::int_>(object)) {
    try {
      return object.cast<std::int64_t>();
    } catch (const py::cast_error&) {
      throw InputError(name + " is too large: " + py::repr(object).cast<std::string>());
    }
  }
  if (py::isinstance<py::float_>(object)) return object.cast<double>();
  if (py::isinstance<py::str>(object)) return object.cast<std::string>();
  if (py::isinstance<py::dict>(object)) return table_of(object.cast<py::dict>(), name);
  if (py::hasattr(object, "__fspath__")) return py::str(object.attr("__fspath__")()).cast<std::string>();
  if (py::hasattr(object, "tolist")) return value_of(object.attr("tolist")(), name);
  if (py::isinstance<py::sequence>(object)) {
    Values values;
    for (const py::handle item : object)
      values.items.push_back(value_of(item, name + "[" + std::to_string(values.items.size()) + "]"));
    return values;
  }
  throw InputError(name + " must be a number, a string, a list or a dict, got " +
                   py::repr(object).cast<std::string>());
}

SceneSource source_of(const py::object& scene, const std::filesystem::path& folder) {
  if (py::isinstance<py::dict>(scene)) return SceneSource(table_of(scene.cast<py::dict>(), ""), folder);
  if (py::isinstance<py::str>(scene) || py::hasattr(scene, "__fspath__"))
    return SceneSource(scene.cast<std::filesystem::path>());
  throw InputError("a scene is a name, a path or a dict, got " + py::repr(scene).cast<std::string>());
}

SimulationOptions options_of(const py::dict& set, int threads) { return {threads, table_of(set, "")}; }

py::array numpy_of(const Array& array) {
  const auto dtype = [&]() -> py::dtype {
    switch (array.type) {
      case ElementType::float32:
        return py::dtype::of<float>();
      case ElementType::float64:
        return py::dtype::of<double>();
      case ElementType::uint32:
        return py::dtype::of<std::uint32_t>();
      case ElementType::uint8:
        return py::dtype("bool");
    }
    return py::dtype::of<float>();
  }();
  using Owner = std::shared_ptr<const void>;
  const py::capsule owner(new Owner(array.owner), [](void* p) { delete static_cast<Owner*>(p); });
  py::array view(dtype, array.shape, array.stride, array.data, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

// The exceptions carry the problems one by one: (file, line, column, message).
void translate(std::exception_ptr thrown, const py::object& input_error, const py::object& simulation_error) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    py::list problems;
    for (const Problem& p : error.problems())
      problems.append(py::make_tuple(p.where.file, p.where.line, p.where.column, p.message));
    py::object instance = input_error(error.what());
    instance.attr("problems") = problems;
    PyErr_SetObject(input_error.ptr(), instance.ptr());
  } catch (const SimulationError& error) {
    PyErr_SetString(simulation_error.ptr(), error.what());
  }
}

}  // namespace

PYBIND11_MODULE(_glug, m) {
  m.doc() = "Glug: liquids, 2D and 3D, with trapped air that keeps its volume.";
  m.attr("__version__") = version();

  // Held for as long as the interpreter lives.
  static const py::handle input_error =
      py::reinterpret_steal<py::object>(
          PyErr_NewExceptionWithDoc("glug.InputError",
                                    "What was given is wrong; `problems` lists (file, line, column, "
                                    "message) of each.",
                                    PyExc_ValueError, nullptr))
          .release();
  static const py::handle simulation_error =
      py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc("glug.SimulationError",
                                                                  "The simulation failed.",
                                                                  PyExc_RuntimeError, nullptr))
          .release();
  m.attr("InputError") = input_error;
  m.attr("SimulationError") = simulation_error;
  py::register_exception_translator([](std::exception_ptr p) {
    translate(p, py::reinterpret_borrow<py::object>(input_error),
              py::reinterpret_borrow<py::object>(simulation_error));
  });

  py::class_<Report>(m, "Report", "What a substep did.")
      .def_readonly("step", &Report::step)
      .def_readonly("frame", &Report::frame)
      .def_readonly("time", &Report::time)
      .def_readonly("dt", &Report::dt)
      .def_readonly("frame_done", &Report::frame_done)
      .def_readonly("remark", &Report::remark)
      .def("__getitem__", &Report::operator[], py::arg("column"))
      .def("keys",
           [](const Report& r) {
             std::vector<std::string> names;
             for (const auto& f : r.figures) names.push_back(f.first);
             return names;
           })
      .def("__repr__", [](const Report& r) {
        return py::str("<glug.Report step={} frame={} time={:.6g} dt={:.3g}>")
            .format(r.step, r.frame, r.time, r.dt);
      });

  py::class_<BubbleInfo>(m, "Bubble", "A pocket of air.")
      .def_readonly("id", &BubbleInfo::id)
      .def_readonly("volume", &BubbleInfo::volume)
      .def_readonly("rest_volume", &BubbleInfo::rest_volume)
      .def_property_readonly("center", [](const BubbleInfo& b) { return py::tuple(py::cast(b.center)); })
      .def_readonly("pressure", &BubbleInfo::pressure)
      .def_readonly("ambient", &BubbleInfo::ambient)
      .def_readonly("free", &BubbleInfo::free)
      .def("__repr__", [](const BubbleInfo& b) {
        return py::str("<glug.Bubble {} volume={:.6g} pressure={:.6g}>").format(b.id, b.volume, b.pressure);
      });

  py::class_<BodyInfo>(m, "Body", "A solid, where it is now.")
      .def_readonly("name", &BodyInfo::name)
      .def_readonly("moves", &BodyInfo::moves)
      .def_readonly("rigid", &BodyInfo::rigid)
      .def_property_readonly("position", [](const BodyInfo& b) { return py::tuple(py::cast(b.position)); })
      .def_property_readonly("quaternion",
                             [](const BodyInfo& b) { return py::tuple(py::cast(b.quaternion)); })
      .def_property_readonly("velocity", [](const BodyInfo& b) { return py::tuple(py::cast(b.velocity)); })
      .def_property_readonly("spin", [](const BodyInfo& b) { return py::tuple(py::cast(b.spin)); })
      .def("__repr__", [](const BodyInfo& b) { return py::str("<glug.Body {!r}>").format(b.name); });

  py::class_<ProbeInfo>(m, "Probe", "What a probe of the scene measures now; nan: not measured.")
      .def_readonly("name", &ProbeInfo::name)
      .def_readonly("pressure", &ProbeInfo::pressure)
      .def_readonly("level", &ProbeInfo::level)
      .def_property_readonly("velocity", [](const ProbeInfo& p) { return py::tuple(py::cast(p.velocity)); })
      .def_property_readonly("force", [](const ProbeInfo& p) { return py::tuple(py::cast(p.force)); })
      .def_property_readonly("torque", [](const ProbeInfo& p) { return py::tuple(py::cast(p.torque)); })
      .def("__repr__", [](const ProbeInfo& p) { return py::str("<glug.Probe {!r}>").format(p.name); });

  m.def(
      "check",
      [](const py::object& scene, const py::dict& set, const std::filesystem::path& folder) {
        return checked_scene(source_of(scene, folder), options_of(set, 0));
      },
      py::arg("scene"), py::arg("set") = py::dict(), py::arg("folder") = ".",
      "The scene as TOML with every default filled in; InputError lists all that is wrong with it.");

  using Callback = std::function<void(const Report&)>;
  const auto nogil = py::call_guard<py::gil_scoped_release>();
  py::class_<Simulation>(m, "Simulation")
      .def(py::init([](const py::object& scene, const py::dict& set, int threads,
                       const std::filesystem::path& folder) {
             const SceneSource source = source_of(scene, folder);
             const SimulationOptions options = options_of(set, threads);
             py::gil_scoped_release release;
             return std::make_unique<Simulation>(source, options);
           }),
           py::arg("scene"), py::kw_only(), py::arg("set") = py::dict(), py::arg("threads") = 0,
           py::arg("folder") = ".")
      .def_static(
          "from_text",
          [](const std::string& text, const py::dict& set, int threads, const std::filesystem::path& folder) {
            const SceneSource source = scene_from_text(text, folder);
            const SimulationOptions options = options_of(set, threads);
            py::gil_scoped_release release;
            return std::make_unique<Simulation>(source, options);
          },
          py::arg("toml"), py::kw_only(), py::arg("set") = py::dict(), py::arg("threads") = 0,
          py::arg("folder") = ".")
      .def_static(
          "load",
          [](const std::filesystem::path& checkpoint, int threads) {
            py::gil_scoped_release release;
            return Simulation::load(checkpoint, {threads, {}});
          },
          py::arg("checkpoint"), py::kw_only(), py::arg("threads") = 0)
      .def("step", &Simulation::step, nogil)
      .def(
          "advance_frame",
          [](Simulation& s, const std::function<void(const Report&)>& after_each) {
            py::gil_scoped_release release;
            // Substeps end at the next signal, such as Ctrl-C.
            return s.advance_frame([&](const Report& report) {
              py::gil_scoped_acquire acquire;
              if (after_each) after_each(report);
              if (PyErr_CheckSignals() != 0) throw py::error_already_set();
            });
          },
          py::arg("after_each") = Callback{})
      .def_property_readonly("report", [](const Simulation& s) { return s.report(); })
      .def_property_readonly("dimension", &Simulation::dimension)
      .def_property_readonly("frame", &Simulation::frame)
      .def_property_readonly("frames", &Simulation::frames)
      .def_property_readonly("time", &Simulation::time)
      .def_property_readonly("cell_size", &Simulation::cell_size)
      .def_property_readonly("cells", [](const Simulation& s) { return py::tuple(py::cast(s.cells())); })
      .def_property_readonly("scene", &Simulation::scene)
      .def_property_readonly("remarks", &Simulation::remarks)
      .def_property_readonly("positions", [](const Simulation& s) { return numpy_of(s.positions()); })
      .def_property_readonly("velocities", [](const Simulation& s) { return numpy_of(s.velocities()); })
      .def_property_readonly("ids", [](const Simulation& s) { return numpy_of(s.ids()); })
      .def_property_readonly("field_names", &Simulation::field_names)
      .def(
          "field", [](const Simulation& s, const std::string& name) { return numpy_of(s.field(name)); },
          py::arg("name"))
      .def_property_readonly("known", [](const Simulation& s) { return numpy_of(s.known()); })
      .def_property_readonly("bubbles", &Simulation::bubbles)
      .def_property_readonly("bodies", &Simulation::bodies)
      .def_property_readonly("probes", &Simulation::probes)
      .def("save", &Simulation::save, py::arg("checkpoint"), nogil)
      .def("write_frame", &Simulation::write_frame, py::arg("folder"), nogil)
      .def("__repr__", [](const Simulation& s) {
        return py::str("<glug.Simulation {}D, frame {} of {}>").format(s.dimension(), s.frame(), s.frames());
      });
}
