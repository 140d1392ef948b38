// options.h: an option is declared once, beside the code that reads it. Everything else walks the
// declaration: the scene reader, --set, `glug check`, the reference page.
//
//   struct TimeOptions {
//     double fps = 24;
//     Transfer transfer = Transfer::flip;              // enums list their names in enum_names()
//     template <class Self, class Visitor>
//     static void declare(Self& s, Visitor& v) {
//       v.option("fps", s.fps, {.unit = "1/s", .above = 0, .help = "Frames per second of the written
//       sequence."});
//     }
//   };
//
// A Visitor has: template <class T> void option(const char* name, T& value, const OptionInfo& info).
// T is bool, int, double, std::string, an enum with enum_names, std::vector<double>, or
// std::vector<std::string>.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace glug {

struct OptionInfo {
  const char* unit = "";
  double at_least = -std::numeric_limits<double>::infinity();
  double above = -std::numeric_limits<double>::infinity();  // exclusive lower bound
  double at_most = std::numeric_limits<double>::infinity();
  const char* help = "";
};

template <class E>
struct EnumName {
  E value;
  const char* name;
};

// Specialised beside each option enum: `static constexpr EnumName<E> names[] = {...};`
template <class E>
struct EnumNames;

template <class E>
const char* name_of(E value) {
  for (const auto& n : EnumNames<E>::names)
    if (n.value == value) return n.name;
  return "?";
}

}  // namespace glug
