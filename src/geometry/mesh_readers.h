// mesh_readers.h: one reader per mesh format. Each gets the whole file and its name, and returns polygons as
// fans of triangles; indices are within range. Broken files throw InputError naming the file, the line or
// element, the remedy.
#pragma once

#include <string>
#include <string_view>

#include "geometry/mesh.h"

namespace glug {

TriangleMesh read_obj(std::string_view bytes, const std::string& file);
TriangleMesh read_ply(std::string_view bytes, const std::string& file);
TriangleMesh read_stl(std::string_view bytes, const std::string& file);

// The next line without its end, and the next word of a line; false when there is none.
bool take_line(std::string_view& rest, std::string_view& line);
bool take_word(std::string_view& rest, std::string_view& word);
// A whole word as a number; false when it is none.
bool parse_number(std::string_view word, double& value);
bool parse_integer(std::string_view word, long long& value);

}  // namespace glug
