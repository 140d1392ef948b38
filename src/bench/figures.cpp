#include "bench/figures.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace glug {

void demand_writable(const std::filesystem::path& file) {
  const bool existed = std::filesystem::exists(file);
  const bool writable = std::ofstream(file, std::ios::app).good();
  if (!writable)
    throw InputError("--json " + file.string() + ": cannot be written (" + std::strerror(errno) +
                     "): choose a file in a folder you may write to");
  if (!existed) std::filesystem::remove(file);
}

void Figures::set(const std::string& name, double value) {
  for (auto& figure : figures_)
    if (figure.first == name) {
      figure.second = value;
      return;
    }
  figures_.emplace_back(name, value);
}

void Figures::write_json(const std::filesystem::path& file, const std::string& suite) const {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const auto& [name, value] : figures_)
    if (std::isfinite(value)) figures[name] = value;
  const nlohmann::ordered_json all = {{"suite", suite}, {"figures", figures}};
  std::ofstream out(file);
  out << all.dump(2) << '\n';
  out.flush();
  if (!out)
    throw SimulationError(file.string() + ": cannot be written (" + std::strerror(errno) +
                          "): give --json a path in a folder you may write to");
}

}  // namespace glug
