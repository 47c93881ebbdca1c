"""Texts that maskwright writes under grammars of its own, read back by the package `lark`.

    pip install maskwright lark
    python tests/peers/read_back.py
"""

import pathlib

import lark
import maskwright
from sampled import TOKENS, sampled

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = 1000


def main():
    vocabulary = maskwright.Vocabulary.from_tokens(TOKENS, specials={"<end>": 256}, end_tokens=[256])
    for name in ["sums", "sql", "python", "xml"]:
        source = (ROOT / f"tests/data/lark/{name}.lark").read_text()
        parser = lark.Lark(source, parser="earley", lexer="dynamic_complete", ambiguity="forest")
        constraint = maskwright.Constraint.from_lark(vocabulary, source)
        texts = [sampled(constraint, seed, 40).decode() for seed in range(TEXTS)]
        refused = []
        for text in texts:
            try:
                parser.parse(text)
            except lark.exceptions.LarkError as error:
                refused.append((text, str(error).split("\n")[0]))
        length = sum(map(len, texts)) / len(texts)
        print(f"{name}: {len(texts)} texts, {len(set(texts))} different, {length:.0f} characters each, {len(refused)} refused")
        for text, error in refused[:5]:
            print(f"  {text!r}: {error}")


main()
