#include "core/error.h"

namespace glug {
namespace {

std::string joined(const std::vector<Problem>& problems) {
  std::string all;
  for (const Problem& p : problems) {
    if (!all.empty()) all += '\n';
    all += p.text();
  }
  return all;
}

}  // namespace

std::string SourceLocation::text() const {
  if (line <= 0) return file;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column);
}

std::string Problem::text() const {
  const std::string place = where.text();
  return place.empty() ? message : place + ": " + message;
}

InputError::InputError(const std::string& message) : InputError(SourceLocation{}, message) {}
InputError::InputError(SourceLocation where, const std::string& message)
    : InputError(std::vector<Problem>(1, Problem{std::move(where), message})) {}
InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace glug
