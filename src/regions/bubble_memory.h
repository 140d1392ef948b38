// bubble_memory.h: bubbles that cells alone would lose sight of. One that outran its history, because a step
// moved it more than a cell, is found again by place and size. One that touched or was swallowed by free air
// is remembered for a few steps: often a single cell flickered, and the pocket that splits off in its place
// is the same bubble. And a crumb that the particles close over leaves its air to the bubble it broke off
// from. Theory: docs/theory.md, B4.
#pragma once

#include <vector>

#include "regions/bubbles.h"

namespace glug {

inline constexpr int remembered_steps = 5;

// Bubbles that vanished are matched with new ones without ancestor, nearest first: volumes within a factor 2,
// centres within (reach + 1) cells and the bubble's radius. The new one gets id, rest volume and history, and
// the old one has not vanished.
template <int D>
void rejoin_strays(const std::vector<Bubble<D>>& before, double h, double reach, double least_volume,
                   Kinship& kinship, std::vector<Bubble<D>>& now, BubbleEvents& events);

inline constexpr int crumb_reach = 3;  // cells

// A bubble that vanished leaves its rest volume to the air that is nearest to where it was, by way of open
// faces, if that is within crumb_reach cells of it; voids do not inherit.
template <int D>
void leave_crumbs(const std::vector<Bubble<D>>& before, const Components<D>& regions, const Grid<D>& grid,
                  MacView<D, const float> open, Kinship& kinship, std::vector<Bubble<D>>& now,
                  BubbleEvents& events);

// Pockets that split off from free air are matched with remembered bubbles, nearest first: volumes within a
// quarter, centres within the bubble's radius and a cell. Remembers the bubbles of this step that met free
// air and forgets those that have been for too long.
template <int D>
void recall_bubbles(const std::vector<Bubble<D>>& before, const Kinship& kinship, double h,
                    std::vector<RememberedBubble<D>>& remembered, std::vector<Bubble<D>>& now,
                    BubbleEvents& events);

}  // namespace glug
