// player.h: a case laid out in a folder, played and judged.
#pragma once

#include <filesystem>

#include "fuzz/cases.h"
#include "fuzz/verdict.h"

namespace glug::fuzz {

void lay_out(const Case& c, const std::filesystem::path& folder);

// In a new folder below `scratch`, which is gone afterwards.
Verdict play_case(const Case& c, const std::filesystem::path& program, const std::filesystem::path& scratch,
                  const Limits& limits);

// The case with every line of its scene left out that its kind of fault does not need.
Case reduced(const Case& c, const std::string& why, const std::filesystem::path& program,
             const std::filesystem::path& scratch, const Limits& limits);

// The word that a fault begins with.
std::string kind_of(const std::string& why);

}  // namespace glug::fuzz
