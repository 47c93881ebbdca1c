"""A logits processor for outlines 1.x: ``outlines.Generator(model, processor=MaskwrightProcessor(constraint))``."""

from __future__ import annotations

from typing import Any

from outlines.processors import OutlinesLogitsProcessor

from maskwright._native import Bitmask, Constraint
from maskwright._prefixes import Prefixes
from maskwright._torch import check_width, masked

__all__ = ["MaskwrightProcessor"]


class MaskwrightProcessor(OutlinesLogitsProcessor):
    """Leaves only the tokens that a constraint allows. ``tensor_library_name`` is that of the model: ``torch`` or ``numpy``."""

    def __init__(self, constraint: Constraint, tensor_library_name: str = "torch") -> None:
        super().__init__(tensor_library_name)
        self._constraint = constraint
        self.reset()

    def reset(self) -> None:
        """Forgets the generation; outlines calls it before each."""
        self._prompt: int | None = None
        self._prefixes = Prefixes(self._constraint)

    def process_logits(self, input_ids: Any, logits: Any) -> Any:
        """Masks the logits of each row by what the row has generated."""
        if self._prompt is None:
            self._prompt = input_ids.shape[1]
        check_width(self._constraint, logits.shape[1])
        self._prefixes.room_for(input_ids.shape[0])
        generated = input_ids[:, self._prompt :].tolist()
        sessions = [self._prefixes.find(tokens) for tokens in generated]
        if not hasattr(logits, "masked_fill"):
            return self._numpy(logits, sessions)
        return masked(logits, sessions, self._constraint)

    def _numpy(self, logits: Any, sessions: list[Any]) -> Any:
        import numpy as np

        logits = np.ascontiguousarray(logits)
        row_of = Bitmask(np.zeros((1, self._constraint.mask_words), dtype=np.int32))
        for row, session in enumerate(sessions):
            if session is None or session.has_ended:
                continue
            session.fill(row_of)
            row_of.apply(logits, logits_row=row)
        return logits
