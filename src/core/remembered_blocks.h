// remembered_blocks.h: which blocks a field was last used on, so that those that are left can be zeroed.
#pragma once

#include "core/buffer.h"
#include "core/for_each.h"

namespace glug {

template <int D>
class RememberedBlocks {
 public:
  // f(i) over the indices inside `clip` of blocks that were listed and are not any more; then remembers
  // `now`.
  template <class F>
  void change(const Exec& exec, const BlocksView<D>& now, const Range<D>& clip, F f) {
    BlocksView<D> before = now;
    before.ids = ids_.data();
    before.count = count_;
    before.groups = nullptr;
    before.group_count = 0;
    for_each_block(exec, before, [=] GLUG_FN(std::int32_t slot) {
      if (now.slots[before.ids[slot]] >= 0) return;
      visit(intersection(before.indices(slot), clip), [&](const Index<D>& i) { f(i); });
    });
    const Memory memory = memory_of(exec);
    const std::size_t n = static_cast<std::size_t>(now.count);
    if (ids_.size() < n || ids_.memory() != memory) ids_ = Buffer<std::int32_t>(n + n / 4, memory);
    copy_bytes(ids_.data(), memory, now.ids, memory, n * sizeof(std::int32_t));
    count_ = now.count;
  }

 private:
  Buffer<std::int32_t> ids_;
  std::int32_t count_ = 0;
};

}  // namespace glug
