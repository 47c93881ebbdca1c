#!/usr/bin/env python3
"""Writes a model of the llama architecture with random weights and a real vocabulary.

    tiny_model.py o200k_base.tiktoken OUT.gguf     the vocabulary o200k_harmony, from its ranks
    tiny_model.py VOCABULARY.gguf OUT.gguf         the tokenizer of another GGUF file

Needs the packages gguf and numpy. The same input gives the same model.
"""

import base64
import sys

import gguf
import numpy

DIMENSION, HEADS, FEED_FORWARD, CONTEXT = 32, 4, 64, 8192

# The special tokens of o200k_harmony: 199,998 to 201,087, most of them reserved.
NAMED = {
    199998: "<|startoftext|>",
    199999: "<|endoftext|>",
    200002: "<|return|>",
    200003: "<|constrain|>",
    200005: "<|channel|>",
    200006: "<|start|>",
    200007: "<|end|>",
    200008: "<|message|>",
    200012: "<|call|>",
    200018: "<|endofprompt|>",
}
LOGITS = 201088


def byte_alphabet():
    """The characters that byte-level BPE spells bytes with."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def last_split(token, ranks):
    """The two tokens that merging made `token` of: what is left when only its own rank is missing."""
    parts = [token[i : i + 1] for i in range(len(token))]
    while len(parts) > 2:
        rank, at = min((ranks.get(a + b, 1 << 30), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
        assert rank < ranks[token], f"{token!r} cannot be split"
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def add_harmony(writer, path):
    with open(path, "rb") as file:
        lines = [line.split() for line in file.read().splitlines() if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    alphabet = byte_alphabet()
    spell = lambda token: "".join(alphabet[byte] for byte in token)
    tokens, types = [f"<|reserved_{id}|>" for id in range(LOGITS)], [gguf.TokenType.CONTROL] * LOGITS
    merges = []
    for token, rank in ranks.items():
        tokens[rank], types[rank] = spell(token), gguf.TokenType.NORMAL
        if len(token) > 1:
            merges.append(" ".join(map(spell, last_split(token, ranks))))
    for id, name in NAMED.items():
        tokens[id] = name
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-4o")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(199998)
    writer.add_eos_token_id(200002)
    writer.add_add_bos_token(False)
    return LOGITS


def add_tokenizer_of(writer, path):
    fields = gguf.GGUFReader(path).fields
    for key, field in fields.items():
        if key.startswith("tokenizer."):
            of = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), field.types[0], sub_type=of)
    return len(fields["tokenizer.ggml.tokens"].data)


def add_weights(writer, logits):
    random = numpy.random.default_rng(1)

    def matrix(name, *shape, scale=0.3):
        writer.add_tensor(name, (random.standard_normal(shape) * scale).astype(numpy.float16))

    matrix("token_embd.weight", logits, DIMENSION, scale=0.05)  # tied: these are the logits' weights too
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        writer.add_tensor(f"{name}.weight", numpy.ones(DIMENSION, dtype=numpy.float32))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        matrix(f"blk.0.{name}.weight", DIMENSION, DIMENSION)
    matrix("blk.0.ffn_gate.weight", FEED_FORWARD, DIMENSION)
    matrix("blk.0.ffn_up.weight", FEED_FORWARD, DIMENSION)
    matrix("blk.0.ffn_down.weight", DIMENSION, FEED_FORWARD)


def main():
    vocabulary, out = sys.argv[1:]
    writer = gguf.GGUFWriter(out, "llama")
    writer.add_name("tiny-random")
    logits = (add_tokenizer_of if vocabulary.endswith(".gguf") else add_harmony)(writer, vocabulary)
    writer.add_vocab_size(logits)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(DIMENSION)
    writer.add_block_count(1)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(DIMENSION // HEADS)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    add_weights(writer, logits)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
