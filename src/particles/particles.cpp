#include "particles/particles.h"

namespace glug {

template <int D>
ParticleArrays<D>::ParticleArrays(std::int64_t capacity, bool affine)
    : id(static_cast<std::size_t>(capacity)) {
  const int arrays = affine ? 2 * D + D * D : 2 * D;
  // A few more, so that four may be loaded from any particle on.
  for (int n = 0; n < arrays; ++n) floats_[n] = Buffer<float>(static_cast<std::size_t>(capacity) + 4);
}

template <int D>
ParticleViewOf<D, float> ParticleArrays<D>::view() {
  ParticleViewOf<D, float> v;
  for (int a = 0; a < D; ++a) v.offset[a] = floats_[a].data();
  for (int a = 0; a < D; ++a) v.velocity[a] = floats_[D + a].data();
  for (int n = 0; n < D * D; ++n) v.affine[n] = floats_[2 * D + n].data();
  return v;
}

template <int D>
ParticleViewOf<D, const float> ParticleArrays<D>::view() const {
  ParticleViewOf<D, const float> v;
  for (int a = 0; a < D; ++a) v.offset[a] = floats_[a].data();
  for (int a = 0; a < D; ++a) v.velocity[a] = floats_[D + a].data();
  for (int n = 0; n < D * D; ++n) v.affine[n] = floats_[2 * D + n].data();
  return v;
}

template <int D>
void reserve_spare(Particles<D>& particles, std::int64_t count) {
  const bool affine = particles.arrays.has_affine();
  if (particles.spare.capacity() < count || particles.spare.has_affine() != affine)
    particles.spare = ParticleArrays<D>(count + count / 16 + 64, affine);
}

template class ParticleArrays<2>;
template class ParticleArrays<3>;
template void reserve_spare<2>(Particles<2>&, std::int64_t);
template void reserve_spare<3>(Particles<3>&, std::int64_t);

}  // namespace glug
