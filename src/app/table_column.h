// table_column.h: a column of a csv table, as the reference tells of it.
#pragma once

#include <span>
#include <string>

namespace glug {

struct TableColumn {
  const char* name;
  const char* unit;
  const char* help;
};

// The first line of the table.
inline std::string header_of(std::span<const TableColumn> columns) {
  std::string header;
  for (const TableColumn& c : columns) header += (header.empty() ? "" : ",") + std::string(c.name);
  return header;
}

}  // namespace glug
