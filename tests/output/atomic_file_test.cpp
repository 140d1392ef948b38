#include "output/atomic_file.h"

#include <cstring>

#include "core/error.h"
#include "sample_frame.h"

namespace glug {
namespace {

using testing::Test;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AtomicFile, HasItsNameOnlyAfterCommit) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "a.bin");
    file.write("hello");
    EXPECT_FALSE(std::filesystem::exists(folder / "a.bin"));
    file.commit();
  }
  EXPECT_EQ(contents_of(folder / "a.bin"), "hello");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.bin.partial"));
}

TEST(AtomicFile, WithoutCommitLeavesTheOldFileAndNoPartialOne) {
  const TemporaryFolder folder;
  write_file(folder / "a.bin", "old");
  {
    AtomicFile file(folder / "a.bin");
    file.write("new");
  }
  EXPECT_EQ(contents_of(folder / "a.bin"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.bin.partial"));
}

TEST(AtomicFile, WritesMoreThanItsBufferAndSeeksBack) {
  const TemporaryFolder folder;
  std::string text(3'500'000, 'x');
  for (std::size_t n = 0; n < text.size(); n += 7) text[n] = static_cast<char>('a' + n % 26);
  AtomicFile file(folder / "a.bin");
  file.write("????");
  file.write(text);
  EXPECT_EQ(file.position(), text.size() + 4);
  file.seek(0);
  file.write("head");
  file.commit();
  EXPECT_EQ(contents_of(folder / "a.bin"), "head" + text);
}

TEST(AtomicFile, FullDiskNamesTheFileTheReasonAndWhatIsSafe) {
  const TemporaryFolder folder;
  write_file(folder / "a.bin", "old");
  // The partial file's name leads to a device that is always full.
  std::filesystem::create_symlink("/dev/full", folder / "a.bin.partial");
  const std::string message = message_of<SimulationError>([&] {
    AtomicFile file(folder / "a.bin");
    file.write(std::string(100, 'x'));
    file.commit();
  });
  EXPECT_TRUE(contains(message, (folder / "a.bin").string())) << message;
  EXPECT_TRUE(contains(message, "No space left on device; free some space and try again")) << message;
  EXPECT_TRUE(contains(message, "What was written before is whole and safe")) << message;
  EXPECT_EQ(contents_of(folder / "a.bin"), "old");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "a.bin.partial"));
}

TEST(AtomicFile, MissingFolderIsAnErrorWithARemedy) {
  const TemporaryFolder folder;
  const std::string message =
      message_of<SimulationError>([&] { write_file(folder / "absent/a.bin", "text"); });
  EXPECT_TRUE(contains(message, "absent/a.bin: cannot create the file: No such file or directory"))
      << message;
}

TEST(AtomicFile, FolderWithoutPermissionIsAnError) {
  if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "locked");
  std::filesystem::permissions(folder / "locked", std::filesystem::perms::owner_read);
  const std::string message =
      message_of<SimulationError>([&] { write_file(folder / "locked/a.bin", "text"); });
  EXPECT_TRUE(contains(message, "Permission denied; choose a folder you may write to. ")) << message;
}

TEST(MakeFolder, WhereAFileStandsIsAnError) {
  const TemporaryFolder folder;
  write_file(folder / "a", "text");
  const std::string message = message_of<SimulationError>([&] { make_folder(folder / "a/b"); });
  EXPECT_TRUE(contains(message, "cannot make the folder")) << message;
}

}  // namespace
}  // namespace glug
