// api.h: marks what a program that uses libglug may name: everything else stays inside the library.
#pragma once

#if defined(__GNUC__)
#define GLUG_API __attribute__((visibility("default")))
#else
#define GLUG_API
#endif
