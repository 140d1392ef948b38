#include "particles/append.h"

#include <algorithm>

#include "core/for_each.h"

namespace glug {

template <int D>
void reserve_more(const Exec& exec, Particles<D>& particles, std::int64_t more) {
  const std::int64_t total = particles.count + more;
  if (particles.arrays.capacity() < total) {
    reserve_spare(particles, total + total / 2);
    for (int n = 0; n < particles.arrays.float_count(); ++n) {
      const float* from = particles.arrays.floats(n).data();
      float* to = particles.spare.floats(n).data();
      for_each(exec, particles.count, [=](std::ptrdiff_t i) { to[i] = from[i]; });
    }
    const std::uint32_t* from = particles.arrays.id.data();
    std::uint32_t* to = particles.spare.id.data();
    for_each(exec, particles.count, [=](std::ptrdiff_t i) { to[i] = from[i]; });
    std::swap(particles.arrays, particles.spare);
    particles.spare = ParticleArrays<D>();
  }
  if (static_cast<std::int64_t>(particles.key.size()) < total) {
    Buffer<std::uint32_t> keys(static_cast<std::size_t>(total + total / 2));
    std::copy(particles.key.begin(), particles.key.begin() + particles.count, keys.begin());
    particles.key = std::move(keys);
  }
}

template void reserve_more<2>(const Exec&, Particles<2>&, std::int64_t);
template void reserve_more<3>(const Exec&, Particles<3>&, std::int64_t);

}  // namespace glug
