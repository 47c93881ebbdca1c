"""What is wrong with a schema, what is probably not meant, and what it amounts to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from maskwright import _native
from maskwright._errors import Fault, Warning
from maskwright._types import Json, Limits


@dataclass(frozen=True)
class SchemaReport:
    """What a schema compiles to."""

    sets: int
    """How many distinct sets of values it speaks of."""
    unknown_formats: list[str]
    """The values of ``format`` that are not known and assert nothing."""
    unknown_content: list[str]
    """The encodings and media types that are not known and assert nothing, where content is asserted."""


def check(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: Mapping[str, Json] | None = None,
    limits: Limits | None = None,
) -> list[Fault]:
    """All that speaks against compiling a schema; nothing where it compiles.

    >>> sorted(fault.pointer for fault in check({"minimum": "one", "pattern": "("}))
    ['#/minimum', '#/pattern']
    >>> check({"type": "object"})
    []
    """
    given = dict(documents) if documents else None
    return _native.check_schema(
        schema, formats=formats, draft=draft, content=content, patterns=patterns, documents=given, limits=limits
    )


def lint(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: Mapping[str, Json] | None = None,
    limits: Limits | None = None,
) -> list[Warning]:
    """What is well-formed and probably not meant.

    >>> lint({"properties": {"a": {}}, "required": ["b"]})[0].lint
    'undeclared-required'
    """
    given = dict(documents) if documents else None
    return _native.lint_schema(
        schema, formats=formats, draft=draft, content=content, patterns=patterns, documents=given, limits=limits
    )


def report(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: Mapping[str, Json] | None = None,
    limits: Limits | None = None,
) -> SchemaReport:
    """What a schema amounts to.

    >>> report({"format": "nobody-knows"}).unknown_formats
    ['nobody-knows']
    """
    given = dict(documents) if documents else None
    sets, unknown_formats, unknown_content = _native.schema_report(
        schema, formats=formats, draft=draft, content=content, patterns=patterns, documents=given, limits=limits
    )
    return SchemaReport(sets, unknown_formats, unknown_content)
