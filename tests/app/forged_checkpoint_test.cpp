// Checkpoints with right checksums that no run wrote: refused with a word, or run; never a crash.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "checkpoint_parts.h"
#include "core/error.h"
#include "output/save_state.h"
#include "scene/make_setup.h"
#include "scene/read_scene.h"
#include "simulation/advance.h"

namespace glug {
namespace {

namespace fs = std::filesystem;

const std::string scene_text = R"(
[grid]
dimension = 2
resolution = 20
[liquid]
transfer = "apic"
[air]
model = "MODEL"
[[liquid.body]]
shape = { type = "box", min = [0, 0], max = [1, 0.6] }
[[air.body]]
shape = { type = "sphere", center = [0.5, 0.3], radius = 0.15 }
)";

Scene scene_with(const std::string& model) {
  std::string text = scene_text;
  text.replace(text.find("MODEL"), 5, model);
  return parse_scene(text, "scene.toml", ".");
}

struct Forger {
  fs::path folder;
  Scene scene;
  State<2> fresh;
  fs::path checkpoint;
  std::string whole;

  explicit Forger(const std::string& model) : scene(scene_with(model)) {
    char name[] = "/tmp/glug_forged.XXXXXX";
    folder = mkdtemp(name);
    fresh = initialise(Exec{}, make_setup<2>(scene));
    State<2> state = initialise(Exec{}, make_setup<2>(scene));
    for (int n = 0; n < 5; ++n) (void)advance(Exec{}, state);
    save_state(Exec{}, state, scene.source, {}, folder);
    for (const auto& entry : fs::directory_iterator(folder)) checkpoint = entry.path();
    std::ifstream file(checkpoint, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    whole = text.str();
  }
  ~Forger() { fs::remove_all(folder); }

  // Loads a file and goes on with it for a substep; what was said against it.
  std::string try_file(const std::string& bytes) {
    std::ofstream(checkpoint, std::ios::binary) << bytes;
    try {
      State<2> state = initialise(Exec{}, make_setup<2>(scene));
      load_state(Exec{}, checkpoint, state);
      (void)advance(Exec{}, state);
    } catch (const InputError& error) {
      return error.what();
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  }
  std::string forge(const std::function<void(CheckpointParts&)>& change) {
    CheckpointParts parts(whole);
    change(parts);
    return try_file(parts.file());
  }
};

template <class T>
void set(CheckpointSection& s, std::size_t n, T value) {
  std::memcpy(s.bytes.data() + n * sizeof(T), &value, sizeof(T));
}

TEST(ForgedCheckpoint, TheForgerWritesWhatWasRead) {
  Forger forger("constraint");
  EXPECT_TRUE(CheckpointParts(forger.whole).file() == forger.whole);
  EXPECT_EQ(forger.try_file(forger.whole), "");
}

TEST(ForgedCheckpoint, IsRefusedWithTheReason) {
  Forger forger("constraint");
  const auto expect = [&](const char* reason, const std::function<void(CheckpointParts&)>& change) {
    const std::string said = forger.forge(change);
    EXPECT_NE(said.find(reason), std::string::npos) << "instead of \"" << reason << "\": " << said;
  };
  expect("its table does not fit the file", [](CheckpointParts& p) { p.named("phi").count = 1u << 30; });
  expect("its table does not fit the file", [](CheckpointParts& p) { p.named("phi").count = ~0ull / 2; });
  expect("blocks of particles lie outside",
         [](CheckpointParts& p) { set(p.named("occupied"), 0, std::int32_t{9999}); });
  expect("not in the order of their cells",
         [](CheckpointParts& p) { set(p.named("cell_begin"), 20, std::uint32_t{4000000000u}); });
  expect("outside their cells", [](CheckpointParts& p) { set(p.named("particle_0"), 7, 1e9f); });
  expect("no numbers", [](CheckpointParts& p) { set(p.named("particle_2"), 7, std::nanf("")); });
  expect("no number", [](CheckpointParts& p) { set(p.named("phi"), 7, std::nanf("")); });
  expect("bubbles that are not there", [](CheckpointParts& p) { set(p.named("air"), 40, std::int32_t{77}); });
  expect("another number of cells", [](CheckpointParts& p) {
    p.named("velocity").bytes.resize(p.named("velocity").bytes.size() / 2);
    p.named("velocity").count /= 2;
  });
  expect("it holds another number of particles than it says",
         [](CheckpointParts& p) { set(p.named("scalars"), 1, std::int64_t{1} << 60); });
}

// Any bytes of any part replaced, any part cut or doubled.
TEST(ForgedCheckpoint, OfAnyKindNeverCrashes) {
  for (const char* model : {"constraint", "two_phase"}) {
    Forger forger(model);
    std::mt19937 random(7);
    for (int n = 0; n < 150; ++n)
      (void)forger.forge([&](CheckpointParts& p) {
        CheckpointSection& s = p.sections[random() % p.sections.size()];
        if (s.bytes.empty()) return;
        if (random() % 4 == 0) {
          s.count = random() % 2 ? s.count / 2 : 2 * s.count;
          s.bytes.resize(s.element * s.count, '\7');
          return;
        }
        for (int k = 0; k < 4; ++k) {
          const std::uint32_t value = static_cast<std::uint32_t>(random() % 2 ? random() : random() % 64);
          const std::size_t at = random() % s.bytes.size();
          std::memcpy(s.bytes.data() + at, &value, std::min<std::size_t>(4, s.bytes.size() - at));
        }
      });
  }
}

}  // namespace
}  // namespace glug
