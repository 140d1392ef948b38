// main.cpp: glug_fuzz: thousands of inputs that nobody would write, and whether the program stands them.
// docs/validation.md, Random scenes and broken files.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <regex>
#include <thread>

#include "fuzz/files.h"
#include "fuzz/player.h"

namespace glug::fuzz {
namespace {

namespace fs = std::filesystem;

struct Options {
  Kind kind = Kind::scenes;
  std::uint64_t seed = 1, first = 0, count = 100;
  fs::path program, keep = "fuzz_failures";
  int jobs = 2;
  bool all = false, reduce = false;
  Limits limits;
};

const char* name_of(Kind kind) { return kind == Kind::scenes ? "scenes" : "files"; }

// Numbers and names differ from case to case: without them a reason can be counted.
std::string without_numbers(const std::string& text) {
  return std::regex_replace(text, std::regex("[-+]?[0-9][-+.0-9e]*"), "N").substr(0, 150);
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options),
        scratch_(fs::temp_directory_path()),
        prepared_(options.program, scratch_.path() / "prepared") {}

  // Whether all went well.
  bool run() {
    std::vector<std::thread> workers;
    for (int n = 0; n < options_.jobs; ++n) workers.emplace_back([this] { work(); });
    for (std::thread& w : workers) w.join();
    fmt::print("{} {} of seed {} from {}: {} finished, {} refused, {} gave up, {} faults\n", options_.count,
               name_of(options_.kind), options_.seed, options_.first, count_[Outcome::finished],
               count_[Outcome::refused], count_[Outcome::gave_up], count_[Outcome::fault]);
    std::vector<std::pair<std::string, std::vector<std::uint64_t>>> reasons(reasons_.begin(), reasons_.end());
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& x, const auto& y) { return x.second.size() > y.second.size(); });
    reasons.resize(std::min<std::size_t>(reasons.size(), 20));
    for (const auto& [why, cases] : reasons)
      fmt::print("  {:4} x {}  (such as {})\n", cases.size(), why,
                 *std::min_element(cases.begin(), cases.end()));
    return count_[Outcome::fault] == 0;
  }

 private:
  void work() {
    for (std::uint64_t n = next_++; n < options_.count; n = next_++) {
      const std::uint64_t number = options_.first + n;
      const Case c = make_case(options_.kind, options_.seed, number, prepared_);
      const Verdict v = play_case(c, options_.program, scratch_.path(), options_.limits);
      if (v.outcome == Outcome::fault || options_.all) keep(c, v, number);
      const std::lock_guard lock(mutex_);
      ++count_[v.outcome];
      if (v.why.empty()) continue;
      reasons_[without_numbers(v.why)].push_back(number);
      if (v.outcome != Outcome::fault) continue;
      fmt::print("FAULT {} {}: {}\n", name_of(options_.kind), number, v.why);
      std::fflush(stdout);
    }
  }

  // The inputs, and the words that bring the fault about again.
  void keep(const Case& c, const Verdict& v, std::uint64_t number) {
    const fs::path folder =
        options_.keep / fmt::format("{}-{}-{}", name_of(options_.kind), options_.seed, number);
    fs::remove_all(folder);
    lay_out(c, folder);
    std::string words = "# " + v.why + "\n";
    for (const Command& command : c.commands) {
      words += "glug";
      for (const std::string& argument : command.arguments) words += " " + argument;
      words += "\n";
    }
    write_bytes(folder / "commands", words);
    if (!options_.reduce || v.outcome != Outcome::fault) return;
    const Case small = reduced(c, v.why, options_.program, scratch_.path(), options_.limits);
    write_bytes(folder / "reduced.toml", small.files.front().bytes);
  }

  const Options& options_;
  const ScratchFolder scratch_;
  const PreparedRuns prepared_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::map<Outcome, int> count_;
  std::map<std::string, std::vector<std::uint64_t>> reasons_;
};

int run(int argc, char** argv) {
  Options options;
  CLI::App app("glug_fuzz: random scenes and broken files, and whether glug stands them.");
  const std::map<std::string, Kind> kinds = {{"scenes", Kind::scenes}, {"files", Kind::files}};
  app.add_option("--program", options.program, "The glug to try")->required()->check(CLI::ExistingFile);
  app.add_option("--kind", options.kind,
                 "scenes: by the grammar; files: mutated scenes, meshes, checkpoints, tables")
      ->transform(CLI::CheckedTransformer(kinds));
  app.add_option("--seed", options.seed, "All follows from it");
  app.add_option("--first", options.first, "Number of the first case: with --count 1 that case alone");
  app.add_option("--count", options.count, "Cases");
  app.add_option("--jobs", options.jobs, "Cases at a time");
  app.add_option("--memory", options.limits.memory_mb, "MB of address space for each; 0 = any");
  app.add_option("--seconds", options.limits.cpu_seconds, "Of computing for each");
  app.add_option("--keep", options.keep, "Folder for the inputs of faults");
  app.add_flag("--all", options.all, "Keep the inputs of every case");
  app.add_flag("--reduce", options.reduce,
               "Leave out the lines that a fault does not need (reduced.toml beside it)");
  CLI11_PARSE(app, argc, argv);
  options.program = fs::absolute(options.program);
  return Campaign(options).run() ? 0 : 1;
}

}  // namespace
}  // namespace glug::fuzz

int main(int argc, char** argv) {
  try {
    return glug::fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
