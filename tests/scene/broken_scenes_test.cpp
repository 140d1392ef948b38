// Every file of tests/scenes/broken is refused with exactly the messages its first lines give:
//   #! 5:11: liquid.density must be > 0, got -1
// (place in the file, then the message; a message without a place in the file has none here).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "scene/read_scene.h"

namespace glug {
namespace {

const std::filesystem::path folder = std::filesystem::path(GLUG_SOURCE_DIR) / "tests/scenes/broken";

std::vector<std::filesystem::path> broken_scenes() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

std::string expected_messages(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string all, line;
  while (std::getline(file, line) && line.rfind("#! ", 0) == 0) all += line.substr(3) + "\n";
  return all;
}

class BrokenScene : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(BrokenScene, IsRefusedWithItsMessage) {
  std::string messages;
  try {
    read_scene(GetParam());
  } catch (const InputError& error) {
    for (const Problem& p : error.problems()) {
      EXPECT_EQ(p.where.file, GetParam().string());
      std::string text = without(p.text(), GetParam().string() + ":");
      text = without(text, folder.string() + "/");
      messages += text.substr(text.find_first_not_of(' ')) + "\n";
    }
  }
  EXPECT_EQ(messages, expected_messages(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Scene, BrokenScene, testing::ValuesIn(broken_scenes()),
                         [](const auto& scene) { return scene.param.stem().string(); });

TEST(BrokenScenes, ThereAreAtLeastForty) { EXPECT_GE(broken_scenes().size(), 40u); }

}  // namespace
}  // namespace glug
