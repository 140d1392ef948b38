// coupling_rows.h: couplings that are listed one by one, because a stencil has no room for them: of unknowns
// that are no cells, and of those that share a cell (multigrid_level.h). Row by row, and the same couplings
// seen from what they lead to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/equal_tasks.h"
#include "core/group_by.h"
#include "core/list.h"
#include "core/platform.h"

namespace glug {

// One coupling; `cell` is an offset as in solvers/layout.h, or loose_part().
template <class T>
struct ExtraLink {
  std::int32_t unknown = 0;
  std::ptrdiff_t cell = 0;
  T coupling = 0;
};

// What stands for a loose part of a multigrid's level in lists of cells, and back to its number.
GLUG_FN constexpr std::ptrdiff_t loose_part(std::ptrdiff_t number) { return -1 - number; }

// Compressed rows: entries[start[n]] .. entries[start[n + 1] - 1] belong to row n.
template <class T>
struct CouplingRows {
  struct Entry {
    std::ptrdiff_t to = 0;
    T coupling{};
  };
  List<std::int32_t> start;
  List<Entry> entries;

  CouplingRows() { clear(); }
  // links: by unknown.
  CouplingRows(std::int32_t rows, const std::vector<ExtraLink<T>>& links) : CouplingRows() {
    for (const ExtraLink<T>& link : links) {
      while (this->rows() < link.unknown) end_row();
      add(link.cell, link.coupling);
    }
    while (this->rows() < rows) end_row();
  }
  explicit CouplingRows(const std::vector<std::vector<Entry>>& rows) : CouplingRows() {
    for (const std::vector<Entry>& row : rows) {
      entries.host.insert(entries.host.end(), row.begin(), row.end());
      end_row();
    }
  }
  void clear() {
    start.host.assign(1, 0);
    entries.host.clear();
  }
  void add(std::ptrdiff_t to, T coupling) { entries.host.push_back({to, coupling}); }
  void end_row() { start.host.push_back(static_cast<std::int32_t>(entries.size())); }
  // More rows, behind its own.
  void append(const CouplingRows& more) {
    const std::int32_t before = start.host.back();
    for (std::size_t n = 1; n < more.start.size(); ++n) start.host.push_back(before + more.start.host[n]);
    entries.host.insert(entries.host.end(), more.entries.host.begin(), more.entries.host.end());
  }
  void publish(const Exec& exec) { glug::publish(exec, start, entries); }

  std::int32_t rows() const { return static_cast<std::int32_t>(start.size()) - 1; }
  bool has_entries(std::int32_t row) const { return start.host[row + 1] > start.host[row]; }
  // f(to, coupling) over a row, on the CPU.
  template <class F>
  void visit(std::int32_t row, F&& f) const {
    for (std::int32_t e = start.host[row]; e < start.host[row + 1]; ++e)
      f(entries.host[e].to, entries.host[e].coupling);
  }
  double sum(std::int32_t row) const {
    double sum = 0;
    visit(row, [&](std::ptrdiff_t, T coupling) { sum += coupling; });
    return sum;
  }
};

// Compressed rows as kernels see them.
template <class T>
struct RowsView {
  const std::int32_t* start;
  const typename CouplingRows<T>::Entry* entries;
  explicit RowsView(const CouplingRows<T>& rows) : start(rows.start.data()), entries(rows.entries.data()) {}
  // Of entries begin .. end - 1 with x, in numbers of its type.
  template <class X>
  GLUG_INLINE X dot(std::int32_t begin, std::int32_t end, const X* x) const {
    X sum = 0;
    for (std::int32_t e = begin; e < end; ++e) sum += entries[e].coupling * x[entries[e].to];
    return sum;
  }
  template <class X>
  GLUG_INLINE X dot(std::int32_t row, const X* x) const {
    return dot(start[row], start[row + 1], x);
  }
};

// The same couplings seen from what they lead to. target: for each entry the row it has there.
template <class T>
CouplingRows<T> transposed(const CouplingRows<T>& rows, const std::vector<std::int32_t>& target,
                           std::size_t targets) {
  const std::vector<std::int32_t> row_of = rows_of_entries(rows.start.host);
  Groups groups = group_by(target, targets);
  CouplingRows<T> out;
  out.start.host = std::move(groups.start);
  for (std::int32_t e : groups.members) out.add(row_of[e], rows.entries.host[e].coupling);
  return out;
}

// A stretch of a row.
struct RowPiece {
  std::int32_t row = 0;
  std::int32_t begin = 0, end = 0;  // of the entries
};

// Rows in stretches of fixed size, so that a long one keeps all threads busy and the bits do not depend on
// their number.
template <class S>
struct RowPieces {
  List<RowPiece> pieces;
  List<std::int32_t> start;  // per row
  mutable List<S> sums;      // of each piece

  // memory: where they are summed. On a device each is one thread's.
  template <class T>
  void cut(const CouplingRows<T>& rows, Memory memory) {
    const std::int32_t length = memory == Memory::device ? 32 : 1024;
    pieces.host.clear();
    start.host.assign(1, 0);
    for (std::int32_t row = 0; row < rows.rows(); ++row) {
      const std::int32_t end = rows.start.host[row + 1];
      for (std::int32_t begin = rows.start.host[row]; begin < end; begin += length)
        pieces.host.push_back({row, begin, std::min(begin + length, end)});
      start.host.push_back(static_cast<std::int32_t>(pieces.size()));
    }
    sums.host.assign(pieces.size(), S{});
  }
  void publish(const Exec& exec) { glug::publish(exec, pieces, start, sums); }
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(pieces.size()); }
};

// Rows as kernels sum them.
template <class S>
struct PieceSums {
  const RowPiece* piece;
  const std::int32_t* start;
  S* sums;
  explicit PieceSums(const RowPieces<S>& rows)
      : piece(rows.pieces.data()), start(rows.start.data()), sums(rows.sums.data()) {}
  // total + those of a row.
  GLUG_INLINE S added(S total, std::ptrdiff_t row) const {
    for (std::int32_t n = start[row]; n < start[row + 1]; ++n) total += sums[n];
    return total;
  }
};

// Couplings row by row, in pieces whose sums are S, and the same couplings seen from the places they lead to.
template <class T, class S>
struct LinkedPlaces {
  CouplingRows<T> rows;
  RowPieces<S> pieces;
  std::vector<std::ptrdiff_t> names;         // of the places, each once, as it first appears
  List<std::ptrdiff_t> places;               // where they are: the names, until they are renamed
  CouplingRows<T> of_places;                 // a row for each, to rows
  std::vector<std::int32_t> place_of_entry;  // the number of the place that an entry leads to

  // Once `rows` are made. memory: where they are summed.
  void index(Memory memory) {
    pieces.cut(rows, memory);
    place_of_entry = number_targets(rows.entries.host, names);
    of_places = transposed(rows, place_of_entry, names.size());
    places.host = names;
  }
  // The same, where others were indexed already.
  template <class Other>
  void assign(const LinkedPlaces<T, Other>& from, Memory memory) {
    rows.start.host = from.rows.start.host;
    rows.entries.host = from.rows.entries.host;
    pieces.cut(rows, memory);
    names = from.names;
    place_of_entry = from.place_of_entry;
    of_places.start.host = from.of_places.start.host;
    of_places.entries.host = from.of_places.entries.host;
    places.host = names;
  }
  // Says where each is: at place_of(name), asked in parallel. If that is 0 and `beyond` is given, it is the
  // next place from there on.
  template <class F>
  void rename(const Exec& exec, const F& place_of, std::ptrdiff_t* beyond = nullptr) {
    constexpr std::ptrdiff_t at_once = 2048;
    const auto find = [&](std::ptrdiff_t n) { places.host[n] = place_of(names[n]); };
    run_pieces(exec, {count(), at_once}, find);
    if (beyond)
      for (std::ptrdiff_t& place : places.host)
        if (place == 0) place = (*beyond)++;
    const auto lead = [&](std::ptrdiff_t e) { rows.entries.host[e].to = places.host[place_of_entry[e]]; };
    run_pieces(exec, {static_cast<std::ptrdiff_t>(rows.entries.size()), at_once}, lead);
  }
  void publish(const Exec& exec) { glug::publish(exec, rows, pieces, places, of_places); }
  std::ptrdiff_t count() const { return static_cast<std::ptrdiff_t>(places.size()); }
};

// Rows that fill(row, entries) makes, in parallel, on the CPU.
template <class T, class F>
CouplingRows<T> make_rows(const Exec& exec, std::int32_t count, F fill) {
  std::vector<std::vector<typename CouplingRows<T>::Entry>> of_row(static_cast<std::size_t>(count));
  for_each_equal_task(exec, count,
                      [&](std::ptrdiff_t row) { fill(static_cast<std::int32_t>(row), of_row[row]); });
  return CouplingRows<T>(of_row);
}

}  // namespace glug
