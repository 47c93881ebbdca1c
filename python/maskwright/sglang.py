"""maskwright as SGLang's grammar backend: ``--grammar-backend maskwright``; and its detectors of function calls, which
read turns by the files of their formats: ``--tool-call-parser maskwright_qwen3``.

The entry point ``sglang.srt.plugins`` calls :func:`register` in each of SGLang's processes. Where the server has a
reasoning parser, SGLang's own wrapper for reasoning is put around the backend.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

import torch
from sglang.srt.constrained.base_grammar_backend import (
    BaseGrammarBackend,
    BaseGrammarObject,
    GrammarRow,
    InvalidGrammarObject,
    register_grammar_backend,
    register_vocab_mask_buffer,
)

import maskwright
from maskwright._errors import MaskwrightError
from maskwright._native import Bitmask, Constraint, Grammar, Session, Vocabulary

__all__ = ["MaskwrightGrammar", "MaskwrightGrammarBackend", "register"]

NAME = "maskwright"
logger = logging.getLogger(__name__)


def register() -> None:
    """Makes the backend and the detectors known to SGLang."""
    from sglang.srt.server_args import add_grammar_backend_choices

    from maskwright import _detectors

    add_grammar_backend_choices([NAME])
    register_grammar_backend(NAME, create)
    _detectors.register()


def create(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Iterable[int] | None = None) -> Any:
    """The backend of a server, with the wrapper for reasoning around it where the server has a reasoning parser."""
    from sglang.srt.runtime_context import get_serving

    serving = get_serving()
    backend = MaskwrightGrammarBackend(
        tokenizer,
        vocab_size,
        eos_token_ids,
        any_whitespace=not serving.constrained_json_disable_any_whitespace,
        whitespace_pattern=serving.constrained_json_whitespace_pattern,
    )
    if not serving.reasoning_parser:
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    return ReasonerGrammarBackend(
        backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking
    )


class MaskwrightGrammar(BaseGrammarObject):
    """One request's session. There is no state beside it, but that the scheduler may call a request finished."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def accept_token(self, token: int) -> None:
        """Appends a token; raises ``ValueError`` if it is refused. Nothing counts after an end token."""
        if self.session.has_ended or self.finished:
            return
        try:
            self.session.accept(token)
        except (MaskwrightError, OverflowError) as error:
            raise ValueError(str(error)) from error

    def rollback(self, k: int) -> None:
        """Takes back tokens, an end token included."""
        if k > 0:
            self.session.rollback(k)
            self.finished = False

    def is_terminated(self) -> bool:
        """Whether an end token was accepted."""
        return self.session.has_ended

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows of all ones, in the processor's memory."""
        return allocate(vocab_size, batch_size)

    def fill_vocab_mask(self, vocab_mask: torch.Tensor, idx: int) -> None:
        """Fills a row."""
        if self.session.has_ended:
            vocab_mask[idx].fill_(-1)
        else:
            self.session.fill(Bitmask(vocab_mask), idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: list[GrammarRow], vocab_mask: torch.Tensor) -> None:
        """Fills many rows in one call without the interpreter's lock."""
        own = [entry for entry in entries if isinstance(entry.grammar, MaskwrightGrammar)]
        open_ones = [entry for entry in own if not entry.grammar.session.has_ended]
        sessions = [entry.grammar.session for entry in open_ones]
        maskwright.fill(sessions, Bitmask(vocab_mask), rows=[entry.row for entry in open_ones])
        for entry in entries:
            if not isinstance(entry.grammar, MaskwrightGrammar) or entry.grammar.session.has_ended:
                entry.grammar.fill_vocab_mask(vocab_mask, entry.row)

    @staticmethod
    def reset_vocab_mask(vocab_mask: torch.Tensor) -> None:
        """Allows everything."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The rows on the logits' device."""
        return move(vocab_mask, device)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Sets the logits that the rows do not allow to minus infinity, in place."""
        apply(logits, vocab_mask)

    def copy(self) -> MaskwrightGrammar:
        """A copy for another request."""
        return MaskwrightGrammar(self.session.copy())


class MaskwrightGrammarBackend(BaseGrammarBackend):
    """The backend of one server."""

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: Iterable[int] | None = None,
        *,
        any_whitespace: bool = True,
        whitespace_pattern: str | None = None,
    ) -> None:
        super().__init__()
        vocabulary = Vocabulary.from_hf(tokenizer)
        if vocab_size < len(vocabulary):
            raise ValueError(
                f"the tokenizer has token ids up to {len(vocabulary) - 1}, and the model only {vocab_size} logits"
            )
        self.vocabulary = vocabulary.with_logits(vocab_size)
        self.stop_tokens = sorted(eos_token_ids) if eos_token_ids else None
        pattern = f"/{whitespace_pattern}/" if whitespace_pattern else None
        # White space is bounded and numbers are as programs print them, so that neither runs away.
        self.spelling: dict[str, Any] = {"whitespace": pattern or ("pretty" if any_whitespace else "compact"), "numbers": "plain"}

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> torch.Tensor:
        """A buffer for masks that is used again and again."""
        return register_vocab_mask_buffer(name, allocate(vocab_size, max_rows), max_rows)

    def _grammar(self, compiled: Callable[[], Grammar]) -> Any:
        try:
            constraint = Constraint(self.vocabulary, compiled(), stop_tokens=self.stop_tokens)
            return MaskwrightGrammar(constraint.session())
        except (MaskwrightError, ValueError, KeyError, TypeError) as error:
            logger.warning("a grammar is refused: %s", error)
            return InvalidGrammarObject(str(error))

    def dispatch_json(self, key_string: str) -> Any:
        """The values of a JSON Schema; ``$$ANY$$`` is any value."""
        schema = "{}" if key_string == "$$ANY$$" else key_string
        return self._grammar(lambda: Grammar.from_json_schema(schema, **self.spelling))

    def dispatch_regex(self, key_string: str) -> Any:
        """The texts that a regular expression matches as a whole."""
        return self._grammar(lambda: Grammar.from_regex(key_string))

    def dispatch_ebnf(self, key_string: str) -> Any:
        """The texts of a grammar in EBNF."""
        return self._grammar(lambda: Grammar.from_ebnf(key_string))

    def dispatch_structural_tag(self, key_string: str) -> Any:
        """The texts that a structural tag describes, in either form."""
        return self._grammar(
            lambda: Grammar.from_structural_tag(key_string, vocabulary=self.vocabulary, **self.spelling)
        )

    @property
    def is_support_token_filter(self) -> bool:
        """Strict thinking can be had."""
        return True

    @staticmethod
    def set_token_filter(
        vocab_mask: torch.Tensor,
        token_ids: list[int],
        batch_idx: int,
        is_allowed: bool = True,
        reset_vocab_mask: bool = True,
    ) -> None:
        """Allows or forbids tokens in a row, which is reset to the contrary before if asked for."""
        from sglang.srt.constrained.torch_ops.token_filter_torch_ops import set_token_filter_torch

        set_token_filter_torch(
            vocab_mask, token_ids, batch_idx, is_allowed=is_allowed, reset_vocab_mask=reset_vocab_mask
        )

    @staticmethod
    def allocate_vocab_mask(vocab_size: int, batch_size: int, device: Any) -> torch.Tensor:
        """Rows of all ones, in the processor's memory."""
        return allocate(vocab_size, batch_size)

    @staticmethod
    def move_vocab_mask(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
        """The rows on the logits' device."""
        return move(vocab_mask, device)

    @staticmethod
    def apply_vocab_mask(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
        """Sets the logits that the rows do not allow to minus infinity, in place."""
        apply(logits, vocab_mask)


def allocate(vocab_size: int, rows: int) -> torch.Tensor:
    """Rows of all ones, in the processor's memory."""
    return torch.full((rows, (vocab_size + 31) // 32), -1, dtype=torch.int32)


def move(vocab_mask: torch.Tensor, device: Any) -> torch.Tensor:
    """The rows on a device."""
    return vocab_mask.to(device, non_blocking=True)


def apply(logits: torch.Tensor, vocab_mask: torch.Tensor) -> None:
    """Masks logits in place."""
    # XGrammar, which SGLang depends on, has kernels for each device; its masks have the same form.
    from xgrammar import apply_token_bitmask_inplace

    apply_token_bitmask_inplace(logits, vocab_mask)
