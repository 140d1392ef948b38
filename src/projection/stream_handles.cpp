#include "projection/stream_handles.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "core/union_find.h"

namespace glug {
namespace {

// A number and multiples of symbols, ascending.
struct Combination {
  double known = 0;
  std::vector<std::pair<std::int32_t, double>> symbols;

  bool is_zero() const { return known == 0 && symbols.empty(); }
  void add(const Combination& o, double factor) {
    known += factor * o.known;
    if (o.symbols.empty()) return;
    std::vector<std::pair<std::int32_t, double>> sum;
    auto x = symbols.begin();
    for (const auto& [symbol, value] : o.symbols) {
      while (x != symbols.end() && x->first < symbol) sum.push_back(*x++);
      double total = factor * value;
      if (x != symbols.end() && x->first == symbol) total += (x++)->second;
      if (std::abs(total) > 1e-9) sum.emplace_back(symbol, total);  // multiples are whole numbers
    }
    sum.insert(sum.end(), x, symbols.end());
    symbols = std::move(sum);
  }
};

// What equations say of symbols.
class Symbols {
 public:
  std::int32_t add(std::int64_t edge) {
    edges_.push_back(edge);
    is_known_.push_back(0);
    means_.emplace_back();
    return static_cast<std::int32_t>(edges_.size()) - 1;
  }
  // In terms of symbols that nothing is known of.
  void reduce(Combination& c) const {
    for (;;) {
      const auto known = std::find_if(c.symbols.begin(), c.symbols.end(), [&](const auto& s) {
        return is_known_[static_cast<std::size_t>(s.first)] != 0;
      });
      if (known == c.symbols.end()) return;
      const auto [symbol, factor] = *known;
      c.symbols.erase(known);
      c.add(means_[static_cast<std::size_t>(symbol)], factor);
    }
  }
  // c = 0; returns what is left of it where it says nothing of any symbol.
  double equate(Combination c) {
    reduce(c);
    if (c.symbols.empty()) return c.known;
    const auto [symbol, factor] = c.symbols.back();
    c.symbols.pop_back();
    Combination means;
    means.add(c, -1 / factor);
    means_[static_cast<std::size_t>(symbol)] = std::move(means);
    is_known_[static_cast<std::size_t>(symbol)] = 1;
    return 0;
  }
  std::size_t count() const { return edges_.size(); }
  bool is_free(std::size_t symbol) const { return !is_known_[symbol]; }
  std::int64_t edge(std::size_t symbol) const { return edges_[symbol]; }

 private:
  std::vector<std::int64_t> edges_;
  std::vector<std::uint8_t> is_known_;
  std::vector<Combination> means_;
};

class HandleSearch {
 public:
  HandleSearch(const Grid<3>& grid, const std::vector<BoundFace<3>>& faces)
      : nodes_(grid.node_range()), faces_(faces), size_(nodes_.size()) {
    // What is seen comes first: inside solids that leave the domain, or meet, fluxes need not agree.
    std::stable_partition(faces_.begin(), faces_.end(), [](const BoundFace<3>& f) { return f.seen; });
    value_.assign(static_cast<std::size_t>(3 * size_), no_edge);
    closed_.assign(static_cast<std::size_t>(3 * size_), -1);
    for (std::size_t n = 0; n < faces_.size(); ++n) {
      closed_[number(faces_[n].axis, faces_[n].face)] = static_cast<std::int32_t>(n);
      visit_edges_of_face<3>(faces_[n].axis, faces_[n].face,
                             [&](int kind, const Index<3>& e, int) { value_[number(kind, e)] = unknown; });
    }
    combinations_.emplace_back();  // 0
  }

  BoundStream<3> run() {
    grow_tree();
    for (std::size_t n = 0; n < faces_.size(); ++n) queue_if_telling(static_cast<std::int32_t>(n));
    follow_queue();
    for (std::size_t n = 0; n < faces_.size(); ++n)
      while (unknown_edges(faces_[n]) > 0) {
        make_symbol(faces_[n]);
        follow_queue();
      }
    BoundStream<3> out;
    const double rounding = missing_by_rounding * fastest_of(faces_);
    for (const BoundFace<3>& f : faces_) {
      const Combination left = curl_less_flux(f);
      if (left.is_zero()) continue;
      const double missing = -symbols_.equate(left);
      if (f.seen && std::abs(missing) > rounding) out.missing.push_back({f.axis, f.face, missing});
    }
    write(out);
    return out;
  }

 private:
  static constexpr std::int32_t no_edge = -2, unknown = -1;

  std::size_t number(int kind, const Index<3>& i) const {
    return static_cast<std::size_t>(kind * size_ + nodes_.number_of(i));
  }

  // Along what is seen first, so that no branch of it goes through the inside of solids; then to all nodes.
  void grow_tree() {
    UnionFind trees(static_cast<std::size_t>(size_));
    std::vector<std::uint8_t> reached(static_cast<std::size_t>(size_), 0), seen(value_.size(), 0);
    for (const BoundFace<3>& f : faces_)
      if (f.seen)
        visit_edges_of_face<3>(f.axis, f.face,
                               [&](int kind, const Index<3>& e, int) { seen[number(kind, e)] = 1; });
    std::vector<std::int64_t> queue;
    const auto grow = [&](std::size_t head, bool inside) {
      for (; head < queue.size(); ++head) {
        const Index<3> i = nodes_.at(queue[head]);
        for (int axis = 0; axis < 3; ++axis)
          for (int up = 0; up < 2; ++up) {
            const Index<3> j = up ? i + Index<3>::unit(axis) : i - Index<3>::unit(axis);
            if (!nodes_.contains(j)) continue;
            const std::size_t edge = number(axis, up ? i : j);
            std::uint8_t& is_reached = reached[static_cast<std::size_t>(nodes_.number_of(j))];
            if (value_[edge] == no_edge || is_reached || !(inside || seen[edge])) continue;
            value_[edge] = 0;
            trees.join(static_cast<std::int32_t>(queue[head]),
                       static_cast<std::int32_t>(nodes_.number_of(j)));
            is_reached = 1;
            queue.push_back(nodes_.number_of(j));
          }
      }
    };
    const auto start_at = [&](const BoundFace<3>& f, bool inside) {
      const std::int64_t start = nodes_.number_of(f.face);
      if (reached[static_cast<std::size_t>(start)]) return;
      reached[static_cast<std::size_t>(start)] = 1;
      queue.push_back(start);
      grow(queue.size() - 1, inside);
    };
    for (const BoundFace<3>& f : faces_)
      if (f.seen) start_at(f, false);
    grow(0, true);
    for (const BoundFace<3>& f : faces_) start_at(f, true);
    // Trees that have met are one.
    for (const BoundFace<3>& f : faces_)
      visit_edges_of_face<3>(f.axis, f.face, [&](int kind, const Index<3>& e, int) {
        const std::int32_t here = static_cast<std::int32_t>(nodes_.number_of(e)),
                           there = static_cast<std::int32_t>(nodes_.number_of(e + Index<3>::unit(kind)));
        if (value_[number(kind, e)] != unknown || trees.root(here) == trees.root(there)) return;
        value_[number(kind, e)] = 0;
        trees.join(here, there);
      });
  }

  int unknown_edges(const BoundFace<3>& f) const {
    int count = 0;
    visit_edges_of_face<3>(f.axis, f.face, [&](int kind, const Index<3>& e, int) {
      count += value_[number(kind, e)] == unknown;
    });
    return count;
  }
  void queue_if_telling(std::int32_t face) {
    const BoundFace<3>& f = faces_[static_cast<std::size_t>(face)];
    if (unknown_edges(f) == 1) (f.seen ? queue_ : hidden_queue_).push_back(face);
  }
  void set(int kind, const Index<3>& edge, Combination value) {
    std::int32_t place = 0;
    if (!value.is_zero()) {
      place = static_cast<std::int32_t>(combinations_.size());
      combinations_.push_back(std::move(value));
    }
    value_[number(kind, edge)] = place;
    visit_faces_of_edge<3>(kind, edge, [&](int axis, const Index<3>& face, int) {
      if (!nodes_.contains(face)) return;
      const std::int32_t n = closed_[number(axis, face)];
      if (n >= 0) queue_if_telling(n);
    });
  }
  // Over the edges that are known.
  Combination curl_less_flux(const BoundFace<3>& f) const {
    Combination sum;
    sum.known = -f.flux;
    visit_edges_of_face<3>(f.axis, f.face, [&](int kind, const Index<3>& e, int sign) {
      const std::int32_t place = value_[number(kind, e)];
      if (place > 0) sum.add(combinations_[static_cast<std::size_t>(place)], sign);
    });
    return sum;
  }
  void follow_queue() {
    while (!queue_.empty() || !hidden_queue_.empty()) {
      std::vector<std::int32_t>& next = queue_.empty() ? hidden_queue_ : queue_;
      const BoundFace<3>& f = faces_[static_cast<std::size_t>(next.back())];
      next.pop_back();
      if (unknown_edges(f) != 1) continue;
      const Combination left = curl_less_flux(f);
      visit_edges_of_face<3>(f.axis, f.face, [&](int kind, const Index<3>& e, int sign) {
        if (value_[number(kind, e)] != unknown) return;
        Combination value;
        value.add(left, -sign);
        set(kind, e, std::move(value));
      });
    }
  }
  void make_symbol(const BoundFace<3>& f) {
    bool made = false;
    visit_edges_of_face<3>(f.axis, f.face, [&](int kind, const Index<3>& e, int) {
      if (made || value_[number(kind, e)] != unknown) return;
      made = true;
      Combination value;
      value.symbols.emplace_back(symbols_.add(static_cast<std::int64_t>(number(kind, e))), 1.0);
      set(kind, e, std::move(value));
    });
  }

  void write(BoundStream<3>& out) const {
    std::unordered_map<std::int32_t, std::size_t> column;
    for (std::size_t s = 0; s < symbols_.count(); ++s) {
      if (!symbols_.is_free(s)) continue;
      column[static_cast<std::int32_t>(s)] = out.columns.size();
      out.columns.emplace_back();
      out.keys.push_back(symbols_.edge(s));
    }
    for (int kind = 0; kind < 3; ++kind)
      for (std::int64_t n = 0; n < size_; ++n) {
        const std::int32_t place = value_[static_cast<std::size_t>(kind * size_ + n)];
        if (place <= 0) continue;
        Combination value = combinations_[static_cast<std::size_t>(place)];
        symbols_.reduce(value);
        const Index<3> edge = nodes_.at(n);
        if (value.known != 0) out.known.push_back({kind, edge, value.known});
        for (const auto& [symbol, factor] : value.symbols)
          out.columns[column.at(symbol)].push_back({kind, edge, factor});
      }
  }

  Range<3> nodes_;
  std::vector<BoundFace<3>> faces_;  // those that are seen first
  std::int64_t size_;
  std::vector<std::int32_t> value_;   // of each edge: no_edge, unknown, or its combination
  std::vector<std::int32_t> closed_;  // of each face: its number among the closed ones, or -1
  std::vector<Combination> combinations_;
  std::vector<std::int32_t> queue_, hidden_queue_;  // faces that know all edges but one
  Symbols symbols_;
};

}  // namespace

BoundStream<3> find_handles(const Grid<3>& grid, const std::vector<BoundFace<3>>& faces) {
  return HandleSearch(grid, faces).run();
}

}  // namespace glug
