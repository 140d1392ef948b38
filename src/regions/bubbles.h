// bubbles.h: the pockets of air, step after step. A bubble is a component of air cells joined through open
// faces. It is free (p = 0) where its air is open to the outside, and one bubble of each sealed component of
// air and liquid is free too: its pressure level is arbitrary, and it takes up what volume the others cannot.
// A component is sealed where neither its air nor its liquid reaches an open side. All other bubbles have a
// pressure of their own. What a free bubble holds is not conserved: its rest volume follows its volume, and
// `gathered` counts what it was relieved of, so that rest volumes, gathered and lost always have the same
// sum.
//
// Their history is a graph between the bubbles of the last step and of this one, joined where they share a
// cell (or, for air that was liquid a step ago, touch through an open face: nothing moves farther than a
// cell). In each connected part of the graph the rest volumes are shared out anew in proportion to volume
// (000, eq. 26); a bubble without ancestor is a void that should not be there: its rest volume is 0, and it
// is filled (simulation/void_stage.h), or left empty where liquid may leave walls. What cells cannot tell is
// mended afterwards (bubble_memory.h).
// Theory: docs/theory.md, Bubbles.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/domain.h"
#include "regions/cell_pairs.h"
#include "regions/components.h"

namespace glug {

template <int D>
struct Bubble {
  std::int64_t id = 0;          // the same from step to step
  double volume = 0;            // m^D
  double rest_volume = 0;       // m^D, what it should be
  Vec<D, double> center{};      // m
  double area = 0;              // open area towards liquid, in faces
  double pressure = 0;          // Pa, relative to free air
  double viscous_pressure = 0;  // Pa, the part of it that takes away what viscosity makes of divergence
  std::int32_t unknown = -1;    // of the pressure system; -1 = free, or without liquid
  bool ambient = false;         // open to the outside
  bool free = false;            // p = 0
  bool tracked = true;          // has an ancestor, or was there from the start
  bool was_free = false;        // holds most of one that was free a step ago

  // Room that no air asks for: of a bubble that keeps its volume less is noise.
  bool has_room() const { return rest_volume < 0.98 * volume; }
  // (W8) Opened where liquid left a wall (AirInput::vacuum), and not closed yet.
  bool is_vacuum() const { return free && !ambient && has_room(); }
};

// A bubble that free air swallowed a few steps ago, as it was then.
template <int D>
struct RememberedBubble {
  std::int64_t id = 0;
  double volume = 0;        // m^D
  double rest_volume = 0;   // m^D
  Vec<D, double> center{};  // m
  std::int64_t steps = 0;   // since then
};

// A component of liquid cells. Its rest volume is inherited as a bubble's is.
struct LiquidRegion {
  double volume = 0;       // m^D
  double rest_volume = 0;  // m^D, what it should be; a body without ancestor has 0
};

struct BubbleEvents {
  int splits = 0, merges = 0, voids = 0, vanished = 0;
  double lost_volume = 0;  // m^D of rest volume whose bubble vanished
  double gathered = 0;     // m^D of rest volume that free air took (< 0: gave)
};

// What a step's graph says of each bubble before and now, besides the volumes.
struct Kinship {
  std::vector<std::uint8_t> vanished;     // per bubble before: it has no heir
  std::vector<std::uint8_t> met_free;     // per bubble before: free air is in its part of the graph
  std::vector<std::uint8_t> from_free;    // per bubble now: likewise
  std::vector<std::uint8_t> from_vacuum;  // per bubble now: an ancestor is a vacuum
};

template <int D>
struct Bubbles {
  Components<D> regions;             // bubbles first, then bodies of liquid, in all blocks
  std::vector<Bubble<D>> list;       // by region
  std::vector<LiquidRegion> bodies;  // by region, counted from list.size()
  std::vector<RegionPair> contacts;  // (bubble, body of liquid) and the faces between them
  std::int32_t unknowns = 0;
  std::int64_t next_id = 1;
  std::vector<RememberedBubble<D>> remembered;
  double gathered = 0;  // m^D, sum of events.gathered over all steps
  BubbleEvents events;  // of the last step
  bool known = false;   // whether there was a step before

  Bubbles() = default;
  explicit Bubbles(const Grid<D>& grid) : regions(grid), before_(grid) {}

  Components<D> before_;  // scratch
  BlockKinds<D> kinds_;   // of this step
};

template <int D>
struct AirInput {
  Grid<D> grid{};
  BlocksView<D> everywhere{};  // all blocks
  BlocksView<D> active{};      // where phi is known
  Sides<D> sides{};
  View<D, const Cell> label{};     // current in all blocks
  View<D, const float> phi{};      // m
  View<D, const float> solid{};    // m, at nodes, in all blocks
  MacView<D, const float> open{};  // in all blocks
  // The non-solid part of each cell, and its liquid part where active; data null = they are measured.
  View<D, const float> open_part{}, liquid_part{};
  const std::uint8_t* solids_changed = nullptr;  // by block id: 0 = as in the last step; null = maybe all
  bool ambient_free = true;
  const Index<D>* outside = nullptr;  // cells that are open to the outside, such as those of drains
  std::int64_t outside_count = 0;
  double reach = 1;  // cells that the fastest moved in the step
  // (W8) Liquid may leave walls: a void that is as large as `vacuum`, m^D, or lies where cells were let go of
  // a step ago, is no fault but a vacuum, with p = 0.
  double vacuum = HUGE_VAL;
  const Index<D>* let_go = nullptr;
  std::int64_t let_go_count = 0;
};

// Finds the bubbles and what became of the ones before.
template <int D>
void follow_bubbles(const Exec& exec, const AirInput<D>& input, Bubbles<D>& bubbles);

// Numbers the unknowns: every bubble that is not free and touches liquid has one.
template <int D>
void number_unknowns(Bubbles<D>& bubbles);

// (B4) New rest volumes from those before: the pure bookkeeping of follow_bubbles, to be tested alone. pairs:
// of (before, now), sorted. Sets rest_volume, id, tracked and was_free of `now`; kinship may be null.
template <int D>
BubbleEvents inherit_volumes(const std::vector<Bubble<D>>& before, const std::vector<RegionPair>& pairs,
                             double least_volume, std::int64_t& next_id, std::vector<Bubble<D>>& now,
                             Kinship* kinship = nullptr);

// The same for bodies of liquid.
void inherit_bodies(const std::vector<LiquidRegion>& before, const std::vector<RegionPair>& pairs,
                    double cell_volume, std::vector<LiquidRegion>& now);

// Labels the blocks that are not active: solid where no face is open, air elsewhere. Call it after every
// label_cells. changed: by block id, 0 = `open` is as it was in the last call; null = maybe nowhere.
template <int D>
void label_empty_blocks(const Exec& exec, const BlocksView<D>& everywhere, const BlocksView<D>& active,
                        MacView<D, const float> open, const std::uint8_t* changed, CellLabels<D>& labels);

}  // namespace glug
