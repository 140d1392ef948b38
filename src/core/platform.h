// platform.h: the two words that let one kernel source serve CPU and GPU.
#pragma once

#ifdef __CUDACC__
#define GLUG_FN __host__ __device__
#else
#define GLUG_FN
#endif

// Inlining is a promise the block kernels rely on: their tiles must stay in registers and first-level cache.
#define GLUG_INLINE GLUG_FN inline __attribute__((always_inline))
