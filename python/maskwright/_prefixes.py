"""Sessions found by the tokens that were generated, for hosts that pass these and nothing else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from maskwright._native import Constraint, Session


class Prefixes:
    """The sessions of one generation, by what each row has generated so far.

    Rows may be put in another order between two steps, copied (beams), grow by several tokens, or be taken back
    (assisted generation). A row is found by its tokens; the sessions of the steps before are kept, so that it is a
    copy of one of them and the tokens since.
    """

    def __init__(self, constraint: Constraint, kept: int = 256) -> None:
        self._constraint = constraint
        self._kept = kept
        self._sessions: OrderedDict[tuple[int, ...], Session | None] = OrderedDict()

    def find(self, tokens: Sequence[int]) -> Session | None:
        """The session after these tokens; ``None`` if they are no beginning of a text."""
        key = tuple(tokens)
        if key in self._sessions:
            self._sessions.move_to_end(key)
            return self._sessions[key]
        session = self._reach(key)
        self._sessions[key] = session
        if len(self._sessions) > self._kept:
            self._sessions.popitem(last=False)
        return session

    def room_for(self, rows: int) -> None:
        """Keeps the sessions of several steps of so many rows."""
        self._kept = max(self._kept, 8 * rows)

    def _reach(self, key: tuple[int, ...]) -> Session | None:
        known = len(key) - 1
        while known > 0 and key[:known] not in self._sessions:
            known -= 1
        before = self._sessions[key[:known]] if known > 0 else self._constraint.session()
        if before is None:
            return None
        session = before.copy()
        rest = key[known:]
        # A row that has ended is filled up by padding, which says nothing.
        return session if session.advance(rest, after_end="ignore") == len(rest) else None
