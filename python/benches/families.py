"""A row for each family of models: its file, random turns read back and judged, and what compiling and masks cost.

``python benches/families.py FOLDER [--turns 2000] [FORMAT ...]`` prints a table in Markdown. FOLDER has a folder for each
vocabulary, named as in ``VOCABULARIES``, with a ``tokenizer.json`` and a ``tokenizer_config.json``; ``tekken`` may be Mistral's
file ``tekken.json`` instead. A family whose own vocabulary is not there has Qwen3's with its control tokens added.

Turns are written at random under the mask of the family's file, with two tools, read token by token by the strict reader of the
same file, and the arguments of every call are judged by ``jsonschema``. Costs are measured with one thread: compiling a format
for 1, 10 and 128 strict tools until the first mask could be asked for, in processor time, the least of three; then masks along
random turns with required calls, the mean where they are new (cold) and along the same turns again (warm). XGrammar, where it is
installed and has a structural tag of the family, is given the same tools, and writes its own turns in the same way, in the same run.
"""

from __future__ import annotations

import argparse
import base64
import functools
import json
import pathlib
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema
import numpy as np

import maskwright
from maskwright._families import FAMILIES

GRAMMARS = pathlib.Path(__file__).parents[2] / "grammars"
VOCABULARIES = {
    "deepseek-r1": "deepseek_v3",
    "deepseek-v3": "deepseek_v3",
    "deepseek-v3.1": "deepseek_v3",
    "gemma-3": "gemma3",
    "harmony": "gptoss",
    "llama3": "llama3_1",
    "mistral": "tekken",
    "qwen3": "qwen3",
    "qwen3-coder": "qwen3",
}
"""The vocabulary of each family, where it is published apart from the model."""
OTHERS = "qwen3"
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


@dataclass
class Tokens:
    """A vocabulary for both engines."""

    name: str
    ours: maskwright.Vocabulary
    theirs: Any
    pool: np.ndarray
    """Tokens that a turn is mostly made of: short plain ones, and what is special."""
    is_special: np.ndarray


def load(folder: pathlib.Path, format: str) -> Tokens | None:
    """The vocabulary of a family."""
    own = VOCABULARIES.get(format)
    if own == "tekken":
        return tekken(folder / "tekken.json") if (folder / "tekken.json").is_file() else None
    name = own if own and (folder / own).is_dir() else OTHERS
    tokenizer = hf(folder / name)
    before = len(tokenizer)
    constraint = maskwright.Constraint.from_format(maskwright.Vocabulary.from_hf(tokenizer), format, **request(format))
    missing = sorted(constraint.spelt_controls)
    if missing:
        from tokenizers import AddedToken

        added = [AddedToken(token, special=True, normalized=False) for token in missing]
        tokenizer.add_tokens(added, special_tokens=True)
    title = {"deepseek_v3": "DeepSeek V3", "gemma3": "Gemma 3", "gptoss": "gpt-oss", "llama3_1": "Llama 3.1", "qwen3": "Qwen3"}[name]
    plus = f" + {len(tokenizer) - before}" if len(tokenizer) > before else ""
    return made(title + plus, maskwright.Vocabulary.from_hf(tokenizer), xgrammar_tokens(tokenizer))


def hf(folder: pathlib.Path) -> Any:
    from transformers import PreTrainedTokenizerFast

    config = json.loads((folder / "tokenizer_config.json").read_text())
    end = config.get("eos_token")
    end = end["content"] if isinstance(end, dict) else end
    return PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"), eos_token=end)


def xgrammar_tokens(tokenizer: Any) -> Any:
    try:
        import xgrammar
    except ImportError:
        return None
    return xgrammar.TokenizerInfo.from_huggingface(tokenizer, vocab_size=len(tokenizer))


def tekken(file: pathlib.Path) -> Tokens:
    """Mistral's vocabulary: its special tokens come first."""
    read = json.loads(file.read_text())
    first = read["config"]["default_num_special_tokens"]
    size = read["config"]["default_vocab_size"]
    ranks = sorted(read["vocab"], key=lambda entry: entry["rank"])[: size - first]
    specials = {entry["token_str"]: entry["rank"] for entry in read.get("special_tokens") or known_specials()}
    tokens: list[bytes | None] = [None] * first + [base64.b64decode(entry["token_bytes"]) for entry in ranks]
    vocabulary = maskwright.Vocabulary.from_tokens(tokens, specials=specials, end_tokens=[specials["</s>"]])
    return made("Tekken (Mistral)", vocabulary, None)


def known_specials() -> list[dict[str, Any]]:
    """Those of files that do not name them."""
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    return [dict(token) for token in Tekkenizer.DEPRECATED_SPECIAL_TOKENS]


def made(name: str, ours: maskwright.Vocabulary, theirs: Any) -> Tokens:
    specials = set(ours.specials.values())
    plain = set(b"abc _.\"1,{}[]<>/=\n:\\")
    pool, is_special = [], []
    for id in range(len(ours)):
        spelt = ours.token_bytes(id)
        if id in specials or (spelt is not None and 0 < len(spelt) <= 3 and plain.issuperset(spelt)):
            pool.append(id)
            is_special.append(id in specials)
    return Tokens(f"{name}, {len(ours):,}", ours, theirs, np.array(pool), np.array(is_special))


def request(format: str, **options: Any) -> dict[str, Any]:
    prompt = FAMILIES[format].prompt if format in FAMILIES else None
    return {"tools": TOOLS, "parallel_calls": True, "prompt": prompt, **options}


def choose(chance: random.Random, row: np.ndarray, tokens: Tokens) -> int:
    """A token of a mask, what is plain or special before others."""
    allowed = (row[tokens.pool >> 5] >> (tokens.pool & 31)) & 1 == 1
    special, plain = tokens.pool[allowed & tokens.is_special], tokens.pool[allowed & ~tokens.is_special]
    from_ = special if len(special) and (not len(plain) or chance.random() < 0.2) else plain
    if not len(from_):
        from_ = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
    return int(from_[chance.randrange(len(from_))])


def turns(format: str, tokens: Tokens, count: int) -> Iterator[tuple[Any, list[int]]]:
    """Random turns, each with the constraint that it was written under."""
    chance = random.Random(0)
    constraints = [
        maskwright.Constraint.from_format(tokens.ours, format, **request(format, tool_choice=choice))
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
            session.accept(choose(chance, row[0], tokens))
        if not session.has_ended:
            session.advance(session.way_out())
        yield constraint, session.tokens


def read_back(format: str, tokens: Tokens, count: int) -> tuple[int, int]:
    """How many turns were read back whole, and how many calls they have, all of which fit their schemas."""
    read = calls = 0
    for constraint, turn in turns(format, tokens, count):
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


def cost_of_ours(format: str, tokens: Tokens) -> tuple[list[float], float, float]:
    """Milliseconds of compiling, and microseconds of a cold and a warm mask."""
    times = []
    for count in COUNTS:
        options = request(format, tools=[tool(number) for number in range(count)], tool_choice="required")
        compile = functools.partial(maskwright.Constraint.from_format, tokens.ours, format, **options)
        times.append(least(lambda compile=compile: compile().session()))  # type: ignore[misc]
    options = request(format, tool_choice="required", analysis=False)
    # A vocabulary of its own, so that nothing is known from before.
    fresh = maskwright.Constraint.from_format(tokens.ours.with_logits(len(tokens.ours)), format, **options)
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
            turn.append(choose(chance, row[0], tokens))
            session.accept(turn[-1])
        masks += len(turn)
        again = fresh.session()
        warm += walk(functools.partial(again.fill, row), again.accept, turn)
    return times, 1e6 * cold / masks, 1e6 * warm / masks


def cost_of_theirs(model: str, tokens: Tokens) -> tuple[list[float], float, float]:
    """The same of XGrammar."""
    import xgrammar

    def compiled(tools: list[Any]) -> Any:
        tag = xgrammar.get_model_structural_tag(model=model, tools=tools, tool_choice="required", reasoning=False)
        compiler = xgrammar.GrammarCompiler(tokens.theirs, max_threads=1, cache_enabled=False)
        return compiler.compile_structural_tag(tag)

    lists = [[tool(number) for number in range(count)] for count in COUNTS]
    times = [least(functools.partial(compiled, tools)) for tools in lists]
    grammar = compiled(TOOLS)
    bits = xgrammar.allocate_token_bitmask(1, tokens.theirs.vocab_size)
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
            turn.append(choose(chance, row[0], tokens))
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


def row(folder: pathlib.Path, format: str, count: int) -> str:
    tokens = load(folder, format)
    if tokens is None:
        return f"| `{format}` | its vocabulary is not here |"
    lines = len((GRAMMARS / f"{format}.abnf").read_text().splitlines())
    read, calls = read_back(format, tokens, count)
    ours = cost_of_ours(format, tokens)
    theirs = None
    if tokens.theirs is not None and format in XGRAMMAR:
        theirs = cost_of_theirs(XGRAMMAR[format], tokens)
    return f"| `{format}` | {lines} | {tokens.name} | {read:,} | {calls:,} | {shown(ours)} | {shown(theirs)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="A table of the families of models.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("formats", nargs="*")
    parser.add_argument("--turns", type=int, default=2000)
    arguments = parser.parse_args()
    print("| file | lines | vocabulary | turns read back | calls, all valid | compile 1 / 10 / 128 tools, ms | mask cold / warm, µs "
          "| XGrammar: compile | mask |")
    print("|---|---:|---|---:|---:|---:|---:|---:|---:|")
    for format in arguments.formats or sorted([*FAMILIES, "harmony"]):
        try:
            print(row(arguments.folder, format, arguments.turns), flush=True)
        except Exception as error:
            print(f"{format}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
