#include "output/movie.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"
#include "output/atomic_file.h"

extern char** environ;

namespace glug {
namespace {

constexpr std::string_view preview_prefix = "preview.";
constexpr std::string_view preview_suffix = ".png";

// Ascending numbers of the pictures in the folder.
std::vector<int> picture_numbers(const std::filesystem::path& folder) {
  std::vector<int> numbers;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(preview_prefix) || !name.ends_with(preview_suffix) ||
        name.size() <= preview_prefix.size() + preview_suffix.size())
      continue;
    int number = -1;
    const char* last = name.data() + name.size() - preview_suffix.size();
    const auto [end, parse_error] = std::from_chars(name.data() + preview_prefix.size(), last, number);
    if (parse_error == std::errc{} && end == last && number >= 0) numbers.push_back(number);
  }
  if (error)
    throw InputError(fmt::format("{}: cannot list the pictures: {}", folder.string(), error.message()));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

struct Outcome {
  int status = 0;
  std::string words;  // what it said on its error stream
};

// Runs a program with its arguments (no shell), its input closed and its output collected.
Outcome run_program(const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw SimulationError(fmt::format("cannot start {}: {}", arguments[0], std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    if (error == ENOENT)
      throw InputError(fmt::format(
          "{} was not found: install it (Debian: apt install ffmpeg); the pictures are there", arguments[0]));
    throw SimulationError(fmt::format("cannot start {}: {}", arguments[0], std::strerror(error)));
  }
  Outcome outcome;
  char piece[4096];
  for (;;) {
    const ssize_t n = ::read(ends[0], piece, sizeof(piece));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    outcome.words.append(piece, static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  while (::waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
  }
  return outcome;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of("\r\n ");
  if (end == std::string::npos) return "it gave no reason";
  const std::size_t begin = text.find_last_of("\r\n", end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

}  // namespace

void make_movie(const std::filesystem::path& preview_folder, double fps,
                const std::filesystem::path& out_file) {
  if (out_file.extension() != ".mp4")
    throw InputError(fmt::format("{}: movies are written as .mp4; name it {}", out_file.string(),
                                 std::filesystem::path(out_file).replace_extension(".mp4").string()));
  const std::vector<int> numbers = picture_numbers(preview_folder);
  if (numbers.empty())
    throw InputError(
        fmt::format("{}: holds no pictures (preview.0000.png, ...); run the scene with output.preview = "
                    "\"png\"",
                    preview_folder.string()));
  for (std::size_t n = 1; n < numbers.size(); ++n)
    if (numbers[n] != numbers[n - 1] + 1)
      throw InputError(
          fmt::format("{}: preview.{:04}.png is missing, the movie would stop there; write it again first",
                      preview_folder.string(), numbers[n - 1] + 1));

  std::string pattern;  // ffmpeg reads % in the folder's name as the start of a number
  for (const char c : preview_folder.string()) pattern += c == '%' ? "%%" : std::string(1, c);
  pattern += "/preview.%04d.png";
  std::filesystem::path partial = out_file;
  partial += ".partial";
  const std::string start = std::to_string(numbers.front()), rate = fmt::format("{}", fps);
  // yuv420p, which every player knows, needs even sides: an odd one is padded with a row or column of white.
  const Outcome outcome = run_program({"ffmpeg",
                                       "-nostdin",
                                       "-hide_banner",
                                       "-loglevel",
                                       "error",
                                       "-y",
                                       "-framerate",
                                       rate,
                                       "-start_number",
                                       start,
                                       "-i",
                                       "file:" + pattern,
                                       "-vf",
                                       "pad=ceil(iw/2)*2:ceil(ih/2)*2:0:0:white",
                                       "-c:v",
                                       "libx264",
                                       "-preset",
                                       "medium",
                                       "-crf",
                                       "18",
                                       "-pix_fmt",
                                       "yuv420p",
                                       "-movflags",
                                       "+faststart",
                                       "-f",
                                       "mp4",
                                       "file:" + partial.string()});
  if (!WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != 0) {
    std::error_code ignored;
    std::filesystem::remove(partial, ignored);
    throw SimulationError(
        fmt::format("{}: ffmpeg could not make the movie: {}. The pictures are whole and safe.",
                    out_file.string(), last_line(outcome.words)));
  }
  adopt_partial(partial, out_file);
}

}  // namespace glug
