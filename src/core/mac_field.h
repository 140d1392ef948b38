// mac_field.h: one value per face, staggered: component a lives on the faces along axis a.
#pragma once

#include <array>

#include "core/field.h"
#include "core/grid.h"

namespace glug {

template <int D, class T>
struct MacView {
  View<D, T> axis[D];
  GLUG_INLINE const View<D, T>& operator[](int a) const { return axis[a]; }
  operator MacView<D, const T>() const {
    MacView<D, const T> r;
    for (int a = 0; a < D; ++a) r.axis[a] = axis[a];
    return r;
  }
};

template <int D, class T>
class MacField {
 public:
  MacField() = default;
  // Covers the faces of `cells` grown by `ghost` layers.
  explicit MacField(const Grid<D>& grid, int ghost = 1, Memory memory = Memory::host) {
    for (int a = 0; a < D; ++a) component_[a] = Field<D, T>(grid.face_range(a).grown(ghost), memory);
  }
  // A copy that lies elsewhere.
  MacField(const MacField& o, Memory memory) {
    for (int a = 0; a < D; ++a) component_[a] = Field<D, T>(o[a], memory);
  }
  Field<D, T>& operator[](int a) { return component_[a]; }
  const Field<D, T>& operator[](int a) const { return component_[a]; }
  MacView<D, T> view() {
    MacView<D, T> r;
    for (int a = 0; a < D; ++a) r.axis[a] = component_[a].view();
    return r;
  }
  MacView<D, const T> view() const {
    MacView<D, const T> r;
    for (int a = 0; a < D; ++a) r.axis[a] = component_[a].view();
    return r;
  }
  MacView<D, const T> read() const { return view(); }
  void swap(MacField& o) noexcept {
    for (int a = 0; a < D; ++a) component_[a].swap(o.component_[a]);
  }

 private:
  std::array<Field<D, T>, D> component_;
};

}  // namespace glug
