#include "output/csv.h"

#include "core/error.h"
#include "sample_frame.h"

namespace glug {
namespace {

TEST(CsvTable, WritesItsHeaderOnceAndEachRowAtOnce) {
  const TemporaryFolder folder;
  {
    CsvTable table(folder / "stats.csv", "step,time");
    table.append("1,0.1");
    EXPECT_EQ(contents_of(folder / "stats.csv"), "step,time\n1,0.1\n");
  }
  CsvTable table(folder / "stats.csv", "step,time");
  table.append("2,0.2");
  EXPECT_EQ(contents_of(folder / "stats.csv"), "step,time\n1,0.1\n2,0.2\n");
}

TEST(CsvTable, DropsATornLastLine) {
  const TemporaryFolder folder;
  set_contents(folder / "stats.csv", "step,time\n1,0.1\n2,0.");
  CsvTable table(folder / "stats.csv", "step,time");
  table.append("2,0.2");
  EXPECT_EQ(contents_of(folder / "stats.csv"), "step,time\n1,0.1\n2,0.2\n");
}

TEST(CsvTable, TruncateAfterKeepsRowsUpToTheStepAndGoesOn) {
  const TemporaryFolder folder;
  CsvTable table(folder / "stats.csv", "step,time");
  for (int step = 1; step <= 12; ++step) table.append(std::to_string(step) + ",0");
  table.truncate_after(9);
  table.append("10,1");
  EXPECT_EQ(contents_of(folder / "stats.csv"),
            "step,time\n1,0\n2,0\n3,0\n4,0\n5,0\n6,0\n7,0\n8,0\n9,0\n10,1\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "stats.csv.partial"));
}

TEST(CsvTable, OfAnotherProgramIsRefusedUntouched) {
  const TemporaryFolder folder;
  set_contents(folder / "stats.csv", "a,b,c\n1,2,3\n");
  EXPECT_THROW(CsvTable(folder / "stats.csv", "step,time"), InputError);
  EXPECT_EQ(contents_of(folder / "stats.csv"), "a,b,c\n1,2,3\n");
}

TEST(CsvTable, FullDiskIsAnError) {
  const TemporaryFolder folder;
  CsvTable table(folder / "stats.csv", "step,time");
  table.append("1,0.1");
  std::filesystem::create_symlink("/dev/full", folder / "stats.csv.partial");
  EXPECT_THROW(table.truncate_after(0), SimulationError);
  EXPECT_EQ(contents_of(folder / "stats.csv"), "step,time\n1,0.1\n");
}

TEST(CsvTable, EditedRowsAreNamedByLine) {
  const TemporaryFolder folder;
  CsvTable table(folder / "stats.csv", "step,time");
  table.append("1,0.1");
  table.append("two,0.2");
  const std::string message = message_of<InputError>([&] { table.truncate_after(1); });
  EXPECT_NE(message.find("stats.csv:3:1: the row does not start with a whole number"), std::string::npos)
      << message;
}

TEST(CsvTable, KnowsHowManyRowsItHas) {
  const TemporaryFolder folder;
  CsvTable table(folder / "stats.csv", "step,time");
  for (int step = 1; step <= 5; ++step) table.append(std::to_string(step) + ",0");
  EXPECT_EQ(table.rows(), 5);
  EXPECT_EQ(csv_rows_up_to(folder / "stats.csv", 3), 3);
  table.truncate_after(4);
  EXPECT_EQ(table.rows(), 4);
  EXPECT_EQ(CsvTable(folder / "stats.csv", "step,time").rows(), 4);
  EXPECT_EQ(csv_rows_up_to(folder / "nowhere.csv", 3), 0);
}

TEST(CsvTable, ThatWasDeletedTakesNoMoreRows) {
  const TemporaryFolder folder;
  CsvTable table(folder / "stats.csv", "step,time");
  std::filesystem::remove(folder / "stats.csv");
  EXPECT_THROW(table.append("1,0.1"), SimulationError);
}

}  // namespace
}  // namespace glug
