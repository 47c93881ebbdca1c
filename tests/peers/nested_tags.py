"""The argument styles whose objects and arrays are parameters again, against XGrammar's own grammars of them.

    pip install xgrammar
    cargo build -p maskwright-cli
    python tests/peers/nested_tags.py target/debug/maskwright

Texts come from the command line's walks under each schema, and from changes to such texts.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import xgrammar
from xgrammar.testing import _is_grammar_accept_string

ROOT = pathlib.Path(__file__).resolve().parents[2]
# XGrammar writes integers without exponents.
OPTIONS = ["--vocab", str(ROOT / "tests/data/tiny/tokenizer.json"), "--numbers", "plain"]
WALKS = 20
STYLES = ["cohere_xml", "minimax_m3_xml"]


def members(required, **properties):
    return {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}


def items(of, **more):
    return {"type": "array", "items": of, **more}


INTEGER = {"type": "integer"}
STRING = {"type": "string"}
SCHEMAS = [
    members("city", city=STRING, days=INTEGER),
    members("o", o=members("x", x=INTEGER, s=STRING)),
    members("l", l=items(INTEGER)),
    members("l", l=items(STRING, minItems=1)),
    members("l", l=items(members("x", x=STRING))),
    members("u", u={"type": ["string", "integer"]}),
    members("e", e={"enum": ["a", "b", 1]}),
    members("b n", b={"type": "boolean"}, n={"type": "null"}),
    members("o", o=members("")),
    members("o", o=members("p", p=members("q", q=items(items(INTEGER))))),
]


def maskwright(command, tag, *options, rows=""):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(tag)
        file.flush()
        arguments = [sys.argv[1], command, "--structural-tag", file.name, *OPTIONS, *options]
        out = subprocess.run(arguments, input=rows, capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def changed(text):
    yield text
    for cut in (len(text) // 3, len(text) // 2, len(text) - 3):
        yield text[:cut] + text[cut + 1 :]
        yield text[:cut] + text[cut - 1 :]


def main():
    count, same = 0, 0
    for style in STYLES:
        for seed, schema in enumerate(SCHEMAS):
            content = {"type": "json_schema", "json_schema": schema, "style": style}
            tag = json.dumps({"type": "structural_tag", "format": content})
            grammar = xgrammar.Grammar.from_structural_tag(tag)
            options = ["--count", str(WALKS), "--seed", str(seed), "--max-tokens", "300", "--json"]
            walks = maskwright("generate", tag, *options)
            assert len(walks) == WALKS
            texts = list(dict.fromkeys(text for walk in walks for text in changed(walk["text"])))
            rows = "\n".join(json.dumps({"text": text}) for text in texts)
            for text, answer in zip(texts, maskwright("accept", tag, "--jsonl", "-", rows=rows)):
                theirs = _is_grammar_accept_string(grammar, text)
                count += 1
                same += theirs == answer["complete"]
                if theirs != answer["complete"]:
                    print(f"{style}: {'taken' if theirs else 'refused'} by XGrammar: {text!r}")
    print(f"{same} of {count} texts get the same verdict")


if __name__ == "__main__":
    main()
