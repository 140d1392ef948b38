// What a newcomer meets: a starter scene, completions, the manual page.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace glug {
namespace {

struct Said {
  int status = -1;
  std::string text;  // stdout and stderr
};

Said shell(const std::string& command) {
  Said said;
  FILE* pipe = popen(("( " + command + " ) 2>&1").c_str(), "r");
  if (!pipe) return said;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) said.text.append(part.data(), n);
  const int status = pclose(pipe);
  said.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

bool has(const Said& said, const std::string& part) { return said.text.find(part) != std::string::npos; }
bool there_is(const std::string& program) { return shell("command -v " + program).status == 0; }

class FirstHour : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/glug_first.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Said glug(const std::string& arguments) const {
    return shell("cd " + folder_.string() + " && " + GLUG_PROGRAM + " " + arguments);
  }
  // Runs a script after the completions of a shell.
  Said completing(const std::string& with, const std::string& script) const {
    glug("completion " + with + " > completion");
    std::ofstream(folder_ / "script") << script;
    return shell("cd " + folder_.string() + " && PATH=" +
                 std::filesystem::path(GLUG_PROGRAM).parent_path().string() + ":$PATH " + with + " script");
  }
  std::filesystem::path folder_;
};

TEST_F(FirstHour, ANewSceneIsRightRunsAndIsNeverOverwritten) {
  EXPECT_TRUE(has(glug("new pool"), "pool.toml"));
  EXPECT_EQ(glug("check pool.toml").status, 0) << glug("check pool.toml").text;
  const Said run =
      glug("run pool.toml --threads 1 --frames 1 --set grid.resolution=24 --set output.preview=off");
  EXPECT_EQ(run.status, 0) << run.text;
  const Said again = glug("new pool");
  EXPECT_EQ(again.status, 2);
  EXPECT_TRUE(has(again, "pool.toml is there already")) << again.text;
  EXPECT_EQ(glug("new deep --dimension 3").status, 0);
  EXPECT_EQ(glug("check deep.toml --set output.preview=off").status, 0) << glug("check deep.toml").text;
  EXPECT_EQ(glug("new nowhere/pool").status, 2);
  EXPECT_EQ(glug("new '\"'").status, 2);
}

TEST_F(FirstHour, ANewSceneHasANameAndItsCommandsCanBePasted) {
  for (const char* none : {"''", ".", "..", "a/"})
    EXPECT_EQ(glug(std::string("new ") + none).status, 2) << none;
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  EXPECT_TRUE(has(glug("new \"it's \\$5\""), "glug check 'it'\\''s $5.toml'   simulate it")) << "quoted";
  EXPECT_EQ(glug("check 'it'\\''s $5.toml'").status, 0);
  EXPECT_EQ(glug("new turned --dimension 3").status, 0);
  shell("cd " + folder_.string() + " && sed -i 's/^# motion/motion/' turned.toml");
  const Said turned = glug("check turned.toml --set output.preview=off");
  EXPECT_EQ(turned.status, 0) << "what it shows as a comment is right too: " << turned.text;
}

TEST_F(FirstHour, MistakesAreAnsweredByWhatWasTyped) {
  EXPECT_TRUE(has(glug("--bogus"), "glug has no --bogus; it has --help and --version"));
  EXPECT_EQ(glug("--version").status, 0);
  const Said name = glug("check " + std::string(300, 'x') + ".toml");
  EXPECT_EQ(name.status, 2);
  EXPECT_TRUE(has(name, "there is no scene file xxx")) << name.text;
  EXPECT_EQ(glug("new pool").status, 0);
  const Said list = shell("cd " + folder_.string() + " && echo 'x = ' > broken.toml && GLUG_SCENES=. " +
                          GLUG_PROGRAM + " list");
  EXPECT_EQ(list.status, 2);
  EXPECT_TRUE(has(list, "pool") && has(list, "broken.toml:1")) << list.text;
  EXPECT_EQ(
      glug("run pool.toml --frames 0 --out run --set grid.resolution=24 --set output.preview=off").status, 0);
  EXPECT_TRUE(has(glug("info run"), "finished"));
}

TEST_F(FirstHour, BashCompletesCommandsOptionsScenesAndKeys) {
  const std::string script = R"(
. ./completion
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _glug; echo "<${COMPREPLY[*]}>"; }
ask glug re
ask glug run --res
ask glug run --set liquid.visc
ask glug check water_cooler_
ask glug export --volume v
)";
  const Said said = completing("bash", script);
  EXPECT_EQ(said.text, "<render>\n<--resume>\n<liquid.viscosity=>\n<water_cooler_2d>\n<vti vdb>\n");
}

TEST_F(FirstHour, ZshAndFishTakeTheirScripts) {
  for (const char* name : {"zsh", "fish"}) {
    if (!there_is(name)) {
      std::printf("%s is not installed: its script is not tried\n", name);
      continue;
    }
    glug(std::string("completion ") + name + " > completion");
    EXPECT_EQ(shell(std::string(name) + " -n " + (folder_ / "completion").string()).text, "") << name;
  }
  if (there_is("fish")) {
    const Said said =
        completing("fish", "source completion\ncomplete -C 'glug rend'\ncomplete -C 'glug bench smo'\n");
    EXPECT_TRUE(has(said, "render\t")) << said.text;
    EXPECT_TRUE(has(said, "smoke")) << said.text;
  }
  EXPECT_EQ(glug("completion tcsh").status, 2);
}

TEST_F(FirstHour, TheManualPageTellsEveryCommandAndOption) {
  glug("man > glug.1");
  const Said page = glug("man");
  for (const char* word :
       {"glug run SCENE", "glug new NAME", "\\-\\-overwrite", "glug bench SUITE", "EXIT STATUS"})
    EXPECT_TRUE(has(page, word)) << word;
  if (there_is("groff")) {
    EXPECT_EQ(shell("groff -man -Tutf8 -ww " + (folder_ / "glug.1").string() + " 2>&1 >/dev/null").text, "");
  }
}

}  // namespace
}  // namespace glug
