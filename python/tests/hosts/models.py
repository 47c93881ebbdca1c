"""Tiny random models that real engines load, made here in seconds; nothing is downloaded.

``python tests/hosts/models.py DIR`` makes ``DIR/llama`` and, where the ranks of o200k are found, ``DIR/gpt-oss``.
"""

from __future__ import annotations

import base64
import os
import pathlib
import sys
from collections.abc import Iterator

CONTROLS = {
    "<|startoftext|>": 199998,
    "<|endoftext|>": 199999,
    "<|return|>": 200002,
    "<|constrain|>": 200003,
    "<|channel|>": 200005,
    "<|start|>": 200006,
    "<|end|>": 200007,
    "<|message|>": 200008,
    "<|call|>": 200012,
    "<|endofprompt|>": 200018,
}
HARMONY_SIZE = 201_088


def llama(folder: pathlib.Path) -> pathlib.Path:
    """A Llama of one layer over a byte-level BPE of some three hundred tokens."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    if (folder / "config.json").exists():
        return folder
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
    trainer = trainers.BpeTrainer(
        vocab_size=600,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=specials,
        show_progress=False,
    )
    sentence = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 3, "units": null}} is what she said, true or false'
    tokenizer.train_from_iterator([sentence] * 20, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.chat_template = (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
    )
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    # More logits than tokens, as many models have.
    config = LlamaConfig(
        vocab_size=(len(fast) + 127) // 64 * 64,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
        bos_token_id=fast.convert_tokens_to_ids("<|endoftext|>"),
        eos_token_id=fast.eos_token_id,
        pad_token_id=fast.pad_token_id,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return folder


def o200k_ranks() -> pathlib.Path | None:
    """The rank file of o200k: in the folder that ``TIKTOKEN_ENCODINGS_BASE`` names, or with the crate ``tiktoken-rs``."""
    named = os.environ.get("TIKTOKEN_ENCODINGS_BASE")
    cargo = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo"))
    places = [pathlib.Path(named)] if named else []
    places += sorted(cargo.glob("registry/src/*/tiktoken-rs-*/assets"))
    found = [place / "o200k_base.tiktoken" for place in places if (place / "o200k_base.tiktoken").is_file()]
    return found[0] if found else None


def gpt_oss(folder: pathlib.Path, ranks: pathlib.Path) -> pathlib.Path:
    """A gpt-oss of one layer, random, over the real o200k_harmony."""
    import torch
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import GptOssConfig, GptOssForCausalLM, PreTrainedTokenizerFast

    if (folder / "config.json").exists():
        return folder
    rank_of = {base64.b64decode(word): int(rank) for word, rank in map(bytes.split, ranks.read_bytes().splitlines())}
    letters = byte_letters()
    spelt = lambda word: "".join(letters[byte] for byte in word)  # noqa: E731
    merges = [tuple(map(spelt, pair)) for pair in merges_of(rank_of)]
    vocabulary = {spelt(word): rank for word, rank in rank_of.items()}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=True))
    split = pre_tokenizers.Split(Regex(r"\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    levels = [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(levels)
    tokenizer.decoder = decoders.ByteLevel()
    names = {id: name for name, id in CONTROLS.items()}
    specials = [names.get(id, f"<|reserved_{id}|>") for id in range(199_998, HARMONY_SIZE)]
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in specials])
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|return|>", pad_token="<|endoftext|>", bos_token="<|startoftext|>"
    )
    assert len(fast) == HARMONY_SIZE and fast.convert_tokens_to_ids("<|call|>") == CONTROLS["<|call|>"]
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = GptOssConfig(
        vocab_size=HARMONY_SIZE,
        hidden_size=64,
        intermediate_size=64,
        num_hidden_layers=1,
        num_local_experts=2,
        num_experts_per_tok=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=4096,
        sliding_window=128,
        layer_types=["full_attention"],
        tie_word_embeddings=False,
        eos_token_id=CONTROLS["<|return|>"],
        pad_token_id=CONTROLS["<|endoftext|>"],
    )
    model = GptOssForCausalLM(config).to(torch.bfloat16)
    model.generation_config.eos_token_id = [CONTROLS[name] for name in ("<|return|>", "<|endoftext|>", "<|call|>")]
    model.save_pretrained(folder)
    return folder


def byte_letters() -> dict[int, str]:
    """The letter by which a byte-level tokenizer spells each byte: printable ones stand for themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(others)}


def merges_of(rank_of: dict[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
    """The two tokens that each token is merged from last, by rank."""
    for word, rank in sorted(rank_of.items(), key=lambda item: item[1]):
        parts = [bytes([byte]) for byte in word]
        while len(parts) > 2:
            pairs = [(rank_of.get(a + b, rank), at) for at, (a, b) in enumerate(zip(parts, parts[1:]))]
            best, at = min(pairs)
            if best >= rank:
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        if len(parts) == 2:
            yield parts[0], parts[1]


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    llama(folder / "llama")
    ranks = o200k_ranks()
    if ranks is None:
        print("no o200k_base.tiktoken is found: gpt-oss is left out")
    else:
        gpt_oss(folder / "gpt-oss", ranks)


if __name__ == "__main__":
    main()
