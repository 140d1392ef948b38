// envelope_cholesky.h: L D L^T of a small symmetric positive semidefinite matrix, row by row within its
// envelope (what lies between the first entry of a row and the diagonal; there is no fill outside it). Double
// precision. In a part of the matrix that constants leave unseen (its rows sum to 0) the last pivot vanishes:
// its unknown is set to 0. The solve is then a symmetric generalised inverse: it satisfies every consistent
// system. The last pivot itself would not tell: with coefficients that differ by 1e5 (light gas, cut faces)
// rounding leaves more of it than of a pivot that is merely small.
// Source: George and Liu, Computer Solution of Large Sparse Positive Definite Systems, chapter 4.
#pragma once

#include <cstdint>
#include <vector>

namespace glug {

class EnvelopeCholesky {
 public:
  // A pivot below this share of its diagonal is rounding; so is a row's sum.
  static constexpr double vanishing_pivot = 1e-12;
  static constexpr double vanishing_sum = 1e-13;

  // first[i] <= i: the column of the first entry of each row. All entries are 0 afterwards.
  void resize(const std::vector<std::int32_t>& first);
  std::int32_t size() const { return static_cast<std::int32_t>(first_.size()); }
  // The entry in row i and column first[i] <= j <= i.
  double& at(std::int32_t i, std::int32_t j) { return values_[row_[i] + j]; }
  // The sum of these entries, row >= column, and 0 elsewhere.
  struct Entry {
    std::int32_t row, column;
    double value;
  };
  void assign(std::size_t rows, const std::vector<Entry>& entries);
  // rounding: a row whose sum, less the part besides[row] of it, is at most this share of its diagonal has
  // none. Where entries were rounded to float, a pivot made of what is left of the sums would be no number
  // but noise, and what it answers, a constant many times the solution, would leave no digits to float.
  void factorise(double rounding = vanishing_sum, std::vector<double> besides = {});
  // In place: right-hand side to solution.
  void solve(double* x) const;

 private:
  // 1 for the last row of each part whose rows all sum to 0.
  std::vector<std::uint8_t> last_of_singular_parts(double rounding, const std::vector<double>& besides) const;

  std::vector<std::int32_t> first_;
  std::vector<std::ptrdiff_t> row_;  // where column 0 of each row would be
  std::vector<double> values_;
  std::vector<double> inverse_pivot_;
};

}  // namespace glug
