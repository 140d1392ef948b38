// vdb_leaves.h: grids made leaf by leaf. Eight cells along each axis are one leaf, whichever axis is up, so
// each is filled by itself, on any thread, and the tree hears of it once: asked for every voxel, a tree took
// longer than all that is written into it. Only where OpenVDB is there.
#pragma once

#include <memory>
#include <vector>

#include "core/for_each.h"
#include "output/vdb_layout.h"

namespace glug {

inline constexpr int leaf_edge = 8;

// f(box) for boxes of a leaf each that together are this range; they begin at multiples of leaf_edge.
template <int D, class F>
void visit_leaf_boxes(const Range<D>& range, F&& f) {
  Range<D> boxes;
  for (int a = 0; a < D; ++a) {
    boxes.lo[a] = (range.lo[a] + (leaf_edge << 8)) / leaf_edge - (1 << 8);  // may be negative, a little
    boxes.hi[a] = (range.hi[a] - 1) / leaf_edge + 1;
  }
  if (range.size() == 0) return;
  visit(boxes, [&](const Index<D>& b) {
    f(intersection(range, Range<D>{b * leaf_edge, (b + Index<D>::filled(1)) * leaf_edge}));
  });
}

// The listed indices within `clip`, by leaves.
template <int D>
std::vector<Range<D>> leaf_boxes(const BlocksView<D>& blocks, const Range<D>& clip) {
  std::vector<Range<D>> boxes;
  for (std::int32_t slot = 0; slot < blocks.count; ++slot)
    visit_leaf_boxes(intersection(blocks.indices(slot), clip),
                     [&](const Range<D>& box) { boxes.push_back(box); });
  return boxes;
}

// What becomes of a box: nothing (the background), one value for all of it, or a leaf.
template <int D, class GridType>
class LeafDraft {
 public:
  using Leaf = typename GridType::TreeType::LeafNodeType;
  using Value = typename GridType::ValueType;

  void begin(UpAxis up, const Index<D>& first, const Value& background) {
    up_ = up;
    first_ = first;
    background_ = background;
  }
  void set_on(const Index<D>& i, const Value& value) {
    leaf().setValueOn(Leaf::coordToOffset(voxel<D>(up_, i)), value);
  }
  void set_off(const Index<D>& i, const Value& value) {
    leaf().setValueOff(Leaf::coordToOffset(voxel<D>(up_, i)), value);
  }
  void fill_off(const Value& value) {
    filled_ = true;
    background_ = value;
  }
  void hand_over(typename GridType::TreeType& tree) {
    if (leaf_) tree.addLeaf(leaf_.release());
    if (filled_) tree.addTile(1, voxel<D>(up_, first_), background_, false);
  }

 private:
  Leaf& leaf() {
    if (!leaf_) leaf_ = std::make_unique<Leaf>(voxel<D>(up_, first_), background_, false);
    return *leaf_;
  }
  UpAxis up_ = UpAxis::y;
  Index<D> first_{};
  Value background_{};
  bool filled_ = false;
  std::unique_ptr<Leaf> leaf_;
};

// fill(box, draft) for every box, in any order.
template <int D, class GridType, class F>
void fill_leaves(const Exec& exec, UpAxis up, const std::vector<Range<D>>& boxes, GridType& grid, F fill) {
  std::vector<LeafDraft<D, GridType>> drafts(boxes.size());
  const Range<D>* box = boxes.data();
  LeafDraft<D, GridType>* draft = drafts.data();
  const typename GridType::ValueType background = grid.background();
  for_each_task(exec, static_cast<std::ptrdiff_t>(boxes.size()), [=](std::ptrdiff_t n) {
    draft[n].begin(up, box[n].lo, background);
    fill(box[n], draft[n]);
  });
  for (LeafDraft<D, GridType>& d : drafts) d.hand_over(grid.tree());
}

}  // namespace glug
