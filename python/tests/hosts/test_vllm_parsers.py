"""The parsers `maskwright_…` in vLLM, and vLLM's own of the same families beside them on random turns.

`MASKWRIGHT_TURNS=2000` reads as many of each family, and prints a line of each; the default is a few. `MASKWRIGHT_VOCABULARIES=FOLDER`
takes the vocabularies of the families (see `turns`).
"""

from __future__ import annotations

import json
import os
import pathlib
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
    "deepseek-v4": ("deepseek_v4", "deepseek_v3"),
    "gemma-4": ("gemma4", "gemma4"),
    "glm-4.5": ("glm45", "glm45"),
    "granite-3.3": ("granite", "granite"),
    "kimi-k2": ("kimi_k2", "kimi_k2"),
    "kimi-k3": ("kimi_k3", "kimi_k3"),
    "llama3": ("llama3_json", None),
    "llama4": ("llama4_pythonic", None),
    "minimax-m2": ("minimax_m2", "minimax_m2"),
    "mistral-v3": ("mistral", None),
    "mistral-v7": ("mistral", None),
    "mistral-v11": ("mistral", "mistral"),
    "mistral-v13": ("mistral", "mistral"),
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


@pytest.mark.parametrize("family", turns.FAMILIES.values(), ids=lambda family: family.name)
def test_turns_are_read(family: Any) -> None:
    """Every call fits its schema, pieces say what the whole says, and vLLM's own parser says the same or is told of."""
    found: Counter[str] = Counter()
    vocabulary = turns.tokens_of(family)
    tokens = cached(vocabulary)
    theirs = THEIRS.get(family.name)
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
                print(family.name, differs, repr(text), message)
    assert found["calls"] >= COUNT // 2
    print(family.name, vocabulary.name, dict(found))


def difference(tokens: Any, names: tuple[str, str | None], text: str, message: Any) -> str:
    """How vLLM's own parsers read a text otherwise."""
    # Without thoughts in the text vLLM's parsers of thoughts are not asked: they take all for thoughts.
    made, request = parser(tokens, names[0], names[1] if message[0] or any(end in text for end in ("</think>", "<channel|>", "[/THINK]")) else None)
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


@pytest.mark.parametrize("name", ["kimi-k2", "phi-4", "glm-4.5", "mistral-v3", "mistral-v11", "mistral-v13", "deepseek-v4"])
def test_turns_are_constrained_whole(name: str) -> None:
    import maskwright
    from maskwright.vllm._requests import Spelling, compile_request
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    family = turns.FAMILIES[name]
    own = turns.tokens_of(family)
    tokens = cached(own)
    made, request = parser(tokens, family.parser, None, tool_choice="required")
    tag = made.adjust_request(request).structured_outputs.structural_tag
    vocabulary = maskwright.Vocabulary.from_hf(tokens)
    grammar = compile_request(StructuredOutputOptions.STRUCTURAL_TAG, tag, Spelling(), vocabulary)
    constraint = maskwright.Constraint(vocabulary, grammar)
    called = 0
    for turn in turns.turns(own, family, 9):
        session = constraint.session()
        ids = tokens.encode("".join(turn), add_special_tokens=False)
        is_whole = session.advance(ids) == len(ids) and (session.has_ended or session.may_end)
        calls = made.parse("".join(turns.without_end(turn)), request)[2]
        assert is_whole == bool(calls), turn
        called += is_whole
    assert called > 0


def test_the_tokens_tell_the_variant() -> None:
    """The name of a whole family is enough: its mask and its parser are of the variant that the tokenizer is of."""
    texts = {
        "mistral-v3": '[TOOL_CALLS] [{"name": "ping", "arguments": {}}]',
        "mistral-v11": "[TOOL_CALLS]ping[CALL_ID]abcdefghi[ARGS]{}",
        "mistral-v13": "[TOOL_CALLS]ping[ARGS]{}",
    }
    for name, text in texts.items():
        family = turns.FAMILIES[name]
        made, request = parser(cached(turns.tokens_of(family)), "maskwright_mistral", None, tool_choice="required")
        assert tuple(made.family.flags) == family.flags
        turn = _turn(made.adjust_request(request))
        assert turn.format == "mistral" and turn.flags == family.flags
        assert [call.name for call in made.parse(text, request)[2]] == ["ping"]


def test_a_template_tells_the_variant() -> None:
    one = cached(turns.single_bytes())
    one.chat_template = "{% for call in tool_calls %}<｜DSML｜tool_calls>{% endfor %}<｜end▁of▁sentence｜><｜Assistant｜></think>"
    made, request = parser(one, "maskwright_deepseek_v3_2", None, tool_choice="required")
    assert _turn(made.adjust_request(request)).flags == ("v4",)


@pytest.mark.parametrize("version", ["v3", "v7", "v11", "v13"])
def test_mistrals_own_tokenizer_tells_the_variant(tmp_path: pathlib.Path, version: str) -> None:
    """vLLM's own parser of Mistral over Mistral's own tokenizer, and ours by the name of the family."""
    package = pytest.importorskip("mistral_common", reason="mistral-common is not installed here")
    from vllm.tokenizers.mistral import MistralTokenizer

    file = pathlib.Path(package.__file__).parent / "data" / "tekken_240911.json"
    if not file.is_file():
        pytest.skip("mistral-common has no Tekken of 2024-09 any more")
    (tmp_path / "tekken.json").write_text(json.dumps(_tekken(json.loads(file.read_text()), version)))
    tokens = MistralTokenizer.from_pretrained(str(tmp_path))
    family = turns.FAMILIES[f"mistral-{version}"]
    alike = 0
    for whole in turns.turns(turns.single_bytes(), family, COUNT):
        text = "".join(turns.without_end(whole))
        made, request = parser(tokens, "maskwright_mistral", None)
        assert made.family.flags == family.flags
        message = said(made.parse(text, request, enable_auto_tools=True))
        for name, arguments in message[2]:
            jsonschema.validate(arguments, SCHEMAS[name])
        alike += difference(tokens, THEIRS[family.name], text, message) == "alike"
        assert alike or version == "v11", text
    print(family.name, f"{alike} of {COUNT} alike")
    # vLLM takes the id for a part of the name.
    assert alike == COUNT or version == "v11"


def _tekken(model: dict[str, Any], version: str) -> dict[str, Any]:
    """The file of a vocabulary as one of a later version: with the control tokens that it has."""
    model["config"]["version"] = version
    if version != "v3":
        from mistral_common.tokens.tokenizers.tekken import Tekkenizer

        added = {"v7": [], "v11": ["[ARGS]", "[CALL_ID]"], "v13": ["[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]"]}[version]
        model["special_tokens"] = [dict(special) for special in Tekkenizer.DEPRECATED_SPECIAL_TOKENS]
        for name in added:
            rank = len(model["special_tokens"])
            model["special_tokens"].append({"rank": rank, "token_str": name, "is_control": True})
    return model


def _turn(request: Any) -> Any:
    """The turn that a request's structural tag carries."""
    from maskwright.vllm import _turns

    return _turns.read(json.loads(request.structured_outputs.structural_tag))
