"""Random texts under a mask."""

from __future__ import annotations

import random

import maskwright


def random_text(constraint: maskwright.Constraint, seed: int, free: int = 60) -> list[int]:
    """The tokens of a random text: any that are allowed at first, then straight to the end."""
    chance = random.Random(seed)
    session = constraint.session()
    stops = set(constraint.stop_tokens)
    while not session.is_finished and len(session) < free:
        session.accept(chance.choice(session.allowed_tokens()))
    if not session.has_ended:
        way = session.way_out()
        assert session.advance(way) == len(way)
        assert session.may_end
    return [token for token in session.tokens if token not in stops or not session.has_ended]
