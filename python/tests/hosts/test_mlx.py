"""mlx-lm's generate with a tiny random model, on a processor."""

from __future__ import annotations

import json

import jsonschema
import pytest
from schemas import SCHEMAS

import maskwright

mx = pytest.importorskip("mlx.core", reason="mlx is not installed here")
pytest.importorskip("mlx_lm", reason="mlx-lm is not installed here")


def test_generate() -> None:
    from mlx_lm.generate import generate_step
    from mlx_lm.models.llama import Model, ModelArgs
    from mlx_lm.sample_utils import make_sampler

    from maskwright.mlx import MaskwrightProcessor

    mx.random.seed(1)
    vocabulary = maskwright.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256], logits=288
    )
    model = Model(
        ModelArgs(
            model_type="llama",
            hidden_size=32,
            num_hidden_layers=1,
            intermediate_size=64,
            num_attention_heads=2,
            rms_norm_eps=1e-5,
            vocab_size=288,
        )
    )
    for name in ("multipleOf", "uniqueItems", "pattern and length"):
        constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMAS[name], whitespace="compact")
        written = []
        steps = generate_step(
            mx.array(list(b"Give me one: ")),
            model,
            max_tokens=200,
            sampler=make_sampler(temp=1.0),
            logits_processors=[MaskwrightProcessor(constraint)],
        )
        for token, _ in steps:
            if int(token) == 256:
                break
            written.append(int(token))
        jsonschema.validate(json.loads(bytes(written)), SCHEMAS[name])
