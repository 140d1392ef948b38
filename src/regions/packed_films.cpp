#include "regions/packed_films.h"

#include "core/reduce.h"
#include "geometry/block_neighbours.h"

namespace glug {
namespace {

inline constexpr int reach = 2;  // cells
// Cells so far below the surface (in cells) are nearly full. Where a film is shown too lean for its particles
// but these are no closer than they were seeded it is not packed: to grow it would thin it out, which makes
// it leaner still.
inline constexpr float well_below = -0.35f;

// What particles hold and what the surface shows, in cells, of a block and the layers around it.
template <int D>
struct FilmTile {
  static constexpr int edge = block_edge<D> + 2 * reach;
  static constexpr int size = power(edge, D);
  float held[size], shown[size];   // of all cells
  float within[size], room[size];  // of those well below the surface: what particles hold, what is open

  static GLUG_INLINE int number(const Index<D>& i, const Index<D>& lo) {
    int n = 0;
    for (int a = D - 1; a >= 0; --a) n = n * edge + (i[a] - lo[a]);
    return n;
  }
};

}  // namespace

template <int D>
bool find_packed_films(const Exec& exec, const FilmInput<D>& in, const Particles<D>& particles,
                       View<D, float> packed) {
  const BlocksView<D> blocks = in.liquid.blocks, occupied = particles.occupied.view();
  const std::uint32_t* cell_begin = particles.cell_begin.data();
  const Range<D> cells = in.liquid.grid.cell_range();
  const float h = static_cast<float>(in.liquid.grid.h);
  const auto is_film = [=](const Index<D>& i) {
    return in.kind(i) == thin_liquid && in.liquid.label(i) == Cell::liquid;
  };
  return reduce_blocks(exec, blocks, std::int64_t{0}, Plus{}, [=](std::int32_t slot) {
           const Range<D> own = blocks.indices(slot), inside = intersection(own, cells);
           bool any = false;
           visit(inside, [&](const Index<D>& i) {
             if (in.kind(i) != bulk_liquid) packed(i) = 0;
             any = any || is_film(i);
           });
           if (!any) return std::int64_t{0};
           FilmTile<D> tile;
           const Index<D> lo = own.lo - Index<D>::filled(reach);
           const BlockNeighbours<D> around(blocks, slot);
           visit(Range<D>{lo, lo + Index<D>::filled(FilmTile<D>::edge)}, [&](const Index<D>& i) {
             const int t = FilmTile<D>::number(i, lo);
             tile.held[t] = tile.shown[t] = tile.within[t] = tile.room[t] = 0;
             // Spray around is no part of the film.
             if (!cells.contains(i) || !around.listed(i) || in.kind(i) == spray_liquid) return;
             const Index<D> b = occupied.block_of(i);
             const std::int32_t from = occupied.slot_of_block(b);
             if (from < 0) return;
             const std::uint32_t* n = cell_begin + static_cast<std::size_t>(from) * block_volume<D> +
                                      cell_in_block<D>(i, b * block_edge<D>);
             tile.held[t] = static_cast<float>((n[1] - n[0]) * in.liquid.particle);
             tile.shown[t] = static_cast<float>(cell_liquid_fraction<D>(in.liquid.blocks, in.liquid.grid,
                                                                        in.liquid.phi, in.liquid.solid, i));
             if (!(in.liquid.phi(i) < well_below * h)) return;
             tile.within[t] = tile.held[t];
             tile.room[t] = static_cast<float>(cell_open_fraction<D>(in.liquid.solid, in.liquid.grid.h, i));
           });
           std::int64_t found = 0;
           visit(inside, [&](const Index<D>& i) {
             if (!is_film(i)) return;
             float held = 0, shown = 0, within = 0, room = 0;
             visit(Range<D>{i - Index<D>::filled(reach), i + Index<D>::filled(reach + 1)},
                   [&](const Index<D>& j) {
                     const int t = FilmTile<D>::number(j, lo);
                     held += tile.held[t];
                     shown += tile.shown[t];
                     within += tile.within[t];
                     room += tile.room[t];
                   });
             const float borne = clamp(static_cast<float>(2 * in.pressure(i) / in.weight), 0.f, 1.f);
             if (!(held > shown) || !(shown > 0.5f) || !(within > room) || !(room > 0.5f) || !(borne > 0))
               return;
             const float lean = (held - shown) / shown, crowded = (within - room) / room;
             packed(i) = borne * (lean < crowded ? lean : crowded);
             ++found;
           });
           return found;
         }) > 0;
}

template bool find_packed_films<2>(const Exec&, const FilmInput<2>&, const Particles<2>&, View<2, float>);
template bool find_packed_films<3>(const Exec&, const FilmInput<3>&, const Particles<3>&, View<3, float>);

}  // namespace glug
