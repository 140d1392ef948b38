// vtk_xml.h: what VTK's XML files share. Arrays are inline base64: readers that parse the whole file as XML
// (Debian's ParaView) refuse raw bytes appended to it.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "output/base64.h"

namespace glug {

// The first lines of a file of this type, up to and with its time (s). `attributes` of the element of that
// name.
inline std::string vtk_opening(const char* type, const std::string& attributes, double time) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <{0}{1}>\n    <FieldData>\n      <DataArray type=\"Float64\" "
      "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{2:.17g}</DataArray>\n    </FieldData>\n",
      type, attributes, time);
}
inline std::string vtk_closing(const char* type) { return fmt::format("  </{}>\n</VTKFile>\n", type); }

template <class T>
constexpr const char* vtk_type();
template <>
constexpr const char* vtk_type<float>() {
  return "Float32";
}
template <>
constexpr const char* vtk_type<std::int32_t>() {
  return "Int32";
}
template <>
constexpr const char* vtk_type<std::uint32_t>() {
  return "UInt32";
}

// One array, its values given piece by piece; `count` of them in all.
template <class T>
class VtkArray {
 public:
  VtkArray(AtomicFile& file, const char* name, int components, std::uint64_t count)
      : file_(file), text_(file) {
    file.write(
        fmt::format("        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">",
                    vtk_type<T>(), name, components));
    const std::uint64_t bytes = count * sizeof(T);
    text_.write(&bytes, sizeof(bytes));
  }
  void write(const T* values, std::size_t count) { text_.write(values, count * sizeof(T)); }
  void finish() {
    text_.finish();
    file_.write("</DataArray>\n");
  }

 private:
  AtomicFile& file_;
  Base64 text_;
};

}  // namespace glug
