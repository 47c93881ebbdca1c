"""llama-cpp-python with a tiny random model of its own format."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import jsonschema
import pytest
from schemas import SCHEMAS

import maskwright

llama_cpp = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed here (it is built from source)")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A random model over the real o200k_harmony."""
    pytest.importorskip("gguf", reason="gguf is not installed here, so there is no model")
    from conftest import MODELS
    from models import o200k_ranks

    ranks = o200k_ranks()
    if ranks is None:
        pytest.skip("no o200k_base.tiktoken is found, neither by TIKTOKEN_ENCODINGS_BASE nor with the crate tiktoken-rs")
    path = MODELS / "tiny-harmony.gguf"
    if not path.exists():
        MODELS.mkdir(parents=True, exist_ok=True)
        script = pathlib.Path(__file__).parents[3] / "integrations/llama.cpp/tiny_model.py"
        part = path.with_suffix(".part")
        subprocess.run([sys.executable, str(script), str(ranks), str(part)], check=True)
        part.rename(path)
    return path


def test_completions(model: pathlib.Path) -> None:
    from maskwright.llama_cpp import MaskwrightProcessor, vocabulary

    llama = llama_cpp.Llama(str(model), n_ctx=1024, verbose=False, seed=1)
    words = vocabulary(llama)
    finished = 0
    for name in ("multipleOf", "uniqueItems", "if"):
        constraint = maskwright.Constraint.from_json_schema(words, SCHEMAS[name], whitespace="compact")
        output = llama.create_completion(
            "Give me one: ", max_tokens=300, temperature=1.0, logits_processor=[MaskwrightProcessor(constraint)]
        )
        [answer] = output["choices"]
        if answer["finish_reason"] == "stop":
            finished += 1
            jsonschema.validate(json.loads(answer["text"]), SCHEMAS[name])
    assert finished >= 2
