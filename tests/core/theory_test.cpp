// theory_test.cpp: the equations that the code cites are those of docs/theory.md, which can be linked to and
// say where they are computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace glug {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Equation {
  std::string number, anchor;  // anchor: what stands before it, as <a id="P4"></a>
  std::string text;            // up to the next one, or the end of its chapter
};

std::vector<Equation> equations() {
  const std::string theory = text_of(std::filesystem::path(GLUG_SOURCE_DIR) / "docs/theory.md");
  const std::regex head("(<a id=\"([A-Z0-9]+)\"></a>)?\\*\\*\\(([A-Z][0-9]+)\\)");
  std::vector<Equation> found;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (!found.empty())
      found.back().text = theory.substr(begin, std::min(end, theory.find("\n## ", begin)) - begin);
  };
  for (std::sregex_iterator m(theory.begin(), theory.end(), head), end; m != end; ++m) {
    end_at(static_cast<std::size_t>(m->position()));
    begin = static_cast<std::size_t>(m->position());
    found.push_back({(*m)[3].str(), (*m)[2].str(), ""});
  }
  end_at(theory.size());
  return found;
}
// How often each number stands at the head of an equation.
std::map<std::string, int> numbers_of_equations() {
  std::map<std::string, int> found;
  for (const Equation& e : equations()) ++found[e.number];
  return found;
}

TEST(Theory, EveryNumberStandsForOneEquation) {
  const auto found = numbers_of_equations();
  EXPECT_GE(found.size(), 80u);
  for (const auto& [number, times] : found) EXPECT_EQ(times, 1) << number;
}

TEST(Theory, EveryEquationCanBeLinkedTo) {
  for (const Equation& e : equations()) EXPECT_EQ(e.anchor, e.number);
}

TEST(Theory, EveryEquationNamesAFileThatExists) {
  const std::regex file("`([a-z_]+/[a-z_0-9]+\\.(h|cpp))`");
  for (const Equation& e : equations()) {
    int files = 0;
    for (std::sregex_iterator m(e.text.begin(), e.text.end(), file), end; m != end; ++m, ++files)
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(GLUG_SOURCE_DIR) / "src" / (*m)[1].str()))
          << e.number << " names " << (*m)[1];
    EXPECT_GT(files, 0) << e.number;
  }
}

TEST(Theory, EveryNumberThatTheCodeCitesIsThere) {
  const auto found = numbers_of_equations();
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
