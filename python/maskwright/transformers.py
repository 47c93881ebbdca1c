"""A logits processor for Hugging Face transformers.

.. code-block:: python

    vocabulary = maskwright.Vocabulary.from_hf(tokenizer, logits=model.config.vocab_size)
    constraint = maskwright.Constraint.from_json_schema(vocabulary, schema)
    processor = maskwright.transformers.MaskwrightLogitsProcessor(constraint)
    model.generate(**inputs, logits_processor=[processor])

It works with sampling, greedy decoding, beams and assisted generation. Make a processor for each call of
``generate``, or call :meth:`MaskwrightLogitsProcessor.reset` between two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from transformers import LogitsProcessor

from maskwright._errors import Fault, UnsupportedError
from maskwright._native import Constraint
from maskwright._prefixes import Prefixes
from maskwright._torch import check_width, masked

if TYPE_CHECKING:
    import torch

__all__ = ["MaskwrightLogitsProcessor"]


class MaskwrightLogitsProcessor(LogitsProcessor):
    """Leaves only the tokens that a constraint allows. One constraint for all rows, or one for each prompt."""

    def __init__(self, constraint: Constraint | Sequence[Constraint]) -> None:
        self._constraints = [constraint] if isinstance(constraint, Constraint) else list(constraint)
        self.reset()

    def reset(self) -> None:
        """Forgets the generation: the next call is the beginning of another."""
        self._prompt: int | None = None
        self._prefixes = [Prefixes(constraint) for constraint in self._constraints]

    @property
    def supports_continuous_batching(self) -> bool:
        """Refuses continuous batching, which would leave the processor out with a warning, or not say whose rows are whose."""
        message = "continuous batching cannot be constrained by a logits processor: it does not say whose token a row is"
        raise UnsupportedError([Fault(message, hint="use model.generate, or serve the model with vLLM or SGLang")])

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Masks the scores of each row by what the row has generated."""
        if self._prompt is None or input_ids.shape[1] < self._prompt:
            self.reset()
            self._prompt = input_ids.shape[1]
        rows = input_ids.shape[0]
        each, rest = divmod(rows, len(self._constraints))
        if rest:
            message = f"{rows} rows for {len(self._constraints)} constraints"
            raise UnsupportedError([Fault(message, hint="give one constraint, or one for each prompt")])
        generated = input_ids[:, self._prompt :].tolist()
        outputs = []
        for index, (constraint, prefixes) in enumerate(zip(self._constraints, self._prefixes)):
            check_width(constraint, scores.shape[1])
            prefixes.room_for(each)
            own = slice(index * each, (index + 1) * each)
            sessions = [prefixes.find(tokens) for tokens in generated[own]]
            outputs.append(masked(scores[own], sessions, constraint))
        if len(outputs) == 1:
            return outputs[0]
        import torch

        return torch.cat(outputs)
