// error.h: typed errors. Each names the place, the value and the remedy.
// InputError: the user can fix it (exit status 2). SimulationError: the run failed (3). Interrupted: asked to
// stop (130).
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace glug {

// A place in a scene file (line and column from 1), or any other origin such as "--set grid.resolution" (line
// 0).
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text() const;  // "scenes/a.toml:12:8", or just the file when there is no line
};

struct Problem {
  SourceLocation where;
  std::string message;
  std::string text() const;  // "scenes/a.toml:12:8: liquid.density must be > 0, got -1"
};

// One or many problems with what the user gave us; `what()` lists them all, a line each.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message);
  InputError(SourceLocation where, const std::string& message);
  explicit InputError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace glug
