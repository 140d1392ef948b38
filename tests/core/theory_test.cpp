// theory_test.cpp: the equations that the code cites are those of docs/theory.md.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace glug {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// How often each number stands at the head of an equation.
std::map<std::string, int> equations() {
  const std::string theory = text_of(std::filesystem::path(GLUG_SOURCE_DIR) / "docs/theory.md");
  const std::regex head("\\*\\*\\(([A-Z][0-9]+)\\)");
  std::map<std::string, int> found;
  for (std::sregex_iterator m(theory.begin(), theory.end(), head), end; m != end; ++m) ++found[(*m)[1].str()];
  return found;
}

TEST(Theory, EveryNumberStandsForOneEquation) {
  const auto found = equations();
  EXPECT_GE(found.size(), 80u);
  for (const auto& [number, times] : found) EXPECT_EQ(times, 1) << number;
}

TEST(Theory, EveryNumberThatTheCodeCitesIsThere) {
  const auto found = equations();
  const std::regex cited("\\(([A-Z][0-9]{1,2})\\)");
  std::set<std::string> numbers;
  for (const char* folder : {"src", "tests"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(GLUG_SOURCE_DIR) / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp") continue;
      const std::string text = text_of(entry.path());
      for (std::sregex_iterator m(text.begin(), text.end(), cited), end; m != end; ++m) {
        numbers.insert((*m)[1].str());
        EXPECT_EQ(found.count((*m)[1].str()), 1u) << (*m)[0] << " in " << entry.path();
      }
    }
  EXPECT_GE(numbers.size(), 60u);
}

}  // namespace
}  // namespace glug
