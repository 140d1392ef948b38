#!/usr/bin/env python3
"""Plots the volume of every bubble over time, beside what it should be.

    python3 examples/bubble_volumes.py [SCENE] [--frames N] [--resolution N] [--out bubbles.png]

Without matplotlib the figures are printed as a table.
"""
import argparse
from collections import defaultdict

import glug

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("scene", nargs="?", default="rising_bubble_2d")
parser.add_argument("--frames", type=int, default=24)
parser.add_argument("--resolution", type=int, default=48)
parser.add_argument("--threads", type=int, default=0)
parser.add_argument("--out", default="bubbles.png")
arguments = parser.parse_args()

water = glug.Simulation(
    arguments.scene, set={"grid.resolution": arguments.resolution}, threads=arguments.threads
)
history = defaultdict(list)  # of each bubble: (time, volume, rest volume)


def note(report):
    for bubble in water.bubbles:
        if not bubble.free:
            history[bubble.id].append((water.time, bubble.volume, bubble.rest_volume))


while water.frame < arguments.frames:
    water.advance_frame(note)
# Pockets of a few cells come and go.
least = 4 * water.cell_size**water.dimension
history = {number: rows for number, rows in history.items() if max(volume for _, volume, _ in rows) > least}

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("bubble  first s   last s   volume     should be")
    for number, rows in sorted(history.items()):
        print(f"{number:6} {rows[0][0]:8.3f} {rows[-1][0]:8.3f} {rows[-1][1]:10.4g} {rows[-1][2]:10.4g}")
else:
    figure, axes = plt.subplots(figsize=(8, 4.5), constrained_layout=True)
    for number, rows in sorted(history.items()):
        time, volume, rest = zip(*rows)
        (line,) = axes.plot(time, volume, label=f"bubble {number}")
        axes.plot(time, rest, color=line.get_color(), linestyle=":")
    axes.set(xlabel="time (s)", ylabel="m²" if water.dimension == 2 else "m³", ylim=(0, None))
    axes.set_title(f"Volumes of bubbles in {arguments.scene} (dotted: what they should be)")
    if 0 < len(history) <= 12:
        axes.legend(frameon=False)
    figure.savefig(arguments.out, dpi=110)
    print(f"{len(history)} bubbles over {water.time:.2f} s: {arguments.out}")
