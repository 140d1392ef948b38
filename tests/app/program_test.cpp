// The program from the outside: commands, exit statuses, what is left on disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <thread>

namespace glug {
namespace {

namespace fs = std::filesystem;

struct Result {
  int status = -1;  // exit status, or minus the signal that ended it
  std::string out, err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/glug_test.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    write("pool.toml", R"(
title = "Pool"
[grid]
dimension = 2
resolution = 24
[time]
frames = 3
[output]
preview_width = 160
preview_height = 120
checkpoint_every = 2
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [0.4, 0.6] }
)");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

  // Starts glug in the test's folder; `prepare` runs in the child.
  pid_t start(
      std::vector<std::string> arguments, const std::function<void()>& prepare = [] {}) {
    // Tiny grids on few cores, beside other tests: more threads would only wait for each other.
    if ((arguments.front() == "run" || arguments.front() == "compare") &&
        std::find(arguments.begin(), arguments.end(), "--threads") == arguments.end())
      arguments.insert(arguments.end(), {"--threads", "1"});
    arguments.insert(arguments.begin(), GLUG_PROGRAM);
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder_.c_str()) != 0) _exit(99);
    const int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, 1);
    dup2(err, 2);
    prepare();
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    execv(GLUG_PROGRAM, argv.data());
    _exit(98);
  }
  Result wait(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(folder_ / "stdout"),
            text_of(folder_ / "stderr")};
  }
  Result glug(const std::vector<std::string>& arguments) { return wait(start(arguments)); }

  void wait_for(const fs::path& file, pid_t child) {
    for (int i = 0; i < 3000 && !fs::exists(folder_ / file); ++i) {
      ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "ended early: " << text_of(folder_ / "stderr");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_TRUE(fs::exists(folder_ / file));
  }
  // stats.csv without the columns that are times and memory.
  std::string physics(const fs::path& run) const {
    std::istringstream rows(text_of(folder_ / run / "stats.csv"));
    std::string all, row;
    while (std::getline(rows, row)) {
      std::size_t comma = 0;
      for (int column = 0; column < 14; ++column) comma = row.find(',', comma) + 1;
      all += row.substr(0, comma) + "\n";
    }
    return all;
  }
  std::string bubbles(const fs::path& run) const { return text_of(folder_ / run / "bubbles.csv"); }
  fs::path hard_scene(const std::string& name) const {
    return fs::path(GLUG_SOURCE_DIR) / "tests/scenes/hard" / (name + ".toml");
  }
  // Everything in it, so that two folders can be compared.
  std::string contents(const fs::path& run) const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / run))
      files.push_back(entry.path().string() + "\n" + (entry.is_regular_file() ? text_of(entry.path()) : ""));
    std::sort(files.begin(), files.end());
    std::string all;
    for (const std::string& f : files) all += f;
    return all;
  }

  fs::path folder_;
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A cell's centre lies in the drop, so the scene is taken; none of the cell's particles does.
TEST_F(Program, LiquidThatOnlyPouringMissesIsRefusedWithTheScene) {
  write("drop.toml", R"(
[grid]
dimension = 2
resolution = 10
[[liquid.body]]
shape = { type = "sphere", center = [0.55, 0.55], radius = 0.001 }
)");
  const Result r = glug({"run", "drop.toml"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "drop.toml: there is no liquid")) << r.err;
}

TEST_F(Program, RunsASceneAndSaysWhereThePicturesAre) {
  const Result r = glug({"run", "pool.toml"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "out/pool/preview")) << r.out;
  EXPECT_TRUE(contains(r.err, "frame 3/3")) << r.err;
  EXPECT_FALSE(contains(r.err, "\r")) << "no live line in a log";
  for (const char* file :
       {"scene.toml", "stats.csv", "run.json", "preview/preview.0000.png", "preview/preview.0003.png"})
    EXPECT_TRUE(fs::exists(folder_ / "out/pool" / file)) << file;
  EXPECT_FALSE(fs::exists(folder_ / "out/pool/preview/preview.0004.png"));
}

TEST_F(Program, QuietRunsSayNothing) {
  const Result r = glug({"run", "pool.toml", "--quiet"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out + r.err, "");
}

int times(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(Program, TellsOnceThatSoFewCyclesLeaveAResidual) {
  const Result r = glug({"run", "pool.toml", "--set", "solver.iteration=multigrid", "--set",
                         "solver.full_cycles=0", "--set", "solver.v_cycles=1", "--set", "solver.sweeps=1"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(times(r.err, "0 full and 1 V-cycles leave a residual of"), 1) << r.err;
}

TEST_F(Program, TellsOnceThatMultigridAloneHandedOver) {
  // Shelves one cell thick, open at alternating ends: coarse grids do not see them.
  std::string duct =
      "[grid]\ndimension = 2\nresolution = 64\n[time]\nframes = 1\n[output]\npreview = \"off\"\n";
  for (int n = 0; n < 10; ++n) {
    const std::string from = n % 2 ? "0.08" : "-1", to = n % 2 ? "2" : "0.92";
    const std::string low = std::to_string((6 * n + 5) / 64.0), high = std::to_string((6 * n + 6) / 64.0);
    duct += "[[solid]]\nshape = { type = \"box\", min = [" + from + ", " + low + "], max = [" + to + ", " +
            high + "] }\n";
  }
  duct += "[[liquid.body]]\nshape = { type = \"box\", min = [0, 0], max = [1, 0.98] }\n";
  write("duct.toml", duct);
  const Result r =
      glug({"run", "duct.toml", "--set", "solver.iteration=multigrid", "--set", "solver.sweeps=1"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(times(r.err, "conjugate gradients went on"), 1) << r.err;
  const std::string stats = text_of(folder_ / "out/duct/stats.csv");
  EXPECT_EQ(times(stats, ",handed_over,tiles,"), 1);
  const std::string head = stats.substr(0, stats.find(",handed_over,"));
  const long before = std::count(head.begin(), head.end(), ',') + 1;  // columns
  std::istringstream rows(stats.substr(stats.find('\n') + 1));
  double handed_over = 0;
  for (std::string row; std::getline(rows, row);) {
    std::istringstream cells(row);
    std::string cell;
    for (long k = 0; k <= before; ++k) std::getline(cells, cell, ',');
    handed_over += std::stod(cell);
  }
  EXPECT_GT(handed_over, 0) << stats;
}

TEST_F(Program, TheResolvedSceneRunsToTheSameFigures) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "a", "--set", "liquid.density=900"}).status, 0);
  ASSERT_EQ(glug({"run", "a/scene.toml", "--out", "b"}).status, 0);
  EXPECT_EQ(text_of(folder_ / "a/scene.toml"), text_of(folder_ / "b/scene.toml"));
  EXPECT_EQ(physics("a"), physics("b"));
}

TEST_F(Program, BadInputEndsWithStatusTwoAndListsEverything) {
  write("bad.toml", "[grid]\ndimension = 2\nresolution = 2\n[liquid]\ndensity = -1\n");
  const Result r = glug({"run", "bad.toml"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err,
            "bad.toml:3:14: grid.resolution must be between 4 and 8192, got 2\n"
            "bad.toml:5:11: liquid.density must be > 0, got -1\n");
  EXPECT_FALSE(fs::exists(folder_ / "out")) << "nothing is made for a scene that is refused";
  EXPECT_EQ(glug({"run", "nowhere.toml"}).status, 2);
  EXPECT_EQ(glug({"run", "nosuchscene"}).status, 2);
  EXPECT_EQ(glug({"run", "--quiet"}).status, 2);
  EXPECT_EQ(glug({"walk"}).status, 2);
  EXPECT_EQ(glug({"run", "pool.toml", "--device", "abacus"}).status, 2);
  EXPECT_EQ(glug({"--help"}).status, 0);
}

TEST_F(Program, CheckPrintsTheSceneItWouldRun) {
  const Result r = glug({"check", "pool.toml", "--set", "grid.resolution=32", "--set", "gravity=[0, -1]"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "# 32 x 32 cells; about 2.22e+03 particles; memory: about ")) << r.out;
  EXPECT_TRUE(contains(r.out, "resolution = 32\n"));
  EXPECT_TRUE(contains(r.out, "gravity = [0, -1]\n"));
  write("again.toml", r.out);
  // The first line tells the free memory, which changes.
  const auto scene_of = [](const std::string& text) { return text.substr(text.find('\n')); };
  EXPECT_EQ(scene_of(glug({"check", "again.toml"}).out), scene_of(r.out));
  EXPECT_EQ(glug({"check", "pool.toml", "--set", "grid.resolution=1"}).status, 2);
}

TEST_F(Program, ListNamesTheBuiltInScenes) {
  const Result r = glug({"list"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "\ndam_break_3d ")) << r.out;
  EXPECT_TRUE(contains(r.out, " 3D  a wall of water")) << r.out;
  EXPECT_TRUE(contains(r.out, "[002: figure 16]"));
}

TEST_F(Program, TheScenesOfTheGauntletRunByNameButAreNotListed) {
  EXPECT_FALSE(contains(glug({"list"}).out, "drop_in_box"));
  const Result r = glug({"run", "gauntlet/drop_in_box", "--frames", "1"});
  EXPECT_EQ(r.status, 0) << r.err;
  const Result misspelt = glug({"run", "gauntlet/drop_in_bok"});
  EXPECT_EQ(misspelt.status, 2);
  EXPECT_TRUE(contains(misspelt.err, "gauntlet/drop_in_box")) << misspelt.err;
}

TEST_F(Program, TheGauntletPrintsALineASceneAndWritesItsFigures) {
  const Result r = glug({"bench", "gauntlet", "--only", "neutral_bubble_2d", "--vary", "2", "--threads", "1",
                         "--json", "figures.json"});
  EXPECT_TRUE(r.status == 0 || r.status == 3) << r.err;
  EXPECT_TRUE(contains(r.out, "\nneutral_bubble_2d ")) << r.out;
  const std::string figures = text_of(folder_ / "figures.json");
  EXPECT_TRUE(contains(figures, "\"suite\": \"gauntlet\"")) << figures;
  EXPECT_TRUE(contains(figures, "\"neutral_bubble_2d.volume_error\"")) << figures;
  EXPECT_TRUE(contains(figures, "\"scenes\": 1")) << figures;
  EXPECT_EQ(contains(figures, "\"passed\": 1"), r.status == 0) << figures;
  EXPECT_EQ(contains(r.err, "failed: neutral_bubble_2d"), r.status == 3) << r.err;
}

TEST_F(Program, TheGauntletKeepsTheRoomsThatItDraws) {
  const Result r = glug({"bench", "gauntlet", "--only", "room_5", "--threads", "1", "--series", "curves"});
  EXPECT_TRUE(r.status == 0 || r.status == 3) << r.err;
  EXPECT_TRUE(contains(text_of(folder_ / "curves/room_5.csv"), "solid_work"));
  EXPECT_EQ(glug({"check", "curves/room_5.toml"}).status, 0);
  const Result none = glug({"bench", "gauntlet", "--rooms", "0"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "--rooms")) << none.err;
}

TEST_F(Program, TheGauntletRefusesWhatItDoesNotKnow) {
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"bench", "gauntlet", "--only", "snow"},
           {"bench", "gauntlet", "--resolution", "32"},
           {"bench", "maze", "--vary", "3"},
           {"bench", "maze", "--rooms", "3"},
           {"bench", "gauntlet", "--only", "room_x"},
           {"bench", "gauntlet", "--rooms", "3", "--only", "rain"},
           {"bench", "gantlet"},
       }) {
    const Result r = glug(bad);
    EXPECT_EQ(r.status, 2) << bad.back();
    EXPECT_TRUE(contains(r.err, "gauntlet")) << r.err;
  }
}

TEST_F(Program, TheSuiteValidationRefusesWhatItDoesNotKnow) {
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"bench", "validation", "--only", "snow"},
           {"bench", "validation", "--device", "cuda"},
           {"bench", "maze", "--series", "curves"},
           {"bench", "maze", "--only", "hysing_1"},
       }) {
    const Result r = glug(bad);
    EXPECT_EQ(r.status, 2) << bad.back();
    EXPECT_TRUE(contains(r.err, "validation")) << r.err;
  }
}

TEST_F(Program, InfoTellsProgressVolumesAndTimings) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const Result r = glug({"info", "out/pool"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* part : {"Pool (2D, 24 x 24 cells)", "finished", "frame 3 of 3", "volume", "off by",
                           "solve", "ns/particle/substep", "slowest", "memory"})
    EXPECT_TRUE(contains(r.out, part)) << part << " not in\n" << r.out;
  EXPECT_EQ(glug({"info", "out"}).status, 2);
}

TEST_F(Program, AFileNamedStopEndsARunAsCtrlCDoes) {
  const std::vector<std::string> more{"--set", "time.frames=60", "--set", "output.preview=off"};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(glug(run({"run", "pool.toml", "--out", "whole"})).status, 0);
  const pid_t child = start(run({"run", "pool.toml", "--out", "parts"}));
  wait_for("parts/stats.csv", child);
  write("parts/stop", "");
  const Result stopped = wait(child);
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_TRUE(contains(stopped.err, "a checkpoint was written")) << stopped.err;
  EXPECT_FALSE(fs::exists(folder_ / "parts/stop")) << "the run that goes on is not asked";
  write("parts/stop", "");  // nobody was there to read it
  EXPECT_EQ(glug(run({"run", "pool.toml", "--out", "parts", "--resume"})).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "parts/stop"));
  EXPECT_EQ(physics("parts"), physics("whole"));
}

TEST_F(Program, ViewRefusesWhatIsNoRunOrHasNoPage) {
  const Result none = glug({"view", "."});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "is not the folder of a run")) << none.err;
  write("scene.toml", "title = \"Pool\"\n");
  const Result unbuilt = wait(start({"view", "."}, [] { setenv("GLUG_VIEWER", "/nowhere", 1); }));
  EXPECT_EQ(unbuilt.status, 2);
  EXPECT_TRUE(contains(unbuilt.err, "npm run build")) << unbuilt.err;
}

TEST_F(Program, RenderMakesAMovie) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const Result r = glug({"render", "out/pool", "--movie", "film.mp4"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_GT(fs::file_size(folder_ / "film.mp4"), 1000u);
}

// Of a checkpoint it is the picture that the run would have drawn; of particles, nearly.
TEST_F(Program, RenderDrawsWhatTheRunDidNot) {
  const auto run = [&](const char* out, const char* set) {
    return glug({"run", "pool.toml", "--out", out, "--set", "output.preview=" + std::string(set), "--set",
                 std::string(out) == "blind" ? "output.particles=off" : "output.particles=ply", "--set",
                 "output.first_frame=7"})
        .status;
  };
  ASSERT_EQ(run("whole", "png"), 0);
  ASSERT_EQ(run("parts", "off"), 0);
  const Result r = glug({"render", "parts", "--threads", "1"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "parts/preview: 4 frames as png, 4 of them now")) << r.out;
  for (const char* name : {"preview.0000.png", "preview.0002.png", "preview.0003.png"})
    EXPECT_TRUE(text_of(folder_ / "parts/preview" / name) == text_of(folder_ / "whole/preview" / name))
        << name;
  EXPECT_TRUE(fs::exists(folder_ / "parts/movie.mp4"));
  // Without particles, frame 1 is gone.
  ASSERT_EQ(run("blind", "off"), 0);
  const Result refused = glug({"render", "blind", "--threads", "1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "preview: nothing is left to make frames 1 from")) << refused.err;
  EXPECT_TRUE(contains(refused.err, "preview.0001.png is missing")) << refused.err;
}

TEST_F(Program, CompareRunsVariantsAndPutsThemSideBySide) {
  const Result r = glug({"compare", "pool.toml", "--set", "liquid.transfer=flip,pic", "--set",
                         "gravity=[0, -5]", "--out", "both", "--frames", "2"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* part :
       {"liquid.transfer", "worst volume", "iterations", "\nflip ", "\npic ", "both/compare"})
    EXPECT_TRUE(contains(r.out, part)) << part << " not in\n" << r.out;
  for (const char* file : {"flip/stats.csv", "pic/stats.csv", "compare/preview.0000.png",
                           "compare/preview.0002.png", "compare/movie.mp4"})
    EXPECT_TRUE(fs::exists(folder_ / "both" / file)) << file;
  EXPECT_FALSE(fs::exists(folder_ / "both/compare/preview.0003.png"));
  // A variant is the run that `glug run` makes.
  ASSERT_EQ(glug({"run", "pool.toml", "--set", "liquid.transfer=pic", "--set", "gravity=[0, -5]", "--frames",
                  "2", "--out", "alone"})
                .status,
            0);
  EXPECT_EQ(physics("both/pic"), physics("alone"));
  EXPECT_NE(physics("both/pic"), physics("both/flip"));
}

TEST_F(Program, CompareKeepsFinishedVariantsAndBeginsTheOthers) {
  ASSERT_EQ(glug({"run", "pool.toml", "--set", "liquid.transfer=pic", "--out", "both/pic"}).status, 0);
  const Result refused = glug({"compare", "pool.toml", "--set", "liquid.transfer=flip,pic", "--out", "both"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "both/pic holds a finished run")) << refused.err;
  EXPECT_FALSE(fs::exists(folder_ / "both/flip")) << "refused before the first run";
  const auto before = fs::last_write_time(folder_ / "both/pic/stats.csv");
  const Result r =
      glug({"compare", "pool.toml", "--set", "liquid.transfer=flip,pic", "--out", "both", "--resume"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(fs::exists(folder_ / "both/compare/preview.0003.png"));
  EXPECT_EQ(fs::last_write_time(folder_ / "both/pic/stats.csv"), before);
}

TEST_F(Program, CompareTakesAListInBracketsAsOneValue) {
  const Result r = glug({"compare", "pool.toml", "--set", "gravity=[0, -1],[0, -5]", "--frames", "1",
                         "--quiet", "--set", "output.preview=off"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(contains(r.out, "\n[0, -1] ")) << r.out;
  EXPECT_TRUE(contains(r.out, "no pictures")) << r.out;
  for (const char* folder : {"0_-1", "0_-5"})
    EXPECT_TRUE(fs::exists(folder_ / "out/pool_compare" / folder / "stats.csv")) << folder;
}

TEST_F(Program, CompareRefusesWhatCannotBeCompared) {
  const auto says = [&](std::vector<std::string> settings, const std::string& message) {
    std::vector<std::string> words = {"compare", "pool.toml"};
    for (const std::string& s : settings) words.insert(words.end(), {"--set", s});
    const Result r = glug(words);
    EXPECT_EQ(r.status, 2);
    EXPECT_TRUE(contains(r.err, message)) << r.err;
  };
  says({"liquid.transfer=flip"}, "there is nothing to compare: give one key several values");
  says({"liquid.transfer=flip,pic", "grid.resolution=16,24,32"},
       "has 3 values where liquid.transfer has 2: keys that are compared change together");
  says({"liquid.transfer=flip,pic", "liquid.transfer=apic"}, "which is also compared");
  says({"liquid.transfer=flip,"}, "has an empty value");
  says({"liquid.transfer=pic,pic"}, "names pic twice");
  says({"liquid.density=900,-1,-2"}, "liquid.density must be > 0, got -1\n");
  const Result unknown = glug({"compare", "pool.toml", "--set", "liquid.colour=red,blue"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(times(unknown.err, "unknown key liquid.colour"), 1) << unknown.err;
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Program, AFinishedRunIsNotOverwrittenUnlessTold) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const std::string before = contents("out/pool");
  const Result refused = glug({"run", "pool.toml"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "holds a finished run: --overwrite replaces it")) << refused.err;
  EXPECT_EQ(glug({"run", "pool.toml", "--overwrite", "--set", "liquid.density=-1"}).status, 2);
  EXPECT_TRUE(contents("out/pool") == before) << "a scene that is refused destroys nothing";
  EXPECT_EQ(glug({"run", "pool.toml", "--overwrite", "--frames", "1"}).status, 0);
  EXPECT_FALSE(fs::exists(folder_ / "out/pool/preview/preview.0002.png")) << "nothing of the old run remains";
}

TEST_F(Program, FilesThatAreNoRunAreLeftAlone) {
  fs::create_directories(folder_ / "mine");
  write("mine/letter.txt", "dear");
  for (const std::vector<std::string>& extra : {std::vector<std::string>{}, {"--overwrite"}, {"--resume"}}) {
    std::vector<std::string> arguments = {"run", "pool.toml", "--out", "mine"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    EXPECT_EQ(glug(arguments).status, 2);
  }
  EXPECT_EQ(text_of(folder_ / "mine/letter.txt"), "dear");
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "mine/letter.txt"}).status, 2);
}

TEST_F(Program, WhatUsersPutBesideARunsFilesIsLeftAlone) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  write("out/pool/preview/mine.txt", "dear");
  write("out/pool/notes.txt", "too");
  ASSERT_EQ(glug({"run", "pool.toml", "--overwrite", "--frames", "1"}).status, 0);
  EXPECT_EQ(text_of(folder_ / "out/pool/preview/mine.txt"), "dear");
  EXPECT_EQ(text_of(folder_ / "out/pool/notes.txt"), "too");
  EXPECT_FALSE(fs::exists(folder_ / "out/pool/preview/preview.0002.png"));
}

// A project that looks like a run's folder: its names are those that runs use.
TEST_F(Program, AProjectIsNotTakenForARun) {
  for (const char* folder : {"proj/solids", "proj/preview", "proj/surface"})
    fs::create_directories(folder_ / folder);
  write("proj/scene.toml", text_of(folder_ / "pool.toml"));
  for (const char* mine : {"proj/solids/bottle.ply", "proj/bodies.csv", "proj/stats.csv",
                           "proj/preview/preview.reference.png", "proj/surface/surface.ply"})
    write(mine, "mine");
  const std::string before = contents("proj");
  for (const char* how : {"--quiet", "--overwrite", "--resume"}) {
    const Result r = glug({"run", "proj/scene.toml", "--out", "proj", how});
    EXPECT_EQ(r.status, 2);
    EXPECT_EQ(r.err, "proj holds a scene and no run: choose another folder with --out\n") << how;
  }
  EXPECT_TRUE(contents("proj") == before);
}

TEST_F(Program, OverwritingRemovesTheRunsOwnFilesAlone) {
  write("ball.toml", text_of(folder_ / "pool.toml") +
                         "[[solid]]\nname = \"a ball\"\n"
                         "shape = { type = \"sphere\", center = [0.8, 0.5], radius = 0.1 }\n");
  ASSERT_EQ(glug({"run", "ball.toml", "--out", "run", "--set", "output.surface=ply"}).status, 0);
  ASSERT_TRUE(fs::exists(folder_ / "run/solids/a_ball.ply"));
  const std::vector<std::string> mine = {"run/solids/bottle.ply", "run/surface/surface.mine.ply",
                                         "run/surface/surface.0001.txt", "run/preview/preview.reference.png"};
  for (const std::string& file : mine) write(file, "mine");
  write("run/surface/surface.0009.ply.partial", "torn");
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "run", "--overwrite", "--frames", "1"}).status, 0);
  for (const std::string& file : mine) EXPECT_EQ(text_of(folder_ / file), "mine") << file;
  for (const char* theirs : {"run/solids/a_ball.ply", "run/surface/surface.0001.ply",
                             "run/surface/surface.ply.series", "run/surface/surface.0009.ply.partial"})
    EXPECT_FALSE(fs::exists(folder_ / theirs)) << theirs;
}

// Killed between its first file and its second.
TEST_F(Program, ARunThatHadNotWrittenItsSceneBeginsByResume) {
  fs::create_directories(folder_ / "d");
  write("d/run.json", "{ \"state\": \"running\", \"frame\": 0, \"frames\": 3 }");
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "d"}).status, 2);
  const Result r = glug({"run", "pool.toml", "--out", "d", "--resume"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(fs::exists(folder_ / "d/preview/preview.0003.png"));
}

TEST_F(Program, ARunWithoutCheckpointsAndStatusIsNotBegunAgainByResume) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  fs::remove_all(folder_ / "out/pool/checkpoint");
  fs::remove(folder_ / "out/pool/run.json");
  const std::string before = contents("out/pool");
  const Result r = glug({"run", "pool.toml", "--frames", "4", "--resume", "--quiet"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, " substeps and no checkpoint that can be read, so it cannot go on")) << r.err;
  EXPECT_TRUE(contents("out/pool") == before);
}

TEST_F(Program, WhatFilesAreCalledDoesNotChangeOnResume) {
  write("ball.toml", text_of(folder_ / "pool.toml") +
                         "[[solid]]\nname = \"ball\"\n"
                         "shape = { type = \"sphere\", center = [0.8, 0.5], radius = 0.1 }\n");
  ASSERT_EQ(glug({"run", "ball.toml", "--frames", "1"}).status, 0);
  for (const char* change : {"output.first_frame=1001", "output.up_axis=z", "solid.0.name=globe"}) {
    const Result r = glug({"run", "ball.toml", "--frames", "2", "--resume", "--set", change});
    EXPECT_EQ(r.status, 2) << change;
    EXPECT_TRUE(contains(r.err, "out/ball is of another scene:")) << r.err;
  }
  EXPECT_EQ(glug({"run", "ball.toml", "--frames", "2", "--resume", "--set", "solid.0.look=glass"}).status, 0);
}

TEST_F(Program, ARunOfNoFramesTellsThatItsFilesCannotBeWritten) {
  const auto limited = [] {
    const rlimit few{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &few);
  };
  const Result r =
      wait(start({"run", "pool.toml", "--frames", "0", "--set", "output.particles=ply"}, limited));
  EXPECT_EQ(r.status, 3) << r.out;
  EXPECT_TRUE(contains(r.err, "cannot write")) << r.err;
}

TEST_F(Program, ARunGoesOnWhenNobodyListens) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const auto closed = [&] {
    dup2(pipe_ends[1], 1);
    dup2(pipe_ends[1], 2);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
  };
  const pid_t child = start({"run", "pool.toml", "--out", "piped"}, closed);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_EQ(wait(child).status, 0);
  EXPECT_TRUE(contains(text_of(folder_ / "piped/run.json"), "finished"));
  const auto full = [] {
    const int device = open("/dev/full", O_WRONLY);
    dup2(device, 1);
    dup2(device, 2);
  };
  EXPECT_EQ(wait(start({"run", "pool.toml", "--out", "full"}, full)).status, 0);
  EXPECT_TRUE(contains(text_of(folder_ / "full/run.json"), "finished"));
  EXPECT_EQ(wait(start({"check", "pool.toml"}, full)).status, 3) << "what it prints is its result";
}

TEST_F(Program, AWarningIsGivenOnceAndNamesItsSubstepOnce) {
  const Result r = glug({"run", "pool.toml", "--set", "time.max_substeps=1", "--set", "time.fps=2"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::size_t first = r.err.find("time.max_substeps = 1 makes");
  ASSERT_NE(first, std::string::npos) << r.err;
  EXPECT_EQ(r.err.find("time.max_substeps = 1 makes", first + 1), std::string::npos) << r.err;
  EXPECT_FALSE(contains(r.err, "substep 1: step")) << r.err;
}

TEST_F(Program, ExportCountsTheFilesOfEachFormat) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "run", "--set", "output.particles=ply"}).status, 0);
  const Result r = glug({"export", "run", "--surface", "[\"ply\", \"vtp\"]", "--threads", "1"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "run/surface: 4 frames as ply, 4 of them now\n")) << r.out;
  EXPECT_TRUE(contains(r.out, "run/surface: 4 frames as vtp, 4 of them now\n")) << r.out;
}

TEST_F(Program, AMeshIsKnownByWhatItIsAndNotByItsPath) {
  const auto tetrahedron = [](const char* height) {
    return std::string("v 0 0 0\nv 1 0 0\nv 0 ") + height +
           " 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  };
  fs::create_directories(folder_ / "proj");
  write("proj/block.obj", tetrahedron("1"));
  write("proj/tank.toml",
        "[grid]\ndimension = 3\nsize = [2, 2, 2]\nresolution = 8\n[time]\nframes = 1\n[output]\n"
        "preview = \"off\"\n[[liquid.body]]\nshape = { type = \"box\", min = [0, 0, 0], max = [2, 1, 2] }\n"
        "[[solid]]\nshape = { type = \"mesh\", file = \"block.obj\" }\n");
  if (const Result checked = glug({"check", "proj/tank.toml"}); contains(checked.err, "OpenVDB"))
    GTEST_SKIP() << checked.err;
  ASSERT_EQ(glug({"run", "proj/tank.toml", "--out", "run"}).status, 0);
  fs::rename(folder_ / "proj", folder_ / "moved");
  const Result moved = glug({"run", "moved/tank.toml", "--out", "run", "--resume", "--frames", "2"});
  EXPECT_EQ(moved.status, 0) << moved.err;
  write("moved/block.obj", tetrahedron("1.5"));
  const Result other = glug({"run", "moved/tank.toml", "--out", "run", "--resume", "--frames", "3"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "solid.0.shape.checksum: ")) << other.err;
  EXPECT_TRUE(contains(glug({"export", "run", "--surface", "ply"}).err, "it is another mesh than it was"));
}

TEST_F(Program, ARunWhoseCheckpointsAreGoneIsNotBegunAgainByResume) {
  ASSERT_EQ(glug({"run", "pool.toml", "--frames", "2"}).status, 0);
  fs::remove_all(folder_ / "out/pool/checkpoint");
  const std::string before = contents("out/pool");
  const Result r = glug({"run", "pool.toml", "--frames", "4", "--resume", "--quiet"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err,
            "out/pool: the run has 2 frames and no checkpoint that can be read, so it cannot go on; "
            "--overwrite starts again, --out chooses another folder\n");
  EXPECT_TRUE(contents("out/pool") == before);
}

TEST_F(Program, AFolderThatCannotBeWrittenIsRefused) {
  const Result r = glug({"run", "pool.toml", "--out", "/dev/null/run"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "cannot make the folder /dev/null/run")) << r.err;
}

TEST_F(Program, ThereMustBeSomethingToResume) {
  const Result r = glug({"run", "pool.toml", "--resume"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "there is no run to resume in out/pool\n");
}

TEST_F(Program, AnInterruptedRunResumesToTheSameFigures) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "whole", "--frames", "20"}).status, 0);
  const pid_t child = start({"run", "pool.toml", "--out", "parts", "--frames", "20"});
  wait_for("parts/preview/preview.0003.png", child);
  kill(child, SIGINT);
  const Result r = wait(child);
  ASSERT_EQ(r.status, 130) << r.err;
  EXPECT_TRUE(contains(r.err, "To go on: glug run pool.toml --out parts --set time.frames=20 --resume"))
      << r.err;
  const Result refused = glug({"run", "pool.toml", "--out", "parts", "--frames", "20"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(contains(refused.err, "holds an unfinished run")) << refused.err;
  const Result resumed = glug({"run", "pool.toml", "--out", "parts", "--frames", "20", "--resume"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(physics("parts"), physics("whole"));
  for (int frame : {0, 5, 20}) {
    const std::string name =
        "preview/preview.00" + std::string(frame < 10 ? "0" : "") + std::to_string(frame) + ".png";
    EXPECT_TRUE(text_of(folder_ / "parts" / name) == text_of(folder_ / "whole" / name)) << name;
  }
}

// Whatever it was doing: simulating, writing a frame, writing a checkpoint. Killed, and once interrupted, it
// leaves every file that a run without a break does, in every format, with the same bytes.
TEST_F(Program, ARunKilledAtAnyMomentResumesToTheSameBits) {
  write("bubble.toml",
        "[grid]\ndimension = 2\nsize = [1, 1]\nresolution = 24\n[air]\nmodel = \"constraint\"\n"
        "[output]\npreview_width = 160\npreview_height = 120\ncheckpoint_every = 2\n[[liquid.body]]\n"
        "shape = { type = \"difference\", of = [ { type = \"box\", min = [0, 0], max = [1, 0.7] },\n"
        "  { type = \"sphere\", center = [0.4, 0.3], radius = 0.16 } ] }\n"
        "[[solid]]\nname = \"ball\"\nshape = { type = \"sphere\", center = [0.75, 0.8], radius = 0.1 }\n"
        "motion = { keys = [ { time = 0 }, { time = 1, position = [0, -0.4] } ] }\n"
        "[[rigid]]\nname = \"cork\"\ndensity = 300\n"
        "shape = { type = \"sphere\", center = [0.4, 0.85], radius = 0.09 }\n"
        "[[emitter]]\nshape = { type = \"box\", min = [0.1, 0.8], max = [0.2, 0.9] }\nvelocity = [0, -1]\n"
        "[[probe]]\nname = \"gauge\"\nat = [0.2, 0.1]\n[[probe]]\nname = \"push\"\non = \"cork\"\n");
  std::string vdb = ", \"vdb\"";
  if (glug({"check", "bubble.toml", "--set", "output.volume=vdb"}).status != 0) vdb = "";  // no OpenVDB
  const auto run = [&](const char* out, bool resume) {
    std::vector<std::string> words = {"run", "bubble.toml", "--out", out, "--frames", "12"};
    for (const std::string& files :
         {"output.particles=[\"ply\", \"vtp\"" + vdb + "]", "output.surface=[\"ply\", \"vtp\"" + vdb + "]",
          "output.volume=[\"vti\"" + vdb + "]",
          std::string("output.particle_attributes=[\"age\", \"source\", \"vorticity\", \"spray\"]")})
      words.insert(words.end(), {"--set", files});
    if (resume) words.push_back("--resume");
    return words;
  };
  const auto began = std::chrono::steady_clock::now();
  const Result unbroken = glug(run("whole", false));
  ASSERT_EQ(unbroken.status, 0) << unbroken.err;
  const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  std::mt19937 random(std::random_device{}());
  std::string moments;
  for (int k = 0; k < 3; ++k) {
    const pid_t child = start(run("parts", k > 0));
    if (k == 0) wait_for("parts/preview/preview.0000.png", child);
    const double moment = std::uniform_real_distribution<double>(0, 0.3 * whole)(random);
    const int signal = k == 1 ? SIGINT : SIGKILL;
    moments += std::to_string(moment) + " s ";
    std::this_thread::sleep_for(std::chrono::duration<double>(moment));
    kill(child, signal);
    const int status = wait(child).status;
    // The interrupt may come before there is anything to interrupt.
    EXPECT_TRUE(status == -signal || status == 0 || (k == 1 && status == 130)) << status;
  }
  const Result r = glug(run("parts", true));
  ASSERT_EQ(r.status, 0) << r.err << "killed after " << moments;
  EXPECT_EQ(physics("parts"), physics("whole")) << "killed after " << moments;
  std::map<std::string, int> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "whole")) {
    const fs::path name = fs::relative(entry.path(), folder_ / "whole");
    const std::string kind = name.begin()->string();
    // Times and memory; which frames have a checkpoint depends on the interrupt.
    if (!entry.is_regular_file() || kind == "stats.csv" || kind == "run.json" || kind == "checkpoint")
      continue;
    EXPECT_TRUE(text_of(folder_ / "parts" / name) == text_of(entry.path()))
        << name << " killed after " << moments;
    ++files[kind];
  }
  // 13 frames of every format, and for VTK's and PLY the file that names them.
  const int frames = 13, formats = vdb.empty() ? 2 : 3;
  const std::map<std::string, int> expected = {{"bodies.csv", 1},
                                               {"bubbles.csv", 1},
                                               {"probes.csv", 1},
                                               {"scene.toml", 1},
                                               {"solids", 4},
                                               {"preview", frames},
                                               {"particles", formats * frames + 2},
                                               {"surface", formats * frames + 2},
                                               {"volume", (formats - 1) * frames + 1}};
  for (const auto& [kind, count] : expected) EXPECT_EQ(files[kind], count) << kind;
}

// Stopped inside a frame, the next row of a bubble needs where it was at the last one.
TEST_F(Program, AnInterruptInsideAFrameLeavesTheVelocitiesOfBubblesAsTheyAre) {
  const std::string scene = hard_scene("bubble_beside_a_paddle").string();
  const std::vector<std::string> run = {"run",     scene,   "--frames",          "6",
                                        "--quiet", "--set", "output.preview=off"};
  const auto into = [&](const char* out, bool resume) {
    std::vector<std::string> words = run;
    words.insert(words.end(), {"--out", out});
    if (resume) words.push_back("--resume");
    return words;
  };
  ASSERT_EQ(glug(into("whole", false)).status, 0);
  int inside = 0;
  for (int attempt = 0; attempt < 40 && inside < 3; ++attempt) {
    fs::remove_all(folder_ / "parts");
    const pid_t child = start(into("parts", false));
    wait_for("parts/stats.csv", child);
    std::this_thread::sleep_for(std::chrono::milliseconds(7 * attempt));
    kill(child, SIGINT);
    if (wait(child).status != 130) continue;
    const std::string stats = text_of(folder_ / "parts/stats.csv");
    const std::size_t last = stats.rfind('\n', stats.size() - 2) + 1;
    int step = 0, frame = 0;
    double time = 0;
    ASSERT_EQ(std::sscanf(stats.c_str() + last, "%d,%d,%lf", &step, &frame, &time), 3);
    if (std::abs(time * 24 - frame) < 1e-9) continue;
    ++inside;
    ASSERT_EQ(glug(into("parts", true)).status, 0);
    EXPECT_EQ(bubbles("parts"), bubbles("whole")) << "interrupted in substep " << step;
    EXPECT_EQ(physics("parts"), physics("whole"));
  }
  EXPECT_GT(inside, 0);
}

// What SIGKILL in the first milliseconds leaves behind.
TEST_F(Program, AFolderOfARunKilledAtItsStartIsFree) {
  for (const std::vector<std::string>& extra : {std::vector<std::string>{}, {"--overwrite"}}) {
    fs::create_directories(folder_ / "d");
    write("d/.lock", "");
    write("d/scene.toml.partial", "tit");
    std::vector<std::string> words = {"run", "pool.toml", "--out", "d", "--frames", "1"};
    words.insert(words.end(), extra.begin(), extra.end());
    const Result r = glug(words);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_FALSE(fs::exists(folder_ / "d/scene.toml.partial"));
    fs::remove_all(folder_ / "d");
  }
  fs::create_directories(folder_ / "d");
  write("d/.lock", "");
  write("d/scene.toml.partial", "tit");
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "d", "--resume"}).err, "there is no run to resume in d\n");
}

TEST_F(Program, ARunWhoseFolderIsDeletedEndsAndSaysSo) {
  const pid_t child = start({"run", "pool.toml", "--out", "gone", "--frames", "5000", "--quiet"});
  wait_for("gone/preview/preview.0002.png", child);
  fs::rename(folder_ / "gone", folder_ / "moved");
  const Result r = wait(child);
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(contains(r.err, "gone was deleted or replaced while the run wrote to it")) << r.err;
  EXPECT_TRUE(contains(r.err, "To start again: glug run pool.toml --out gone")) << r.err;
  EXPECT_FALSE(fs::exists(folder_ / "gone")) << "nothing is written in its place";
}

TEST_F(Program, ARunLeavesTheLockOfTheNextOneAlone) {
  const pid_t first = start({"run", "pool.toml", "--out", "gone", "--frames", "5000", "--quiet"});
  wait_for("gone/preview/preview.0002.png", first);
  fs::rename(folder_ / "gone", folder_ / "moved");
  const pid_t second = start({"run", "pool.toml", "--out", "gone", "--frames", "5000", "--quiet"});
  wait_for("gone/preview/preview.0000.png", second);
  EXPECT_EQ(wait(first).status, 3);
  EXPECT_TRUE(fs::exists(folder_ / "gone/.lock"));
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "gone", "--overwrite"}).status, 2);
  kill(second, SIGKILL);
  wait(second);
}

TEST_F(Program, ATableThatLacksRowsIsNotResumedAndNotChanged) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "parts", "--frames", "6"}).status, 0);
  const std::string stats = text_of(folder_ / "parts/stats.csv");
  const std::size_t first = stats.find('\n') + 1, second = stats.find('\n', first) + 1;
  const auto refused = [&](const std::string& expected) {
    const std::string before = contents("parts");
    const Result r = glug({"run", "pool.toml", "--out", "parts", "--frames", "8", "--resume"});
    EXPECT_EQ(r.status, 2) << r.err;
    EXPECT_TRUE(contains(r.err, expected)) << r.err;
    EXPECT_TRUE(contents("parts") == before);
  };
  write("parts/stats.csv", stats.substr(0, first) + stats.substr(second));
  refused("parts/stats.csv: has ");
  fs::remove(folder_ / "parts/stats.csv");
  refused("parts/stats.csv: has 0 rows up to the checkpoint where the run wrote ");
  write("parts/stats.csv", stats);
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "parts", "--frames", "8", "--resume"}).status, 0);
}

TEST_F(Program, ATableOfBodiesThatLacksRowsIsNotResumed) {
  write("cork.toml", text_of(folder_ / "pool.toml") +
                         "[[rigid]]\nname = \"cork\"\ndensity = 300\n"
                         "shape = { type = \"sphere\", center = [0.2, 0.8], radius = 0.1 }\n");
  const auto run = [&](const char* frames, bool resume) {
    std::vector<std::string> words = {"run", "cork.toml", "--out", "parts", "--frames", frames};
    if (resume) words.push_back("--resume");
    return glug(words);
  };
  ASSERT_EQ(run("4", false).status, 0);
  const std::string bodies = text_of(folder_ / "parts/bodies.csv");
  const std::size_t first = bodies.find('\n') + 1, second = bodies.find('\n', first) + 1;
  write("parts/bodies.csv", bodies.substr(0, first) + bodies.substr(second));
  const Result r = run("6", true);
  EXPECT_EQ(r.status, 2) << r.err;
  EXPECT_TRUE(contains(r.err, "parts/bodies.csv: has 4 rows up to the checkpoint where the run wrote 5"))
      << r.err;
  write("parts/bodies.csv", bodies);
  EXPECT_EQ(run("6", true).status, 0);
}

// Memory that runs out in the middle of anything: an error, not a crash.
TEST_F(Program, TooLittleMemoryEndsWithStatusThree) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes all addresses for itself";
#endif
  int failed = 0;
  for (const rlim_t megabytes : {120, 135, 150, 160, 168, 172, 176, 184, 190, 195, 205}) {
    const auto little = [=] {
      const rlimit limit{megabytes << 20, megabytes << 20};
      setrlimit(RLIMIT_AS, &limit);
    };
    // Its libraries start threads before it does.
    if (wait(start({"--version"}, little)).status != 0) continue;
    for (const char* threads : {"1", "2"}) {
      const Result r =
          wait(start({"run", hard_scene("every_vdb_file").string(), "--out", "little", "--frames", "1",
                      "--overwrite", "--quiet", "--threads", threads, "--set", "output.preview=off"},
                     little));
      EXPECT_TRUE(r.status == 0 || r.status == 3 || r.status == 2)
          << r.status << " with " << megabytes << " MB and " << threads << " threads: " << r.err;
      failed += r.status == 3;
      if (r.status == 3) {
        EXPECT_TRUE(contains(r.err, "--resume")) << r.err;
      }
    }
  }
  EXPECT_GT(failed, 0);
}

TEST_F(Program, SaysItsVersion) {
  const Result r = glug({"--version"});
  EXPECT_EQ(r.status, 0);
  EXPECT_EQ(r.out, "glug 0.1.0\n");
}

TEST_F(Program, AMistypedCommandIsAnsweredWithTheNearest) {
  const Result r = glug({"chekc", "pool.toml"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err, "there is no command \"chekc\": did you mean \"check\"?\n");
  const Result far = glug({"walk"});
  EXPECT_EQ(far.status, 2);
  EXPECT_TRUE(contains(far.err, "there is no command \"walk\"; there are run, compare, check, list"))
      << far.err;
}

TEST_F(Program, AMistypedOptionIsAnsweredWithTheNearest) {
  EXPECT_EQ(glug({"run", "pool.toml", "--sett", "grid.resolution=8"}).err,
            "glug run has no --sett: did you mean --set?\n");
  EXPECT_TRUE(contains(glug({"info", ".", "--loud"}).err, "glug info has no --loud; it has --help\n"));
  EXPECT_TRUE(contains(glug({"info", ".", "."}).err, "words too many"));
  EXPECT_TRUE(contains(glug({"run", "pool.toml", "--frames", "-1"}).err, "not in range 0 to 1000000"));
}

TEST_F(Program, TheReferencePageIsWhatTheProgramPrints) {
  EXPECT_TRUE(glug({"options"}).out == text_of(fs::path(GLUG_SOURCE_DIR) / "docs/reference.md"))
      << "run `./glug options > docs/reference.md`";
}

TEST_F(Program, TwoRunsDoNotShareAFolder) {
  const pid_t child = start({"run", "pool.toml", "--frames", "500", "--quiet"});
  wait_for("out/pool/preview/preview.0000.png", child);
  const Result second = glug({"run", "pool.toml", "--overwrite"});
  kill(child, SIGKILL);
  wait(child);
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.err, "another run is writing to out/pool: wait for it, or choose another with --out\n");
}

TEST_F(Program, AnotherSceneIsNotResumed) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const Result r = glug({"run", "pool.toml", "--resume", "--set", "liquid.density=900", "--frames", "5"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err,
            "out/pool is of another scene:\n  liquid.density: 1000 there, 900 now\nGive the same scene and "
            "--set values to "
            "resume, or start again with --overwrite or another --out\n");
}

TEST_F(Program, AFinishedRunGoesOnWithMoreFrames) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "whole", "--frames", "5"}).status, 0);
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "parts"}).status, 0);
  const Result r = glug({"run", "pool.toml", "--out", "parts", "--frames", "5", "--resume"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_EQ(physics("parts"), physics("whole"));
  EXPECT_EQ(text_of(folder_ / "parts/scene.toml"), text_of(folder_ / "whole/scene.toml"));
}

TEST_F(Program, AResumedRunExportsWhatItDidBeforeAndSaysSo) {
  ASSERT_EQ(
      glug({"run", "pool.toml", "--out", "whole", "--frames", "5", "--set", "output.surface=ply"}).status, 0);
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "parts", "--set", "output.surface=ply"}).status, 0);
  const Result r = glug({"run", "pool.toml", "--out", "parts", "--frames", "5", "--resume"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err,
                       "output.surface stays \"ply\", as the run began; the scene says \"off\": --set "
                       "output.surface=\"off\" changes it"))
      << r.err;
  for (const char* name : {"surface.0003.ply", "surface.0005.ply", "surface.ply.series"})
    EXPECT_TRUE(text_of(folder_ / "parts/surface" / name) == text_of(folder_ / "whole/surface" / name))
        << name;
  EXPECT_EQ(text_of(folder_ / "parts/scene.toml"), text_of(folder_ / "whole/scene.toml"));
}

TEST_F(Program, ARunResumedWithOtherOutputsSaysWhatItDoes) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const Result r = glug({"run", "pool.toml", "--frames", "4", "--resume", "--set", "output.surface=vtp"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err, "output.surface was \"off\" and is \"vtp\" from here on")) << r.err;
  EXPECT_FALSE(fs::exists(folder_ / "out/pool/surface/surface.0003.vtp"));
  EXPECT_TRUE(fs::exists(folder_ / "out/pool/surface/surface.0004.vtp"));
}

TEST_F(Program, ExportWritesWhatTheRunWouldHaveWritten) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "whole", "--set", "output.surface=ply", "--set",
                  "output.volume=vti"})
                .status,
            0);
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "parts", "--set", "output.particles=ply"}).status, 0);
  const Result r = glug({"export", "parts", "--surface", "ply", "--volume", "vti", "--threads", "1"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.out, "parts/surface: 4 frames as ply, 4 of them now")) << r.out;
  EXPECT_TRUE(contains(r.err, "volume: nothing is left to make frames 1 from")) << r.err;
  // Frame 0 from the scene, frames 2 and 3 from checkpoints: the same bytes. Frame 1 from particles: nearly.
  for (const char* name : {"surface/surface.0000.ply", "surface/surface.0002.ply", "surface/surface.0003.ply",
                           "surface/surface.ply.series", "volume/volume.0000.vti", "volume/volume.0003.vti"})
    EXPECT_TRUE(text_of(folder_ / "parts" / name) == text_of(folder_ / "whole" / name)) << name;
  const std::string one = text_of(folder_ / "parts/surface/surface.0001.ply");
  EXPECT_EQ(one.substr(0, 200), text_of(folder_ / "whole/surface/surface.0001.ply").substr(0, 200));
  // A second time there is nothing to do.
  const std::string before = contents("parts");
  const Result again = glug({"export", "parts", "--surface", "ply", "--threads", "1"});
  EXPECT_TRUE(contains(again.out, "4 frames as ply, 0 of them now")) << again.out << again.err;
  EXPECT_EQ(contents("parts"), before);
}

TEST_F(Program, ExportSaysWhatItNeeds) {
  EXPECT_EQ(glug({"export", "nowhere", "--surface", "ply"}).err,
            "nowhere holds no run: give the folder that glug run wrote\n");
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const Result nothing = glug({"export", "out/pool"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(contains(nothing.err, "nothing to export: say --surface")) << nothing.err;
  const Result unknown = glug({"export", "out/pool", "--surface", "obj"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.err.starts_with("--surface: output.surface must be one of")) << unknown.err;
}

TEST_F(Program, SolidsAreWrittenOnceAndTheirMotionForEveryFrame) {
  write("stir.toml", text_of(folder_ / "pool.toml") + R"(
[[solid]]
name = "my paddle"
shape = { type = "box", center = [0.7, 0.3], size = [0.1, 0.2] }
motion = { interpolation = "linear", pivot = [0.7, 0.3], keys = [ { time = 0 }, { time = 1, position = [0, 0.5] } ] }
[[solid]]
shape = { type = "sphere", center = [0.9, 0.1], radius = 0.08 }
)");
  const Result r = glug({"run", "stir.toml", "--set", "output.surface=ply"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string bodies = text_of(folder_ / "out/stir/bodies.csv");
  EXPECT_TRUE(bodies.starts_with("frame,time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n0,0,my_paddle,"))
      << bodies;
  EXPECT_EQ(std::count(bodies.begin(), bodies.end(), '\n'), 5);
  EXPECT_TRUE(fs::exists(folder_ / "out/stir/solids/my_paddle.ply"));
  EXPECT_TRUE(fs::exists(folder_ / "out/stir/solids/solid_1.ply"));
  EXPECT_FALSE(fs::exists(folder_ / "out/pool/bodies.csv"));
}

TEST_F(Program, AFullDiskEndsWithStatusThreeAndLosesNothing) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "whole", "--frames", "8"}).status, 0);
  const auto small_files = [] {
    const rlimit limit{30000, 30000};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  // Checkpoints are the largest files of this run.
  const Result r = wait(start({"run", "pool.toml", "--out", "parts", "--frames", "8"}, small_files));
  EXPECT_EQ(r.status, 3) << r.err;
  EXPECT_TRUE(contains(r.err, "the run failed after frame")) << r.err;
  EXPECT_TRUE(contains(r.err, "--resume")) << r.err;
  const Result resumed = glug({"run", "pool.toml", "--out", "parts", "--frames", "8", "--resume"});
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(physics("parts"), physics("whole"));
}

// A frame that cannot be written ends the run though the simulation is ahead of it.
TEST_F(Program, AFrameThatCannotBeWrittenEndsTheRunAndNamesTheFile) {
  const pid_t child = start({"run", "pool.toml", "--out", "parts", "--frames", "2000"});
  wait_for("parts/preview/preview.0002.png", child);
  // The run writes all the while: the folder is moved away at once, and may be there again.
  const fs::path preview = folder_ / "parts/preview";
  for (int n = 0; n < 100 && !fs::is_regular_file(preview); ++n) {
    std::error_code none_there;
    fs::rename(preview, folder_ / ("parts/moved" + std::to_string(n)), none_there);
    std::ofstream(preview) << "in the way";
  }
  const Result r = wait(child);
  EXPECT_EQ(r.status, 3);
  EXPECT_TRUE(contains(r.err, "the run failed after frame")) << r.err;
  EXPECT_TRUE(contains(r.err, "parts/preview")) << r.err;
  fs::remove(folder_ / "parts/preview");
  EXPECT_EQ(glug({"run", "pool.toml", "--out", "parts", "--frames", "6", "--resume"}).status, 0);
}

TEST_F(Program, FramesThatWaitAndFramesThatDoNotAreTheSameFiles) {
  for (const char* waiting : {"0", "1", "5"})
    ASSERT_EQ(glug({"run", "pool.toml", "--out", std::string("w") + waiting, "--frames", "6", "--set",
                    "output.particles=ply", "--set", std::string("output.frames_waiting=") + waiting})
                  .status,
              0);
  for (const char* kind : {"preview", "particles"})
    for (const auto& entry : fs::directory_iterator(folder_ / "w0" / kind))
      for (const char* other : {"w1", "w5"})
        EXPECT_TRUE(text_of(entry.path()) == text_of(folder_ / other / kind / entry.path().filename()))
            << entry.path();
}

TEST_F(Program, AttributesThatWereNotFollowedFromTheStartAreNotResumed) {
  ASSERT_EQ(glug({"run", "pool.toml", "--frames", "2"}).status, 0);
  const Result r = glug({"run", "pool.toml", "--frames", "4", "--resume", "--set", "output.particles=ply",
                         "--set", "output.particle_attributes=age"});
  EXPECT_EQ(r.status, 2);
  EXPECT_TRUE(contains(r.err, "the run began without output.particle_attributes")) << r.err;
}

TEST_F(Program, ABrokenCheckpointIsSkippedForTheOneBefore) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "whole", "--frames", "8"}).status, 0);
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "parts", "--frames", "6"}).status, 0);
  fs::path newest;
  for (const auto& entry : fs::directory_iterator(folder_ / "parts/checkpoint"))
    newest = std::max(newest, entry.path());
  fs::resize_file(newest, fs::file_size(newest) / 2);
  const Result r = glug({"run", "pool.toml", "--out", "parts", "--frames", "8", "--resume"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(r.err, "resuming from frame 4")) << r.err;
  EXPECT_EQ(physics("parts"), physics("whole"));
}

TEST_F(Program, OneThreadAndSeveralGiveTheSameFigures) {
  ASSERT_EQ(glug({"run", "pool.toml", "--out", "one", "--threads", "1"}).status, 0);
  for (const char* threads : {"2", "7"}) {
    ASSERT_EQ(glug({"run", "pool.toml", "--out", threads, "--threads", threads}).status, 0);
    EXPECT_EQ(physics(threads), physics("one"));
  }
}

TEST_F(Program, CheckAndRunRemarkOnAValueThatHasNoEffect) {
  const std::vector<std::string> set = {"--set", "liquid.transfer=pic", "--set", "air.density=900"};
  const std::string remark = "air.density = 900 has no effect with air.model = \"void\"";
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), set.begin(), set.end());
    return glug(words);
  };
  const Result check = with({"check", "pool.toml"}), run = with({"run", "pool.toml", "--frames", "1"});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_TRUE(contains(check.out, "# " + remark)) << check.out;
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(times(run.err, remark), 1) << run.err;
}

TEST_F(Program, ABrokenSceneOfTheRunIsNamedWithItsLineByResume) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const auto resumed = [&](const std::string& scene) {
    write("out/pool/scene.toml", scene);
    const Result r = glug({"run", "pool.toml", "--resume", "--frames", "5"});
    EXPECT_EQ(r.status, 2);
    return r.err;
  };
  const std::string remedy =
      "; put it back as the run wrote it to resume, or start again with --overwrite or another --out\n";
  const std::string torn = resumed("title = \"Pool\"\n[grid\n");
  EXPECT_TRUE(torn.starts_with("out/pool/scene.toml:2:6: is not TOML: ")) << torn;
  EXPECT_TRUE(torn.ends_with(remedy)) << torn;
  EXPECT_EQ(resumed(""), "out/pool/scene.toml: is empty" + remedy);
}

TEST_F(Program, ABrokenStatusOfARunIsToldInPlainWordsAndItsRemedyWorks) {
  ASSERT_EQ(glug({"run", "pool.toml"}).status, 0);
  const std::string remedy =
      ", and should say what became of the run; remove it and go on with --resume, which writes it anew, or "
      "start again with --overwrite\n";
  const auto told = [&](const std::string& status) {
    write("out/pool/run.json", status);
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"run", "pool.toml", "--resume", "--frames", "5"}, {"export", "out/pool", "--surface", "ply"}}) {
      const Result r = glug(words);
      EXPECT_EQ(r.status, 2) << words[0];
      EXPECT_EQ(r.err, glug({"info", "out/pool"}).err) << words[0];
    }
    return glug({"info", "out/pool"}).err;
  };
  EXPECT_EQ(told(""), "out/pool/run.json: is empty" + remedy);
  EXPECT_EQ(told("\n"), "out/pool/run.json: is empty" + remedy);
  EXPECT_EQ(told("{\n  \"state\": finished\n}\n"),
            "out/pool/run.json:2:13: is not JSON from here on" + remedy);
  EXPECT_EQ(told("{ \"state\": 3 }"), "out/pool/run.json: is JSON of something else" + remedy);
  EXPECT_EQ(told("[]"), "out/pool/run.json: is JSON of something else" + remedy);
  fs::remove(folder_ / "out/pool/run.json");
  const Result r = glug({"run", "pool.toml", "--resume", "--frames", "5"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(contains(glug({"info", "out/pool"}).out, "frame 5 of 5"));
}

TEST_F(Program, ExportMakesAllFramesButThoseWhoseParticlesAreDamaged) {
  ASSERT_EQ(glug({"run", "pool.toml", "--frames", "7", "--set", "output.particles=ply", "--set",
                  "output.checkpoint_every=100"})
                .status,
            0);
  const auto particles = [&](int frame) {
    return "out/pool/particles/particles.000" + std::to_string(frame) + ".ply";
  };
  fs::resize_file(folder_ / particles(2), fs::file_size(folder_ / particles(2)) - 5);
  write(particles(5), "");
  const Result r = glug({"export", "out/pool", "--surface", "ply", "--threads", "1"});
  EXPECT_EQ(r.status, 2);
  EXPECT_EQ(r.err,
            particles(2) +
                ": is not as long as its header says: it must be a file of particles as glug run writes "
                "it\n" +
                particles(5) +
                ": has another header: it must be a file of particles as glug run writes it\n");
  EXPECT_TRUE(contains(r.out, "out/pool/surface: 6 frames as ply, 6 of them now")) << r.out;
  for (const int frame : {0, 1, 2, 3, 4, 5, 6, 7})
    EXPECT_EQ(fs::exists(folder_ / ("out/pool/surface/surface.000" + std::to_string(frame) + ".ply")),
              frame != 2 && frame != 5)
        << frame;
}

TEST_F(Program, ARunThatGrowsBeyondNumbersHasDivergedWhateverTheSolveSays) {
  write("gust.toml",
        "gravity = [0, 1e12]\n[grid]\ndimension = 2\nresolution = 24\n[time]\nfps = 1e-30\n"
        "max_substeps = 1\n[output]\npreview = \"off\"\n[smoke]\nbuoyancy = 1000\n[[smoke.source]]\n"
        "temperature = 1e5\nshape = { type = \"sphere\", center = [0.5, 0.3], radius = 0.1 }\n");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"run", "gust.toml"},
                                             {"run", "pool.toml", "--set", "gravity=[0, 1e12]", "--set",
                                              "time.fps=1e-30", "--set", "time.max_substeps=1"}}) {
    const Result r = glug(words);
    EXPECT_EQ(r.status, 3) << words[1];
    EXPECT_TRUE(contains(r.err, "the simulation diverged in step 1: ")) << r.err;
    EXPECT_TRUE(contains(r.err, "; lower time.cfl")) << r.err;
    EXPECT_FALSE(contains(r.err, "solver.max_iterations")) << r.err;
  }
}

// Of its own coordinates, not of its centre of mass: what docs/reference.md says of bodies.csv.
TEST_F(Program, TheRowsOfABodyAreOfTheOriginOfItsCoordinates) {
  write("spin.toml", text_of(folder_ / "pool.toml") +
                         "[[rigid]]\nname = \"top\"\nvelocity = [0, 1]\nspin = 90\n"
                         "shape = { type = \"sphere\", center = [0.7, 0.5], radius = 0.1 }\n");
  ASSERT_EQ(glug({"run", "spin.toml", "--set", "gravity=[0, 0]", "--frames", "1"}).status, 0);
  std::istringstream rows(text_of(folder_ / "out/spin/bodies.csv"));
  std::string row;
  std::getline(rows, row);
  for (int frame = 0; std::getline(rows, row); ++frame) {
    double v[13];
    std::istringstream cells(row.substr(row.find("top,") + 4));
    std::string cell;
    for (double& number : v) number = std::getline(cells, cell, ',') ? std::stod(cell) : 1e9;
    const double x = v[0], y = v[1], cosine = 1 - 2 * v[6] * v[6], sine = 2 * v[3] * v[6], w = v[12];
    if (frame == 0) {
      EXPECT_EQ(x * x + y * y + v[6] * v[6], 0);
    }
    // The centre of mass rises at 1 m/s in free air, wherever the origin is.
    const double cx = x + cosine * 0.7 - sine * 0.5, cy = y + sine * 0.7 + cosine * 0.5;
    EXPECT_NEAR(cx, 0.7, 1e-6) << frame;
    EXPECT_NEAR(cy, 0.5 + frame / 24.0, 1e-6) << frame;
    EXPECT_NEAR(v[7] - w * (cy - y), 0, 1e-6) << frame;
    EXPECT_NEAR(v[8] + w * (cx - x), 1, 1e-6) << frame;
    EXPECT_NEAR(w, 3.14159265 / 2, 1e-6) << frame;
  }
}

}  // namespace
}  // namespace glug
