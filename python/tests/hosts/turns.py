"""Random turns of model families over single bytes and control tokens, for parsers to read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

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


def tokenizer() -> Any:
    """One token a byte, and all control tokens."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={letter: id for id, letter in enumerate(letters)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in CONTROLS])
    return PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|endoftext|>")


def turns(tokens: Any, family: Family, count: int, seed: int = 0, **options: Any) -> Iterator[str]:
    """Random turns with thoughts, text and calls, without what ends them."""
    vocabulary = maskwright.Vocabulary.from_hf(tokens)
    plain = {"numbers": "plain", "whitespace": "pretty", "prompt": family.prompt, "parallel_calls": True, **options}
    chance = random.Random(seed)
    made = [
        maskwright.Constraint(
            vocabulary,
            maskwright.Grammar.from_format(
                family.format, vocabulary=vocabulary, tools=TOOLS, tool_choice=choice, **plain
            ),
        )
        for choice in ("auto", "required", "required")
    ]
    controls = {tokens.convert_tokens_to_ids(name) for name in CONTROLS}
    for place in range(count):
        session = made[place % len(made)].session()
        for _ in range(chance.randrange(120)):
            if session.is_finished:
                break
            allowed = session.allowed_tokens()
            special = [token for token in allowed if token in controls]
            usual = [token for token in allowed if tokens.decode([token]) in "abc _.\"1,{}[]<>/=\n"]
            pool = special if special and chance.random() < 0.2 else usual or allowed
            session.accept(chance.choice(pool))
        if not session.has_ended:
            session.advance(session.way_out())
        yield tokens.decode(session.tokens, skip_special_tokens=False)


def without_end(text: str) -> str:
    """The text as hosts give it to parsers: what a model ends with is not a part of it."""
    ends = [
        *["<|im_end|>", "<｜end▁of▁sentence｜>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|end|>", "<|end_of_text|>"],
        *["[|endofturn|]", "<end_of_turn>", "<turn|>", "<|tool_response>", "<|observation|>", "<|user|>", "[e~["],
        *["<|END_OF_TURN_TOKEN|>", "<|end_of_msg|>", "<|endoftext|>"],
    ]
    for _ in ends:
        for end in ends:
            text = text.removesuffix(end)
    return text


__all__ = ["CONTROLS", "FAMILIES", "TOOLS", "tokenizer", "turns", "without_end"]
