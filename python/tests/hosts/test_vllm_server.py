"""vLLM's OpenAI-compatible server with a tiny random gpt-oss: tool calls asked for by an HTTP client."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from vllm_engine import TOOLS, biased

pytest.importorskip("vllm", reason="vLLM is not installed here")


@pytest.fixture(scope="module")
def server(gpt_oss: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("server") / "log"
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(gpt_oss), "--served-model-name", "oss",
        "--host", "127.0.0.1", "--port", str(port), "--enforce-eager", "--dtype", "bfloat16", "--max-model-len", "1024",
        "--max-num-seqs", "8", "--enable-auto-tool-choice", "--tool-call-parser", "openai", "--reasoning-parser", "openai_gptoss",
        "--structured-outputs-config", '{"backend": "guidance", "disable_any_whitespace": true}',
    ]  # fmt: skip
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env=dict(os.environ))
        try:
            url = f"http://127.0.0.1:{port}"
            for _ in range(600):
                if process.poll() is not None:
                    pytest.fail(f"the server ended:\n{log.read_text()[-3000:]}")
                try:
                    urllib.request.urlopen(url + "/health", timeout=2).close()
                    break
                except OSError:
                    time.sleep(1)
            assert "maskwright makes the masks" in log.read_text()
            yield url
        finally:
            process.terminate()
            process.wait(60)


def ask(server: str, **options: Any) -> tuple[int, Any]:
    body = {
        "model": "oss",
        "messages": [{"role": "user", "content": "Book me a seat."}],
        "max_tokens": 400,
        "temperature": 1.0,
        "logit_bias": {str(token): bias for token, bias in biased().items()},
        **options,
    }
    request = urllib.request.Request(
        server + "/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.mark.parametrize("choice", ["required", "auto", {"type": "function", "function": {"name": "ping"}}])
def test_calls_fit_their_schemas(server: str, choice: Any) -> None:
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}  # type: ignore[index]
    finished = 0
    for seed in range(6):
        status, answer = ask(server, tools=TOOLS, tool_choice=choice, seed=seed)
        assert status == 200, answer
        [one] = answer["choices"]
        if answer["usage"]["completion_tokens"] >= 400:
            continue
        finished += 1
        calls = one["message"].get("tool_calls") or []
        assert calls or choice == "auto"
        for call in calls:
            assert isinstance(choice, str) or call["function"]["name"] == "ping"
            jsonschema.validate(json.loads(call["function"]["arguments"]), schemas[call["function"]["name"]])
    assert finished >= 3


def test_a_response_format(server: str) -> None:
    schema = {"type": "object", "properties": {"a": {"enum": [1, 2]}}, "required": ["a"], "additionalProperties": False}
    format = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    finished = 0
    for seed in range(4):
        status, answer = ask(server, response_format=format, seed=seed)
        assert status == 200, answer
        [one] = answer["choices"]
        if answer["usage"]["completion_tokens"] < 400:
            assert one["message"]["content"] is not None, answer
            finished += 1
            # A preamble is content too, and comes before the answer.
            said = one["message"]["content"].rpartition("\n")[2]
            assert said.startswith("{"), answer
            jsonschema.validate(json.loads(said), schema)
    assert finished >= 2


def test_a_bad_schema_is_the_clients_fault(server: str) -> None:
    tool = {"type": "function", "function": {"name": "f", "strict": True, "parameters": {"properties": {"x": {"pattern": "(a)\\1"}}}}}
    status, answer = ask(server, tools=[tool], tool_choice="required")
    assert status == 400 and "#/properties/x/pattern" in json.dumps(answer)
