// real.h: the precision that a source file is compiled for, named where its templates are instantiated and
// nowhere else: float in the engine. Exact tests ask for double: the same files are compiled once more for
// them (the libraries glug_..._exact of cmake/room.cmake), so that a program is built without.
#pragma once

namespace glug {

#ifdef GLUG_EXACT
using Real = double;
#else
using Real = float;
#endif

}  // namespace glug
