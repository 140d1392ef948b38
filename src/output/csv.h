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
  // Rows in it, without the header.
  std::int64_t rows() const { return rows_; }
  // Brings what was appended to the disk: before a checkpoint that comes after these rows.
  void sync();
  const std::filesystem::path& path() const { return path_; }

 private:
  void open();
  void close();
  std::filesystem::path path_;
  std::string header_;
  std::int64_t rows_ = 0;
  int descriptor_ = -1;
};

// Rows of a table whose first column is at most `last`; 0 where there is no table. Changes nothing.
// InputError names a row that does not start with a whole number.
std::int64_t csv_rows_up_to(const std::filesystem::path& path, std::int64_t last);

}  // namespace glug
