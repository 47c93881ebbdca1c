"""outlines' generator with a tiny random model of transformers."""

from __future__ import annotations

import json
import pathlib

import jsonschema
import pytest
from schemas import SCHEMAS

import maskwright

outlines = pytest.importorskip("outlines", reason="outlines is not installed here")
pytest.importorskip("torch", reason="PyTorch is not installed here")


def test_a_generator(llama: pathlib.Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from maskwright.outlines import MaskwrightProcessor

    tokenizer = AutoTokenizer.from_pretrained(llama)
    model = AutoModelForCausalLM.from_pretrained(llama, dtype=torch.float32)
    vocabulary = maskwright.Vocabulary.from_hf(tokenizer, logits=model.config.vocab_size)
    torch.manual_seed(1)
    for name in ("multipleOf", "uniqueItems", "if"):
        constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMAS[name], whitespace="compact")
        generator = outlines.Generator(
            outlines.from_transformers(model, tokenizer), processor=MaskwrightProcessor(constraint)
        )
        for _ in range(2):
            text = generator("Give me one: ", max_new_tokens=200)
            jsonschema.validate(json.loads(text), SCHEMAS[name])
