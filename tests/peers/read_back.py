"""Texts that maskwright writes under grammars of its own, read back by the package `lark`.

    pip install maskwright lark
    python tests/peers/read_back.py
"""

import pathlib
import random

import lark
import maskwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXTS = 1000
TOKENS = [bytes([byte]) for byte in range(256)]


def sampled(constraint, vocabulary, seed):
    """A random text: some bytes as they come, then the shortest way to an end."""
    choose = random.Random(seed)
    session = constraint.session()
    for _ in range(choose.randrange(1, 40)):
        allowed = [token for token in session.allowed_tokens() if 32 <= token < 127 or token == 10]
        if not allowed:
            break
        session.accept(choose.choice(allowed))
    for token in session.way_out():
        session.accept(token)
    return bytes(session.tokens).decode()


def main():
    vocabulary = maskwright.Vocabulary.from_tokens(TOKENS, specials={"<end>": 256}, end_tokens=[256])
    for name in ["sums", "sql", "python", "xml"]:
        source = (ROOT / f"tests/data/lark/{name}.lark").read_text()
        parser = lark.Lark(source, parser="earley", lexer="dynamic_complete", ambiguity="forest")
        constraint = maskwright.Constraint.from_lark(vocabulary, source)
        texts = [sampled(constraint, vocabulary, seed) for seed in range(TEXTS)]
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
