// preview_smoke.h: a 3D frame of smoke as a photograph: light of the sun and the sky scattered by what is
// between the eye and the solids, with the shadows that smoke and solids cast. A ray is followed in equal
// steps, so a picture has the same bytes for any number of threads.
#pragma once

#include "output/preview.h"

namespace glug {

Image draw_smoke(const Exec& exec, const Frame<3>& frame, const PreviewOptions& options);

}  // namespace glug
