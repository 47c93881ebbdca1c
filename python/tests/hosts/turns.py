"""Random turns of model families, for parsers to read.

They are written over single bytes and control tokens; where MASKWRIGHT_VOCABULARIES names a folder with the vocabularies of the families, as
`benches/vocabularies.py` gets them, over these.
"""

from __future__ import annotations

import functools
import os
import pathlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from vocabularies import LACKING, Tokens, load

import maskwright
from maskwright._families import FAMILIES, Family

CONTROLS = [
    *["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"],
    *["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<｜tool▁calls▁begin｜>"],
    *["<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>", "<｜tool▁output▁end｜>"],
    *["<｜tool▁outputs▁end｜>", "｜DSML｜"],
    *["<|im_assistant|>", "<|im_middle|>", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"],
    *["<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"],
    *["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"],
    *["<|user|>", "<|assistant|>", "<|observation|>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
    *["]~b]", "[e~[", "<minimax:tool_call>", "</minimax:tool_call>"],
    *["<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"],
    *["<|header_start|>", "<|header_end|>", "<|eot|>", "<|python_start|>", "<|python_end|>"],
    *["<|end|>", "<|tool_call|>", "<|/tool_call|>", "<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"],
    *["[|assistant|]", "[|endofturn|]", "<start_of_turn>", "<end_of_turn>", "<|turn>", "<turn|>", "<|tool_call>"],
    *["<tool_call|>", "<|tool_response>", "<|channel>", "<channel|>", '<|"|>', "[/INST]", "[TOOL_CALLS]", "[ARGS]"],
    *["[CALL_ID]", "[THINK]", "[/THINK]"],
    *["<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_ACTION|>", "<|END_ACTION|>"],
    *["<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"],
]

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "find_book",
            "description": "Finds a book.",
            "parameters": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "maxLength": 12},
                    "year": {"type": "integer", "minimum": 0, "maximum": 3000},
                    "lent": {"type": "boolean"},
                    "shelves": {"type": "array", "items": {"type": "string", "maxLength": 4}, "maxItems": 3},
                },
                "required": ["title"],
                "additionalProperties": False,
            },
        },
    },
    {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}},
]


def tokens_of(family: Family) -> Tokens:
    """The vocabulary that turns of a family are written over."""
    folder = os.environ.get("MASKWRIGHT_VOCABULARIES")
    if folder is not None:
        loaded = load(pathlib.Path(folder), family.format, tools=TOOLS, flags=family.flags, lacking=LACKING.get(family.name, frozenset()))
        assert loaded is not None, f"{folder} has no vocabulary for {family.format}"
        return loaded
    return single_bytes(LACKING.get(family.name, frozenset()))


@functools.cache
def single_bytes(without: frozenset[str] = frozenset()) -> Tokens:
    """One token a byte, and all control tokens but some."""
    names = [name for name in CONTROLS if name not in without]
    specials = {name: 256 + place for place, name in enumerate(names)}
    every_byte = [bytes([byte]) for byte in range(256)]
    end = specials["<|endoftext|>"]
    return Tokens("bytes", maskwright.Vocabulary.from_tokens(every_byte, specials=specials, end_tokens=[end]), specials)


def turns(tokens: Tokens, family: Family, count: int, seed: int = 0, **options: Any) -> Iterator[list[str]]:
    """Random turns with thoughts, text and calls, token by token."""
    plain = {"numbers": "plain", "whitespace": "pretty", "prompt": family.prompt, "parallel_calls": True, "flags": family.flags, **options}
    chance = random.Random(seed)
    made = [
        maskwright.Constraint.from_format(tokens.ours, family.format, tools=TOOLS, tool_choice=choice, **plain)
        for choice in ("auto", "required", "required")
    ]
    row = np.zeros((1, tokens.ours.mask_words), dtype=np.int32)
    for place in range(count):
        session = made[place % len(made)].session()
        for _ in range(chance.randrange(120)):
            if session.is_finished:
                break
            session.fill(row)
            session.accept(tokens.choose(chance, row[0]))
        if not session.has_ended:
            session.advance(session.way_out())
        yield tokens.pieces(session.tokens)


def without_end(pieces: list[str]) -> list[str]:
    """The tokens as hosts give them to parsers: what a model ends with is not a part of them."""
    ends = [
        *["<|im_end|>", "<｜end▁of▁sentence｜>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end|>", "<|end_of_text|>"],
        *["[|endofturn|]", "<end_of_turn>", "<turn|>", "<|tool_response>", "<|observation|>", "<|user|>", "[e~["],
        *["<|END_OF_TURN_TOKEN|>", "<|end_of_msg|>", "<|endoftext|>", "<eos>", "</s>"],
    ]
    text = "".join(pieces)
    for _ in ends:
        for end in ends:
            text = text.removesuffix(end)
    kept, left = [], len(text)
    for piece in pieces:
        kept.append(piece[:left])
        left -= len(kept[-1])
    return [piece for piece in kept if piece]


__all__ = ["CONTROLS", "FAMILIES", "TOOLS", "single_bytes", "tokens_of", "turns", "without_end"]
