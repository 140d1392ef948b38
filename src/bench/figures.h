// figures.h: named numbers, in the order they were found; as JSON: {"suite": ..., "figures": {NAME: number}}.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace glug {

// Throws InputError where no such file could be written: before hours of measuring, not after.
void demand_writable(const std::filesystem::path& file);

class Figures {
 public:
  // The last value given to a name counts.
  void set(const std::string& name, double value);
  const std::vector<std::pair<std::string, double>>& all() const { return figures_; }
  // Throws SimulationError when the file cannot be written.
  void write_json(const std::filesystem::path& file, const std::string& suite) const;

 private:
  std::vector<std::pair<std::string, double>> figures_;
};

}  // namespace glug
