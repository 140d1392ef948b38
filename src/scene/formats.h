// formats.h: the file formats of one kind of output: none ("off"), one, or several in one run.
// Invariant: `list` holds no format twice and never `off`.
#pragma once

#include <algorithm>
#include <vector>

#include "core/options.h"

namespace glug {

// E has a value `off`.
template <class E>
struct Formats {
  std::vector<E> list;

  Formats() = default;
  Formats(E one) {
    if (one != E::off) list.push_back(one);
  }
  bool none() const { return list.empty(); }
  bool has(E format) const { return std::find(list.begin(), list.end(), format) != list.end(); }
  bool operator==(const Formats&) const = default;
};

enum class MeshFormat { off, ply, vdb, vtp };
template <>
struct EnumNames<MeshFormat> {
  static constexpr EnumName<MeshFormat> names[] = {
      {MeshFormat::off, "off"}, {MeshFormat::ply, "ply"}, {MeshFormat::vdb, "vdb"}, {MeshFormat::vtp, "vtp"}};
};
enum class VolumeFormat { off, vti, vdb };
template <>
struct EnumNames<VolumeFormat> {
  static constexpr EnumName<VolumeFormat> names[] = {
      {VolumeFormat::off, "off"}, {VolumeFormat::vti, "vti"}, {VolumeFormat::vdb, "vdb"}};
};
enum class PreviewFormat { off, png };
template <>
struct EnumNames<PreviewFormat> {
  static constexpr EnumName<PreviewFormat> names[] = {{PreviewFormat::off, "off"},
                                                      {PreviewFormat::png, "png"}};
};

// What the colour of liquid means where pictures draw it flat.
enum class Shade { water, stream_function };
template <>
struct EnumNames<Shade> {
  static constexpr EnumName<Shade> names[] = {{Shade::water, "water"},
                                              {Shade::stream_function, "stream_function"}};
};

// What particle files say besides id and velocity (output/particle_attributes.h).
enum class ParticleAttribute { off, age, source, vorticity, spray };
template <>
struct EnumNames<ParticleAttribute> {
  static constexpr EnumName<ParticleAttribute> names[] = {{ParticleAttribute::off, "off"},
                                                          {ParticleAttribute::age, "age"},
                                                          {ParticleAttribute::source, "source"},
                                                          {ParticleAttribute::vorticity, "vorticity"},
                                                          {ParticleAttribute::spray, "spray"}};
};

// Which axis of files points up. The simulation's is y; (x, y, z) is written as (x, -z, y) where it is z.
enum class UpAxis { y, z };
template <>
struct EnumNames<UpAxis> {
  static constexpr EnumName<UpAxis> names[] = {{UpAxis::y, "y"}, {UpAxis::z, "z"}};
};
// How numbers of .vdb grids are stored.
enum class VdbFloats { full, half };
template <>
struct EnumNames<VdbFloats> {
  static constexpr EnumName<VdbFloats> names[] = {{VdbFloats::full, "full"}, {VdbFloats::half, "half"}};
};

}  // namespace glug
