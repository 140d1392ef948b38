#include "gauntlet/entries.h"

#include <numbers>

namespace glug {
namespace {

GauntletEntry own(const std::string& name, std::vector<std::string> overrides = {},
                  double volume_limit = 0.01) {
  return {name, "gauntlet/" + name, std::move(overrides), {.volume_limit = volume_limit}};
}

GauntletEntry lands(const FlatImpact& impact, GauntletEntry entry) {
  entry.terms.impact = impact;
  return entry;
}

GauntletEntry small(const std::string& name, int resolution, int frames) {
  return {
      name, name, {"grid.resolution=" + std::to_string(resolution), "time.frames=" + std::to_string(frames)}};
}

constexpr double thin = 0.02;  // the volume's limit where the liquid is a cell or two deep

// Half a cell is a bit more: a body that holds no cell's centre is refused.
GauntletEntry puddle(const std::string& name, double cells) {
  return {name,
          "gauntlet/still_puddle",
          {"liquid.body.0.shape.max=[1," + std::to_string(cells / 64) + "]"},
          {.volume_limit = thin}};
}

}  // namespace

const std::vector<GauntletEntry>& gauntlet_entries() {
  static const std::vector<GauntletEntry> all = {
      // As a user sent them.
      own("hovering_drop"),
      own("puddle", {}, thin),
      own("squeezed_headspace"),
      own("standing_wave"),
      own("thin_wall"),
      own("stairs", {"grid.resolution=40", "time.frames=40"}),
      own("pour_from_glass", {"grid.resolution=40"}),
      // Shipped ones, made small.
      small("dam_break", 64, 120),
      small("half_disk", 64, 96),
      small("tilted_tank", 64, 72),
      small("u_tube", 64, 72),
      small("inverted_cup", 64, 132),
      small("closed_bottle", 72, 120),
      small("water_cooler_2d", 72, 120),
      small("bubble_tube", 84, 72),
      small("rising_bubble_2d", 72, 72),
      small("two_phase_rise_2d", 64, 60),
      small("sinking_bubble_2d", 64, 36),
      small("neutral_bubble_2d", 48, 24),
      // A disk of 0.25 m in a round tank of 0.46 m: it falls by 0.214 m, and at 22 degrees onto the wall.
      lands({.fall = 0.183, .radius = 0.548}, small("affine_ball_2d", 96, 48)),
      small("paddle", 40, 48),
      small("funnel", 40, 40),
      small("wall_with_holes", 32, 48),
      small("moving_platform", 32, 84),
      small("splash_tank", 40, 36),
      small("dam_break_3d", 40, 36),
      small("falling_ball_3d", 40, 36),
      // As an artist, a teacher or a tester would write them.
      own("beach"),
      own("inclined_film", {}, thin),
      own("rain", {}, thin),
      own("shaken_bottle"),
      own("water_wheel"),
      own("thin_cup"),
      own("aquarium"),
      own("sliding_glass"),
      own("glass_in_glass"),
      own("closing_gap"),
      own("jet_on_plate"),
      own("drop_in_box"),
      puddle("puddle_half_cell", 0.52),
      puddle("puddle_one_cell", 1),
      puddle("puddle_cell_and_half", 1.5),
      puddle("puddle_two_cells", 2),
      own("sill"),
      own("leaving_tray"),
      own("turned_tank"),
      own("swirling_bowl"),
      own("hourglass"),
      own("waterfall"),
      own("colliding_blocks"),
      own("plunging_ball"),
      own("emptied_tube"),
      // Its lower side leans by 11 degrees, the ramp by 9.5 the other way; it is met whole after 0.32 m.
      lands({.fall = 0.32, .angle = 20.5 * std::numbers::pi / 180}, own("block_on_ramp")),
      own("heavy_air"),
      // With emitters and drains.
      own("submerged_inlet"),
      own("spring_in_bubble"),
      own("moving_hose", {}, thin),
      own("sink"),
      own("tilted_spout", {}, thin),
      own("swinging_hose"),
      own("jet_below_lid"),
      own("tap_into_cup"),
      own("raft_under_shower"),
      small("faucet", 64, 48),
      small("fountain", 40, 48),
      // Smoke.
      small("paddle_smoke", 40, 96),
      small("smoke_plume", 48, 60),
      small("vortex_box_2d", 48, 96),
      own("candle"),
      own("cold_stairs", {"grid.resolution=48"}),
      own("stirred_box"),
      own("coarse_smoke"),
      // Thick liquids.
      small("honey_dam_2d", 64, 72),
      own("honey_stairs", {}, thin),
      own("sticky_drop", {}, thin),
      own("honey_stirrer"),
      own("thick_two_phase"),
      own("tilted_honey"),
      // With surface tension.
      small("oscillating_drop", 48, 40),
      small("capillary_wave_2d", 64, 60),
      small("bubble_in_drop", 32, 40),
      own("merging_drops"),
      own("drop_on_slope"),
      own("ligament"),
      own("falling_cube"),
      own("small_splash"),
      // Liquid that may leave walls.
      small("wall_splash_2d", 64, 60),
      own("ceiling_slab"),
      own("shaken_tray"),
      own("raft_in_splash"),
      // Thick, and with surface tension.
      own("syrup_drops"),
      own("oil_drop_rises"),
      own("bead", {}, thin),
      own("wick", {}, thin),
      own("bubbly_syrup"),
      own("syrup_over_ball", {}, thin),
      own("dipped_rod"),
      own("soft_ball_of_syrup"),
      own("honey_on_turntable", {}, thin),
      own("squeezed_bubble"),
      own("syrup_drop_on_film", {}, thin),
      // With rigid bodies.
      {"hinged_wheel", "water_wheel", {"grid.resolution=80", "time.frames=60"}},
      own("stack_in_water"),
      own("flap_gate"),
      own("released_box"),
      own("boxes_in_filling_tank"),
      own("pushed_barge"),
      small("assorted_bodies", 36, 48),
      small("floating_bodies_2d", 72, 72),
      small("bottle_in_water_2d", 72, 60),
      small("raft_2d", 72, 72),
      small("ball_in_bubble_2d", 64, 60),
      small("swept_corks_2d", 84, 84),
      small("boxes_two_phase_2d", 64, 60),
      // Siphons, ladles and drums.
      own("siphon"),
      own("greedy_cup"),
      own("ladle"),
      own("washing_machine"),
      own("fin_in_drum"),
      own("paddle_boat"),
      own("piston_pump"),
      own("shaker"),
      own("dominoes"),
      own("seesaw"),
      own("bricks_in_tub"),
      own("balls_bin"),
      own("corks_honey"),
      own("piston_leaning"),
      own("stones_crack"),
      own("bottle_up"),
      own("pump_well"),
      own("cork_on_floor"),
      own("needle_on_water"),
      own("capsules_on_floor"),
      own("ring_with_water"),
      own("loaded_raft"),
      own("honey_umbrella"),
      own("stones_in_drum"),
      own("ball_and_fin"),
      own("plunger_and_float"),
      // Gaps, valves, gates and fountains.
      small("tight_box_2d", 64, 84),
      own("check_valve"),
      own("lock_gate"),
      own("hydraulic_jump"),
      own("heron"),
      own("ball_under_cup"),
      own("barrel"),
      own("pendulum"),
      own("two_plugs"),
      own("trapdoor"),
      own("pendulums"),
      own("heap_of_stones"),
      own("lily_pads"),
      own("disk_below_air"),
  };
  return all;
}

}  // namespace glug
