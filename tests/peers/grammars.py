"""Verdicts of maskwright, llguidance, XGrammar, `re` and the package `lark` on the same texts.

    pip install maskwright llguidance xgrammar lark
    python tests/peers/grammars.py

The grammars are those of tests/data/{regex,ebnf,lark}.toml that are not refused, and the texts are theirs.
"""

import collections
import pathlib
import re
import tomllib

import lark
import llguidance
import maskwright
import xgrammar
from xgrammar.testing import _is_grammar_accept_string

ROOT = pathlib.Path(__file__).resolve().parents[2]
VOCABULARY = maskwright.Vocabulary.from_tokens(
    [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256]
)
BYTES = llguidance.LLTokenizer("byte")


def cases(name, key):
    suite = tomllib.loads((ROOT / f"tests/data/{name}.toml").read_text())
    for case in suite["case"]:
        if not {"error", "start", "dialect"} & case.keys():
            yield case[key], case.get("accepts", []) + case.get("refuses", [])


def ours(dialect, grammar):
    made = getattr(maskwright.Constraint, f"from_{dialect}")(VOCABULARY, grammar)

    def accepts(text):
        session = made.session()
        data = list(text.encode())
        return session.advance(data) == len(data) and session.may_end

    return accepts


def by_llguidance(make):
    def judge(grammar):
        matcher = llguidance.LLMatcher(BYTES, make(grammar))
        if matcher.is_error():
            raise ValueError(matcher.get_error())

        def accepts(text):
            fresh = matcher.deep_copy()
            data = list(text.encode())
            return fresh.try_consume_tokens(data) == len(data) and fresh.is_accepting()

        return accepts

    return judge


def by_xgrammar(make):
    def judge(grammar):
        made = make(grammar)
        return lambda text: _is_grammar_accept_string(made, text)

    return judge


def by_re(pattern):
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def by_lark(grammar):
    parser = lark.Lark(grammar, parser="earley", lexer="dynamic_complete")

    def accepts(text):
        try:
            parser.parse(text)
            return True
        except lark.exceptions.LarkError:
            return False

    return accepts


DIALECTS = {
    "regex": (
        "pattern",
        {
            "re.fullmatch": by_re,
            "llguidance": by_llguidance(llguidance.LLMatcher.grammar_from_regex),
            "XGrammar": by_xgrammar(xgrammar.Grammar.from_regex),
        },
    ),
    "ebnf": ("grammar", {"XGrammar": by_xgrammar(xgrammar.Grammar.from_ebnf)}),
    "lark": (
        "grammar",
        {
            "package lark": by_lark,
            "llguidance": by_llguidance(llguidance.LLMatcher.grammar_from_lark),
            "XGrammar": by_xgrammar(xgrammar.Grammar.from_lark),
        },
    ),
}


def main():
    print("| dialect | judge | grammars taken | texts | same verdict | differ |")
    print("|---|---|---|---|---|---|")
    differences = collections.defaultdict(list)
    for dialect, (key, judges) in DIALECTS.items():
        grammars = list(cases(dialect, key))
        verdicts = {}
        for grammar, texts in grammars:
            accepts = ours(dialect, grammar)
            verdicts.update(((grammar, text), accepts(text)) for text in texts)
        for name, judge in judges.items():
            taken = same = differ = 0
            for grammar, texts in grammars:
                try:
                    accepts = judge(grammar)
                except Exception as error:
                    differences[dialect, name, grammar].append(("refused", str(error).strip().split("\n")[0][:100]))
                    continue
                taken += 1
                for text in texts:
                    if bool(accepts(text)) == bool(verdicts[grammar, text]):
                        same += 1
                    else:
                        differ += 1
                        differences[dialect, name, grammar].append((text, verdicts[grammar, text]))
            print(f"| {dialect} | {name} | {taken} of {len(grammars)} | {same + differ} | {same} | {differ} |")
    print()
    for (dialect, name, grammar), found in differences.items():
        text, verdict = found[0]
        print(f"- {dialect}, {name}: `{grammar!r}` ({len(found)}): {text!r}: {verdict}")


main()
