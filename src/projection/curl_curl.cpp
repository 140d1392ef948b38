#include "projection/curl_curl.h"

#include <algorithm>

#include "core/equal_tasks.h"
#include "core/pack.h"
#include "core/real.h"

namespace glug {
namespace {

// Numbers that a pass keeps, at most: half a megabyte, which is in the cache of a core.
constexpr std::ptrdiff_t most_kept = 1 << 16;
constexpr std::int32_t fewest_rows = 8, most_rows = 64;
constexpr int margin = 8;  // beside a row, 0

// Adds the products of two rows, four packs at a time: one by one each would wait for the one before.
GLUG_INLINE void add_products(const double* x, const double* y, int n, PackSum<double>& sum) {
  constexpr int lanes = pack_lanes<double>;
  const auto product = [=](auto kind, int k) {
    using P = decltype(kind);
    return load<P>(x + k) * load<P>(y + k);
  };
  int done = 0;
  for (; done + 4 * lanes <= n; done += 4 * lanes) {
    const auto at = [&](int pack) { return product(Pack<double>{}, done + pack * lanes); };
    sum.add((at(0) + at(1)) + (at(2) + at(3)));
  }
  for_packs<double>(n - done, [&](auto kind, int k) { sum.add(product(kind, done + k)); });
}

// Kernels of a row are functions of their own: the compiler believes __restrict of parameters alone.

// m C psi. psi of the three kinds here, in the next row (_y) and in the next plane (_z).
template <class T>
struct RowOfPsi {
  const T* mass[3];
  const double *a, *a_y, *a_z, *b, *b_z, *c, *c_y;
};
template <class T>
[[gnu::noinline]] void form_momenta(const RowOfPsi<T>& row, int begin, int end, double* __restrict to_x,
                                    double* __restrict to_y, double* __restrict to_z) {
  const auto [mass, a, a_y, a_z, b, b_z, c, c_y] = row;
  const T *m_x = mass[0], *m_y = mass[1], *m_z = mass[2];
  for (int i = begin; i < end; ++i) {
    to_x[i] = m_x[i] * ((c_y[i] - c[i]) - (b_z[i] - b[i]));
    to_y[i] = m_y[i] * ((a_z[i] - a[i]) - (c[i + 1] - c[i]));
    to_z[i] = m_z[i] * ((b[i + 1] - b[i]) - (a_y[i] - a[i]));
  }
}

// Cᵀ of momenta: here, in the row before (_y) and in the plane before (_z).
struct RowOfMomenta {
  const double *x, *x_y, *x_z, *y, *y_z, *z, *z_y;
};
[[gnu::noinline]] void add_up_row(const RowOfMomenta& row, int begin, int end, double* __restrict of_x,
                                  double* __restrict of_y, double* __restrict of_z) {
  const auto [x, x_y, x_z, y, y_z, z, z_y] = row;
  for (int i = begin; i < end; ++i) {
    of_x[i] = (y_z[i] - y[i]) - (z_y[i] - z[i]);
    of_y[i] = (z[i - 1] - z[i]) - (x_z[i] - x[i]);
    of_z[i] = (x_y[i] - x[i]) - (y[i - 1] - y[i]);
  }
}

}  // namespace

// A thread's way through planes of a strip.
template <class T>
class CurlCurl<T>::Pass {
 public:
  // Rows of psi: those of the strip and one beyond on each side; three kinds in four planes. Momenta: of two
  // axes in two planes, of the third in two rows. Answers: three rows.
  static std::ptrdiff_t kept(std::int32_t width, std::int32_t rows) {
    return static_cast<std::ptrdiff_t>(width + 2 * margin) * (16 * (rows + 2) + 5);
  }

  Pass(const CurlCurl& of, const MacView<3, const T>& mass, const double* x, double* y, std::int32_t strip,
       double* memory)
      : of_(of), mass_(mass), x_(x), y_(y), memory_(memory), low_(strip * of.strip_rows_) {
    end_ = std::min(low_ + of.strip_rows_, of.nodes_[1]);
    row_ = of.nodes_[0] + 2 * margin;
    plane_ = row_ * (of.strip_rows_ + 2);
  }

  // Planes [begin, end); a sum x . A x for each.
  void go(std::int32_t begin, std::int32_t end, double* sums) {
    spread((begin - 1) & ~1);
    for (int z = begin - 1; z < end; ++z) {
      if (z & 1) spread(z + 1);
      PackSum<double> sum;
      for (int y = low_ - 1; y < end_; ++y) {
        find_momenta(y, z);
        if (z >= begin && y >= low_) add_up(y, z, sum);
      }
      if (z >= begin) sums[z] = sum.total();
    }
  }

 private:
  // Where x = 0 of a row is.
  double* psi(int kind, int y, int z) const {
    return memory_ + (4 * kind + (z & 3)) * plane_ + (y - low_ + 1) * row_ + margin;
  }
  double* momentum(int axis, int y, int z) const {
    double* of_planes = memory_ + 12 * plane_ + margin;
    if (axis == 2) return of_planes + 4 * plane_ + (y & 1) * row_;
    return of_planes + (2 * axis + (z & 1)) * plane_ + (y - low_ + 1) * row_;
  }
  double* answer(int kind) const { return memory_ + 16 * plane_ + (2 + kind) * row_ + margin; }
  Span span(int y, int z) const {
    if (y < 0 || y >= of_.nodes_[1] || z < 0 || z >= of_.nodes_[2]) return {};
    return of_.spans_[static_cast<std::size_t>(z) * of_.nodes_[1] + y];
  }
  static Span both(const Span& a, const Span& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
  }

  // Two planes at once: so their unknowns lie, row by row.
  void spread(int plane) const {
    for (int y = low_ - 2; y <= end_; y += 2)  // strips start at even rows
      for (int kind = 0; kind < 3; ++kind)
        for (int z = plane; z < plane + 2; ++z)
          for (int row = std::max(y, low_ - 1); row < std::min(y + 2, end_ + 1); ++row)
            spread_row(kind, row, z);
  }
  GLUG_INLINE void spread_row(int kind, int y, int z) const {
    double* __restrict row = psi(kind, y, z);
    int done = -margin;
    for (const PackedRun& run : of_.runs(kind, y, z)) {
      std::fill(row + done, row + run.x, 0.0);
      done = run.x + run.count;
      join_colours(x_ + run.place[0], x_ + run.place[1], run.count, row + run.x);
    }
    std::fill(row + done, row + row_ - margin, 0.0);
  }

  // m C psi on the faces of a row that touch unknowns.
  GLUG_INLINE void find_momenta(int y, int z) const {
    const Span all = both(span(y, z), both(span(y + 1, z), span(y, z + 1)));
    if (all.empty()) return;
    const Index<3> origin{0, y, z};
    const RowOfPsi<T> row{{&mass_[0](origin), &mass_[1](origin), &mass_[2](origin)},
                          psi(0, y, z),
                          psi(0, y + 1, z),
                          psi(0, y, z + 1),
                          psi(1, y, z),
                          psi(1, y, z + 1),
                          psi(2, y, z),
                          psi(2, y + 1, z)};
    form_momenta(row, all.lo - 1, all.hi, momentum(0, y, z), momentum(1, y, z), momentum(2, y, z));
  }

  // Cᵀ of them at the edges of a row.
  GLUG_INLINE void add_up(int y, int z, PackSum<double>& sum) const {
    const Span here = span(y, z);
    if (here.empty()) return;
    const RowOfMomenta row{momentum(0, y, z),    momentum(0, y - 1, z), momentum(0, y, z - 1),
                           momentum(1, y, z),    momentum(1, y, z - 1), momentum(2, y, z),
                           momentum(2, y - 1, z)};
    add_up_row(row, here.lo, here.hi, answer(0), answer(1), answer(2));
    for (int kind = 0; kind < 3; ++kind)
      for (const PackedRun& run : of_.runs(kind, y, z)) {
        const double *value = answer(kind) + run.x, *asked = psi(kind, y, z) + run.x;
        add_products(value, asked, run.count, sum);
        split_colours(value, run.count, y_ + run.place[0], y_ + run.place[1]);
      }
  }

  const CurlCurl& of_;
  MacView<3, const T> mass_;
  const double* x_;
  double* y_;
  double* memory_;
  std::int32_t low_, end_;
  std::ptrdiff_t row_ = 0, plane_ = 0;
};

template <class T>
void CurlCurl<T>::assign(const Exec& exec, const Grid<3>& grid, const PackedStencil<3, T>& edges) {
  edges_ = &edges;
  grid_ = grid;
  stack_ = StackedEdges<3>(grid);
  nodes_ = grid.node_range().hi;
  strip_rows_ = fewest_rows;
  while (strip_rows_ < most_rows && Pass::kept(nodes_[0], 2 * strip_rows_) <= most_kept) strip_rows_ *= 2;
  strips_ = (nodes_[1] + strip_rows_ - 1) / strip_rows_;
  spans_.assign(static_cast<std::size_t>(nodes_[1]) * nodes_[2], {});
  unknowns_.assign(static_cast<std::size_t>(strips_) * nodes_[2], 0);
  for_each_equal_task(exec, nodes_[2], [&](std::ptrdiff_t z) {
    for (int kind = 0; kind < 3; ++kind)
      for (int y = 0; y < nodes_[1]; ++y) {
        const std::span<const PackedRun> of_row = runs(kind, y, static_cast<int>(z));
        if (of_row.empty()) continue;
        Span& span = spans_[static_cast<std::size_t>(z) * nodes_[1] + y];
        const std::int32_t first = of_row.front().x, end = of_row.back().x + of_row.back().count;
        span = span.empty() ? Span{first, end} : Span{std::min(span.lo, first), std::max(span.hi, end)};
        std::int32_t& count = unknowns_[static_cast<std::size_t>(y / strip_rows_) * nodes_[2] + z];
        for (const PackedRun& run : of_row) count += run.count;
      }
  });
}

template <class T>
double CurlCurl<T>::apply_dot(const Exec& exec, const MacView<3, const T>& mass, const double* x,
                              double* y) const {
  // Each thread has planes of one strip after the other, with about as many unknowns as the others.
  const std::ptrdiff_t all = static_cast<std::ptrdiff_t>(unknowns_.size());
  std::vector<std::ptrdiff_t> start(static_cast<std::size_t>(exec.threads) + 1, all);
  std::int64_t total = 0, before = 0;
  for (std::int32_t count : unknowns_) total += count;
  int thread = 0;
  for (std::ptrdiff_t n = 0; n < all; ++n) {
    while (thread < exec.threads && before * exec.threads >= total * thread) start[thread++] = n;
    before += unknowns_[static_cast<std::size_t>(n)];
  }
  const std::size_t kept = static_cast<std::size_t>(Pass::kept(nodes_[0], strip_rows_));
  if (memory_.size() < static_cast<std::size_t>(exec.threads)) memory_.resize(exec.threads);
  std::vector<double> partial(unknowns_.size(), 0.0);
  for_each_equal_task(exec, exec.threads, [&](std::ptrdiff_t t) {
    Buffer<double>& memory = memory_[t];
    if (memory.size() < kept) memory = Buffer<double>(kept);
    for (std::ptrdiff_t n = start[t]; n < start[t + 1];) {
      if (unknowns_[n] == 0) {
        ++n;
        continue;
      }
      const std::ptrdiff_t strip = n / nodes_[2], first = strip * nodes_[2];
      const std::ptrdiff_t last = std::min<std::ptrdiff_t>(first + nodes_[2], start[t + 1]);
      std::ptrdiff_t end = n;
      while (end < last && unknowns_[end] > 0) ++end;
      Pass(*this, mass, x, y, static_cast<std::int32_t>(strip), memory.data())
          .go(static_cast<std::int32_t>(n - first), static_cast<std::int32_t>(end - first),
              partial.data() + first);
      n = end;
    }
  });
  double sum = 0;
  for (double part : partial) sum += part;
  return sum;
}

template class CurlCurl<Real>;

}  // namespace glug
