#!/usr/bin/env python3
"""Writes first inputs of the fuzz targets, one file each, from the data of the tests.

    fuzz/corpus.py FOLDER [--most N]    at most N inputs a target, spread over what there is
"""
import argparse
import hashlib
import itertools
import pathlib
import random
import struct
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"

# As in maskwright_transcript::Format::ALL.
FORMATS = ["chatml", "openchatml-0.1", "internlm2", "openchatml-2.2", "harmony"]
STARTS = {None: 0, "assistant-turn": 1, "middle": 2}


def cases(name, key="case"):
    return tomllib.loads((DATA / name).read_text())[key]


def ended(text, rest=b""):
    """A text, and what is behind its zero byte."""
    return text.encode() + b"\0" + rest


def seeds(target):
    return [path.read_bytes() for path in sorted((DATA / "fuzz" / target).glob("*"))]


def abnf():
    return seeds("abnf") + [path.read_bytes() for path in sorted((DATA / "abnf").rglob("*.abnf"))]


def json_schema():
    return seeds("json_schema") + [ended(case["schema"]) for case in cases("json_schema.toml")]


def regex():
    patterns = [(case["pattern"], 1) for case in cases("regex.toml")]
    patterns += [(case["pattern"], dialect) for case in cases("patterns.toml", "pattern") for dialect in (0, 2, 3)]
    return [ended(pattern, bytes([dialect])) for pattern, dialect in patterns]


def ebnf():
    return [ended(case["grammar"]) for case in cases("ebnf.toml")] + [p.read_bytes() for p in (DATA / "gbnf").iterdir()]


def lark():
    return [ended(case["grammar"]) for case in cases("lark.toml")] + [p.read_bytes() for p in (DATA / "lark").iterdir()]


def structural_tag():
    tags = [case["tag"] for case in cases("structural_tag.toml")]
    # As the tests have it: a tag is the format of one, unless its case says that it is whole.
    mark = ', "whole": true}'
    wrapped = '{{"type": "structural_tag", "format": {}}}'
    whole = [tag.removesuffix(mark) + "}" if tag.endswith(mark) else wrapped.format(tag) for tag in tags]
    return [ended(tag) for tag in whole]


def tokenizer_json():
    files = [(case["tokenizer"], case.get("config", "")) for case in cases("vocab.toml") if "tokenizer" in case]
    return [ended(tokenizer, config.encode()) for tokenizer, config in files]


def ranks():
    every_byte = "\n".join(f"{base} {at}" for at, base in enumerate(map(base64, range(256))))
    return [case["ranks"].encode() for case in cases("vocab.toml") if "ranks" in case] + [every_byte.encode()]


def base64(byte):
    import base64 as coder

    return coder.b64encode(bytes([byte])).decode()


def gguf(model, pieces):
    """A GGUF file of version 3 with these pieces, where token 2 ends a generation."""
    text = lambda text: struct.pack("<Q", len(text.encode())) + text.encode()
    key = lambda name, kind: text(name) + struct.pack("<I", kind)
    array = lambda kind: struct.pack("<IQ", kind, len(pieces))
    return b"".join(
        [b"GGUF", struct.pack("<IQQ", 3, 0, 4), key("tokenizer.ggml.model", 8), text(model)]
        + [key("tokenizer.ggml.tokens", 9), array(8)] + [text(piece) for piece, _ in pieces]
        + [key("tokenizer.ggml.token_type", 9), array(5)] + [struct.pack("<i", kind) for _, kind in pieces]
        + [key("tokenizer.ggml.eos_token_id", 4), struct.pack("<I", 2)]
    )


def sentence_piece(pieces):
    """A SentencePiece model: field 1 of the model, once a piece, with its text, score and type."""
    def piece(text, kind):
        body = b"\x0a" + bytes([len(text.encode())]) + text.encode() + b"\x15" + struct.pack("<f", 0) + b"\x18" + bytes([kind])
        return b"\x0a" + bytes([len(body)]) + body
    return b"".join(itertools.starmap(piece, pieces))


def vocab_files():
    files = []
    for case in cases("vocab.toml"):
        if "tekken" in case:
            files.append(b"\x02" + case["tekken"].encode())
        elif case.get("container") == "sentence-piece":
            files.append(b"\x01" + sentence_piece(case["pieces"]))
        elif "pieces" in case:
            files.append(b"\x00" + gguf(case["container"], case["pieces"]))
    return files


def transcript():
    inputs = []
    for case in cases("transcripts.toml") + cases("transcripts-im.toml"):
        start = STARTS[case.get("start")]
        text = case["text"].replace("▶", "").replace("¬", "").encode()
        flags = start | (4 if start == 1 else 0)
        inputs.append(bytes([FORMATS.index(case["format"]), flags, 1, 0]) + text)
    return inputs


def tools():
    return [ended(case["file"], bytes([at])) for at, case in enumerate(cases("tools.toml")) if "file" in case]


def noise():
    chance = random.Random(1)
    return [chance.randbytes(256) for _ in range(64)]


TARGETS = {
    "abnf": abnf,
    "json_schema": json_schema,
    "choices": lambda: seeds("choices"),
    "regex": regex,
    "ebnf": ebnf,
    "lark": lark,
    "structural_tag": structural_tag,
    "tokenizer_json": tokenizer_json,
    "ranks": ranks,
    "vocab_files": vocab_files,
    "transcript": transcript,
    "convert": transcript,
    "tools": tools,
    "c_abi": noise,
    "judged": noise,
    "llguidance": noise,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--most", type=int, default=10**6)
    options = parser.parse_args()
    for target, inputs in TARGETS.items():
        found = inputs()
        step = max(1, -(-len(found) // options.most))
        folder = options.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        for data in found[::step]:
            (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


if __name__ == "__main__":
    main()
