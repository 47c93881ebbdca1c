"""What a call costs beside XGrammar and llguidance, in one run: ``python benches/calls.py [--json]``.

All three have the same vocabulary (a tokenizer of 256 bytes and 70 merges, or o200k where ``TIKTOKEN_ENCODINGS_BASE`` names
it) and stand within a string of the same schema. Nanoseconds a call; of seven rounds the least, with each engine in turn
in each round. A peer that is not installed is left out.
"""

from __future__ import annotations

import json
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import maskwright

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"], "additionalProperties": False}
ROUNDS = 7


def least(call: Callable[[], Any], calls: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


def ours(tokenizer: Any, size: int, begin: list[int], letter: int) -> dict[str, tuple[Callable[[], Any], int]]:
    vocabulary = maskwright.Vocabulary.from_hf(tokenizer, logits=size)
    constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMA, whitespace="compact")
    sessions = [constraint.session() for _ in range(512)]
    for session in sessions:
        assert session.advance(begin) == len(begin)
    mask = maskwright.Bitmask(np.zeros((512, vocabulary.mask_words), dtype=np.int32))
    one = sessions[0]

    def step() -> None:
        one.accept(letter)
        one.rollback(1)

    return {
        "read a state": (lambda: one.has_ended, 20000),
        "fill a row": (lambda: one.fill(mask, 0), 20000),
        "accept 1, rollback 1": (step, 20000),
        "fill 64 rows": (lambda: maskwright.fill(sessions[:64], mask), 500),
        "fill 512 rows": (lambda: maskwright.fill(sessions, mask), 100),
    }


def llguidance(tokenizer: Any, size: int, begin: list[int], letter: int) -> dict[str, tuple[Callable[[], Any], int]]:
    import llguidance as llg
    import llguidance.hf
    import llguidance.numpy

    tokens = llg.hf.from_tokenizer(tokenizer, size)
    grammar = llg.LLMatcher.grammar_from_json_schema(json.dumps(SCHEMA), defaults={"whitespace_flexible": False})
    matchers = [llg.LLMatcher(tokens, grammar) for _ in range(512)]
    for matcher in matchers:
        assert matcher.consume_tokens(begin)
    mask = llg.numpy.allocate_token_bitmask(512, size)
    executor = llg.LLExecutor()
    one, address, width = matchers[0], mask.ctypes.data, mask.shape[1] * 4

    def step() -> None:
        one.consume_token(letter)
        one.rollback(1)

    def fill(rows: int) -> None:
        llg.numpy.fill_next_token_bitmask_par(executor, [(matchers[row], row) for row in range(rows)], mask)

    return {
        "read a state": (lambda: one.is_stopped(), 20000),
        "fill a row": (lambda: one.unsafe_compute_mask_ptr(address, width), 20000),
        "accept 1, rollback 1": (step, 20000),
        "fill 64 rows": (lambda: fill(64), 500),
        "fill 512 rows": (lambda: fill(512), 100),
    }


def xgrammar(tokenizer: Any, size: int, begin: list[int], letter: int) -> dict[str, tuple[Callable[[], Any], int]]:
    import xgrammar as xgr

    info = xgr.TokenizerInfo.from_huggingface(tokenizer, vocab_size=size)
    compiled = xgr.GrammarCompiler(info).compile_json_schema(json.dumps(SCHEMA), any_whitespace=False, separators=(",", ":"))
    matchers = [xgr.GrammarMatcher(compiled) for _ in range(512)]
    for matcher in matchers:
        assert all(matcher.accept_token(token) for token in begin)
    mask = xgr.allocate_token_bitmask(512, size)
    batch = xgr.BatchGrammarMatcher()
    one = matchers[0]

    def step() -> None:
        one.accept_token(letter)
        one.rollback(1)

    return {
        "read a state": (lambda: one.is_terminated(), 20000),
        "fill a row": (lambda: one.fill_next_token_bitmask(mask, 0), 20000),
        "accept 1, rollback 1": (step, 20000),
        "fill 64 rows": (lambda: batch.batch_fill_next_token_bitmask(matchers[:64], mask, list(range(64))), 500),
        "fill 512 rows": (lambda: batch.batch_fill_next_token_bitmask(matchers, mask, list(range(512))), 100),
    }


def main() -> None:
    from transformers import AutoTokenizer

    folder = pathlib.Path(next((word for word in sys.argv[1:] if not word.startswith("-")), "models/llama"))
    tokenizer = AutoTokenizer.from_pretrained(folder)
    size = (len(tokenizer) + 63) // 64 * 64
    begin = tokenizer.encode('{"name":"', add_special_tokens=False)
    letter = tokenizer.encode("a", add_special_tokens=False)[0]
    engines: dict[str, dict[str, tuple[Callable[[], Any], int]]] = {}
    for name, make in {"maskwright": ours, "llguidance": llguidance, "xgrammar": xgrammar}.items():
        try:
            engines[name] = make(tokenizer, size, begin, letter)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    found: dict[str, dict[str, float]] = {}
    for what in engines["maskwright"]:
        found[what] = {name: float("inf") for name in engines}
        for _ in range(ROUNDS):
            for name, calls in engines.items():
                call, count = calls[what]
                found[what][name] = min(found[what][name], least(call, count))
    if "--json" in sys.argv:
        print(json.dumps(found))
        return
    print(f"vocabulary of {len(tokenizer)} tokens; nanoseconds a call")
    print("| |", " | ".join(engines), "|")
    print("|---|" + "---|" * len(engines))
    for what, by in found.items():
        print(f"| {what} |", " | ".join(f"{by[name]:,.0f}" for name in engines), "|")


if __name__ == "__main__":
    main()
