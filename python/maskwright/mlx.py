"""A logits processor for mlx-lm: ``generate(model, tokenizer, prompt, logits_processors=[Processor(constraint)])``.

For a batch, give each sequence its own: ``BatchGenerator(…, logits_processors=[[Processor(c)], …])``.
"""

from __future__ import annotations

from typing import Any

from maskwright._native import Bitmask, Constraint
from maskwright._prefixes import Prefixes
from maskwright._torch import check_width

__all__ = ["MaskwrightProcessor"]


class MaskwrightProcessor:
    """Leaves only the tokens that a constraint allows, in one sequence of one generation."""

    def __init__(self, constraint: Constraint) -> None:
        self._constraint = constraint
        self._prefixes = Prefixes(constraint)
        self._prompt: int | None = None

    def __call__(self, tokens: Any, logits: Any) -> Any:
        """Masks the logits after ``tokens``, which are the prompt and what was generated."""
        import mlx.core as mx
        import numpy as np

        if self._prompt is None:
            self._prompt = tokens.size
        check_width(self._constraint, logits.shape[-1])
        session = self._prefixes.find(tokens[self._prompt :].tolist())
        if session is not None and session.has_ended:
            return logits
        row = np.zeros((1, self._constraint.mask_words), dtype=np.int32)
        if session is None:
            for token in self._constraint.stop_tokens:
                row[0, token >> 5] |= np.array(1 << (token & 31), dtype=np.uint32).view(np.int32)
        else:
            session.fill(Bitmask(row))
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")[: logits.shape[-1]]
        return mx.where(mx.array(bits.astype(bool)), logits, -float("inf"))
