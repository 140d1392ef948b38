// The docs keep their word: links lead somewhere, commands in snippets exist, scenes in snippets are right,
// generated pages are what the program prints.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace glug {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string printed_by(const std::string& arguments) {
  std::string text;
  FILE* pipe = popen((std::string(GLUG_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  for (std::size_t n; pipe && (n = fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), n);
  if (pipe) pclose(pipe);
  return text;
}

std::vector<fs::path> pages() {
  const fs::path root = GLUG_SOURCE_DIR;
  std::vector<fs::path> all = {root / "README.md", root / "ARCHITECTURE.md", root / "CONTRIBUTING.md"};
  for (const fs::path& folder : {root / "docs", root / "docs/scenes"})
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

// What a heading is called in links.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  }
  return anchor;
}

TEST(Docs, EveryLinkLeadsSomewhere) {
  const std::regex link(R"(\]\(([^)\s]+)\))");
  for (const fs::path& page : pages()) {
    bool code = false;
    for (const std::string& line : lines_of(text_of(page))) {
      if (line.starts_with("```")) code = !code;
      if (code || line.starts_with("    ")) continue;
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        const std::string target = (*at)[1];
        if (target.find("://") != std::string::npos) continue;
        const std::string file = target.substr(0, target.find('#'));
        const fs::path path = file.empty() ? page : page.parent_path() / file;
        EXPECT_TRUE(fs::exists(path)) << page.filename() << ": " << target << " leads nowhere";
        if (target.find('#') == std::string::npos || path.extension() != ".md") continue;
        std::set<std::string> anchors;
        for (const std::string& l : lines_of(text_of(path)))
          if (l.starts_with("#")) anchors.insert(anchor_of(l.substr(l.find(' ') + 1)));
        EXPECT_TRUE(anchors.count(target.substr(target.find('#') + 1)))
            << page.filename() << ": there is no heading for " << target;
      }
    }
  }
}

// Words of the commands in a page's snippets: lines of code that call glug.
std::vector<std::vector<std::string>> commands_in(const fs::path& page) {
  std::vector<std::vector<std::string>> commands;
  bool code = false;
  for (const std::string& line : lines_of(text_of(page))) {
    if (line.starts_with("```")) {
      code = !code;
      continue;
    }
    if (!code && !line.starts_with("    ")) continue;
    std::istringstream stream(line.substr(0, line.find(" #")));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() > 1 && (words[0] == "glug" || words[0] == "./glug" || words[0] == "build/release/glug"))
      commands.push_back(words);
  }
  return commands;
}

TEST(Docs, EveryCommandInASnippetIsKnownWithItsOptionsScenesAndKeys) {
  const std::string reference = printed_by("options");
  std::map<std::string, std::string> help;
  int seen = 0;
  for (const fs::path& page : pages()) {
    for (const auto& words : commands_in(page)) {
      const std::string& name = words[1];
      std::string all;
      for (const std::string& w : words) all += w + " ";
      if (name == "python") continue;  // the launcher's own
      if (name == "--version" || name == "--help") continue;
      if (!help.count(name)) help[name] = printed_by(name + " --help");
      EXPECT_EQ(help[name].find("there is no command"), std::string::npos) << page.filename() << ": " << all;
      ++seen;
      for (std::size_t n = 2; n < words.size(); ++n) {
        const std::string& w = words[n];
        if (w == "|" || w == ">" || w == "&&") break;
        if (w.starts_with("--")) {
          EXPECT_NE(help[name].find(w), std::string::npos)
              << page.filename() << ": no " << w << " in " << all;
        }
        if (words[n - 1] == "--set") {
          const std::string key = w.substr(0, w.find('='));
          const bool in_list = key.find(".0.") != std::string::npos || key.starts_with("KEY");
          EXPECT_TRUE(in_list || reference.find("`" + key + "`") != std::string::npos)
              << page.filename() << ": no key " << key << " in " << all;
        }
      }
      const bool takes_scene = name == "run" || name == "check" || name == "compare";
      if (!takes_scene || words.size() < 3 || std::isupper(static_cast<unsigned char>(words[2][0]))) continue;
      const fs::path root = GLUG_SOURCE_DIR;
      const bool own = words[2].ends_with(".toml") && !words[2].starts_with("scenes/");
      const fs::path scene =
          words[2].ends_with(".toml") ? root / words[2] : root / "scenes" / (words[2] + ".toml");
      EXPECT_TRUE(own || fs::exists(scene)) << page.filename() << ": " << all;
    }
  }
  EXPECT_GT(seen, 20);
}

// One after another, as a newcomer would type them, only coarser and shorter.
TEST(Docs, TheTutorialsCommandsWorkInTheirOrder) {
  char name[] = "/tmp/glug_tutorial.XXXXXX";
  const fs::path folder = mkdtemp(name);
  int ran = 0;
  for (const auto& words : commands_in(fs::path(GLUG_SOURCE_DIR) / "docs/tutorial.md")) {
    std::string command = "cd " + folder.string() + " && " + GLUG_PROGRAM;
    const bool simulates = words[1] == "run" || words[1] == "compare";
    for (std::size_t n = 1; n < words.size(); ++n) {
      if (simulates && (words[n] == "--frames" || words[n - 1] == "--frames")) continue;
      command += " '" + words[n] + "'";
    }
    if (simulates)
      command +=
          " --frames 2 --threads 1 --set grid.resolution=24 --set output.preview_width=96 --set "
          "output.preview_height=96";
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    std::string said;
    std::array<char, 4096> part{};
    for (std::size_t n; pipe && (n = fread(part.data(), 1, part.size(), pipe)) > 0;)
      said.append(part.data(), n);
    EXPECT_EQ(pclose(pipe), 0) << command << "\n" << said;
    ++ran;
  }
  EXPECT_GT(ran, 8);
  for (const char* file :
       {"out/water_cooler_2d/movie.mp4", "splash.mp4", "out/splash/surface/surface.0002.vdb"})
    EXPECT_TRUE(fs::exists(folder / file)) << file;
  fs::remove_all(folder);
}

TEST(Docs, EveryTomlSnippetIsARightScene) {
  int seen = 0;
  for (const fs::path& page : pages()) {
    std::string scene;
    bool inside = false;
    for (const std::string& line : lines_of(text_of(page))) {
      if (line == "```toml") {
        inside = true;
        scene.clear();
      } else if (inside && line == "```") {
        inside = false;
        char name[] = "/tmp/glug_docs.XXXXXX";
        const fs::path folder = mkdtemp(name);
        std::ofstream(folder / "a.toml") << scene;
        const std::string said =
            printed_by("check " + (folder / "a.toml").string() + " --set output.preview=off");
        EXPECT_NE(said.find("title = "), std::string::npos) << page.filename() << ": " << said;
        fs::remove_all(folder);
        ++seen;
      } else if (inside) {
        scene += line + "\n";
      }
    }
  }
  EXPECT_GT(seen, 0);
}

TEST(Docs, EveryColumnOfARunsTablesStandsInTheReference) {
  char name[] = "/tmp/glug_tables.XXXXXX";
  const fs::path folder = mkdtemp(name);
  std::ofstream(folder / "a.toml") << R"(
grid = { dimension = 2, resolution = 16 }
air = { model = "constraint" }
output = { preview = "off" }
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.4] }
[[rigid]]
shape = { type = "sphere", center = [0.5, 0.7], radius = 0.1 }
[[probe]]
name = "gauge"
at = [0.5, 0.2]
)";
  const std::string said = printed_by("run " + (folder / "a.toml").string() +
                                      " --threads 1 --frames 1 --out " + (folder / "a").string());
  const std::string reference = text_of(fs::path(GLUG_SOURCE_DIR) / "docs/reference.md");
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(folder / "a")) {
    if (entry.path().extension() != ".csv") continue;
    ++tables;
    const std::string table = entry.path().filename().string();
    const std::size_t from = reference.find("\n## `" + table + "`\n");
    ASSERT_NE(from, std::string::npos) << table;
    const std::string part = reference.substr(from + 1, reference.find("\n## ", from + 1) - from);
    const std::string text = text_of(entry.path());
    std::istringstream header(text.substr(0, text.find('\n')));
    for (std::string column; std::getline(header, column, ',');)
      EXPECT_NE(part.find("\n| `" + column + "` |"), std::string::npos) << table << ": " << column;
  }
  EXPECT_EQ(tables, 4) << said;
  fs::remove_all(folder);
}

std::set<std::string> files_in(const fs::path& folder, const std::string& extension) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) names.insert(entry.path().stem().string());
  return names;
}

TEST(Docs, EverySceneHasItsPageAsTheProgramWritesIt) {
  const fs::path docs = fs::path(GLUG_SOURCE_DIR) / "docs";
  char name[] = "/tmp/glug_pages.XXXXXX";
  const fs::path folder = mkdtemp(name);
  EXPECT_EQ(printed_by("list --pages " + folder.string()), "");
  const auto same = [&](const fs::path& page) {
    EXPECT_TRUE(text_of(folder / page) == text_of(docs / page)) << page << ": run `./glug list --pages docs`";
  };
  same("scenes.md");
  const std::set<std::string> scenes = files_in(fs::path(GLUG_SOURCE_DIR) / "scenes", ".toml");
  EXPECT_EQ(files_in(docs / "scenes", ".md"), scenes);
  for (const std::string& scene : scenes) same(fs::path("scenes") / (scene + ".md"));
  fs::remove_all(folder);
}

// Scenes in 3D that wait for a machine with more cores: docs/make_scene_pictures run --dimension 3
// --workers 16.
const std::set<std::string> undrawn = {"smoke_plume"};

TEST(Docs, EverySceneHasASmallPicture) {
  const fs::path docs = fs::path(GLUG_SOURCE_DIR) / "docs";
  const std::set<std::string> scenes = files_in(fs::path(GLUG_SOURCE_DIR) / "scenes", ".toml");
  const std::set<std::string> pictures = files_in(docs / "scenes", ".jpg");
  for (const std::string& scene : scenes)
    EXPECT_TRUE(pictures.count(scene) || undrawn.count(scene))
        << scene << ": docs/make_scene_pictures makes it";
  for (const std::string& picture : pictures)
    EXPECT_TRUE(scenes.count(picture)) << picture << " is of no scene";
  for (const auto& entry : fs::directory_iterator(docs / "scenes"))
    if (entry.path().extension() == ".jpg") {
      EXPECT_LE(fs::file_size(entry.path()), 25000u) << entry.path();
      EXPECT_TRUE(text_of(entry.path()).starts_with("\xff\xd8\xff")) << entry.path();
    }
}

}  // namespace
}  // namespace glug
