"""The parsers `maskwright_…` in vLLM, and vLLM's own of the same families beside them on random turns.

`MASKWRIGHT_TURNS=2000` reads as many of each family, and prints a line of each; the default is a few. `MASKWRIGHT_VOCABULARIES=FOLDER`
takes the vocabularies of the families (see `turns`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import jsonschema
import pytest
import turns

pytest.importorskip("vllm", reason="vLLM is not installed here")

COUNT = int(os.environ.get("MASKWRIGHT_TURNS", "12"))
SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in turns.TOOLS}
THEIRS = {
    "deepseek-r1": ("deepseek_v3", "deepseek_r1"),
    "deepseek-v3": ("deepseek_v3", None),
    "deepseek-v3.1": ("deepseek_v31", "deepseek_v3"),
    "deepseek-v3.2": ("deepseek_v32", "deepseek_v3"),
    "gemma-4": ("gemma4", "gemma4"),
    "glm-4.5": ("glm45", "glm45"),
    "granite-3.3": ("granite", "granite"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "llama3": ("llama3_json", None),
    "llama4": ("llama4_pythonic", None),
    "minimax-m2": ("minimax_m2", "minimax_m2"),
    "phi-4": ("phi4_mini_json", None),
    "qwen3": ("hermes", "qwen3"),
    "qwen3-coder": ("qwen3_coder", "qwen3"),
}
"""vLLM's parsers of tool calls and thoughts."""


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    from maskwright.vllm import register

    register()


@pytest.fixture(scope="module")
def tokens() -> Any:
    return cached(turns.single_bytes())


def cached(vocabulary: Any) -> Any:
    """The tokenizer as vLLM keeps it: parsers look up its tokens."""
    from vllm.tokenizers.hf import get_cached_tokenizer

    return get_cached_tokenizer(vocabulary.for_hosts())


def parser(tokens: Any, tools: str | None, thoughts: str | None, **options: Any) -> tuple[Any, Any]:
    """vLLM's parser of these names, as its server makes it, and a request to it."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    made = ParserManager.get_parser(
        tool_parser_name=tools, reasoning_parser_name=thoughts, enable_auto_tools=True, tokenizer=tokens
    )
    assert made is not None
    message = {"role": "user", "content": "Find me a book."}
    request = ChatCompletionRequest(model="x", messages=[message], tools=turns.TOOLS, **{"tool_choice": "auto", **options})
    thinks = {"thinking": True, "enable_thinking": True}
    return made(tokens, request.tools, chat_template_kwargs=thinks), request


def ours(tokens: Any, family: Any, **options: Any) -> tuple[Any, Any]:
    from vllm.reasoning import ReasoningParserManager

    thoughts = family.parser if family.parser in ReasoningParserManager.list_registered() else None
    made, request = parser(tokens, family.parser, thoughts, **options)
    made.set_prompt_token_ids(tokens.encode("Hello." + family.prompt))
    return made, request


def said(parsed: Any) -> tuple[str, str, list[tuple[str, Any]]]:
    reasoning, content, calls = parsed
    return reasoning or "", content or "", [(call.name, json.loads(call.arguments)) for call in calls or []]


def streamed(tokens: Any, family: Any, pieces: list[str]) -> tuple[str, str, list[tuple[str, Any]]]:
    """What the deltas say together, token by token."""
    made, request = ours(tokens, family)
    thinks, says = "", ""
    calls: list[list[str]] = []
    for place, piece in enumerate([*pieces, ""]):
        delta = made.parse_delta(piece, [0], request, finished=place == len(pieces))
        if delta is None:
            continue
        thinks += delta.reasoning or ""
        says += delta.content or ""
        for call in delta.tool_calls:
            if call.id is not None:
                assert call.index == len(calls) and call.function.name
                calls.append([call.function.name, ""])
            calls[call.index][1] += call.function.arguments or ""
    return thinks, says, [(name, json.loads(arguments)) for name, arguments in calls]


@pytest.mark.parametrize("family", turns.FAMILIES.values(), ids=lambda family: family.format)
def test_turns_are_read(family: Any) -> None:
    """Every call fits its schema, pieces say what the whole says, and vLLM's own parser says the same or is told of."""
    found: Counter[str] = Counter()
    vocabulary = turns.tokens_of(family)
    tokens = cached(vocabulary)
    theirs = THEIRS.get(family.format)
    for whole in turns.turns(vocabulary, family, COUNT):
        pieces = turns.without_end(whole)
        text = "".join(pieces)
        made, request = ours(tokens, family)
        message = said(made.parse(text, request, enable_auto_tools=True))
        for name, arguments in message[2]:
            jsonschema.validate(arguments, SCHEMAS[name])
        if found["read"] < 40:
            thinks, says, calls = streamed(tokens, family, pieces)
            assert (thinks, says.strip(), calls) == (message[0], message[1].strip(), message[2]), text
        found["read"] += 1
        found["calls"] += len(message[2])
        if theirs is not None:
            differs = difference(tokens, theirs, text, message)
            found[differs] += 1
            if os.environ.get("MASKWRIGHT_DIFFERENCES") and differs != "alike" and found[differs] <= 3:
                print(family.format, differs, repr(text), message)
    assert found["calls"] >= COUNT // 2
    print(family.format, vocabulary.name, dict(found))


def difference(tokens: Any, names: tuple[str, str | None], text: str, message: Any) -> str:
    """How vLLM's own parsers read a text otherwise."""
    # Without thoughts in the text vLLM's parsers of thoughts are not asked: they take all for thoughts.
    made, request = parser(tokens, names[0], names[1] if message[0] or "</think>" in text or "<channel|>" in text else None)
    try:
        other = said(made.parse(text, request, enable_auto_tools=True))
    except Exception as error:
        return f"theirs fails: {type(error).__name__}"
    if other[2] != message[2]:
        return "other calls"
    if other[0].strip() != message[0].strip():
        return "other thoughts"
    return "alike" if other[1].strip() == message[1].strip() else "other content"


def test_two_names_are_of_one_format(tokens: Any) -> None:
    from vllm.parser.parser_manager import ParserManager

    with pytest.raises(TypeError, match="both names are of one format"):
        ParserManager.get_parser("maskwright_qwen3", "deepseek_r1", enable_auto_tools=True)
    made, request = parser(tokens, None, "maskwright_qwen3")
    made.set_prompt_token_ids(tokens.encode("<|im_start|>assistant\n<think>\n"))
    text = 'Hm.\n</think>\n\n<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'
    reasoning, content, calls = made.parse(text, request)
    # Nothing reads calls here, and so they are content.
    assert (reasoning, calls) == ("Hm.\n", []) and content is not None and '"ping"' in content


@pytest.mark.parametrize("format", ["kimi-k2", "phi-4", "glm-4.5"])
def test_turns_are_constrained_whole(tokens: Any, format: str) -> None:
    import maskwright
    from maskwright.vllm._requests import Spelling, compile_request
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    family = turns.FAMILIES[format]
    made, request = parser(tokens, family.parser, None, tool_choice="required")
    tag = made.adjust_request(request).structured_outputs.structural_tag
    vocabulary = maskwright.Vocabulary.from_hf(tokens)
    grammar = compile_request(StructuredOutputOptions.STRUCTURAL_TAG, tag, Spelling(), vocabulary)
    constraint = maskwright.Constraint(vocabulary, grammar)
    called = 0
    for turn in turns.turns(turns.single_bytes(), family, 9):
        session = constraint.session()
        ids = tokens.encode("".join(turn), add_special_tokens=False)
        is_whole = session.advance(ids) == len(ids) and (session.has_ended or session.may_end)
        calls = made.parse("".join(turns.without_end(turn)), request)[2]
        assert is_whole == bool(calls), turn
        called += is_whole
    assert called > 0
