"""Texts that maskwright writes under grammars in GBNF, read back by llama.cpp's own sampler of grammars.

    pip install maskwright llama-cpp-python gguf
    python integrations/llama.cpp/tiny_model.py o200k_base.tiktoken MODEL.gguf
    python tests/peers/read_back_llama.py MODEL.gguf

llama.cpp takes no left recursion: it reads the texts of `sums.gbnf` under `sums-right.gbnf`, which has the same.
"""

import ctypes
import math
import pathlib
import sys

import llama_cpp
import maskwright
from sampled import TOKENS, sampled

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = 1000
READ_BY = {"sums": "sums-right"}


class Reader:
    """llama.cpp's sampler of one grammar, which reads texts byte by byte."""

    def __init__(self, vocab, source):
        self.vocab = vocab
        self.sampler = llama_cpp.llama_sampler_init_grammar(vocab, source.encode(), b"root")
        assert self.sampler, "llama.cpp takes the grammar"
        size = llama_cpp.llama_vocab_n_tokens(vocab)
        pieces = {piece(vocab, token): token for token in range(min(size, 1000))}
        self.tokens = [pieces[bytes([byte])] if bytes([byte]) in pieces else None for byte in range(256)]

    def allows(self, token):
        candidate = llama_cpp.llama_token_data(token, 0.0, 0.0)
        array = llama_cpp.llama_token_data_array(ctypes.pointer(candidate), 1, -1, False)
        llama_cpp.llama_sampler_apply(self.sampler, ctypes.byref(array))
        return math.isfinite(candidate.logit)

    def reads(self, text):
        llama_cpp.llama_sampler_reset(self.sampler)
        for byte in text:
            if not self.allows(self.tokens[byte]):
                return False
            llama_cpp.llama_sampler_accept(self.sampler, self.tokens[byte])
        return self.allows(llama_cpp.llama_vocab_eos(self.vocab))


def piece(vocab, token):
    buffer = ctypes.create_string_buffer(64)
    length = llama_cpp.llama_token_to_piece(vocab, token, buffer, 64, 0, False)
    return buffer.raw[: max(length, 0)]


def main():
    options = llama_cpp.llama_model_default_params()
    options.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(sys.argv[1].encode(), options)
    vocab = llama_cpp.llama_model_get_vocab(model)
    vocabulary = maskwright.Vocabulary.from_tokens(TOKENS, specials={"<end>": 256}, end_tokens=[256])
    for name in ["sums", "sql", "python", "xml"]:
        grammar = (ROOT / f"tests/data/gbnf/{name}.gbnf").read_text()
        reader = Reader(vocab, (ROOT / f"tests/data/gbnf/{READ_BY.get(name, name)}.gbnf").read_text())
        constraint = maskwright.Constraint.from_ebnf(vocabulary, grammar)
        texts = [sampled(constraint, seed, 60) for seed in range(TEXTS)]
        refused = [text for text in texts if not reader.reads(text)]
        # A reader that takes everything would say nothing.
        spoilt = [text[: len(text) // 2] + b"\x01" + text[len(text) // 2 :] for text in texts]
        taken = sum(map(reader.reads, spoilt))
        length = sum(map(len, texts)) / len(texts)
        print(f"{name}: {len(texts)} texts, {len(set(texts))} different, {length:.0f} bytes each, {len(refused)} refused; {taken} spoilt ones taken")
        for text in refused[:5]:
            print(f"  {text!r}")


main()
