// body_problem.h: a tank with rigid bodies, for tests of projections.
#pragma once

#include <vector>

#include "projection/rigid_bodies.h"
#include "projection/test_problem.h"

namespace glug {

inline Shape box_shape(const Vec3& size, const Vec3& at, double turn) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = size;
  s.translation = at;
  s.rotation_vector = {0, 0, turn};
  return s;
}
inline Shape ball_shape(double radius, const Vec3& at) {
  Shape s;
  s.kind = ShapeKind::sphere;
  s.radius = radius;
  s.translation = at;
  return s;
}

// A tank with bodies: their distance makes the solid, their faces the movers.
template <int D, class T>
struct BodyProblem : TestProblem<D, T> {
  std::vector<SolidBody> solids;
  std::vector<BodyInput<D>> bodies;
  std::vector<RigidVector<D>> motion;  // V*, then V

  using TestProblem<D, T>::TestProblem;

  void add(const Shape& shape, double weight, const RigidVector<D>& V = {}) {
    SolidBody body;
    body.shape = ShapeSdf(shape);
    body.rigid = true;
    body.density = weight;
    body.unit_mass = mass_of(body.shape, D);
    solids.push_back(std::move(body));
    motion.push_back(V);
  }
  // Call once all bodies are added. wall: distance of what does not move.
  template <class F>
  void place_bodies(F wall) {
    const std::vector<SolidInstance> all = instances_of(solids);
    this->set_solid([&](const Point<D>& x) {
      double d = wall(x);
      for (const SolidInstance& s : all) d = std::min(d, s.shape.distance(s.pose.to_body(embed<D>(x))));
      return d;
    });
    bodies.clear();
    for (std::size_t n = 0; n < solids.size(); ++n)
      bodies.push_back({closed_faces<D, T>(this->grid, all.data(), static_cast<int>(all.size()),
                                           static_cast<int>(n), world_box(solids[n]), this->open.read()),
                        solids[n].centre(), solids[n].density});
    this->label();
  }
  // u_s on the faces that the bodies close.
  void write_solid_velocity() {
    this->set_faces(this->solid_velocity, [](const Point<D>&, int) { return 0.0; });
    for (std::size_t n = 0; n < bodies.size(); ++n)
      for (const ClosedFace<D>& f : bodies[n].faces) {
        const Vec3 r = embed<D>(this->grid.face_center(f.face, f.axis)) - bodies[n].centre;
        Vec3 omega{};
        if (D == 2)
          omega[2] = motion[n][2];
        else
          for (int b = 0; b < 3; ++b) omega[b] = motion[n][static_cast<std::size_t>(D + b)];
        const double u = motion[n][static_cast<std::size_t>(f.axis)] + cross(omega, r)[f.axis];
        const double closed = 1 - static_cast<double>(this->open[f.axis](f.face));
        this->solid_velocity[f.axis](f.face) += static_cast<T>(u * f.share / closed);
      }
  }
  ProjectionInput<D, T> with_bodies() const {
    ProjectionInput<D, T> in = this->input();
    in.bodies = &bodies;
    return in;
  }
  SolveReport project_bodies(const SolverOptions& how, int threads = 1) {
    write_solid_velocity();
    const SolveReport report = this->project(with_bodies(), how, threads);
    const auto pushes =
        pushes_by(this->grid, bodies, impulses_on_bodies(Exec{threads}, with_bodies(), this->pressure));
    for (std::size_t n = 0; n < pushes.size(); ++n)
      for (std::size_t k = 0; k < pushes[n].size(); ++k) motion[n][k] += pushes[n][k];
    write_solid_velocity();
    return report;
  }
  double fastest() const {
    double worst = 0;
    this->visit_valid([&](int, const Index<D>&, double u) { worst = std::max(worst, std::abs(u)); });
    return worst;
  }
  double fastest_body() const {
    double worst = 0;
    for (const RigidVector<D>& V : motion)
      for (double v : V) worst = std::max(worst, std::abs(v));
    return worst;
  }
};

template <int D>
RigidVector<D> falling(double speed) {
  RigidVector<D> V{};
  V[1] = -speed;
  return V;
}

inline constexpr double nowhere = 1e3;  // a distance to no wall

}  // namespace glug
