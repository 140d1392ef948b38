// field.h: values on a box of indices. Field owns, View looks; a View of const T only reads.
//
//   Field<2, float> phi(cells.grown(1));          // zeroed, one ghost layer
//   View<2, float> v = phi.view();                // captured by value in kernels
//   v({i, j}) = 1;  v.at(offset) ...              // by index, or by offset from v.offset(i)
//
// Axis 0 is contiguous. The ghost layer spares kernels the test "is there a neighbour".
#pragma once

#include "core/buffer.h"
#include "core/range.h"

namespace glug {

template <int D, class T>
struct View {
  T* data = nullptr;                // the value at range.lo
  Vec<D, std::ptrdiff_t> stride{};  // stride[0] == 1
  Range<D> range{};

  GLUG_INLINE std::ptrdiff_t offset(const Index<D>& i) const {
    std::ptrdiff_t n = i[0] - range.lo[0];
    for (int a = 1; a < D; ++a) n += static_cast<std::ptrdiff_t>(i[a] - range.lo[a]) * stride[a];
    return n;
  }
  GLUG_INLINE T& operator()(const Index<D>& i) const { return data[offset(i)]; }
  GLUG_INLINE T& at(std::ptrdiff_t n) const { return data[n]; }
  operator View<D, const T>() const { return {data, stride, range}; }
};

// A view of numbers that lie elsewhere, axis 0 contiguous.
template <int D, class T>
View<D, T> view_over(T* data, const Range<D>& range) {
  View<D, T> v;
  v.data = data;
  v.range = range;
  std::ptrdiff_t s = 1;
  for (int a = 0; a < D; ++a) {
    v.stride[a] = s;
    s *= range.extent(a);
  }
  return v;
}

template <int D, class T>
class Field {
 public:
  Field() = default;
  explicit Field(const Range<D>& range, Memory memory = Memory::host)
      : range_(range), values_(static_cast<std::size_t>(range.size()), memory) {}
  // A copy that lies elsewhere.
  Field(const Field& o, Memory memory) : range_(o.range_), values_(o.values_, memory) {}

  const Range<D>& range() const { return range_; }
  View<D, T> view() { return view_over<D, T>(values_.data(), range_); }
  View<D, const T> view() const { return view_over<D, const T>(values_.data(), range_); }
  View<D, const T> read() const { return view(); }
  T& operator()(const Index<D>& i) { return view()(i); }
  const T& operator()(const Index<D>& i) const { return view()(i); }
  Buffer<T>& values() { return values_; }
  const Buffer<T>& values() const { return values_; }
  void swap(Field& o) noexcept {
    std::swap(range_, o.range_);
    values_.swap(o.values_);
  }

 private:
  Range<D> range_{};
  Buffer<T> values_;
};

}  // namespace glug
