// solve_report.h: how an iterative solve ended.
#pragma once

namespace glug {

// Why a method that stood alone gave up and conjugate gradients went on.
enum class HandOver { none, residual_grew, residual_stalled };

struct [[nodiscard]] SolveReport {
  int iterations = 0;          // cycles included
  double residual = 0;         // |b - A x| / |b|, recomputed; 0 for b = 0
  double right_hand_side = 0;  // |b|
  bool converged = true;
  // Of cycles that stand alone:
  int cycles = 0;
  bool cycles_spent = false;  // all that were allowed were done, and the residual was still falling
  HandOver handed_over = HandOver::none;
  double handed_over_at = 0;  // the residual then
};

}  // namespace glug
