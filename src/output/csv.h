// csv.h: tables that grow while a run goes on and survive being killed.
// Every row reaches the file in one write, so a table is whole up to its last row; a torn last line (power
// cut) is dropped when the table is opened again. The first column is the step or frame by which a resumed
// run cuts the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace glug {

// Opens for appending; a new or empty table gets the header. InputError if an existing table has another
// header.
class CsvTable {
 public:
  CsvTable(std::filesystem::path path, std::string header);
  CsvTable(CsvTable&&) noexcept;
  CsvTable& operator=(CsvTable&&) noexcept;
  ~CsvTable();

  // One row without its line end.
  void append(std::string_view row);
  // Removes rows whose first column exceeds `last`.
  void truncate_after(std::int64_t last);
  const std::filesystem::path& path() const { return path_; }

 private:
  void open();
  void close();
  std::filesystem::path path_;
  std::string header_;
  int descriptor_ = -1;
};

}  // namespace glug
