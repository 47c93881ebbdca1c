"""Token masks that make malformed chat turns and invalid tool calls impossible.

A vocabulary says what the tokens of a model are, a constraint is a language over it, and a session is one
sequence under a constraint. At every step of decoding a session says which tokens may come next, the model
samples one of them, and the session accepts it:

>>> import maskwright
>>> vocabulary = maskwright.Vocabulary.from_tokens(
...     [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256]
... )
>>> constraint = maskwright.Constraint.from_json_schema(vocabulary, {"enum": ["a", "ab"]})
>>> session = constraint.session()
>>> vocabulary.decode(session.allowed_tokens())
'"'
>>> session.advance(list(b'"a'))
2
>>> vocabulary.decode(session.allowed_tokens())
'"b'
>>> vocabulary.decode(session.way_out())
'"'

A token is in the mask exactly when accepting it succeeds, and a token in the mask always leads to some complete
text. What cannot be compiled exactly is refused, with its keyword and place, and never approximated:

>>> maskwright.Constraint.from_json_schema(vocabulary, {"items": {"pattern": "(a)\\\\1"}})
Traceback (most recent call last):
    ...
maskwright._errors.UnsupportedError: #/items/pattern: `pattern` is not supported: ...
"""

from __future__ import annotations

from maskwright import reader, transcript
from maskwright._check import SchemaReport, check, lint, report
from maskwright._errors import (
    EndedError,
    Fault,
    FillError,
    InvalidArgumentError,
    LimitError,
    MalformedError,
    MaskwrightError,
    NotAllowedError,
    UnsatisfiableError,
    UnsupportedError,
    Warning,
)
from maskwright._native import (
    Bitmask,
    Constraint,
    Grammar,
    Reader,
    Session,
    Vocabulary,
    built_in_formats,
    fill,
    flags_of,
    format_of,
)

__version__ = "0.1.0"

__all__ = [
    "Bitmask",
    "Constraint",
    "EndedError",
    "Fault",
    "FillError",
    "Grammar",
    "InvalidArgumentError",
    "LimitError",
    "MalformedError",
    "MaskwrightError",
    "NotAllowedError",
    "Reader",
    "SchemaReport",
    "Session",
    "UnsatisfiableError",
    "UnsupportedError",
    "Vocabulary",
    "Warning",
    "built_in_formats",
    "check",
    "fill",
    "flags_of",
    "format_of",
    "lint",
    "reader",
    "report",
    "transcript",
]
