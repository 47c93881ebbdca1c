"""transformers under a mask, with a tiny random model that is made here: no download.

Run it with ``python transformers_generate.py``; it needs torch and transformers.
"""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

import maskwright
from maskwright.transformers import MaskwrightLogitsProcessor

SCHEMA = {
    "type": "object",
    "properties": {"city": {"enum": ["Paris", "Rome", "Oslo"]}, "days": {"enum": [1, 3, 7]}},
    "required": ["city", "days"],
    "additionalProperties": False,
}


def tiny() -> tuple[LlamaForCausalLM, PreTrainedTokenizerFast]:
    """A Llama of one layer with random weights, and a tokenizer of single bytes."""
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={letter: id for id, letter in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", pad_token="<end>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(fast),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.eos_token_id,
        bos_token_id=fast.eos_token_id,
    )
    return LlamaForCausalLM(config), fast


def main() -> None:
    model, tokenizer = tiny()
    vocabulary = maskwright.Vocabulary.from_hf(tokenizer, logits=model.config.vocab_size)
    constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMA, whitespace="compact")
    inputs = tokenizer("A trip: ", return_tensors="pt", return_token_type_ids=False)
    for way in ({"do_sample": True}, {"do_sample": False}, {"num_beams": 3}):
        processor = MaskwrightLogitsProcessor(constraint)
        output = model.generate(**inputs, logits_processor=[processor], max_new_tokens=100, **way)
        print(way, tokenizer.decode(output[0][inputs["input_ids"].shape[1] :], skip_special_tokens=True))


if __name__ == "__main__":
    main()
