"""A JSON object of a pydantic model, sampled from random logits: no model, no download.

Run it with ``python quickstart.py [seed]``.
"""

from __future__ import annotations

import random
import sys
from array import array

import maskwright

try:
    from pydantic import BaseModel, ConfigDict, Field

    class Person(BaseModel):
        """What is to be written."""

        model_config = ConfigDict(extra="forbid")
        name: str = Field(pattern="^[A-Z][a-z]{2,7}$")
        age: int = Field(ge=0, le=120)
        languages: list[str] = Field(max_length=2)

    SCHEMA: object = Person
except ImportError:  # The schema that pydantic would have written.
    SCHEMA = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[A-Z][a-z]{2,7}$"},
            "age": {"type": "integer", "minimum": 0, "maximum": 120},
            "languages": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
        },
        "required": ["name", "age", "languages"],
        "additionalProperties": False,
    }


def main() -> None:
    chance = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    # A token for each byte, and one that ends the text.
    vocabulary = maskwright.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256]
    )
    constraint = maskwright.Constraint.from_json_schema(vocabulary, SCHEMA, whitespace="compact", escapes="minimal")
    session = constraint.session()
    mask = maskwright.Bitmask.allocate(1, vocabulary)
    while not session.is_finished and len(session) < 150:
        logits = array("f", [chance.gauss(0, 1) for _ in range(len(vocabulary))])
        for byte in (*b'"]}', 256):
            logits[byte] += 3  # a model that comes to an end
        for byte in range(128, 256):
            logits[byte] -= 20  # and writes ASCII
        session.fill(mask)
        allowed = mask.allowed(0)
        session.accept(max(allowed, key=logits.__getitem__))
    session.advance(session.way_out())  # where the budget is spent
    text = vocabulary.decode(session.tokens).removesuffix("<end>")
    print(text)
    if hasattr(SCHEMA, "model_validate_json"):
        print(repr(SCHEMA.model_validate_json(text)))


if __name__ == "__main__":
    main()
