"""The command line: ``python -m maskwright COMMAND``.

It is written over this package, not linked in from the Rust program: that program brings a tokeniser, a validator and
another engine to judge and measure with, which would treble the wheel and are no business of a host. What needs
them (``maskbench``, ``fuzz-schema``, ``fuzz-format``) is in the Rust program alone.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

import maskwright
from maskwright import transcript
from maskwright._template import template_beside

GOOD, JUDGED_BAD, BAD_INPUT = 0, 1, 2

AUTO = "auto"
"""Stands for the format that the vocabulary, and the chat template beside it, are of."""


def read(path: str) -> str:
    """The text of a file; ``-`` is the standard input."""
    if path == "-":
        return sys.stdin.read()
    return pathlib.Path(path).read_text(encoding="utf-8")


def vocabulary_of(arguments: argparse.Namespace) -> maskwright.Vocabulary:
    """``--vocab``: ``o200k_harmony``, ``bytes``, or a file."""
    if arguments.vocab == "bytes":
        return maskwright.Vocabulary.from_tokens(
            [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256]
        )
    if arguments.vocab == "o200k_harmony":
        return maskwright.Vocabulary.o200k_harmony()
    return maskwright.Vocabulary.from_file(arguments.vocab)


def grammar_of(arguments: argparse.Namespace, vocabulary: maskwright.Vocabulary) -> maskwright.Grammar:
    """The language that the options name."""
    named = ("whitespace", "numbers", "escapes", "order", "draft", "content")
    spelling: dict[str, Any] = {name: getattr(arguments, name) for name in named}
    if arguments.document:
        spelling["documents"] = {uri: read(path) for uri, path in arguments.document}
    dialect = arguments.patterns
    if arguments.regex is not None:
        return maskwright.Grammar.from_regex(arguments.regex, dialect=dialect or "python")
    if arguments.choice is not None:
        return maskwright.Grammar.from_choice(read(arguments.choice))
    if arguments.ebnf is not None:
        return maskwright.Grammar.from_ebnf(read(arguments.ebnf), start=arguments.start or "root")
    spelling["patterns"] = dialect
    if arguments.schema is not None:
        return maskwright.Grammar.from_json_schema(read(arguments.schema), formats=arguments.formats, **spelling)
    if arguments.lark is not None:
        start = arguments.start or "start"
        return maskwright.Grammar.from_lark(read(arguments.lark), start=start, formats=arguments.formats, **spelling)
    if arguments.structural_tag is not None:
        return maskwright.Grammar.from_structural_tag(
            read(arguments.structural_tag), vocabulary=vocabulary, formats=arguments.formats, **spelling
        )
    options: dict[str, Any] = {
        "vocabulary": vocabulary,
        "start": arguments.start or "assistant-turn",
        "tool_choice": arguments.tool_choice,
        "parallel_calls": arguments.parallel,
        "analysis": not arguments.no_analysis,
        "built_in_tools": arguments.built_in,
        "functions_on_analysis": arguments.functions_on_analysis,
        "profile": arguments.profile,
        "thoughts": {kind: "offered" for kind in arguments.thought},
        **spelling,
    }
    for option, path in (("tools", arguments.tools), ("response_schema", arguments.response_schema)):
        if path is not None:
            options[option] = read(path)
    if arguments.prompt is not None:
        options["prompt"] = read(arguments.prompt)
    if arguments.grammar is not None:
        return maskwright.Grammar.from_abnf(read(arguments.grammar), **options)
    format = arguments.format
    if format == AUTO:
        template = template_beside(pathlib.Path(arguments.vocab))
        format = maskwright.format_of(vocabulary, template)
        options["flags"] = sorted(maskwright.flags_of(format, vocabulary, template))
    return maskwright.Grammar.from_format(format, **options)


def uri_and_file(given: str) -> tuple[str, str]:
    """``--document URI=FILE``: what a schema may refer to."""
    uri, equals, path = given.rpartition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"{given!r} is not URI=FILE")
    return uri, path


def generate(arguments: argparse.Namespace) -> int:
    """Samples texts under the mask, from random logits."""
    vocabulary = vocabulary_of(arguments)
    constraint = maskwright.Constraint(vocabulary, grammar_of(arguments, vocabulary))
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        chance = random.Random(seed)
        session = constraint.session()
        session.deadline(max(arguments.max_tokens, session.tokens_needed()))
        while not session.is_finished:
            session.accept(chance.choice(session.allowed_tokens()))
        tokens = session.tokens[:-1] if session.has_ended else session.tokens
        text = vocabulary.decode(tokens)
        print(json.dumps({"text": text, "tokens": len(tokens)}) if arguments.json else text)
    return GOOD


def accept(arguments: argparse.Namespace) -> int:
    """Says whether the automaton takes a text, and where it does not."""
    vocabulary = vocabulary_of(arguments)
    constraint = maskwright.Constraint(vocabulary, grammar_of(arguments, vocabulary))
    session = constraint.session()
    text = read(arguments.file)
    at = 0
    for piece in pieces(text, vocabulary):
        tokens = [vocabulary.specials[piece]] if piece in vocabulary.specials else list_of_bytes(vocabulary, piece)
        taken = session.advance(tokens)
        if taken < len(tokens):
            at += sum(len(vocabulary.token_bytes(token) or b"") for token in tokens[:taken])
            print(f"refused at byte {at}")
            return JUDGED_BAD
        at += len(piece.encode())
    print("accepted" if session.may_end else "accepted so far, not complete")
    return GOOD if session.may_end else JUDGED_BAD


def pieces(text: str, vocabulary: maskwright.Vocabulary) -> list[str]:
    """The text, cut where the spelling of a control token stands."""
    cut: list[str] = []
    rest = text
    names = sorted(vocabulary.specials, key=len, reverse=True)
    while rest:
        places = [(rest.index(name), name) for name in names if name in rest]
        at, name = min(places, key=lambda place: place[0], default=(len(rest), ""))
        cut += [piece for piece in (rest[:at], name) if piece]
        rest = rest[at + len(name) :]
    return cut


def list_of_bytes(vocabulary: maskwright.Vocabulary, text: str) -> list[int]:
    """The tokens of a text, a byte each where the vocabulary has them all, so that a refusal has its place."""
    tokens = [vocabulary.longest_tokens(bytes([byte])) for byte in text.encode()]
    return [token for own in tokens for token in own] if all(tokens) else vocabulary.longest_tokens(text)


def schema(arguments: argparse.Namespace) -> int:
    """Says what a schema compiles to, and warns of what is probably not meant."""
    text = read(arguments.file)
    faults = maskwright.check(text, formats=arguments.formats)
    warnings = maskwright.lint(text) if not any(fault.line for fault in faults) else []
    if arguments.json:
        report = None if faults else maskwright.report(text, formats=arguments.formats)
        answer: dict[str, Any] = {"verdict": "refused" if faults else "exact"}
        if report is not None:
            answer |= {"sets": report.sets, "unknown_formats": report.unknown_formats}
        answer["faults"] = [vars(fault) for fault in faults]
        answer["warnings"] = [vars(warning) for warning in warnings]
        print(json.dumps(answer))
    else:
        for fault in faults:
            print(f"refused: {fault}")
        for warning in warnings:
            print(f"warning: {warning}")
        if not faults:
            print(f"exact: {maskwright.report(text, formats=arguments.formats).sets} sets of values")
    return BAD_INPUT if faults else GOOD


def abnf(arguments: argparse.Namespace) -> int:
    """Checks an ABNF file."""
    maskwright.Grammar.from_abnf(read(arguments.file), start=arguments.start)
    print("well-formed")
    return GOOD


def check(arguments: argparse.Namespace) -> int:
    """Asks the independent parser about a transcript."""
    config = (
        transcript.ParserConfig.transcript(arguments.format)
        if arguments.start == "transcript"
        else transcript.ParserConfig.assistant_turn(arguments.format)
    )
    try:
        transcript.parse(read(arguments.file), config)
    except transcript.TranscriptError as error:
        print(error)
        return JUDGED_BAD
    print("valid")
    return GOOD


def render(arguments: argparse.Namespace) -> int:
    """Shows what a user sees of a transcript."""
    conversation = transcript.parse(
        read(arguments.file), transcript.ParserConfig.transcript(arguments.format)
    )
    for shown in transcript.view(conversation.messages, arguments.view):
        print(json.dumps(vars(shown)) if arguments.json else f"{shown.role}: {shown.text}")
    return GOOD


def convert(arguments: argparse.Namespace) -> int:
    """Takes a conversation from one notation to another."""
    text = read(arguments.file)
    readers: dict[str, Callable[[str], list[transcript.Message]]] = {
        "openai": transcript.from_openai,
        "json": transcript.from_interchange,
    }
    messages = (
        readers[arguments.source](text)
        if arguments.source in readers
        else transcript.parse(text, transcript.ParserConfig.transcript(arguments.source)).messages
    )
    if arguments.history:
        messages = transcript.normalise_history(messages)
    losses: list[transcript.Loss] = []
    if arguments.to == "openai":
        openai = transcript.to_openai(messages)
        losses, output = openai.losses, json.dumps(openai.output, ensure_ascii=False)
    elif arguments.to == "json":
        output = json.dumps(transcript.to_interchange(messages), ensure_ascii=False)
    else:
        converted = transcript.convert(messages, arguments.to)
        messages, losses = converted.output, converted.losses
        if arguments.tools is not None:
            offer = transcript.tool_message(read(arguments.tools), arguments.to)
            messages = [offer, *messages] if offer is not None else messages
        ending = "prompt" if arguments.prompt else "conversation"
        output = transcript.render(messages, arguments.to, ending=ending).text
    for loss in losses:
        print(f"warning: message {loss.index}: {loss.what} is left out", file=sys.stderr)
    print(output)
    return GOOD


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    formats = maskwright.built_in_formats()
    main = argparse.ArgumentParser(prog="python -m maskwright", description=maskwright.__doc__.splitlines()[0] if maskwright.__doc__ else None)
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        added.set_defaults(run=run)
        return added

    for run in (generate, accept):
        added = command(run)
        source = added.add_mutually_exclusive_group()
        source.add_argument("--format", choices=[*formats, AUTO], default="harmony")
        source.add_argument("--grammar", metavar="FILE.abnf")
        source.add_argument("--schema", metavar="FILE")
        source.add_argument("--regex", metavar="PATTERN")
        source.add_argument("--choice", metavar="FILE")
        source.add_argument("--ebnf", metavar="FILE")
        source.add_argument("--lark", metavar="FILE")
        source.add_argument("--structural-tag", metavar="FILE")
        added.add_argument("--start", metavar="RULE", help="by default assistant-turn, root in EBNF, start in Lark")
        added.add_argument("--tools", metavar="FILE")
        added.add_argument("--tool-choice", default="auto", metavar="auto|required|none|NAME")
        added.add_argument("--parallel", action="store_true")
        added.add_argument("--no-analysis", action="store_true")
        added.add_argument("--response-schema", metavar="FILE")
        added.add_argument("--built-in", action="append", default=[], choices=["python", "browser"])
        added.add_argument("--thought", action="append", default=[], choices=["reflect", "introspect", "reason"])
        added.add_argument("--functions-on-analysis", action="store_true")
        added.add_argument("--profile", default="default", choices=["default", "hip-1"])
        added.add_argument("--prompt", metavar="FILE")
        added.add_argument("--whitespace", metavar="json|pretty|compact|/PATTERN/")
        added.add_argument("--numbers", choices=["any", "plain"])
        added.add_argument("--escapes", choices=["minimal", "free", "all"])
        added.add_argument("--order", choices=["declared", "any"])
        added.add_argument("--draft", metavar="DRAFT")
        added.add_argument("--patterns", choices=["ecma", "python", "pcre", "rust"])
        added.add_argument("--document", action="append", type=uri_and_file, metavar="URI=FILE")
        added.add_argument("--formats", default="assert", choices=["assert", "ignore"])
        added.add_argument("--content", choices=["annotate", "assert"])
        added.add_argument("--vocab", default="bytes", metavar="bytes|o200k_harmony|FILE")
        if run is generate:
            added.add_argument("--seed", type=int, default=0)
            added.add_argument("--count", type=int, default=1)
            added.add_argument("--max-tokens", type=int, default=200)
            added.add_argument("--json", action="store_true")
        else:
            added.add_argument("file", nargs="?", default="-")

    added = command(schema)
    added.add_argument("file", nargs="?", default="-")
    added.add_argument("--formats", default="assert", choices=["assert", "ignore"])
    added.add_argument("--json", action="store_true")

    added = command(abnf)
    added.add_argument("file", nargs="?", default="-")
    added.add_argument("--start", default="assistant-turn")

    added = command(check)
    added.add_argument("file", nargs="?", default="-")
    added.add_argument("--format", default="harmony")
    added.add_argument("--start", default="assistant-turn", choices=["assistant-turn", "transcript"])

    added = command(render)
    added.add_argument("file", nargs="?", default="-")
    added.add_argument("--format", default="harmony")
    added.add_argument("--view", default="user", choices=["user", "debug"])
    added.add_argument("--json", action="store_true")

    added = command(convert)
    added.add_argument("file", nargs="?", default="-")
    added.add_argument("--from", dest="source", required=True, metavar="FORMAT|openai|json")
    added.add_argument("--to", required=True, metavar="FORMAT|openai|json")
    added.add_argument("--prompt", action="store_true")
    added.add_argument("--history", action="store_true")
    added.add_argument("--tools", metavar="FILE")
    return main


def main(given: Sequence[str] | None = None) -> int:
    """Runs a command. 0 is good, 1 judged bad, 2 bad input."""
    arguments = parser().parse_args(given)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        return run(arguments)
    except (maskwright.MaskwrightError, OSError, UnicodeDecodeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
