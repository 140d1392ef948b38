// ray_scene.h: triangles and droplets that rays can be traced against, on Embree.
// The tree is built by one thread: leaves in another order would break ties between equally near triangles
// another way, and pictures would depend on the number of threads.
#pragma once

#include <memory>
#include <vector>

#include "geometry/surface_mesh.h"
#include "output/optics.h"

namespace glug {

enum class Material { none, water, solid, glass, droplet };

struct Hit {
  float distance = 0;
  Material material = Material::none;
  int object = -1;        // as given when the object was added
  Vec3f normal{};         // of the triangle, outward, unit
  Vec3f smooth_normal{};  // interpolated between vertices, unit
};

// Surfaces of glass that a ray crosses on its straight way, nearest first.
struct Panes {
  static constexpr int most = 32;
  struct Pane {
    float distance;
    unsigned part, triangle;
    float u, v;  // where on the triangle
  };
  int count = 0;
  Pane list[most];  // the first `count` mean something
  const Pane* begin() const { return list; }
  const Pane* end() const { return list + count; }
};

class RayScene {
 public:
  RayScene();  // InputError without Embree
  RayScene(const RayScene&) = delete;
  RayScene& operator=(const RayScene&) = delete;
  ~RayScene();

  // The mesh must live as long as the scene.
  void add_mesh(const SurfaceMesh& mesh, Material material, int object);
  void add_droplets(const std::vector<Vec3f>& centers, float radius);
  void commit();

  struct Part {
    const SurfaceMesh* mesh = nullptr;
    Material material = Material::none;
    int object = -1;
  };
  // Trivially copyable; many threads may trace at once.
  struct View {
    void* scene = nullptr;
    const Part* parts = nullptr;
    // The nearest hit between the distances.
    Hit trace(const Vec3f& origin, const Vec3f& direction, float nearest, float farthest) const;
    // The nearest hit that is not glass, and the glass before it, in one go. Panes closer together than
    // `apart` (triangles that share an edge) are one.
    Hit trace(const Vec3f& origin, const Vec3f& direction, float nearest, float farthest, float apart,
              Panes& panes) const;
    // Of a pane, interpolated between vertices, unit.
    Vec3f smooth_normal(const Panes::Pane& pane) const;
  };
  View view() const;

 private:
  void* device_ = nullptr;
  void* scene_ = nullptr;
  std::vector<Part> parts_;
};

}  // namespace glug
