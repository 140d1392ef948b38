#include "output/particle_reader.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "output/ply.h"
#include "output/up_axis.h"
#include "output/vdb_reader.h"

namespace glug {
namespace {

template <int D>
void add(const Vec<3, float>& position, const Vec<3, float>& velocity, std::uint32_t id, UpAxis up,
         KnownParticles<D>& particles) {
  const Vec<3, float> there = turned_back(up, position), moving = turned_back(up, velocity);
  Vec<D, float> x{}, v{};
  for (int a = 0; a < D; ++a) {
    x[a] = there[a];
    v[a] = moving[a];
  }
  particles.positions.push_back(x);
  particles.velocities.push_back(v);
  particles.ids.push_back(id);
}

template <int D>
KnownParticles<D> read_ply(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream stream;
  stream << file.rdbuf();
  const std::string text = stream.str();
  const auto refuse = [&](const char* why) {
    throw InputError({path.string(), 0, 0},
                     std::string(why) + ": it must be a file of particles as glug run writes it");
  };
  if (!file) refuse("cannot be read");
  constexpr std::string_view count_words = "element vertex ", end_words = "end_header\n";
  const std::size_t at = text.find(count_words), end = text.find(end_words);
  std::int64_t count = -1;
  if (at != std::string::npos && end != std::string::npos)
    std::from_chars(text.data() + at + count_words.size(), text.data() + end, count);
  const std::string header = count < 0 ? std::string() : text.substr(0, end + end_words.size());
  // What particles need to be a frame comes first; attributes follow the id.
  std::vector<std::string> attributes;
  constexpr std::string_view id_words = "property uint id\n", attribute_words = "property float ";
  for (std::size_t line = header.find(id_words) + id_words.size();
       header.find(id_words) != std::string::npos &&
       header.compare(line, attribute_words.size(), attribute_words) == 0;
       line = header.find('\n', line) + 1)
    attributes.push_back(header.substr(line + attribute_words.size(),
                                       header.find('\n', line) - line - attribute_words.size()));
  const UpAxis up = header == particles_ply_header(count, UpAxis::z, attributes) ? UpAxis::z : UpAxis::y;
  if (count < 0 || header != particles_ply_header(count, up, attributes)) refuse("has another header");
  const std::size_t record = 28 + 4 * attributes.size();
  const std::size_t body = end + end_words.size();
  if ((text.size() - body) / record != static_cast<std::size_t>(count) || (text.size() - body) % record != 0)
    refuse("is not as long as its header says");
  KnownParticles<D> particles;
  for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
    Vec<3, float> x, v;
    std::uint32_t id;
    const char* from = text.data() + body + n * record;
    std::memcpy(&x, from, 12);
    std::memcpy(&v, from + 12, 12);
    std::memcpy(&id, from + 24, 4);
    add<D>(x, v, id, up, particles);
  }
  return particles;
}

template <int D>
KnownParticles<D> read_vdb(const std::filesystem::path& path) {
  KnownParticles<D> particles;
  const UpAxis up = vdb_up_axis(path);
  for (const VdbPoint& p : vdb_points(path))
    add<D>(p.position.as<float>(), p.velocity.as<float>(), static_cast<std::uint32_t>(p.id), up, particles);
  return particles;
}

}  // namespace

template <int D>
KnownParticles<D> read_particles(const std::filesystem::path& path) {
  return path.extension() == ".vdb" ? read_vdb<D>(path) : read_ply<D>(path);
}

template KnownParticles<2> read_particles<2>(const std::filesystem::path&);
template KnownParticles<3> read_particles<3>(const std::filesystem::path&);

}  // namespace glug
