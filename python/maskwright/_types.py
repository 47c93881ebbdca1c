"""Types that signatures name."""

from __future__ import annotations

from typing import Any, TypedDict

Json = Any
"""JSON text, or what ``json.dumps`` writes: dictionaries, lists, texts, numbers."""

Array = Any
"""An array of NumPy, PyTorch or the like in the processor's memory, or a buffer."""


class Limits(TypedDict, total=False):
    """What compiling and running may cost; what is left out is as by default."""

    source_bytes: int
    depth: int
    rules: int
    automaton_states: int
    schema_states: int
    state_items: int
    machine_bytes: int
    mask_bytes: int
    work: int
