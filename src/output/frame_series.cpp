#include "output/frame_series.h"

#include <fmt/format.h>

#include <vector>

#include "output/atomic_file.h"
#include "output/frame_files.h"

namespace glug {
namespace {

std::string pvd(const std::vector<std::pair<std::string, double>>& frames) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const auto& [name, time] : frames)
    text += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", time, name);
  return text + "  </Collection>\n</VTKFile>\n";
}

std::string series(const std::vector<std::pair<std::string, double>>& frames) {
  std::string text = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [";
  for (std::size_t n = 0; n < frames.size(); ++n)
    text += fmt::format("{}\n    {{ \"name\": \"{}\", \"time\": {} }}", n ? "," : "", frames[n].first,
                        frames[n].second);
  return text + "\n  ]\n}\n";
}

}  // namespace

void write_frame_series(const std::filesystem::path& run_folder, const std::string& kind,
                        const std::string& extension, int first_frame, int last, double fps) {
  std::vector<std::pair<std::string, double>> frames;
  for (int n = 0; n <= last; ++n) {
    const std::filesystem::path path = frame_path(run_folder, kind, first_frame + n, extension);
    if (std::filesystem::exists(path)) frames.emplace_back(path.filename().string(), n / fps);
  }
  if (extension == "vti" || extension == "vtp")
    write_file(run_folder / kind / (kind + ".pvd"), pvd(frames));
  else if (extension == "ply")
    write_file(run_folder / kind / (kind + ".ply.series"), series(frames));
}

}  // namespace glug
