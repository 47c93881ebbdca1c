"""vLLM's own engine, on a processor, with this package in the place of its backends."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from schemas import SCHEMAS
from vllm_engine import engine, params

pytest.importorskip("vllm", reason="vLLM is not installed here")


@pytest.fixture(scope="module", params=["guidance", "auto, ngram"])
def llama_engine(request: pytest.FixtureRequest, llama: pathlib.Path) -> Iterator[Any]:
    options: dict[str, Any] = {}
    if request.param == "auto, ngram":
        options["outputs"] = {"backend": "auto"}
        options["speculative_config"] = {
            "method": "ngram",
            "num_speculative_tokens": 4,
            "prompt_lookup_max": 3,
            "prompt_lookup_min": 1,
        }
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    yield engine(llama, **options)


def test_schemas_in_one_batch(llama_engine: Any) -> None:
    asked: list[tuple[str | None, Any]] = []
    for seed in range(2):
        for name, schema in SCHEMAS.items():
            asked.append((name, params(seed, {"json": schema})))
        asked.append((None, params(seed, None, max_tokens=20)))
        asked.append(("object", params(seed, {"json_object": True}, max_tokens=40)))
    prompt = '{"name": "get_weather", "arguments": {"city": "Paris"}} '
    outputs = llama_engine.generate([prompt] * len(asked), [one for _, one in asked], use_tqdm=False)
    finished = 0
    for (name, _), output in zip(asked, outputs):
        [answer] = output.outputs
        if name in SCHEMAS:
            # With white space as the model likes, a text may be cut off.
            compact = llama_engine.llm_engine.vllm_config.structured_outputs_config.disable_any_whitespace
            assert answer.finish_reason == "stop" or not compact, (name, answer.text)
            if answer.finish_reason == "stop":
                finished += 1
                jsonschema.validate(json.loads(answer.text), SCHEMAS[name])
        elif name == "object":
            assert answer.text.startswith("{") and (answer.finish_reason != "stop" or json.loads(answer.text) is not None)
    assert finished >= len(SCHEMAS)


def test_bad_requests_are_client_errors(llama_engine: Any) -> None:
    from vllm.exceptions import VLLMValidationError

    for structured, message in [
        ({"json": {"items": {"pattern": "(a)\\1"}}}, "#/items/pattern"),
        ({"json": {"type": "integer", "enum": ["a"]}}, "no value satisfies"),
        ({"json": '{"type": }'}, "line 1, column 10|Invalid JSON"),
    ]:
        with pytest.raises(VLLMValidationError, match=message):
            llama_engine.generate(["x"], params(0, structured), use_tqdm=False)


def test_the_core_in_its_own_process(llama: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """The entry point reaches the process of the engine's core."""
    import subprocess
    import sys

    script = tmp_path / "run.py"
    script.write_text(
        "import json, sys, jsonschema\n"
        f"sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
        "import pathlib\n"
        "from vllm_engine import engine, params\n"
        "from schemas import SCHEMAS\n"
        "if __name__ == '__main__':\n"
        f"    llm = engine(pathlib.Path({str(llama)!r}))\n"
        "    asked = [params(3, {'json': schema}) for schema in SCHEMAS.values()]\n"
        "    outputs = llm.generate(['x'] * len(asked), asked, use_tqdm=False)\n"
        "    for schema, output in zip(SCHEMAS.values(), outputs):\n"
        "        jsonschema.validate(json.loads(output.outputs[0].text), schema)\n"
        "    print('valid', len(outputs))\n"
    )
    environment = {**os.environ, "VLLM_ENABLE_V1_MULTIPROCESSING": "1", "VLLM_WORKER_MULTIPROC_METHOD": "spawn"}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, timeout=570)
    assert f"valid {len(SCHEMAS)}" in done.stdout, done.stdout[-2000:] + done.stderr[-4000:]
    assert "maskwright makes the masks" in done.stdout + done.stderr
