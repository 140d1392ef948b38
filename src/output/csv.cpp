#include "output/csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/error.h"
#include "output/atomic_file.h"

namespace glug {
namespace {

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  return std::move(text).str();
}

// f(row) for each whole row whose first column is at most `last`; returns how many.
template <class F>
std::int64_t visit_rows_up_to(const std::filesystem::path& path, std::int64_t last, F f) {
  const std::string contents = read_whole(path);
  std::int64_t rows = 0;
  std::size_t begin = contents.find('\n') + 1;  // 0 where there is no line at all
  for (int line = 2; begin > 0 && begin < contents.size(); ++line) {
    const std::size_t end = contents.find('\n', begin);
    if (end == std::string::npos) break;  // torn
    std::int64_t key = 0;
    const auto [stop, error] = std::from_chars(contents.data() + begin, contents.data() + end, key);
    if (error != std::errc{} || (stop != contents.data() + end && *stop != ','))
      throw InputError(
          SourceLocation{path.string(), line, 1},
          "the row does not start with a whole number; the table was edited or damaged, move it away");
    if (key <= last) {
      f(std::string_view(contents).substr(begin, end - begin));
      ++rows;
    }
    begin = end + 1;
  }
  return rows;
}

}  // namespace

CsvTable::CsvTable(std::filesystem::path path, std::string header)
    : path_(std::move(path)), header_(std::move(header)) {
  std::string contents = read_whole(path_);
  contents.resize(contents.rfind('\n') == std::string::npos ? 0 : contents.rfind('\n') + 1);
  if (contents.empty()) {
    write_file(path_, header_ + "\n");
  } else {
    const std::string first = contents.substr(0, contents.find('\n'));
    if (first != header_)
      throw InputError(
          fmt::format("{}:1:1: has the columns '{}' where this program writes '{}'; move the file away or "
                      "choose another folder with --out",
                      path_.string(), first, header_));
    std::error_code error;
    if (contents.size() != std::filesystem::file_size(path_, error)) write_file(path_, contents);
    rows_ = std::count(contents.begin(), contents.end(), '\n') - 1;
  }
  open();
}

CsvTable::CsvTable(CsvTable&& o) noexcept
    : path_(std::move(o.path_)),
      header_(std::move(o.header_)),
      rows_(o.rows_),
      descriptor_(std::exchange(o.descriptor_, -1)) {}

CsvTable& CsvTable::operator=(CsvTable&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(header_, o.header_);
  std::swap(rows_, o.rows_);
  std::swap(descriptor_, o.descriptor_);
  return *this;
}

CsvTable::~CsvTable() { close(); }

void CsvTable::open() {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) throw_write_error(path_, "open the table", errno);
}

void CsvTable::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

void CsvTable::append(std::string_view row) {
  // A table that was deleted would take rows that nobody will read.
  struct stat there;
  if (::fstat(descriptor_, &there) == 0 && there.st_nlink == 0)
    throw_write_error(path_, "append a row", ENOENT);
  std::string line(row);
  line += '\n';
  const off_t before = ::lseek(descriptor_, 0, SEEK_END);
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(descriptor_, line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error_number = errno;
      // Take a half-written row back, so that the table stays whole; if that fails too, opening it again does
      // it.
      if (done > 0 && before >= 0 && ::ftruncate(descriptor_, before) != 0) {
      }
      throw_write_error(path_, "append a row", error_number);
    }
    done += static_cast<std::size_t>(n);
  }
  ++rows_;
}

void CsvTable::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP)
    throw_write_error(path_, "write", errno);
}

void CsvTable::truncate_after(std::int64_t last) {
  std::string kept = header_ + "\n";
  const std::int64_t rows =
      visit_rows_up_to(path_, last, [&](std::string_view row) { kept.append(row) += '\n'; });
  close();
  write_file(path_, kept);
  rows_ = rows;
  open();
}

std::int64_t csv_rows_up_to(const std::filesystem::path& path, std::int64_t last) {
  return visit_rows_up_to(path, last, [](std::string_view) {});
}

}  // namespace glug
