#include "output/preview.h"

#include "output/preview_flat.h"
#include "output/preview_smoke.h"
#include "output/preview_traced.h"

namespace glug {

PreviewScene::PreviewScene() : cache_(std::make_unique<Cache>()) {}
PreviewScene::PreviewScene(PreviewScene&&) noexcept = default;
PreviewScene& PreviewScene::operator=(PreviewScene&&) noexcept = default;
PreviewScene::~PreviewScene() = default;

PreviewOptions preview_options(const Scene& scene) {
  return {.width = scene.output.preview_width,
          .height = scene.output.preview_height,
          .camera = scene.camera,
          .cutaway = scene.output.cutaway,
          .shade = scene.output.shade,
          .title = scene.title};
}

template <int D>
Image draw_preview(const Exec& exec, const Frame<D>& frame, const PreviewOptions& options,
                   PreviewScene& scene) {
  if constexpr (D == 2)
    return draw_flat(exec, frame, options);
  else if (frame.is_smoke())
    return draw_smoke(exec, frame, options);
  else
    return draw_traced(exec, frame, options, scene.cache());
}

template <int D>
Image draw_preview(const Exec& exec, const Frame<D>& frame, const PreviewOptions& options) {
  PreviewScene scene;
  return draw_preview<D>(exec, frame, options, scene);
}

template Image draw_preview<2>(const Exec&, const Frame<2>&, const PreviewOptions&, PreviewScene&);
template Image draw_preview<3>(const Exec&, const Frame<3>&, const PreviewOptions&, PreviewScene&);
template Image draw_preview<2>(const Exec&, const Frame<2>&, const PreviewOptions&);
template Image draw_preview<3>(const Exec&, const Frame<3>&, const PreviewOptions&);

}  // namespace glug
