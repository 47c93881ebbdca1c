"""Masks on logits of PyTorch, on whatever device they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import maskwright
from maskwright._errors import Fault, InvalidArgumentError
from maskwright._native import Bitmask, Constraint, Session

if TYPE_CHECKING:
    import torch


def check_width(constraint: Constraint, logits: int) -> None:
    """Refuses a model whose logits are not those of the vocabulary."""
    tokens = constraint.logits
    if logits == tokens:
        return
    message = f"the model has {logits} logits, and the vocabulary {tokens}"
    hint = f"make the vocabulary with logits={logits}" if logits > tokens else "is it the model's own tokenizer?"
    raise InvalidArgumentError([Fault(message, hint=hint)])


def masked(
    scores: torch.Tensor, sessions: Sequence[Session | None], constraint: Constraint
) -> torch.Tensor:
    """The scores with minus infinity where a row's session does not allow a token.

    A session that has ended says nothing of its row. Where there is none, since the row's tokens are no beginning
    of a text, only the stop tokens are left: such a row is a beam that has been given up.
    """
    import torch

    rows = torch.full((len(sessions), constraint.mask_words), -1, dtype=torch.int32)
    at = [row for row, session in enumerate(sessions) if session is not None and not session.has_ended]
    maskwright.fill([sessions[row] for row in at], Bitmask(rows), rows=at)  # type: ignore[misc]
    rows = rows.to(scores.device)
    tokens = torch.arange(scores.shape[1], device=scores.device)
    allowed = (rows[:, tokens >> 5] >> (tokens & 31)) & 1
    for row, session in enumerate(sessions):
        if session is None:
            allowed[row] = 0
            allowed[row, constraint.stop_tokens] = 1
    return scores.masked_fill(allowed == 0, float("-inf"))
