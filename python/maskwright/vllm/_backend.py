"""vLLM's two interfaces, ``StructuredOutputBackend`` and ``StructuredOutputGrammar``, over this package."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vllm.exceptions import VLLMValidationError
from vllm.logger import init_logger
from vllm.v1.structured_output.backend_types import (
    StructuredOutputBackend,
    StructuredOutputGrammar,
    StructuredOutputOptions,
)
from vllm.v1.structured_output.request import get_structured_output_key

import maskwright
from maskwright._errors import FillError, MaskwrightError
from maskwright._native import Bitmask, Constraint, Session, Vocabulary
from maskwright.vllm._requests import Spelling, begun_of, compile_request
from maskwright.vllm._turns import PROMPT_TOKENS, prompt_tokens

if TYPE_CHECKING:
    import torch
    from vllm.sampling_params import SamplingParams

logger = init_logger("vllm.maskwright")

KEPT_CONSTRAINTS = 256
"""So many constraints are kept by their text, so that requests of one kind share what has been computed."""


@dataclass
class Backend(StructuredOutputBackend):
    """The engine of one vLLM process. All state of a request is in its session."""

    def __post_init__(self) -> None:
        config = self.vllm_config.structured_outputs_config
        self.spelling = Spelling(config.disable_any_whitespace, config.disable_additional_properties)
        self.vocabulary = vocabulary_of(self.tokenizer, self.vocab_size)
        self._constraints: OrderedDict[Any, Constraint] = OrderedDict()
        self._lock = threading.Lock()
        self._rows: tuple[torch.Tensor, Bitmask] | None = None
        self._pending: dict[int, Session] | None = None

    @staticmethod
    def is_tokenizer_supported(tokenizer: Any) -> bool:
        """Whether the bytes of its tokens are known: what vLLM asks of ``GuidanceBackend``."""
        return hasattr(tokenizer, "backend_tokenizer")

    def compile_grammar(
        self,
        request_type: StructuredOutputOptions,
        grammar_spec: str,
        stop_token_ids: set[int] | None = None,
    ) -> TokenGrammar:
        """Compiles a request. The stop tokens, where there are any, are what ends the text."""
        stops = tuple(sorted(id for id in stop_token_ids or () if 0 <= id < self.vocab_size))
        begun = begun_of(request_type, grammar_spec, self._end_of_prompt)
        key = (request_type, grammar_spec, stops, begun)
        with self._lock:
            constraint = self._constraints.get(key)
            if constraint is not None:
                self._constraints.move_to_end(key)
        if constraint is None:
            constraint = self._compile(request_type, grammar_spec, stops, begun)
            with self._lock:
                self._constraints[key] = constraint
                if len(self._constraints) > KEPT_CONSTRAINTS:
                    self._constraints.popitem(last=False)
        try:
            return TokenGrammar(self, constraint.session())
        except MaskwrightError as error:
            raise VLLMValidationError(f"the prompt ends in {begun!r}, and no turn of its format goes on from there: {error}") from error

    def _end_of_prompt(self) -> str | None:
        """How the prompt of the request that is being compiled ends."""
        tokens = prompt_tokens()
        if tokens is None:
            return None
        end: str = self.tokenizer.decode(list(tokens[-PROMPT_TOKENS:]), skip_special_tokens=False)
        return end

    def _compile(
        self, kind: StructuredOutputOptions, spec: str, stops: tuple[int, ...], begun: str
    ) -> Constraint:
        try:
            grammar = compile_request(kind, spec, self.spelling, self.vocabulary, begun)
            return Constraint(self.vocabulary, grammar, stop_tokens=stops or None)
        except MaskwrightError as error:
            raise VLLMValidationError(str(error)) from error

    def allocate_token_bitmask(self, max_num_seqs: int) -> torch.Tensor:
        """Rows of exactly ``ceil(vocab_size / 32)`` words, all ones."""
        import torch

        return torch.full((max_num_seqs, self.vocabulary.mask_words), -1, dtype=torch.int32)

    def destroy(self) -> None:
        """Lets go of what has been computed."""
        self._constraints.clear()
        self._rows = None

    def fill(self, session: Session, bitmask: torch.Tensor, row: int) -> None:
        """Fills a row, now or, within :meth:`in_one_call`, with all others of the step."""
        if self._pending is not None:
            self.bitmask(bitmask)
            self._pending[row] = session.copy()
            return
        try:
            session.fill(self.bitmask(bitmask), row)
        except MaskwrightError as error:
            _report(error)

    def bitmask(self, tensor: torch.Tensor) -> Bitmask:
        """The tensor's memory, looked up once: a slice of a tensor costs more than its mask."""
        if self._rows is None or self._rows[0] is not tensor:
            self._rows = (tensor, Bitmask(tensor))
        return self._rows[1]

    @contextlib.contextmanager
    def in_one_call(self) -> Iterator[None]:
        """Collects the rows of a step, drafts included, and fills them in one call without the interpreter's lock."""
        self._pending = {}
        try:
            yield
        finally:
            self.flush()
            self._pending = None

    def flush(self) -> None:
        """Fills the rows collected so far."""
        if not self._pending or self._rows is None:
            return
        rows, sessions = list(self._pending), list(self._pending.values())
        self._pending.clear()
        try:
            maskwright.fill(sessions, self._rows[1], rows=rows)
        except FillError as error:
            _report(error)


def _report(error: MaskwrightError) -> None:
    """A row that cannot be computed is zero: nothing can be sampled that the session would accept, and the request ends."""
    logger.error("a mask cannot be computed, and its request will end: %s", error)


class TokenGrammar(StructuredOutputGrammar):
    """One request's session. There is no state beside it."""

    def __init__(self, backend: Backend, session: Session) -> None:
        self._backend = backend
        self._session = session

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Appends tokens, up to one that is refused; what follows an end token is ignored."""
        try:
            taken = self._session.advance(tokens, after_end="ignore")
        except (MaskwrightError, OverflowError) as error:
            logger.error("request %s: %s", request_id, error)
            taken = 0
        if taken == len(tokens):
            return True
        # Rows that were to be filled may be copied now.
        self._backend.flush()
        return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The tokens, from the first, that would be accepted. The session stays as it is."""
        real = next((index for index, token in enumerate(tokens) if token < 0), len(tokens))
        return tokens[: self._session.validate(tokens[:real])]

    def rollback(self, num_tokens: int) -> None:
        """Takes back tokens; none if the number is not positive."""
        if num_tokens > 0:
            self._session.rollback(num_tokens)

    def fill_bitmask(self, bitmask: torch.Tensor, batch_index: int) -> None:
        """Fills a row; of a text that has ended it is all ones."""
        if self._session.has_ended:
            bitmask[batch_index].fill_(-1)
        else:
            self._backend.fill(self._session, bitmask, batch_index)

    def is_terminated(self) -> bool:
        """Whether an end token was accepted."""
        return self._session.has_ended

    def reset(self) -> None:
        """Goes back to the beginning."""
        self._session.reset()


def vocabulary_of(tokenizer: Any, vocab_size: int) -> Vocabulary:
    """The vocabulary of vLLM's tokenizer, for a model with ``vocab_size`` logits.

    Raises ``ValueError``, with both numbers, where the model has fewer logits than the tokenizer has tokens.
    """
    try:
        vocabulary = Vocabulary.from_hf(tokenizer)
        if vocab_size < len(vocabulary):
            raise ValueError(
                f"the tokenizer has token ids up to {len(vocabulary) - 1}, and the model only {vocab_size} logits"
            )
        return vocabulary.with_logits(vocab_size)
    except (MaskwrightError, ValueError) as error:
        raise ValueError(
            f"maskwright cannot use this model's tokenizer: {error}. MASKWRIGHT_VLLM=off uses vLLM's own backends."
        ) from error


def validate_request(sampling_params: SamplingParams, tokenizer: Any = None) -> None:
    """What vLLM asks before it takes a request: raises ``VLLMValidationError``, which becomes HTTP 400."""
    del tokenizer
    params = sampling_params.structured_outputs
    if params is None:
        return
    kind, spec = get_structured_output_key(params)
    try:
        compile_request(kind, spec, Spelling(), None)
    except (MaskwrightError, ValueError, KeyError, TypeError) as error:
        raise VLLMValidationError(f"Invalid structured output specification: {error}") from error
