"""vLLM's requests for structured output, as grammars."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vllm.v1.structured_output.backend_types import StructuredOutputOptions

from maskwright._errors import Fault, UnsupportedError
from maskwright._native import Grammar, Vocabulary
from maskwright.vllm import _turns

Kind = StructuredOutputOptions


@dataclass(frozen=True)
class Spelling:
    """What a server's configuration says of how JSON is written."""

    compact: bool = False
    """``disable_any_whitespace``"""
    closed: bool = False
    """``disable_additional_properties``"""

    @property
    def options(self) -> dict[str, Any]:
        """The keyword arguments. White space is bounded and numbers are as programs print them, so that neither runs away."""
        return {"whitespace": "compact" if self.compact else "pretty", "numbers": "plain"}


def compile_request(
    kind: StructuredOutputOptions, spec: str, spelling: Spelling, vocabulary: Vocabulary | None, begun: str = ""
) -> Grammar:
    """Compiles a request; without a vocabulary to see whether it can be. ``begun`` is what of a turn stands in the prompt.

    Raises errors of this package.
    """
    if kind is Kind.JSON:
        schema: Any = _closed(spec) if spelling.closed else spec
        return Grammar.from_json_schema(schema, **spelling.options)
    if kind is Kind.JSON_OBJECT:
        return Grammar.from_json_schema({"type": "object"}, **spelling.options)
    if kind is Kind.REGEX:
        return Grammar.from_regex(spec)
    if kind is Kind.CHOICE:
        return Grammar.from_choice(spec)
    if kind is Kind.GRAMMAR:
        if _is_lark(spec):
            return Grammar.from_lark(spec, **spelling.options)
        return Grammar.from_ebnf(spec)
    if kind is Kind.STRUCTURAL_TAG:
        return _tag(spec, spelling, vocabulary, begun)
    raise _unsupported(f"a request of type {kind.name.lower()}")


def begun_of(kind: StructuredOutputOptions, spec: str, prompt: Callable[[], str | None]) -> str:
    """What of the turn that a request carries stands in its prompt, of which ``prompt`` gives the end."""
    if kind is not Kind.STRUCTURAL_TAG or _turns.MARK not in spec:
        return ""
    turn, end = _turns.read(json.loads(spec)), prompt()
    return "" if turn is None or end is None else turn.begun(end)


def _tag(spec: str, spelling: Spelling, vocabulary: Vocabulary | None, begun: str) -> Grammar:
    try:
        tag = json.loads(spec)
        turn = _turns.read(tag)
        if turn is not None and (vocabulary is None or turn.fits(vocabulary.specials)):
            options = turn.options(begun)
            return Grammar.from_format(turn.format, vocabulary=vocabulary, **spelling.options, **options)
        plain = _turns.without_turns(tag)
    except RecursionError as error:
        raise ValueError("the structural tag nests too deeply") from error
    source = spec if plain == tag else json.dumps(plain)
    return Grammar.from_structural_tag(source, vocabulary=vocabulary, **spelling.options)


def _is_lark(grammar: str) -> bool:
    """vLLM's own rule which of the two a grammar is."""
    from vllm.v1.structured_output.utils import grammar_is_likely_lark

    return bool(grammar_is_likely_lark(grammar))


def _closed(spec: str) -> Any:
    """The schema as vLLM reads it under ``disable_additional_properties``."""
    from vllm.v1.structured_output.backend_guidance import process_for_additional_properties

    return process_for_additional_properties(spec)


def _unsupported(what: str) -> UnsupportedError:
    return UnsupportedError([Fault(f"{what} is not supported by maskwright", hint="MASKWRIGHT_VLLM=off uses vLLM's own")])
