// contact_world.h: bodies and contacts without any liquid, stepped as the simulation steps them.
#pragma once

#include <cmath>
#include <vector>

#include "bodies/held_bodies.h"

namespace glug {

inline Shape box_at(const Vec3& centre, const Vec3& size) {
  Shape s;
  s.kind = ShapeKind::box;
  s.size = size;
  s.translation = centre;
  return s;
}
inline Shape ball_at(const Vec3& centre, double radius) {
  Shape s;
  s.kind = ShapeKind::sphere;
  s.radius = radius;
  s.translation = centre;
  return s;
}

template <int D>
struct ContactWorld {
  Grid<D> grid{Index<D>::filled(64), 1.0 / 32};
  Vec3 gravity{0, -9.81, 0};
  std::vector<SolidBody> bodies;

  SolidBody& add(const Shape& shape, double density, double friction = 0.5, double restitution = 0) {
    SolidBody body;
    body.shape = ShapeSdf(shape);
    body.rigid = true;
    body.density = density;
    body.friction = friction;
    body.restitution = restitution;
    body.unit_mass = mass_of(body.shape, D);
    body.points = surface_points(body.shape, D);
    bodies.push_back(std::move(body));
    return bodies.back();
  }
  void add_wall(const Shape& shape, double friction = 0.5) {
    SolidBody body;
    body.shape = ShapeSdf(shape);
    body.friction = friction;
    body.restitution = 0;
    bodies.push_back(std::move(body));
  }
  // What contacts leave of the motions that gravity gives, and the groups that hang together.
  std::vector<HeldGroup> hold(double dt, std::vector<MovingBody>& moving) {
    moving.clear();
    for (SolidBody& body : bodies) {
      if (body.is_free()) body.pose.velocity = body.pose.velocity + gravity * dt;
      moving.push_back(moving_body(body, D));
      hold_by_hinge(body, moving.back());
    }
    std::vector<Contact> contacts = find_contacts(grid, Sides<D>{}, dt, bodies);
    std::vector<MovingBody> pushed = moving;
    const ContactTerms terms{grid.h, norm(gravity), dt, gravity};
    want_velocities(terms, pushed, contacts);
    push_apart(terms, contacts, pushed);
    settle_contacts(moving, contacts);
    return hold_bodies(contacts, moving);
  }
  void step(double dt) {
    std::vector<MovingBody> moving;
    (void)hold(dt, moving);
    for (std::size_t n = 0; n < bodies.size(); ++n)
      if (bodies[n].is_free()) {
        set_motion(moving[n].motion, bodies[n]);
        bodies[n].pose = pose_after(bodies[n], dt);
      }
  }
  // Steps of 1/240 s.
  void run(double seconds) {
    const int steps = static_cast<int>(std::lround(seconds * 240));
    for (int k = 0; k < steps; ++k) step(1.0 / 240);
  }
};

}  // namespace glug
