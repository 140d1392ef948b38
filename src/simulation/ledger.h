// ledger.h: what a simulation has exchanged with the outside since its start. Plain numbers: a checkpoint
// holds them as they are.
#pragma once

#include "simulation/energy_book.h"

namespace glug {

struct Ledger {
  double inflow = 0;          // m^D that emitters let in
  double outflow = 0;         // m^D that left through open sides and drains
  double solid_work = 0;      // J that moving solids and emitters did on the liquid
  double pending_work = 0;    // J of that which belong to the half of the last kick that lies ahead of now
  double kinetic_energy = 0;  // J, of the liquid now (velocities themselves live half a substep later)
  EnergyBook energy;          // of the liquid: what volume corrections may lift
  // Of smoke, density times m^D; heat: temperature times m^D.
  double smoke = 0, heat = 0;  // now
  double smoke_inflow = 0;     // that sources made
  double smoke_outflow = 0;    // that left through open sides
  double smoke_error = 0;      // that came or went otherwise: what (K5) could not mend
};

}  // namespace glug
