// PLY: ascii or binary little-endian; x, y, z of "vertex" and the index list of "face"; other properties are
// skipped.
#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "geometry/mesh_readers.h"

namespace glug {
namespace {

enum class Scalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct Property {
  std::string name;
  Scalar type = Scalar::float32;
  bool is_list = false;
  Scalar count_type = Scalar::uint8;
};

struct Element {
  std::string name;
  long long count = 0;
  std::vector<Property> properties;
};

int size_of(Scalar s) {
  constexpr int sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(s)];
}

bool scalar_named(std::string_view name, Scalar& s) {
  constexpr struct {
    const char* name;
    Scalar type;
  } names[] = {{"char", Scalar::int8},      {"int8", Scalar::int8},       {"uchar", Scalar::uint8},
               {"uint8", Scalar::uint8},    {"short", Scalar::int16},     {"int16", Scalar::int16},
               {"ushort", Scalar::uint16},  {"uint16", Scalar::uint16},   {"int", Scalar::int32},
               {"int32", Scalar::int32},    {"uint", Scalar::uint32},     {"uint32", Scalar::uint32},
               {"float", Scalar::float32},  {"float32", Scalar::float32}, {"double", Scalar::float64},
               {"float64", Scalar::float64}};
  for (const auto& n : names)
    if (name == n.name) {
      s = n.type;
      return true;
    }
  return false;
}

template <class T>
double take_as(const char* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return static_cast<double>(v);
}

// Hands out the numbers of the body one by one, whatever the encoding.
struct Body {
  std::string_view rest;
  bool binary = false;
  const std::string& file;

  double number(Scalar type, const Element& e, long long row) {
    if (binary) {
      const std::size_t n = static_cast<std::size_t>(size_of(type));
      if (rest.size() < n) cut_short(e, row);
      const char* p = rest.data();
      rest.remove_prefix(n);
      switch (type) {
        case Scalar::int8:
          return take_as<std::int8_t>(p);
        case Scalar::uint8:
          return take_as<std::uint8_t>(p);
        case Scalar::int16:
          return take_as<std::int16_t>(p);
        case Scalar::uint16:
          return take_as<std::uint16_t>(p);
        case Scalar::int32:
          return take_as<std::int32_t>(p);
        case Scalar::uint32:
          return take_as<std::uint32_t>(p);
        case Scalar::float32:
          return take_as<float>(p);
        case Scalar::float64:
          return take_as<double>(p);
      }
    }
    std::string_view word;
    double value = 0;
    if (!take_word(rest, word)) cut_short(e, row);
    if (!parse_number(word, value))
      throw InputError(SourceLocation{file, 0, 0},
                       fmt::format("{} {}: '{}' is no number", e.name, row, word));
    return value;
  }
  [[noreturn]] void cut_short(const Element& e, long long row) const {
    throw InputError(
        SourceLocation{file, 0, 0},
        fmt::format("is cut short: it ends in {} {} of {}; export it again", e.name, row, e.count));
  }
};

struct Header {
  bool binary = false;
  std::vector<Element> elements;
};

Header read_header(std::string_view& bytes, const std::string& file) {
  Header header;
  std::string_view line, word;
  int number = 1;
  const auto fail = [&](const std::string& what) { throw InputError(SourceLocation{file, number, 1}, what); };
  if (!take_line(bytes, line) || line != "ply") fail("is no PLY file: the first line is not 'ply'");
  bool format_seen = false;
  while (true) {
    ++number;
    if (!take_line(bytes, line)) fail("the PLY header has no end_header");
    if (!take_word(line, word) || word == "comment" || word == "obj_info") continue;
    if (word == "end_header") break;
    if (word == "format") {
      if (!take_word(line, word) || (word != "ascii" && word != "binary_little_endian"))
        fail(fmt::format("PLY format '{}' is not read; export it as ascii or binary_little_endian", word));
      header.binary = word == "binary_little_endian";
      format_seen = true;
    } else if (word == "element") {
      Element e;
      if (take_word(line, word)) e.name = word;
      if (!take_word(line, word) || !parse_integer(word, e.count) || e.count < 0)
        fail("an element needs a name and a count");
      header.elements.push_back(e);
    } else if (word == "property") {
      if (header.elements.empty()) fail("a property stands before any element");
      Property p;
      take_word(line, word);
      p.is_list = word == "list";
      bool good = true;
      if (p.is_list)
        good = take_word(line, word) && scalar_named(word, p.count_type) && take_word(line, word);
      good = good && scalar_named(word, p.type) && take_word(line, word);
      if (!good) fail("a property needs a known type and a name");
      p.name = word;
      header.elements.back().properties.push_back(p);
    } else {
      fail(fmt::format("'{}' is no word of a PLY header", word));
    }
  }
  if (!format_seen) fail("the PLY header names no format");
  return header;
}

}  // namespace

TriangleMesh read_ply(std::string_view bytes, const std::string& file) {
  const Header header = read_header(bytes, file);
  Body body{bytes, header.binary, file};
  TriangleMesh mesh;
  std::vector<std::array<double, 3>> fans;
  for (const Element& e : header.elements) {
    const bool vertices = e.name == "vertex", faces = e.name == "face";
    for (long long row = 0; row < e.count; ++row) {
      Vec3 x{};
      for (const Property& p : e.properties) {
        if (!p.is_list) {
          const double v = body.number(p.type, e, row);
          if (vertices && p.name.size() == 1 && p.name[0] >= 'x' && p.name[0] <= 'z') x[p.name[0] - 'x'] = v;
          continue;
        }
        const double corners = body.number(p.count_type, e, row);
        const bool indices = faces && (p.name == "vertex_indices" || p.name == "vertex_index");
        if (indices && !(corners >= 3))
          throw InputError(SourceLocation{file, 0, 0},
                           fmt::format("face {} has {} vertices; at least 3 are needed", row, corners));
        double first = 0, previous = 0;
        for (double c = 0; c < corners; ++c) {
          const double v = body.number(p.type, e, row);
          if (indices && c == 0) first = v;
          if (indices && c >= 2) fans.push_back({first, previous, v});
          previous = v;
        }
      }
      if (vertices) mesh.vertices.push_back(x);
    }
  }
  // Indices are checked last: faces may stand before vertices.
  for (const auto& fan : fans) {
    std::array<int, 3> t{};
    for (std::size_t c = 0; c < 3; ++c) {
      if (!(fan[c] >= 0 && fan[c] < static_cast<double>(mesh.vertices.size())))
        throw InputError(
            SourceLocation{file, 0, 0},
            fmt::format("a face uses vertex {}, but there are only {}", fan[c], mesh.vertices.size()));
      t[c] = static_cast<int>(fan[c]);
    }
    mesh.triangles.push_back(t);
  }
  return mesh;
}

}  // namespace glug
