"""vLLM's own engine with a tiny random gpt-oss over the real o200k_harmony: turns are constrained whole."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from schemas import SCHEMAS
from vllm_engine import TOOLS, biased, engine, params

from maskwright import transcript

pytest.importorskip("vllm", reason="vLLM is not installed here")


@pytest.fixture(scope="module")
def gpt_oss_engine(gpt_oss: pathlib.Path) -> Iterator[Any]:
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    yield engine(gpt_oss)


def turn_tag(choice: str, response_schema: Any = None, parallel: bool = True) -> str:
    """What vLLM's API process sends for a request with tools: by its own registry, which calls our builder."""
    from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionToolsParam
    from vllm.tool_parsers.structural_tag_registry import get_model_structural_tag, limit_to_single_tool_call

    tools = [ChatCompletionToolsParam.model_validate(tool) for tool in TOOLS]
    tag = get_model_structural_tag("harmony", tools, choice, reasoning=False)
    assert tag is not None
    return json.dumps((tag if parallel else limit_to_single_tool_call(tag)).model_dump())


@pytest.mark.parametrize("parallel", [True, False])
@pytest.mark.parametrize("choice", ["required", "auto"])
def test_turns_of_gpt_oss_are_whole(gpt_oss_engine: Any, choice: str, parallel: bool) -> None:
    from models import CONTROLS

    schemas = {f"functions.{tool['function']['name']}": tool["function"]["parameters"] for tool in TOOLS}  # type: ignore[index]

    def judge(recipient: str, arguments: str) -> None:
        jsonschema.validate(json.loads(arguments), schemas[recipient])

    config = transcript.ParserConfig.assistant_turn(
        "harmony", tools=list(schemas), tool_choice=choice, calls="many" if parallel else "one", arguments=judge
    )
    tag = turn_tag(choice, parallel=parallel)
    stops = [CONTROLS["<|return|>"], CONTROLS["<|call|>"]]
    asked = [
        params(seed, {"structural_tag": tag}, logit_bias=biased(), stop_token_ids=stops, skip_special_tokens=False)
        for seed in range(12)
    ]
    prompt = "<|start|>user<|message|>Hi<|end|><|start|>assistant"
    outputs = gpt_oss_engine.generate([prompt] * len(asked), asked, use_tqdm=False)
    tokenizer = gpt_oss_engine.get_tokenizer()
    ended = 0
    for output in outputs:
        [answer] = output.outputs
        text = tokenizer.decode(answer.token_ids)
        if answer.finish_reason == "stop":
            ended += 1
            transcript.parse(text, config)
        else:
            with pytest.raises(transcript.TranscriptError) as raised:
                transcript.parse(text, config)
            assert raised.value.is_truncated
    assert ended >= len(outputs) // 2


def test_answers_of_gpt_oss_are_held_to_their_schema(gpt_oss_engine: Any) -> None:
    from models import CONTROLS

    from maskwright.vllm._turns import Turn

    schema = SCHEMAS["if"]
    tag = json.dumps(Turn("harmony", response_schema=schema).envelope())
    stops = [CONTROLS["<|return|>"], CONTROLS["<|call|>"]]
    asked = [params(seed, {"structural_tag": tag}, logit_bias=biased(), stop_token_ids=stops) for seed in range(8)]
    outputs = gpt_oss_engine.generate(["<|start|>assistant"] * len(asked), asked, use_tqdm=False)
    tokenizer = gpt_oss_engine.get_tokenizer()
    ended = 0
    for output in outputs:
        [answer] = output.outputs
        if answer.finish_reason == "stop":
            ended += 1
            turn = transcript.parse(tokenizer.decode(answer.token_ids), transcript.ParserConfig.assistant_turn("harmony"))
            jsonschema.validate(json.loads(turn.messages[-1].body), schema)
    assert ended >= len(outputs) // 2
