#include "scene/find_scene.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "scene/suggest.h"

namespace glug {

namespace {

// share/glug/scenes beside the program, the library or the Python module that this code is part of; empty
// where it was not installed.
std::filesystem::path installed_scenes() {
  namespace fs = std::filesystem;
  std::error_code unknown;
  Dl_info info{};
  static const char here = 0;
  fs::path file = dladdr(&here, &info) && info.dli_fname ? fs::path(info.dli_fname) : fs::path();
  if (!file.has_parent_path()) file = fs::read_symlink("/proc/self/exe", unknown);  // found along PATH
  fs::path folder = fs::weakly_canonical(file, unknown).parent_path();
  for (int up = 0; up < 6 && folder.has_relative_path(); ++up, folder = folder.parent_path())
    if (fs::is_directory(folder / "share/glug/scenes", unknown)) return folder / "share/glug/scenes";
  return {};
}

}  // namespace

std::filesystem::path scenes_folder() {
  const char* given = std::getenv("GLUG_SCENES");
  if (given && *given) return given;
  const std::filesystem::path installed = installed_scenes();
  return installed.empty() ? std::filesystem::path(GLUG_SCENES_DIR) : installed;
}

std::vector<std::string> scene_names(const std::string& group) {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::path folder = scenes_folder() / group;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".toml")
      names.push_back((std::filesystem::path(group) / entry.path().stem()).string());
  if (error)
    throw InputError("cannot read the folder of scenes " + folder.string() + ": " + error.message() +
                     " (the variable GLUG_SCENES may name another)");
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path find_scene(const std::string& path_or_name) {
  const std::filesystem::path path(path_or_name);
  if (path.extension() == ".toml") {
    std::error_code error;  // such as a name that is too long
    if (!std::filesystem::exists(path, error))
      throw InputError("there is no scene file " + path_or_name + (error ? ": " + error.message() : ""));
    return path;
  }
  const std::string group = path.parent_path().string();
  std::error_code ignored;
  const bool grouped =
      !group.empty() && path.is_relative() && std::filesystem::is_directory(scenes_folder() / group, ignored);
  const std::vector<std::string> names = scene_names(grouped ? group : "");
  if (std::find(names.begin(), names.end(), path_or_name) != names.end())
    return scenes_folder() / (path_or_name + ".toml");
  std::vector<std::string> meant = near_names(path_or_name, names);
  for (const std::string& n : names)  // "dam" means every dam break
    if (n.find(path_or_name) != std::string::npos && std::find(meant.begin(), meant.end(), n) == meant.end())
      meant.push_back(n);
  throw InputError(
      "there is no scene named \"" + path_or_name + "\"" +
      (meant.empty() ? "; there are " + quoted_list(names) : ": did you mean " + quoted_list(meant) + "?") +
      " (your own scenes: give the path of the .toml file)");
}

}  // namespace glug
