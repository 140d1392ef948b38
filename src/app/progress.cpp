#include "app/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/say.h"

namespace glug {

ProgressStyle progress_style_of_stderr() {
  return isatty(STDERR_FILENO) ? ProgressStyle::live : ProgressStyle::lines;
}

std::string duration_text(double seconds) {
  const long total = std::lround(std::max(0.0, seconds));
  const long h = total / 3600, m = total / 60 % 60, s = total % 60;
  return h > 0 ? fmt::format("{}:{:02}:{:02}", h, m, s) : fmt::format("{}:{:02}", m, s);
}

std::string count_text(double count) {
  if (count >= 999.5e6) return fmt::format("{:.2f} G", count / 1e9);
  if (count >= 999.5e3) return fmt::format("{:.2f} M", count / 1e6);
  if (count >= 999.5) return fmt::format("{:.1f} k", count / 1e3);
  return fmt::format("{:.0f}", count);
}

Progress::Progress(ProgressStyle style, int first_frame, int frames, double seconds_per_frame)
    : style_(style), first_frame_(first_frame), frames_(frames), frame_length_(seconds_per_frame) {}

std::string Progress::line(const StepReport& report) const {
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const double done =
      report.time / frame_length_ - first_frame_;  // in frames, with the part of the one under way
  const double left = done > 0 ? spent * (frames_ - first_frame_ - done) / done : 0;
  return fmt::format("frame {}/{}  substep {}  {} particles  {} bubbles  {} iterations  {}", report.frame,
                     frames_, report.step, count_text(static_cast<double>(report.particles)), report.bubbles,
                     report.iterations, done > 0 ? duration_text(left) + " left" : "");
}

void Progress::update(const StepReport& report) {
  const Clock::time_point now = Clock::now();
  const bool last = report.frame_done && report.frame >= frames_;
  if (style_ == ProgressStyle::lines) {
    if (!report.frame_done || (!last && now - shown_ < std::chrono::seconds(1))) return;
    glug::say(line(report));
    shown_ = now;
  } else if (style_ == ProgressStyle::live) {
    if (!last && now - shown_ < std::chrono::milliseconds(100)) return;
    winsize window{};
    const int columns =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    std::string text = line(report);
    const int bar = std::min(30, columns - static_cast<int>(text.size()) - 4);
    if (bar >= 8) {
      const double share = frames_ > 0 ? report.time / frame_length_ / frames_ : 1;
      const int full = std::clamp(static_cast<int>(share * bar), 0, bar);
      text = "[" + std::string(static_cast<std::size_t>(full), '#') +
             std::string(static_cast<std::size_t>(bar - full), '.') + "] " + text;
    }
    text.resize(std::min(text.size(), static_cast<std::size_t>(columns - 1)));
    std::fputs(("\r" + text + "\033[K").c_str(), stderr);
    std::fflush(stderr);
    shown_ = now;
    open_ = true;
  }
}

void Progress::say(const std::string& text) {
  if (style_ == ProgressStyle::none) return;
  finish();
  glug::say(text);
}

void Progress::finish() {
  if (open_) std::fputs("\n", stderr);
  open_ = false;
}

}  // namespace glug
