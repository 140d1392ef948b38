#include "scene/option_reader.h"

namespace glug {

bool in_range(const OptionInfo& info, double value) {
  return value >= info.at_least && value <= info.at_most && value > info.above;
}

std::string broken_rule(const OptionInfo& info, double value) {
  OptionInfo part = info;
  if (value <= info.above) part.at_most = OptionInfo{}.at_most;
  return range_rule(part);
}

std::string range_rule(const OptionInfo& info) {
  const bool least = std::isfinite(info.at_least), most = std::isfinite(info.at_most);
  const bool above = std::isfinite(info.above);
  if (least && most) return fmt::format("between {} and {}", info.at_least, info.at_most);
  if (above && most) return fmt::format("> {} and at most {}", info.above, info.at_most);
  if (above) return fmt::format("> {}", info.above);
  if (least) return fmt::format("at least {}", info.at_least);
  if (most) return fmt::format("at most {}", info.at_most);
  return {};
}

}  // namespace glug
