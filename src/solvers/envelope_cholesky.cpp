#include "solvers/envelope_cholesky.h"

#include <algorithm>

#include "core/union_find.h"

namespace glug {
namespace {

// Four partial sums: a fixed order that fills the vector registers.
double dot(const double* a, const double* b, std::int32_t n) {
  double s[4] = {};
  std::int32_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int lane = 0; lane < 4; ++lane) s[lane] += a[k + lane] * b[k + lane];
  for (int lane = 0; k + lane < n; ++lane) s[lane] += a[k + lane] * b[k + lane];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

}  // namespace

void EnvelopeCholesky::resize(const std::vector<std::int32_t>& first) {
  first_ = first;
  row_.resize(first.size());
  std::ptrdiff_t next = 0;
  for (std::int32_t i = 0; i < size(); ++i) {
    row_[i] = next - first_[i];
    next += i + 1 - first_[i];
  }
  values_.assign(static_cast<std::size_t>(next), 0);
  inverse_pivot_.assign(first.size(), 0);
}

void EnvelopeCholesky::assign(std::size_t rows, const std::vector<Entry>& entries) {
  std::vector<std::int32_t> first(rows);
  for (std::size_t i = 0; i < rows; ++i) first[i] = static_cast<std::int32_t>(i);
  for (const Entry& e : entries) first[e.row] = std::min(first[e.row], e.column);
  resize(first);
  for (const Entry& e : entries) at(e.row, e.column) += e.value;
}

std::vector<std::uint8_t> EnvelopeCholesky::last_of_singular_parts(double rounding,
                                                                   const std::vector<double>& besides) const {
  UnionFind parts(first_.size());
  std::vector<double> sum(first_.size(), 0);
  for (std::int32_t i = 0; i < size(); ++i) {
    const double* row = values_.data() + row_[i];
    sum[i] += row[i];
    for (std::int32_t j = first_[i]; j < i; ++j) {
      if (row[j] == 0) continue;
      sum[i] += row[j];
      sum[j] += row[j];
      parts.join(i, j);
    }
  }
  std::vector<std::int32_t> last_of(first_.size(), -1);  // of each part, by its root; -1 = not singular
  for (std::int32_t i = 0; i < size(); ++i) last_of[parts.root(i)] = i;
  for (std::int32_t i = 0; i < size(); ++i)
    if (sum[i] - besides[i] > rounding * values_[row_[i] + i]) last_of[parts.root(i)] = -1;
  std::vector<std::uint8_t> last(first_.size(), 0);
  for (std::int32_t i : last_of)
    if (i >= 0) last[i] = 1;
  return last;
}

void EnvelopeCholesky::factorise(double rounding, std::vector<double> besides) {
  besides.resize(first_.size());
  const std::vector<std::uint8_t> singular = last_of_singular_parts(rounding, besides);
  for (std::int32_t i = 0; i < size(); ++i) {
    double* row = values_.data() + row_[i];
    const double diagonal = row[i];
    // row holds L_ij D_j until the pivot is known.
    for (std::int32_t j = first_[i]; j < i; ++j) {
      const std::int32_t k = std::max(first_[i], first_[j]);
      row[j] -= dot(row + k, values_.data() + row_[j] + k, j - k);
    }
    double pivot = diagonal;
    for (std::int32_t j = first_[i]; j < i; ++j) {
      const double l = row[j] * inverse_pivot_[j];
      pivot -= l * row[j];
      row[j] = l;
    }
    inverse_pivot_[i] = pivot > vanishing_pivot * diagonal && !singular[i] ? 1 / pivot : 0;
  }
}

void EnvelopeCholesky::solve(double* x) const {
  for (std::int32_t i = 0; i < size(); ++i)
    x[i] -= dot(values_.data() + row_[i] + first_[i], x + first_[i], i - first_[i]);
  for (std::int32_t i = 0; i < size(); ++i) x[i] *= inverse_pivot_[i];
  for (std::int32_t i = size() - 1; i >= 0; --i) {
    const double* row = values_.data() + row_[i];
    for (std::int32_t j = first_[i]; j < i; ++j) x[j] -= row[j] * x[i];
  }
}

}  // namespace glug
