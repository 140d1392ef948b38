#include "output/checkpoint.h"
#include <fmt/format.h>

#include <numeric>

#include "core/crc32c.h"
#include "core/error.h"
#include "core/vec.h"
#include "output/checkpoint_folder.h"
#include "sample_frame.h"

namespace glug {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Sample {
  std::vector<Vec<3, float>> positions = std::vector<Vec<3, float>>(1000);
  std::vector<std::uint32_t> ids = std::vector<std::uint32_t>(777);
  Sample() {
    for (std::size_t n = 0; n < positions.size(); ++n) positions[n] = {float(n), 0.5f * float(n), -1.0f};
    std::iota(ids.begin(), ids.end(), 5u);
  }
  std::uint64_t write(const std::filesystem::path& path) const {
    CheckpointWriter writer;
    writer.add_value("time", 0.125);
    writer.add("positions", positions.data(), positions.size());
    writer.add<std::uint8_t>("nothing", nullptr, 0);
    writer.add("ids", ids.data(), ids.size());
    writer.add_text("scene", "title = \"a\"");
    writer.commit(path);
    return writer.size();
  }
};

TEST(Crc32c, GivesThePublishedCheckValueInOnePieceOrMany) {
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283u);
  std::uint32_t crc = 0;
  for (const char c : std::string("123456789")) crc = crc32c(&c, 1, crc);
  EXPECT_EQ(crc, 0xe3069283u);
}

TEST(Checkpoint, GivesBackWhatWasPutIn) {
  const TemporaryFolder folder;
  const Sample sample;
  const std::uint64_t size = sample.write(folder / "c.glug");
  EXPECT_EQ(std::filesystem::file_size(folder / "c.glug"), size);
  const CheckpointReader reader(folder / "c.glug");
  EXPECT_EQ(reader.value<double>("time"), 0.125);
  EXPECT_EQ((reader.get_vector<Vec<3, float>>("positions")), sample.positions);
  EXPECT_EQ(reader.get_vector<std::uint32_t>("ids"), sample.ids);
  EXPECT_EQ(reader.get<std::uint8_t>("nothing").size(), 0u);
  EXPECT_EQ(reader.text("scene"), "title = \"a\"");
  EXPECT_TRUE(reader.has("ids"));
  EXPECT_FALSE(reader.has("velocities"));
  std::vector<std::uint32_t> ids(777);
  reader.copy_to("ids", ids.data(), ids.size());
  EXPECT_EQ(ids, sample.ids);
}

TEST(Checkpoint, AskingForAnotherTypeSizeOrNameIsAnError) {
  const TemporaryFolder folder;
  Sample().write(folder / "c.glug");
  const CheckpointReader reader(folder / "c.glug");
  EXPECT_TRUE(contains(message_of<InputError>([&] { reader.get<double>("ids"); }),
                       "elements of 'ids' have 4 bytes where this program expects 8"));
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { reader.get<float>("velocities"); }), "holds no 'velocities'"));
  std::vector<std::uint32_t> few(3);
  EXPECT_TRUE(contains(message_of<InputError>([&] { reader.copy_to("ids", few.data(), few.size()); }),
                       "'ids' has 777 elements where the scene needs 3"));
}

TEST(Checkpoint, CutAnywhereIsTruncatedAndSaysSo) {
  const TemporaryFolder folder;
  const std::uint64_t size = Sample().write(folder / "c.glug");
  const std::string whole = contents_of(folder / "c.glug");
  std::vector<std::size_t> cuts = {
      0, 1, 7, 8, 12, 39, 40, 41, whole.size() - 1, whole.size() - 4, whole.size() - 24};
  for (std::size_t n = 0; n < whole.size(); n += 97) cuts.push_back(n);
  for (const std::size_t cut : cuts) {
    set_contents(folder / "cut.glug", whole.substr(0, cut));
    const std::string message = message_of<InputError>([&] { CheckpointReader reader(folder / "cut.glug"); });
    EXPECT_TRUE(contains(message, "is truncated: " + std::to_string(cut) + " of ")) << message;
    if (cut >= 40) {
      EXPECT_TRUE(
          contains(message, " of " + std::to_string(size) + " bytes; delete it, resume uses the one before"))
          << message;
    }
  }
}

TEST(Checkpoint, EveryFlippedBitIsNoticed) {
  const TemporaryFolder folder;
  CheckpointWriter writer;
  const std::vector<std::uint16_t> values = {1, 2, 3, 4, 5};
  writer.add("values", values.data(), values.size());
  writer.add_value("time", 0.5);
  writer.commit(folder / "c.glug");
  const std::string whole = contents_of(folder / "c.glug");
  for (std::size_t byte = 0; byte < whole.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit));
      set_contents(folder / "d.glug", damaged);
      EXPECT_THROW(CheckpointReader reader(folder / "d.glug"), InputError)
          << "byte " << byte << " bit " << bit;
    }
  }
}

TEST(Checkpoint, ForeignOldAndMissingFilesAreTold) {
  const TemporaryFolder folder;
  set_contents(folder / "f.glug", "this is a letter, not a checkpoint, and it is long enough to hold a head");
  EXPECT_TRUE(contains(message_of<InputError>([&] { CheckpointReader reader(folder / "f.glug"); }),
                       "is not a Glug checkpoint"));
  Sample().write(folder / "c.glug");
  std::string other = contents_of(folder / "c.glug");
  other[8] = 99;
  set_contents(folder / "v.glug", other);
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { CheckpointReader reader(folder / "v.glug"); }),
               fmt::format("has checkpoint version 99, this program reads version {}", checkpoint_version)));
  EXPECT_TRUE(contains(message_of<InputError>([&] { CheckpointReader reader(folder / "none.glug"); }),
                       "cannot open the checkpoint: No such file or directory"));
  set_contents(folder / "long.glug", contents_of(folder / "c.glug") + "x");
  EXPECT_THROW(CheckpointReader reader(folder / "long.glug"), InputError);
}

TEST(CheckpointFolder, UsesTheNewestWholeOneAndReportsTheBroken) {
  const TemporaryFolder folder;
  EXPECT_FALSE(latest_valid_checkpoint(folder.path()).path);
  EXPECT_FALSE(latest_valid_checkpoint(folder / "absent").path);
  const Sample sample;
  for (const int step : {5, 40, 300}) sample.write(checkpoint_path(folder.path(), step));
  EXPECT_TRUE(std::filesystem::exists(folder / "checkpoint.00000040.glug"));
  EXPECT_EQ(latest_valid_checkpoint(folder.path()).step, 300);
  const std::string whole = contents_of(folder / "checkpoint.00000300.glug");
  set_contents(folder / "checkpoint.00000300.glug", whole.substr(0, 1234));
  const CheckpointChoice choice = latest_valid_checkpoint(folder.path());
  EXPECT_EQ(choice.step, 40);
  EXPECT_EQ(choice.path, folder / "checkpoint.00000040.glug");
  ASSERT_EQ(choice.skipped.size(), 1u);
  EXPECT_TRUE(contains(choice.skipped[0], "checkpoint.00000300.glug: is truncated: 1234 of "))
      << choice.skipped[0];
}

TEST(CheckpointFolder, PruningKeepsTheTwoNewest) {
  const TemporaryFolder folder;
  const Sample sample;
  for (const int step : {1, 2, 30, 4}) sample.write(checkpoint_path(folder.path(), step));
  set_contents(folder / "checkpoint.00000031.glug.partial", "half");
  set_contents(folder / "notes.txt", "mine");
  prune_checkpoints(folder.path());
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left.push_back(entry.path().filename());
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left,
            (std::vector<std::string>{"checkpoint.00000004.glug", "checkpoint.00000030.glug", "notes.txt"}));
}

}  // namespace
}  // namespace glug
