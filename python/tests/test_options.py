"""Options: each one changes which texts are taken, and its default is that of the library."""

from __future__ import annotations

from typing import Any

import pytest

from maskwright import Constraint, Vocabulary

BYTES = Vocabulary.from_tokens([bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256])
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "number"}, "s": {"type": "string"}}}}
CALL = "<|channel|>commentary to=functions.f<|message|>%s"
DOCUMENT = {"https://example.org/n": {"type": "integer"}}


def takes(constraint: Constraint, text: str) -> bool:
    """Whether the text is complete."""
    session = constraint.session()
    return session.advance(list(text.encode())) == len(text.encode()) and session.may_end


@pytest.mark.parametrize(
    ("schema", "options", "text", "by_default"),
    [
        ({"const": [1, 2]}, {"whitespace": "compact"}, "[1,\n2]", True),
        ({"const": [1, 2]}, {"whitespace": "pretty"}, "[1,  2]", True),
        ({"const": [1, 2]}, {"whitespace": "pretty"}, "[1,\n  2]", None),
        ({"type": "integer"}, {"numbers": "plain"}, "1e2", True),
        ({"type": "string"}, {"escapes": "minimal"}, '"\\u0041"', True),
        ({"properties": {"a": {}, "b": {}}}, {"order": "any"}, '{"b":1,"a":1}', False),
        ({}, {"outermost": "object"}, "1", True),
        ({"format": "date"}, {"formats": "ignore"}, '"x"', False),
        ({"type": "array", "prefixItems": [{"const": 1}]}, {"draft": "7"}, "[2]", False),
        ({"type": "string", "nullable": True}, {"draft": "openapi-3.0"}, "null", False),
        ({"type": "string", "pattern": "^[[:digit:]]$"}, {"patterns": "pcre"}, '"7"', False),
        ({"$ref": "https://example.org/n"}, {"documents": DOCUMENT}, "7", None),
        ({"type": "string"}, {"forbidden": ["<end>"]}, '"<end>"', True),
    ],
)
def test_schemas(schema: Any, options: dict[str, Any], text: str, by_default: bool | None) -> None:
    if by_default is not None:
        assert takes(Constraint.from_json_schema(BYTES, schema), text) is by_default
    assert takes(Constraint.from_json_schema(BYTES, schema, **options), text) is (not by_default)


# A call of `f`, a call of `g`, an answer: which of them a choice leaves.
TURNS = [CALL % "{}" + "<|call|>", CALL.replace(".f", ".g") % "{}" + "<|call|>", "<|channel|>final<|message|>a<|return|>"]


@pytest.mark.parametrize(
    ("choice", "left"),
    [
        ("auto", [True, True, True]),
        ("none", [False, False, True]),
        ("required", [True, True, False]),
        ({"type": "any"}, [True, True, False]),
        ({"functionCallingConfig": {"mode": "ANY"}}, [True, True, False]),
        ("g", [False, True, False]),
        ({"type": "tool", "name": "g"}, [False, True, False]),
        ({"type": "function", "function": {"name": "g"}}, [False, True, False]),
        ({"type": "function", "name": "g"}, [False, True, False]),
        (
            {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
            [True, False, True],
        ),
    ],
)
def test_tool_choices(choice: Any, left: list[bool]) -> None:
    constraint = Constraint.from_format(BYTES, "harmony", tools=[TOOL, {**TOOL, "name": "g"}], tool_choice=choice)
    assert [takes(constraint, turn) for turn in TURNS] == left


@pytest.mark.parametrize(
    ("options", "arguments", "by_default"),
    [
        ({"whitespace": "json"}, '{"n":   1}', False),
        ({"whitespace": "compact"}, '{"n": 1}', True),
        ({"numbers": "any"}, '{"n":1.00000000000000000}', False),
        ({"order": "any"}, '{"s":"","n":1}', False),
        ({"escapes": "minimal"}, '{"s":"\\u0041"}', True),
        ({"deadline_ms": True}, '{"n":1,"deadline_ms":5}', None),
    ],
)
def test_arguments(options: dict[str, Any], arguments: str, by_default: bool | None) -> None:
    text = CALL % arguments + "<|call|>"
    tool = TOOL if by_default is not None else {**TOOL, "parameters": {**TOOL["parameters"], "additionalProperties": False}}
    plain = takes(Constraint.from_format(BYTES, "harmony", tools=[tool]), text)
    assert plain is bool(by_default)
    assert takes(Constraint.from_format(BYTES, "harmony", tools=[tool], **options), text) is (not plain)


@pytest.mark.parametrize(
    ("method", "source", "inside"),
    [
        ("from_structural_tag", {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": {"type": "integer"}}}, "%s"),
        ("from_lark", 'start: "<" %json {"type": "integer"} ">"', "<%s>"),
    ],
)
def test_schemas_within_others(method: str, source: Any, inside: str) -> None:
    compile_source = getattr(Constraint, method)
    assert takes(compile_source(BYTES, source), inside % "1e2")
    assert not takes(compile_source(BYTES, source, numbers="plain"), inside % "1e2")


def test_dialects_of_a_regular_expression() -> None:
    assert not takes(Constraint.from_regex(BYTES, r"\d", dialect="ecma"), "\u0661")
    assert takes(Constraint.from_regex(BYTES, r"\d"), "\u0661")


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no option colour"):
        Constraint.from_json_schema(BYTES, {}, colour="red")  # type: ignore[call-arg]
