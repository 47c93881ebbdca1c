"""vLLM's own manager of structured output: reasoning, drafts and end tokens, row by row.

It runs with each vLLM that can be imported, so also with one that is only on ``PYTHONPATH``.
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vllm", reason="vLLM is not installed here")

ARRAY = {"type": "array", "items": {"enum": [1, 22]}, "maxItems": 3}
DRAFTS = 6


class Thinking:
    """A reasoning parser: reasoning ends with the token ``</think>``."""

    end = -1

    def __init__(self, tokenizer: Any, **options: Any) -> None:
        self.end = tokenizer.convert_tokens_to_ids("</think>")

    def is_reasoning_end(self, tokens: Any) -> bool:
        return self.end in list(tokens)

    def is_reasoning_end_streaming(self, tokens: Any, delta: Any) -> bool:
        return self.end in list(delta)


@pytest.fixture(scope="module")
def tokenizer(llama: pathlib.Path) -> Any:
    from transformers import AutoTokenizer

    from maskwright.vllm import register

    register()
    return AutoTokenizer.from_pretrained(llama)


def manager(tokenizer: Any, drafts: int, thinks: bool) -> Any:
    from vllm.v1.structured_output import StructuredOutputManager

    size = len(tokenizer) + 70
    config = SimpleNamespace(
        model_config=SimpleNamespace(
            skip_tokenizer_init=True, is_diffusion=False, get_vocab_size=lambda: size
        ),
        scheduler_config=SimpleNamespace(max_num_seqs=200),
        structured_outputs_config=SimpleNamespace(
            reasoning_parser="", reasoning_parser_plugin="", enable_in_reasoning=False,
            disable_any_whitespace=True, disable_additional_properties=False,
        ),
        parallel_config=SimpleNamespace(distributed_executor_backend="external_launcher"),
        num_speculative_tokens=drafts,
    )
    made = StructuredOutputManager(config)
    made.tokenizer = tokenizer
    made.reasoner_cls = Thinking if thinks else None
    return made


def request(
    manager: Any, name: str, structured: dict[str, Any], tokens: Sequence[int] = (), prompt: Sequence[int] = ()
) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams
    from vllm.v1.structured_output.request import StructuredOutputRequest

    params = StructuredOutputsParams(**structured)
    params._backend = "guidance"
    sampling = SamplingParams(structured_outputs=params)
    sampling._all_stop_token_ids = {manager.tokenizer.eos_token_id}
    made = SimpleNamespace(
        request_id=name,
        sampling_params=sampling,
        structured_output_request=StructuredOutputRequest(params=params),
        use_structured_output=True,
        prompt_token_ids=list(prompt),
        all_token_ids=list(tokens),
    )
    manager.grammar_init(made)
    return made


def ids(tokenizer: Any, text: str) -> list[int]:
    return [tokenizer.convert_tokens_to_ids(letter) for letter in text]


def expected(grammar: Any, draft: list[int], words: int) -> list[np.ndarray | None]:
    """The row before each token of a draft, and after the last; ``None`` where all is allowed."""
    session, rows = grammar._session.copy(), []
    for token in [*draft, None]:
        if session.has_ended:
            rows.append(None)
            continue
        row = np.zeros(words, dtype=np.int32)
        session.fill(row)
        rows.append(row)
        if token is not None:
            assert session.allows(token)
            session.accept(token)
    return rows


FLOWS = ["", "[", "[1", "[1,22", "[1]$", "[1,1,1]$"]


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("flow", FLOWS)
def test_flows(tokenizer: Any, flow: str, thinks: bool) -> None:
    """A draft with padding behind it: rows as the text goes on, all ones behind its end and behind padding."""
    end = tokenizer.convert_tokens_to_ids("</think>")
    draft = ids(tokenizer, flow.rstrip("$")) + ([tokenizer.eos_token_id] if flow.endswith("$") else [])
    prefix = [*ids(tokenizer, "x"), end] if thinks else []
    tokens = ([*prefix, *draft] + [-1] * 20)[: DRAFTS + 3]
    made = manager(tokenizer, len(tokens), thinks)
    asked = request(made, "a", {"json": ARRAY})
    grammar = asked.structured_output_request.grammar
    mask = made.grammar_bitmask({"a": asked}, ["a"], {"a": tokens})
    rows = expected(grammar, draft[: len(tokens) - len(prefix)], mask.shape[1])
    for index in range(len(tokens) + 1):
        at = index - len(prefix)
        row = rows[at] if 0 <= at < len(rows) else None
        full = np.full(mask.shape[1], -1, dtype=np.int32)
        assert (mask[index] == (full if row is None else row)).all(), index
    assert len(grammar._session) == 0
    assert made.validate_tokens(asked, list(tokens)) == [*prefix, *draft][: len(tokens)]
    asked.all_token_ids = [*prefix, *draft]
    assert made.accept_tokens(asked, [*prefix, *draft])
    assert grammar.is_terminated() == flow.endswith("$")


def test_a_refused_draft_keeps_the_last_good_row(tokenizer: Any) -> None:
    made = manager(tokenizer, 4, thinks=False)
    asked = request(made, "a", {"json": ARRAY})
    draft = ids(tokenizer, "[x1]")
    mask = made.grammar_bitmask({"a": asked}, ["a"], {"a": draft})
    start, after = expected(asked.structured_output_request.grammar, draft[:1], mask.shape[1])
    assert (mask[0] == start).all() and (mask[1:5] == after).all()
    assert made.validate_tokens(asked, draft) == draft[:1]


def test_what_follows_the_end_is_ignored(tokenizer: Any) -> None:
    made = manager(tokenizer, 0, thinks=False)
    grammar = request(made, "a", {"json": {"const": "a"}}).structured_output_request.grammar
    end = tokenizer.eos_token_id
    text = ids(tokenizer, '"a"')
    assert grammar.accept_tokens("a", text) and grammar.validate_tokens([end]) == [end]
    assert grammar.accept_tokens("a", [end, 5, 6]) and grammar.is_terminated()
    grammar.rollback(1)
    assert not grammar.is_terminated() and not grammar.accept_tokens("a", [5])
    grammar.rollback(0)
    grammar.rollback(-1)
    grammar.reset()
    assert grammar.accept_tokens("a", text)
    assert not grammar.accept_tokens("a", [10**7]) and not grammar.accept_tokens("a", [-5])


def test_large_batches_are_their_rows(tokenizer: Any) -> None:
    """Above 128 requests vLLM fills by a pool of threads."""
    made = manager(tokenizer, 0, thinks=False)
    texts = ["", "[", "[1", "[22,"]
    requests = {}
    for index in range(150):
        asked = request(made, str(index), {"json": ARRAY})
        assert made.accept_tokens(asked, ids(tokenizer, texts[index % len(texts)]))
        requests[str(index)] = asked
    mask = made.grammar_bitmask(requests, list(requests), {})
    for index, asked in enumerate(requests.values()):
        [row] = expected(asked.structured_output_request.grammar, [], mask.shape[1])
        assert (mask[index] == row).all()


@pytest.mark.parametrize(
    ("structured", "text", "not_text"),
    [
        ({"json": {"enum": ["ab"]}}, '"ab"', '"aa"'),
        ({"json_object": True}, "{}", "[]"),
        ({"regex": "[0-9]{2}(a|b)"}, "12a", "1a"),
        ({"choice": ["yes", "no"]}, "no", "on"),
        (
            {
                "structural_tag": json.dumps(
                    {
                        "type": "structural_tag",
                        "format": {
                            "type": "triggered_tags",
                            "triggers": ["<f"],
                            "tags": [{"begin": "<f=a>", "content": {"type": "json_schema", "json_schema": {"const": 1}}, "end": "</f>"}],
                        },
                    }
                )
            },
            "hi<f=a>1</f>!",
            "hi<f=b>$",
        ),
        (
            {
                "structural_tag": json.dumps(
                    {"structures": [{"begin": "<f=a>", "schema": {"const": "x"}, "end": "</f>"}], "triggers": ["<f="]}
                )
            },
            '<f=a>"x"</f>',
            "<f=a>1$",
        ),
        ({"grammar": 'start: "a" start "b" | "c"'}, "aacbb", "aacb$"),
        ({"grammar": 'root ::= "a" root "b" | "c"'}, "aacbb", "aacb$"),
    ],
)
def test_types_of_requests(tokenizer: Any, structured: dict[str, Any], text: str, not_text: str) -> None:
    from maskwright.vllm._backend import validate_request

    made = manager(tokenizer, 0, thinks=False)
    asked = request(made, "a", structured)
    validate_request(asked.sampling_params)
    grammar = asked.structured_output_request.grammar
    end = [tokenizer.eos_token_id]
    assert grammar.validate_tokens(ids(tokenizer, text) + end) == ids(tokenizer, text) + end
    wrong = ids(tokenizer, not_text.rstrip("$")) + end
    assert len(grammar.validate_tokens(wrong)) < len(wrong)


@pytest.mark.parametrize(
    "structured",
    [
        {"json": '{"type": }'},
        {"json": {"pattern": "(a)\\1"}},
        {"regex": "a(b"},
        {"regex": "(?=a)b"},
        {"grammar": 'start ::= "a"'},
        {"grammar": 'start: number'},
        {"grammar": "not a grammar"},
        {"structural_tag": '{"type": "structural_tag", "format": {"type": "nonsense"}}'},
        {"structural_tag": "[" * 100_000 + "]" * 100_000},
        *(
            {"structural_tag": json.dumps({"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["maskwright:turn:"], "tags": tags}})}
            for tags in ([], {}, [{"begin": "maskwright:turn:{"}], [{"begin": "maskwright:turn:[]"}], [{"begin": 'maskwright:turn:{"format": 3}'}])
        ),
    ],
)
def test_bad_requests(tokenizer: Any, structured: dict[str, Any]) -> None:
    from vllm import SamplingParams
    from vllm.exceptions import VLLMValidationError
    from vllm.sampling_params import StructuredOutputsParams

    from maskwright.vllm._backend import validate_request

    with pytest.raises(VLLMValidationError, match="Invalid structured output"):
        validate_request(SamplingParams(structured_outputs=StructuredOutputsParams(**structured)))


def test_sizes_that_do_not_fit(tokenizer: Any) -> None:
    from maskwright.vllm._backend import vocabulary_of

    with pytest.raises(ValueError, match="only 10 logits"):
        vocabulary_of(tokenizer, 10)


@pytest.mark.parametrize(
    ("begun", "taken", "refused"),
    [
        ("", ["Hm.\n<tool_call>", "<think>\nHm.\n</think>\n\n<tool_call>", "<tool_call>"], ["Hm.\n</think>"]),
        ("<think>\n", ["Hm.\n</think>\n\n<tool_call>"], ["<think>", "Hm.\n<tool_call>"]),
        ("<think>\n\n</think>\n\n", ["<tool_call>", "Hm.\n<tool_call>"], ["<think>", "</think>"]),
    ],
)
def test_turns_begin_where_the_prompt_leaves_them(tokenizer: Any, begun: str, taken: list[str], refused: list[str]) -> None:
    """Where no parser of thoughts is named, a prompt that opens them has the mask begin within them."""
    from maskwright.vllm._turns import Turn

    tool = {"name": "ping", "strict": True, "parameters": {"type": "object", "properties": {}}}
    tag = json.dumps(Turn("qwen3", tools=(tool,), tool_choice="required").envelope())
    made = manager(tokenizer, 0, thinks=False)
    prompt = tokenizer.encode("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n" + begun)
    grammar = request(made, "a", {"structural_tag": tag}, prompt=prompt).structured_output_request.grammar
    for text in [*taken, *refused]:
        tokens = tokenizer.encode(text, add_special_tokens=False)
        assert (grammar.validate_tokens(tokens) == tokens) == (text in taken), text


def test_a_prompt_that_no_turn_goes_on_from_is_refused(tokenizer: Any) -> None:
    from maskwright.vllm._turns import Turn

    tag = json.dumps(Turn("qwen3", tool_choice="auto").envelope())
    made = manager(tokenizer, 0, thinks=False)
    prompt = tokenizer.encode("<|im_start|>assistant\n</think>")
    asked = request(made, "a", {"structural_tag": tag}, prompt=prompt)
    assert "the prompt ends in '</think>'" in str(asked.structured_output_request.grammar)


def test_turns_travel_as_structural_tags() -> None:
    from xgrammar import StructuralTag

    from maskwright.vllm._turns import Turn, read

    turn = Turn("harmony", tools=({"name": "f", "strict": True, "parameters": {"type": "object"}},), tool_choice="required")
    tag = StructuralTag.model_validate(turn.envelope())
    assert read(json.loads(json.dumps(tag.model_dump()))) == turn
    from vllm.tool_parsers.structural_tag_registry import limit_to_single_tool_call

    alone = read(json.loads(json.dumps(limit_to_single_tool_call(tag).model_dump())))
    assert alone is not None and not alone.parallel_calls
    answer = Turn("harmony", response_schema={"const": 1})
    both = {"type": "or", "elements": [turn.envelope()["format"], answer.envelope()["format"]]}
    merged = read({"type": "structural_tag", "format": both})
    assert merged is not None and merged.tools == turn.tools and merged.response_schema == {"const": 1}
    assert merged.tool_choice == "auto"
    assert read({"type": "structural_tag", "format": {"type": "any_text"}}) is None
