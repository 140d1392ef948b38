// ledger.h: what a simulation has exchanged with the outside since its start. Plain numbers: a checkpoint
// holds them as they are.
#pragma once

namespace glug {

// What volume corrections may lift (P10). J, but for the loss.
struct CorrectionBudget {
  double rest_at_start = 0;  // all energy, in the first substep
  double fallen = 0;         // the most of it that was not potential any more
  double worked = 0;         // the most that solids did
  double energy = 0;         // of the last substep, less what solids did
  double loss = 0;           // W, by all but the corrections, over the last tenth of a second
  double work = 0;           // that the displacement at hand does
  double credit = 0;         // what is left below the energy's least value and a share of what was released
};

struct Ledger {
  double inflow = 0;          // m^D that emitters let in
  double outflow = 0;         // m^D that left through open sides and drains
  double solid_work = 0;      // J that moving solids and emitters did on the liquid
  double pending_work = 0;    // J of that which belong to the half of the last kick that lies ahead of now
  double kinetic_energy = 0;  // J, of the liquid now (velocities themselves live half a substep later)
  CorrectionBudget budget;
  // Of smoke, density times m^D; heat: temperature times m^D.
  double smoke = 0, heat = 0;  // now
  double smoke_inflow = 0;     // that sources made
  double smoke_outflow = 0;    // that left through open sides
  double smoke_error = 0;      // that came or went otherwise: what (K5) could not mend
};

}  // namespace glug
