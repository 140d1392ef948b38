// table_column.h: a column of a csv table, as the reference tells of it.
#pragma once

namespace glug {

struct TableColumn {
  const char* name;
  const char* unit;
  const char* help;
};

}  // namespace glug
