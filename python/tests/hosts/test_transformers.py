"""transformers' own ways of generating, with a tiny random model."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import jsonschema
import pytest
from schemas import SCHEMAS

import maskwright

torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
pytest.importorskip("transformers", reason="transformers is not installed here")

WAYS: dict[str, dict[str, Any]] = {
    "sampling": {"do_sample": True, "top_k": 0},
    "several": {"do_sample": True, "num_return_sequences": 3},
    "greedy": {"do_sample": False},
    "beams": {"num_beams": 3, "do_sample": False},
    "beams, several": {"num_beams": 4, "num_return_sequences": 2, "do_sample": True},
    "assisted": {"prompt_lookup_num_tokens": 3, "do_sample": False},
}


@pytest.fixture(scope="module")
def loaded(llama: pathlib.Path) -> tuple[Any, Any, maskwright.Vocabulary]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(llama)
    model = AutoModelForCausalLM.from_pretrained(llama, dtype=torch.float32)
    return model, tokenizer, maskwright.Vocabulary.from_hf(tokenizer, logits=model.config.vocab_size)


def generate(model: Any, tokenizer: Any, prompts: list[str], processor: Any, **options: Any) -> list[str]:
    torch.manual_seed(1)
    tokenizer.padding_side = "left"
    inputs = tokenizer(prompts, return_tensors="pt", padding=True)
    inputs.pop("token_type_ids", None)
    output = model.generate(**inputs, logits_processor=[processor], max_new_tokens=200, **options)
    return tokenizer.batch_decode(output[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["several allOf", "propertyNames", "if", "uniqueItems"])
def test_ways_of_generating(loaded: Any, way: str, name: str) -> None:
    from maskwright.transformers import MaskwrightLogitsProcessor

    model, tokenizer, vocabulary = loaded
    constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMAS[name], whitespace="compact")
    prompt = '{"name": "get_weather", "arguments": {"city": "Paris"}} '
    texts = generate(model, tokenizer, [prompt], MaskwrightLogitsProcessor(constraint), **WAYS[way])
    assert len(texts) == WAYS[way].get("num_return_sequences", 1)
    for text in texts:
        jsonschema.validate(json.loads(text), SCHEMAS[name])


def test_a_constraint_for_each_prompt(loaded: Any) -> None:
    from maskwright.transformers import MaskwrightLogitsProcessor

    model, tokenizer, vocabulary = loaded
    names = ["multipleOf", "not", "several allOf"]
    constraints = [maskwright.Constraint.from_json_schema(vocabulary, SCHEMAS[name]) for name in names]
    texts = generate(model, tokenizer, ["a", "longer prompt", "b"], MaskwrightLogitsProcessor(constraints), do_sample=True)
    for name, text in zip(names, texts):
        jsonschema.validate(json.loads(text), SCHEMAS[name])


def test_sizes_that_do_not_fit_are_told(loaded: Any) -> None:
    from maskwright.transformers import MaskwrightLogitsProcessor

    model, tokenizer, vocabulary = loaded
    short = maskwright.Vocabulary.from_hf(tokenizer)
    processor = MaskwrightLogitsProcessor(maskwright.Constraint.from_json_schema(short, {"const": 1}))
    with pytest.raises(ValueError, match=f"{len(vocabulary)} logits, and the vocabulary {len(short)}"):
        generate(model, tokenizer, ["a"], processor)


def test_continuous_batching_is_refused(loaded: Any) -> None:
    from transformers.generation.continuous_batching.cb_logits_processors import ContinuousBatchingLogitsProcessorList
    from transformers import LogitsProcessorList

    from maskwright.transformers import MaskwrightLogitsProcessor

    *_, vocabulary = loaded
    processor = MaskwrightLogitsProcessor(maskwright.Constraint.from_json_schema(vocabulary, True))
    with pytest.raises(maskwright.UnsupportedError, match="continuous batching"):
        ContinuousBatchingLogitsProcessorList(LogitsProcessorList([processor]))
