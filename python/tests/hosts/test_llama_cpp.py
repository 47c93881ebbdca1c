"""llama-cpp-python with a tiny random model of its own format."""

from __future__ import annotations

import json
import os

import jsonschema
import pytest
from schemas import SCHEMAS

import maskwright

llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed here (it is built from source)")


def test_a_completion() -> None:
    from maskwright.llama_cpp import MaskwrightProcessor, vocabulary

    path = os.environ.get("MASKWRIGHT_GGUF")
    if path is None:
        pytest.skip("MASKWRIGHT_GGUF names no model; integrations/llama.cpp/test.sh makes one")
    llama = llama_cpp.Llama(path, n_ctx=1024, verbose=False, seed=1)
    words = vocabulary(llama)
    for name in ("multipleOf", "uniqueItems", "if"):
        constraint = maskwright.Constraint.from_json_schema(words, SCHEMAS[name], whitespace="compact")
        output = llama.create_completion(
            "Give me one: ", max_tokens=200, temperature=1.0, logits_processor=[MaskwrightProcessor(constraint)]
        )
        jsonschema.validate(json.loads(output["choices"][0]["text"]), SCHEMAS[name])
