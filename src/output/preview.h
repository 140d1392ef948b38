// preview.h: a picture of a frame. In 2D liquid, particles, solids and velocity are drawn flat; in 3D the
// surface is ray traced so that it looks like water. Pictures have the same bytes for any number of threads.
#pragma once

#include <memory>
#include <string>

#include "output/frame.h"
#include "output/image.h"
#include "scene/scene.h"

namespace glug {

struct PreviewOptions {
  int width = 960;
  int height = 540;
  CameraOptions camera;  // 3D only
  double cutaway = 0;    // share of the domain on the camera's side that is left out, 3D only
  Shade shade = Shade::water;
  std::string title;  // first words of the caption
};

// As the scene asks for them.
PreviewOptions preview_options(const Scene& scene);

// What previews of one run share from frame to frame: the meshes of solids, in their own coordinates.
class PreviewScene {
 public:
  PreviewScene();
  PreviewScene(PreviewScene&&) noexcept;
  PreviewScene& operator=(PreviewScene&&) noexcept;
  ~PreviewScene();
  struct Cache;
  Cache& cache() { return *cache_; }

 private:
  std::unique_ptr<Cache> cache_;
};

// False: this build has no ray tracer and 3D previews throw an InputError.
bool have_embree();

template <int D>
Image draw_preview(const Exec& exec, const Frame<D>& frame, const PreviewOptions& options,
                   PreviewScene& scene);

// One picture on its own.
template <int D>
Image draw_preview(const Exec& exec, const Frame<D>& frame, const PreviewOptions& options);

}  // namespace glug
