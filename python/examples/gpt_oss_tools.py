"""A whole turn of gpt-oss with tool calls, sampled from random logits: no model, no download.

Run it with ``python gpt_oss_tools.py [seed]``. With ``TIKTOKEN_ENCODINGS_BASE`` naming a folder that holds
``o200k_base.tiktoken`` the tokens are gpt-oss's own, and otherwise bytes and its control tokens.
"""

from __future__ import annotations

import os
import random
import sys

import maskwright
from maskwright import transcript

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"enum": ["Paris", "Rome"]}, "days": {"enum": [1, 3, 7]}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }
]
CONTROLS = ["<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|return|>", "<|call|>"]


def vocabulary() -> maskwright.Vocabulary:
    """gpt-oss's own, or bytes with its control tokens."""
    if "TIKTOKEN_ENCODINGS_BASE" in os.environ:
        return maskwright.Vocabulary.o200k_harmony()
    return maskwright.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)],
        specials={name: 256 + index for index, name in enumerate(CONTROLS)},
        end_tokens=[256 + CONTROLS.index("<|return|>")],
    )


def main() -> None:
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    tokens = vocabulary()
    constraint = maskwright.Constraint.from_format(
        tokens, "harmony", tools=TOOLS, tool_choice="required", parallel_calls=True, whitespace="compact"
    )
    session = constraint.session()
    control = set(tokens.specials.values())
    while not session.is_finished and len(session) < 300:
        allowed = session.allowed_tokens()
        closing = [token for token in allowed if token in control]
        # A model says a few words and comes to the point; random logits would go on for ever.
        if closing and (len(allowed) < 50 or chance.random() < 0.1):
            session.accept(chance.choice(closing))
        else:
            printable = [token for token in allowed if (tokens.token_bytes(token) or b"\n").isalnum()]
            session.accept(chance.choice(printable or allowed))
    session.advance(session.way_out())  # where the budget is spent
    turn = "".join(tokens.decode([token]) for token in session.tokens)
    print(turn)
    read = transcript.parse(turn, transcript.ParserConfig.assistant_turn("harmony", calls="many"))
    for message in read.messages:
        for call in message.calls():
            print(f"{call.recipient} is called with {call.arguments}")


if __name__ == "__main__":
    main()
