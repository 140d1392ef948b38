#include "regions/packed_films.h"

#include <gtest/gtest.h>

#include "dimensions.h"
#include "particles/seed.h"

namespace glug {
namespace {

template <class T>
struct PackedFilms : testing::Test {};
TYPED_TEST_SUITE(PackedFilms, Dimensions);

// A film one cell thick on the floor, whose particles hold `density` times what fills it and on which
// `borne` of its weight presses: the largest packing told of its cells away from the walls.
template <int D>
float packing_of_film(double density, double borne) {
  const Grid<D> grid{Index<D>::filled(8), 0.1};
  const Blocks<D> blocks = Blocks<D>::all(grid);
  const float h = static_cast<float>(grid.h);
  Field<D, float> phi(grid.cell_range().grown(1)), solid(grid.node_range().grown(1)),
      packed(grid.cell_range());
  Field<D, Cell> label(grid.cell_range().grown(1));
  Field<D, std::uint8_t> kind(grid.cell_range());
  Field<D, double> pressure(grid.cell_range().grown(1));
  visit(solid.range(), [&](const Index<D>& i) { solid(i) = static_cast<float>(i[1]) * h; });
  visit(grid.cell_range(), [&](const Index<D>& i) {
    phi(i) = (static_cast<float>(i[1]) - 0.5f) * h;
    label(i) = i[1] == 0 ? Cell::liquid : Cell::air;
    kind(i) = i[1] <= 1 ? thin_liquid : spray_liquid;
    pressure(i) = i[1] == 0 ? 0.5 * borne : 0;
    packed(i) = -1;
  });
  Shape film;
  film.kind = ShapeKind::box;
  film.size = {20, 2 * grid.h, 20};
  const ShapeSdf shape(film);
  const SeedBody body{shape.view(), {}};
  const SeedShapes seeds{&body, 1, nullptr, 0};
  const Particles<D> particles =
      seed_particles<D>(Exec{2}, grid, blocks.view(), solid.read(), seeds, SeedPhase::liquid, 2, false);
  FilmInput<D> in;
  in.liquid.grid = grid;
  in.liquid.blocks = blocks.view();
  in.liquid.phi = phi.read();
  in.liquid.solid = solid.read();
  in.liquid.label = label.read();
  in.liquid.particle = density / power(2, D);  // each stands for more: as if there were more of them
  in.kind = kind.read();
  in.pressure = pressure.read();
  in.weight = 1;
  const bool any = find_packed_films(Exec{2}, in, particles, packed.view());
  float most = 0;
  visit(grid.cell_range(), [&](const Index<D>& i) { most = packed(i) > most ? packed(i) : most; });
  EXPECT_EQ(any, most > 0);
  return most;
}

TYPED_TEST(PackedFilms, TellHowMuchTheirParticlesHoldBeyondWhatIsShown) {
  EXPECT_NEAR(packing_of_film<TypeParam::D>(1.3, 1), 0.3, 0.1);
}

TYPED_TEST(PackedFilms, AreNotToldOfFilmsAsTheyWereSeededOrThinner) {
  EXPECT_LE(packing_of_film<TypeParam::D>(1, 1), 0.1);
  EXPECT_EQ(packing_of_film<TypeParam::D>(0.7, 1), 0);
}

TYPED_TEST(PackedFilms, AreNotToldWhereNothingBearsThem) {
  EXPECT_EQ(packing_of_film<TypeParam::D>(1.3, 0), 0);
}

}  // namespace
}  // namespace glug
