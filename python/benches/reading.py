"""What a token costs to read in vLLM: our parser of a family and vLLM's own, on the same random turns, in one run.

``python benches/reading.py FOLDER [FORMAT ...]`` prints a table in Markdown; FOLDER has the vocabularies (``vocabularies.py``). Each turn is
streamed to both parsers token by token, as vLLM's server does, and to our reader alone. Microseconds a token by the clock, the least of
three rounds; what vLLM does around any parser is in its two columns.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "tests" / "hosts"))

import conftest  # noqa: E402, F401
import turns  # noqa: E402
from test_vllm_parsers import THEIRS, cached, ours, parser  # noqa: E402

import maskwright  # noqa: E402

TURNS = 100
ROUNDS = 3


def per_token(make: Callable[[], Any], read: Callable[[Any, list[str]], None], turns: list[list[str]], count: int) -> float:
    """Microseconds a token, the least of a few rounds; making a parser for each turn is not in them."""
    best = float("inf")
    for _ in range(ROUNDS):
        spent = 0.0
        for turn in turns:
            made = make()
            start = time.perf_counter()
            read(made, turn)
            spent += time.perf_counter() - start
        best = min(best, spent)
    return 1e6 * best / count


def stream(parser_and_request: tuple[Any, Any], pieces: list[str]) -> None:
    made, request = parser_and_request
    for piece in pieces:
        made.parse_delta(piece, [0], request, finished=False)
    made.parse_delta("", [0], request, finished=True)


def row(family: Any) -> str:
    tokens = turns.tokens_of(family)
    host = cached(tokens)
    whole = list(turns.turns(tokens, family, TURNS))
    pieces = [turns.without_end(turn) for turn in whole]
    count = sum(map(len, pieces))
    size = sum(len(piece.encode()) for turn in pieces for piece in turn)

    first = maskwright.Reader.from_format(family.format, lenient=True, prompt=family.prompt, tools=turns.TOOLS, parallel_calls=True, flags=family.flags)

    def alone(reader: Any, turn: list[str]) -> None:
        for piece in turn:
            reader.feed(piece)
        reader.finish()

    def theirs() -> Any:
        return parser(host, *THEIRS[family.name])

    columns = [per_token(first.again, alone, pieces, count)]
    columns.append(per_token(lambda: ours(host, family), stream, pieces, count))
    shown = [f"{column:.2f}" for column in columns]
    shown.append(f"{per_token(theirs, stream, pieces, count):.2f}" if family.name in THEIRS else "—")
    return f"| `{family.name}` | {count:,} | {size / count:.1f} | {' | '.join(shown)} |"


def main() -> None:
    command = argparse.ArgumentParser(description="What a token costs to read in vLLM.")
    command.add_argument("folder")
    command.add_argument("formats", nargs="*")
    arguments = command.parse_args()
    os.environ["MASKWRIGHT_VOCABULARIES"] = arguments.folder
    from maskwright.vllm import register

    register()
    print("| format | tokens | bytes a token | our reader, µs | our parser in vLLM | vLLM's own |\n|---|---:|---:|---:|---:|---:|")
    for format in arguments.formats or turns.FAMILIES:
        try:
            print(row(turns.FAMILIES[format]), flush=True)
        except Exception as error:
            print(f"{format}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
