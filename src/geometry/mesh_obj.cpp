// Wavefront OBJ: vertices and faces; everything else (normals, materials, groups) is passed over.
#include <fmt/format.h>

#include "core/error.h"
#include "geometry/mesh_readers.h"

namespace glug {

TriangleMesh read_obj(std::string_view bytes, const std::string& file) {
  TriangleMesh mesh;
  std::string_view line;
  for (int number = 1; take_line(bytes, line); ++number) {
    const auto fail = [&](const std::string& what) {
      throw InputError(SourceLocation{file, number, 1}, what);
    };
    std::string_view word;
    if (!take_word(line, word)) continue;
    if (word == "v") {
      Vec3 x{};
      for (int a = 0; a < 3; ++a)
        if (!take_word(line, word) || !parse_number(word, x[a]))
          fail("a vertex needs three numbers: v X Y Z");
      mesh.vertices.push_back(x);
    } else if (word == "f") {
      int corners = 0, first = 0, previous = 0;
      while (take_word(line, word)) {
        long long index = 0;  // from 1, or from the end if negative; texture and normal after a slash
        if (!parse_integer(word.substr(0, word.find('/')), index))
          fail(fmt::format("'{}' is no vertex of a face; expected a number such as 3 or 3/1/2", word));
        const long long count = static_cast<long long>(mesh.vertices.size());
        const long long at = index < 0 ? count + index : index - 1;
        if (at < 0 || at >= count)
          fail(fmt::format("face uses vertex {}, but {} vertices come before it", index, count));
        const int v = static_cast<int>(at);
        if (corners == 0) first = v;
        if (corners >= 2) mesh.triangles.push_back({first, previous, v});
        previous = v;
        ++corners;
      }
      if (corners < 3) fail(fmt::format("a face needs at least 3 vertices, got {}", corners));
    }
  }
  return mesh;
}

}  // namespace glug
