// stream_bodies.h: rigid bodies that the liquid pushes, with a stream function. A body that moves with
// U = (V, omega) has, on its own edges, the stream function
//
//   psi = V x r / 2 - |r|^2 omega / 2,   r from its centre (2D: V x r . e_z - ..)        docs/theory.md (Q11)
//
// whose curl is its velocity, exactly so on faces. Each motion that it is free to do is a column of the
// system, with the body's mass; all bodies and the liquid come out of one solve, as in document 001, 4.3.
// Where a body and another solid close a face together, or hold the same edge, psi cannot be both: such faces
// are gaps, which let a little through (Q12).
// Invariant: no edge belongs to two solids that move differently.
#pragma once

#include <vector>

#include "projection/rigid_bodies.h"
#include "projection/stream_faces.h"

namespace glug {

// Numbers of closed faces: of walls and driven solids; of the n-th body, n + 1; of gaps.
inline constexpr std::int32_t owned_by_none = 0, is_a_gap = -1;
// m_f of a gap: that of an opening of a tenth. With 100 a light block on the floor that is flooded does not
// come off it.
inline constexpr double gap_mass = 10;

template <int D>
struct BodyMotion {
  std::int32_t body = 0;
  RigidVector<D> motion{};
};

// A way in which bodies may move (one, or several that hold each other), times an unknown in m/s.
template <int D>
struct MotionColumn {
  std::vector<BodyMotion<D>> motions;
  double mass = 0;  // kinetic energy is rho h^D mass / 2 times the unknown squared
};

// The stream function of a rigid motion on an edge, over h, m/s.
template <int D>
double rigid_stream(const Grid<D>& grid, int kind, const Index<D>& edge, const Vec3& centre,
                    const RigidVector<D>& motion);

template <int D>
class StreamBodies {
 public:
  // Which closed faces belong to whom. motions: of bodies now, before the liquid acts. bodies must outlive
  // the use of all this.
  template <class T>
  void find_faces(const Grid<D>& grid, MacView<D, const T> open, const std::vector<BodyInput<D>>& bodies,
                  const std::vector<RigidVector<D>>& motions);
  // As StreamSolidsInput wants it; data null where there are no bodies.
  MacView<D, const std::int32_t> owner() const { return owner_.read(); }
  const std::vector<FaceFlux<D>>& gaps() const { return gaps_; }

  // After solids were found. density: of the liquid, kg/m^D.
  template <class T>
  void find_columns(const Grid<D>& grid, double density, MacView<D, const T> open);
  const std::vector<MotionColumn<D>>& columns() const { return columns_; }
  // psi on the bodies' own edges that others see, of the motions they have now.
  std::vector<SolidEdge<D>> known() const { return edges_of(now_); }
  std::vector<SolidEdge<D>> edges_of(const std::vector<BodyMotion<D>>& motions) const;
  // What bodies carry through their shares of faces that are open or gaps.
  std::vector<FaceFlux<D>> carried_by(const std::vector<BodyMotion<D>>& motions) const;
  // What values of the columns change of each body's motion.
  std::vector<RigidVector<D>> changes(const double* values) const;
  // Impulses of the liquid on each body, and moments about their centres, kg m^(D-3) ..: of psi, with the
  // changes that it was solved with. input.velocity: u*; sources: what passes besides the curl, data null =
  // 0.
  template <class T>
  std::vector<RigidVector<D>> impulses(const ProjectionInput<D, T>& input, MacView<D, const T> mass,
                                       const StreamView<D>& psi, const std::vector<RigidVector<D>>& changes,
                                       MacView<D, const double> sources = {}) const;

 private:
  Grid<D> grid_{};
  const std::vector<BodyInput<D>>* bodies_ = nullptr;
  std::vector<BodyMotion<D>> now_;
  MacField<D, std::int32_t> owner_;
  std::vector<FaceFlux<D>> gaps_, owned_;                    // owned_: all that owner_ is not 0 at
  std::vector<std::vector<SolidEdge<D>>> edges_;             // of each body, values unused
  std::vector<std::vector<const ClosedFace<D>*>> passages_;  // of each body: its share of what is not closed
  std::vector<MotionColumn<D>> columns_;
};

}  // namespace glug
