"""vLLM's own engine and parsers with a tiny random model in ChatML: turns of Qwen and Hermes are constrained whole."""

from __future__ import annotations

import json
import os
import pathlib
from typing import Any

import jsonschema
import pytest
from vllm_engine import TOOLS, engine, params

import maskwright

pytest.importorskip("vllm", reason="vLLM is not installed here")

SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}  # type: ignore[index]
NAMED = {"type": "function", "function": {"name": "ping"}}
ANSWER = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": False}
CALL = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


@pytest.fixture(scope="module")
def tokenizer(llama: pathlib.Path) -> Any:
    from transformers import AutoTokenizer

    from maskwright.vllm import register

    register()
    return AutoTokenizer.from_pretrained(llama)


@pytest.fixture(scope="module")
def chatml_engine(llama: pathlib.Path) -> Any:
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    return engine(llama)


def parsed(tokenizer: Any, tools: str, reasoning: str | None = None, **options: Any) -> tuple[Any, Any]:
    """A request, adjusted by vLLM's parser of these names as its server does it, and the parser."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
    from vllm.parser.parser_manager import ParserManager

    made = ParserManager.get_parser(tool_parser_name=tools, reasoning_parser_name=reasoning, enable_auto_tools=True)
    assert made is not None
    message = {"role": "user", "content": "Book me a seat."}
    request = ChatCompletionRequest(model="x", messages=[message], tools=TOOLS, **options)
    parser = made(tokenizer, request.tools)
    return parser.adjust_request(request), parser


def session(tokenizer: Any, tag: str) -> maskwright.Session:
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    from maskwright.vllm._requests import Spelling, compile_request

    vocabulary = maskwright.Vocabulary.from_hf(tokenizer)
    grammar = compile_request(StructuredOutputOptions.STRUCTURAL_TAG, tag, Spelling(), vocabulary)
    return maskwright.Constraint(vocabulary, grammar).session()


def takes(tokenizer: Any, tag: str, text: str) -> bool:
    """Whether it is a whole turn, with the end token."""
    made = session(tokenizer, tag)
    ids = tokenizer.encode(text + "<|im_end|>", add_special_tokens=False)
    return made.validate(ids) == len(ids) and made.advance(ids) == len(ids) and made.may_end


@pytest.mark.parametrize("choice", ["required", "auto", NAMED])
@pytest.mark.parametrize("parser", ["hermes", "qwen3_coder"])
def test_turns_are_whole(chatml_engine: Any, tokenizer: Any, parser: str, choice: Any) -> None:
    request, judge = parsed(tokenizer, parser, tool_choice=choice)
    tag = request.structured_outputs.structural_tag
    assert "maskwright:turn:" in tag
    # A random model ends neither its thoughts nor its turn by itself.
    bias = {tokenizer.convert_tokens_to_ids(name): 6.0 for name in ["</think>", "<tool_call>", "<|im_end|>"]}
    asked = [
        params(seed, {"structural_tag": tag}, logit_bias=bias, skip_special_tokens=False, max_tokens=500)
        for seed in range(12)
    ]
    prompt = "<|im_start|>user\nBook me a seat.<|im_end|>\n<|im_start|>assistant\n"
    ended = called = 0
    for output in chatml_engine.generate([prompt] * len(asked), asked, use_tqdm=False):
        [answer] = output.outputs
        if answer.finish_reason != "stop":
            continue
        ended += 1
        text = tokenizer.decode(answer.token_ids).removesuffix("<|im_end|>")
        assert "<|im_" not in text and takes(tokenizer, tag, text)
        calls = judge.extract_tool_calls(text.rpartition("</think>")[2], request).tool_calls
        assert calls or choice == "auto", text
        assert len(calls) == 1 or choice is not NAMED
        called += len(calls)
        for call in calls:
            assert choice is not NAMED or call.function.name == "ping"
            jsonschema.validate(json.loads(call.function.arguments), SCHEMAS[call.function.name])
    assert ended >= len(asked) // 2 and called > 0


def test_thoughts_that_vllm_reads_by_itself_are_no_part_of_the_turn(tokenizer: Any) -> None:
    alone, _ = parsed(tokenizer, "hermes", tool_choice="required")
    apart, _ = parsed(tokenizer, "hermes", "qwen3", tool_choice="required")
    thinks = "<think>\nWell.</think>\n\n" + CALL
    assert takes(tokenizer, alone.structured_outputs.structural_tag, thinks)
    assert not takes(tokenizer, apart.structured_outputs.structural_tag, thinks)
    # What stands between the thoughts' end and a call is a part of it.
    for begin in ["", "\n\n"]:
        assert takes(tokenizer, apart.structured_outputs.structural_tag, begin + CALL)


def test_calls_or_an_answer_of_a_schema(tokenizer: Any) -> None:
    format = {"type": "json_schema", "json_schema": {"name": "x", "schema": ANSWER}}
    request, _ = parsed(tokenizer, "hermes", tool_choice="auto", response_format=format)
    tag = request.structured_outputs.structural_tag
    for text, is_one in [(CALL, True), ('{"a": 1}', True), ('{"a": 3}', False), ("Hello.", False)]:
        assert takes(tokenizer, tag, text) == is_one, text


def test_a_turn_has_one_call_where_the_request_says_so(tokenizer: Any) -> None:
    for parallel in [True, False]:
        request, _ = parsed(tokenizer, "hermes", tool_choice="auto", parallel_tool_calls=parallel)
        assert takes(tokenizer, request.structured_outputs.structural_tag, CALL + "\n" + CALL) == parallel


def test_vllms_tag_counts_where_the_vocabulary_lacks_the_formats_tokens(tokenizer: Any) -> None:
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    from maskwright.vllm._requests import Spelling, compile_request

    request, _ = parsed(tokenizer, "hermes", tool_choice="required")
    tag = request.structured_outputs.structural_tag
    bytes_only = maskwright.Vocabulary.from_tokens([bytes([n]) for n in range(256)], specials={"<end>": 256}, end_tokens=[256])
    grammar = compile_request(StructuredOutputOptions.STRUCTURAL_TAG, tag, Spelling(), bytes_only)
    made = maskwright.Constraint(bytes_only, grammar).session()
    assert made.advance(list(CALL.encode())) == len(CALL) and made.may_end
    assert not maskwright.Constraint(bytes_only, grammar).session().allows(ord("x"))
