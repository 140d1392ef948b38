"""Glug: liquids in 2D and 3D, with trapped air that keeps its volume (docs/python.md)."""

from ._glug import (
    Body,
    Bubble,
    InputError,
    Report,
    Simulation,
    SimulationError,
    __version__,
    check,
)

__all__ = [
    "Body",
    "Bubble",
    "InputError",
    "Report",
    "Simulation",
    "SimulationError",
    "__version__",
    "check",
]
