"""A row for each family of models: its file, random turns read back and judged, and what compiling and masks cost.

``python benches/families.py FOLDER [--turns 2000] [FAMILY ...]`` prints a table in Markdown. FOLDER has the vocabularies, as
``python benches/vocabularies.py FOLDER`` gets them; that file says which package has which. A family whose own vocabulary
no package has is given Qwen3's with its control tokens added.

Turns are written at random under the mask of the family's file, with two tools, read token by token by the strict reader of the
same file, and the arguments of every call are judged by ``jsonschema``. Costs are measured with one thread: compiling a format
for 1, 10 and 128 strict tools until the first mask could be asked for, in processor time, the least of three; then masks along
random turns with required calls, the mean where they are new (cold) and along the same turns again (warm). XGrammar, where it is
installed and has a structural tag of the family, is given the same tools, and writes its own turns in the same way, in the same run.
"""

from __future__ import annotations

import argparse
import functools
import json
import pathlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import numpy as np

from vocabularies import LACKING, Tokens, load

import maskwright
from maskwright._families import FAMILIES, Family

GRAMMARS = pathlib.Path(__file__).parents[2] / "grammars"
XGRAMMAR = {
    "deepseek-r1": "deepseek_r1",
    "deepseek-v3.1": "deepseek_v3_1",
    "deepseek-v3.2": "deepseek_v3_2",
    "exaone": "exaone",
    "glm-4.5": "glm_4_7",
    "harmony": "harmony",
    "kimi-k2": "kimi",
    "kimi-k3": "kimi_k3",
    "llama3": "llama",
    "minimax-m2": "minimax",
    "qwen3": "qwen_3",
    "qwen3-coder": "qwen_3_coder",
}
"""XGrammar's names for the structural tags of the families."""
COUNTS = (1, 10, 128)
TIMED_TURNS = 20
ROUNDS = 3


def tool(number: int) -> dict[str, Any]:
    """A tool of four parameters, named by its number."""
    properties = {
        "title": {"type": "string", "maxLength": 12 + number % 7},
        "year": {"type": "integer", "minimum": 0, "maximum": 3000 + number},
        "state": {"enum": ["lent", "free", f"shelf {number}"]},
        "words": {"type": "array", "items": {"type": "string", "maxLength": 4}, "maxItems": 3},
    }
    parameters = {"type": "object", "properties": properties, "required": ["title"], "additionalProperties": False}
    function = {"name": f"find_{number}", "strict": True, "parameters": parameters}
    return {"type": "function", "function": function}


TOOLS = [tool(0), {"type": "function", "function": {"name": "ping", "strict": True, "parameters": {
    "type": "object", "properties": {}, "additionalProperties": False}}}]
SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}


EVERY = {**FAMILIES, "harmony": Family("harmony", "")}


def request(family: Family, **options: Any) -> dict[str, Any]:
    return {"tools": TOOLS, "parallel_calls": True, "prompt": family.prompt or None, "flags": family.flags, **options}


def turns(family: Family, tokens: Tokens, count: int) -> Iterator[tuple[Any, list[int]]]:
    """Random turns, each with the constraint that it was written under."""
    chance = random.Random(0)
    constraints = [
        maskwright.Constraint.from_format(tokens.ours, family.format, **request(family, tool_choice=choice))
        for choice in ("auto", "required", "required")
    ]
    row = np.zeros((1, tokens.ours.mask_words), dtype=np.int32)
    for place in range(count):
        constraint = constraints[place % len(constraints)]
        session = constraint.session()
        for _ in range(chance.randrange(100)):
            if session.is_finished:
                break
            session.fill(row)
            session.accept(tokens.choose(chance, row[0]))
        if not session.has_ended:
            session.advance(session.way_out())
        yield constraint, session.tokens


def read_back(family: Family, tokens: Tokens, count: int) -> tuple[int, int]:
    """How many turns were read back whole, and how many calls they have, all of which fit their schemas."""
    read = calls = 0
    for constraint, turn in turns(family, tokens, count):
        reader = constraint.reader()
        # The end token of Harmony's final messages may stand behind a call, too; hosts cut it off.
        reader.feed_tokens(turn[:-1] if turn and turn[-1] in tokens.ours.end_tokens else turn)
        reader.finish()
        message = reader.message
        assert message is not None and message.is_complete, turn
        for call in message.calls:
            jsonschema.validate(json.loads(call.arguments), SCHEMAS[call.name])
            calls += 1
        read += 1
    return read, calls


def least(call: Callable[[], Any]) -> float:
    """Milliseconds of processor time, the least of three; of one, where that takes long."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        call()
        best = min(best, 1000 * (time.process_time() - start))
        if best > 2000:
            break
    return best


def walk(fill: Callable[[], Any], accept: Callable[[int], Any], turn: list[int]) -> float:
    """Seconds of the masks along a turn."""
    spent = 0.0
    for token in turn:
        start = time.perf_counter()
        fill()
        spent += time.perf_counter() - start
        accept(token)
    return spent


def cost_of_ours(family: Family, tokens: Tokens) -> tuple[list[float], float, float]:
    """Milliseconds of compiling, and microseconds of a cold and a warm mask."""
    times = []
    for count in COUNTS:
        options = request(family, tools=[tool(number) for number in range(count)], tool_choice="required")
        compile = functools.partial(maskwright.Constraint.from_format, tokens.ours, family.format, **options)
        times.append(least(lambda compile=compile: compile().session()))  # type: ignore[misc]
    options = request(family, tool_choice="required", analysis=False)
    # A vocabulary of its own, so that nothing is known from before.
    fresh = maskwright.Constraint.from_format(tokens.ours.with_logits(len(tokens.ours)), family.format, **options)
    row = np.zeros((1, tokens.ours.mask_words), dtype=np.int32)
    chance = random.Random(1)
    cold = warm = 0.0
    masks = 0
    for _ in range(TIMED_TURNS):
        session = fresh.session()
        turn: list[int] = []
        while not session.is_finished and len(turn) < 60:
            start = time.perf_counter()
            session.fill(row)
            cold += time.perf_counter() - start
            turn.append(tokens.choose(chance, row[0]))
            session.accept(turn[-1])
        masks += len(turn)
        again = fresh.session()
        warm += walk(functools.partial(again.fill, row), again.accept, turn)
    return times, 1e6 * cold / masks, 1e6 * warm / masks


def cost_of_theirs(model: str, tokens: Tokens) -> tuple[list[float], float, float] | None:
    """The same of XGrammar, where it is installed."""
    theirs = tokens.for_xgrammar()
    if theirs is None:
        return None
    import xgrammar

    def compiled(tools: list[Any]) -> Any:
        tag = xgrammar.get_model_structural_tag(model=model, tools=tools, tool_choice="required", reasoning=False)
        compiler = xgrammar.GrammarCompiler(theirs, max_threads=1, cache_enabled=False)
        return compiler.compile_structural_tag(tag)

    lists = [[tool(number) for number in range(count)] for count in COUNTS]
    times = [least(functools.partial(compiled, tools)) for tools in lists]
    grammar = compiled(TOOLS)
    bits = xgrammar.allocate_token_bitmask(1, theirs.vocab_size)
    row = bits.numpy()
    chance = random.Random(1)
    cold = warm = 0.0
    masks = 0
    for _ in range(TIMED_TURNS):
        matcher = xgrammar.GrammarMatcher(grammar)
        turn: list[int] = []
        while not matcher.is_terminated() and len(turn) < 60:
            start = time.perf_counter()
            constrained = matcher.fill_next_token_bitmask(bits)
            cold += time.perf_counter() - start
            if not constrained:
                row.fill(-1)
            turn.append(tokens.choose(chance, row[0]))
            if not matcher.accept_token(turn[-1]):
                break
        masks += len(turn)
        again = xgrammar.GrammarMatcher(grammar)
        warm += walk(functools.partial(again.fill_next_token_bitmask, bits), again.accept_token, turn)
    return times, 1e6 * cold / masks, 1e6 * warm / masks


def shown(cost: tuple[list[float], float, float] | None) -> str:
    if cost is None:
        return "— | —"
    times, cold, warm = cost
    return f"{' / '.join(f'{time:.1f}' if time < 100 else f'{time:,.0f}' for time in times)} | {cold:.1f} / {warm:.1f}"


def row(folder: pathlib.Path, family: Family, count: int) -> str:
    tokens = load(folder, family.format, LACKING.get(family.name, frozenset()), **request(family))
    if tokens is None:
        return f"| `{family.name}` | its vocabulary is not here |"
    lines = len((GRAMMARS / f"{family.format}.abnf").read_text().splitlines())
    read, calls = read_back(family, tokens, count)
    ours = cost_of_ours(family, tokens)
    theirs = cost_of_theirs(XGRAMMAR[family.name], tokens) if family.name in XGRAMMAR else None
    return f"| `{family.name}` | {lines} | {tokens.name} | {read:,} | {calls:,} | {shown(ours)} | {shown(theirs)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="A table of the families of models.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--turns", type=int, default=2000)
    arguments = parser.parse_intermixed_args()
    print("| file | lines | vocabulary | turns read back | calls, all valid | compile 1 / 10 / 128 tools, ms | mask cold / warm, µs "
          "| XGrammar: compile | mask |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for name in arguments.families or sorted(EVERY):
        try:
            print(row(arguments.folder, EVERY[name], arguments.turns), flush=True)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
