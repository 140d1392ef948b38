// views.h: parameters that only read. They take no part in template deduction, so a View<D, float> passes
// where a ReadView<D, float> is asked for without the caller spelling the conversion.
#pragma once

#include <type_traits>

#include "core/mac_field.h"

namespace glug {

template <int D, class T>
using ReadView = std::type_identity_t<View<D, const T>>;
template <int D, class T>
using ReadMac = std::type_identity_t<MacView<D, const T>>;

}  // namespace glug
