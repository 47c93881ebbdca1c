"""A logits processor for llama-cpp-python.

.. code-block:: python

    vocabulary = maskwright.llama_cpp.vocabulary(llama)
    constraint = maskwright.Constraint.from_json_schema(vocabulary, schema)
    llama.create_completion(prompt, logits_processor=[maskwright.llama_cpp.MaskwrightProcessor(constraint)])
"""

from __future__ import annotations

from typing import Any

from maskwright._native import Bitmask, Constraint, Vocabulary
from maskwright._prefixes import Prefixes
from maskwright._torch import check_width

__all__ = ["MaskwrightProcessor", "vocabulary"]


class MaskwrightProcessor:
    """Leaves only the tokens that a constraint allows, in one generation."""

    def __init__(self, constraint: Constraint) -> None:
        import numpy as np

        self._constraint = constraint
        self._prefixes = Prefixes(constraint)
        self._prompt: int | None = None
        self._row = Bitmask(np.zeros((1, constraint.mask_words), dtype=np.int32))

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Masks the scores after ``input_ids``, which are the prompt and what was generated."""
        import numpy as np

        if self._prompt is None:
            self._prompt = len(input_ids)
        check_width(self._constraint, len(scores))
        session = self._prefixes.find([int(token) for token in input_ids[self._prompt :]])
        scores = np.array(scores, dtype=np.float32)
        if session is None:
            kept = scores[self._constraint.stop_tokens]
            scores[:] = -np.inf
            scores[self._constraint.stop_tokens] = kept
        elif not session.has_ended:
            session.fill(self._row)
            self._row.apply(scores)
        return scores


def vocabulary(llama: Any) -> Vocabulary:
    """The vocabulary of a ``llama_cpp.Llama``, by the model's own pieces."""
    import llama_cpp

    model = llama_cpp.llama_get_model(llama.ctx)
    vocab = llama_cpp.llama_model_get_vocab(model)
    control = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
    tokens: list[bytes | None] = []
    specials: dict[str, int] = {}
    ends: list[int] = []
    for token in range(llama_cpp.llama_vocab_n_tokens(vocab)):
        if llama_cpp.llama_vocab_get_attr(vocab, token) & control:
            tokens.append(None)
            specials[llama_cpp.llama_vocab_get_text(vocab, token).decode()] = token
            if llama_cpp.llama_vocab_is_eog(vocab, token):
                ends.append(token)
        else:
            tokens.append(llama.detokenize([token]) or None)
    return Vocabulary.from_tokens(tokens, specials=specials, end_tokens=ends)
