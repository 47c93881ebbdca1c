"""Whatever is refused says what, where, and what may help."""

from __future__ import annotations

import pickle

import pytest

import maskwright
from maskwright import Constraint, Grammar, Vocabulary

TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(
    ("schema", "error", "expected"),
    [
        ({"items": {"pattern": "(a)\\1"}}, "UnsupportedError", {"pointer": "#/items/pattern", "keyword": "pattern"}),
        ({"minimum": "1"}, "MalformedError", {"pointer": "#/minimum", "keyword": "minimum"}),
        ({"type": "integer", "enum": ["a"]}, "UnsatisfiableError", {"pointer": "#"}),
        ('{"type":\n "string",}', "MalformedError", {"line": 2, "column": 11}),
        ({"const": float("nan")}, "MalformedError", {}),
        ({"const": {1, 2}}, "MalformedError", {}),
    ],
)
def test_schemas(schema: object, error: str, expected: dict[str, object]) -> None:
    with pytest.raises(maskwright.MaskwrightError) as raised:
        Grammar.from_json_schema(schema)
    assert type(raised.value).__name__ == error
    assert {name: getattr(raised.value, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"tools": "[{]"}, "MalformedError", "tools"),
        ({"tools": [{"name": "a b"}]}, "MalformedError", "#/0/name"),
        ({"tool_choice": "required"}, "InvalidArgumentError", "no tools are given"),
        ({"tools": TOOLS, "tool_choice": "g"}, "InvalidArgumentError", "`g`"),
        ({"tools": TOOLS, "tool_choice": {"type": "x"}}, "InvalidArgumentError", "tool_choice"),
        ({"start": "nothing"}, "InvalidArgumentError", "no rule"),
        ({"thoughts": {"reason": "offered"}}, "InvalidArgumentError", "harmony"),
        ({"whitespace": "tabs"}, "InvalidArgumentError", "whitespace"),
        ({"whitespace": "/x/"}, "MalformedError", "white space"),
        ({"limits": {"rules": 1}}, "LimitError", "1 allowed"),
        ({"limits": {"rule": 1}}, "InvalidArgumentError", "no limit"),
        ({"response_schema": {"pattern": "(a)\\1"}}, "UnsupportedError", "#/pattern"),
        ({"prompt": "Hello"}, "MalformedError", "does not end where the assistant"),
        ({"prompt": [1, 2]}, "InvalidArgumentError", "vocabulary"),
    ],
)
def test_formats(options: dict[str, object], error: str, match: str) -> None:
    with pytest.raises(maskwright.MaskwrightError, match=match) as raised:
        Grammar.from_format("harmony", **options)  # type: ignore[arg-type]
    assert type(raised.value).__name__ == error


def test_a_tools_schema_is_told_by_its_place_in_the_list() -> None:
    tools = [{"name": "f", "parameters": {"properties": {"x": {"pattern": "(a)\\1"}}}}]
    with pytest.raises(maskwright.UnsupportedError) as raised:
        Grammar.from_format("harmony", tools=tools)
    assert raised.value.pointer == "#/0/parameters/properties/x/pattern"


def test_unknown_keywords_are_no_options() -> None:
    with pytest.raises(TypeError, match="parallel"):
        Grammar.from_format("harmony", parallel=True)  # type: ignore[call-arg]
    with pytest.raises(maskwright.InvalidArgumentError, match="no format") as raised:
        Grammar.from_format("vicuna")
    assert raised.value.hint is not None and "harmony" in raised.value.hint


def test_all_faults_of_a_grammar() -> None:
    with pytest.raises(maskwright.MalformedError) as raised:
        Grammar.from_abnf("assistant-turn = missing / gone\n")
    assert [fault.line for fault in raised.value.faults] == [1, 1]
    assert {"missing", "gone"} <= {word.strip("`") for fault in raised.value.faults for word in fault.message.split()}


def test_errors_can_be_sent_to_other_processes() -> None:
    with pytest.raises(maskwright.UnsupportedError) as raised:
        Grammar.from_json_schema({"pattern": "(a)\\1"})
    again = pickle.loads(pickle.dumps(raised.value))
    assert again.faults == raised.value.faults and str(again) == str(raised.value)


def test_check_and_lint() -> None:
    faults = maskwright.check({"minimum": "one", "pattern": "(a)\\1"})
    assert {fault.keyword for fault in faults} == {"minimum", "pattern"}
    [warning] = maskwright.lint({"propertees": {}})
    assert warning.lint == "misspelt-keyword" and warning.pointer == "#/propertees"
    assert maskwright.report({"format": "nobody-knows"}).unknown_formats == ["nobody-knows"]


def test_documents(byte_vocabulary: Vocabulary) -> None:
    schema = {"$ref": "https://example.org/unit"}
    with pytest.raises(maskwright.MaskwrightError):
        Grammar.from_json_schema(schema)
    constraint = Constraint.from_json_schema(
        byte_vocabulary, schema, documents={"https://example.org/unit": {"const": 1}}
    )
    assert constraint.session().allowed_tokens() == [ord("1")]


@pytest.mark.parametrize(
    ("make", "error", "expected"),
    [
        (
            lambda: Grammar.from_regex("a(b"),
            "MalformedError",
            {"source": "regex", "line": 1, "excerpt": "  a(b\n   ^"},
        ),
        (lambda: Grammar.from_regex("a$b"), "UnsatisfiableError", {"source": "regex"}),
        (
            lambda: Grammar.from_regex(r"(a|b)\1"),
            "UnsupportedError",
            {
                "source": "regex",
                "column": 6,
                "keyword": "back-reference",
                "hint": "write out, as alternatives, each text that the group may match",
            },
        ),
        (lambda: Grammar.from_lark(r"start: /(a|b)\1/"), "UnsupportedError", {"source": "lark", "line": 1}),
        (lambda: Grammar.from_choice([]), "UnsatisfiableError", {"source": "choice"}),
        (lambda: Grammar.from_choice('["yes", 1]'), "MalformedError", {"line": 1, "column": 9}),
        (lambda: Grammar.from_ebnf("root ::= number"), "MalformedError", {"line": 1, "column": 10}),
        (lambda: Grammar.from_structural_tag("{"), "MalformedError", {"source": "structural_tag", "line": 1}),
        (
            lambda: Grammar.from_structural_tag({"type": "structural_tag", "format": {"type": "nonsense"}}),
            "MalformedError",
            {"pointer": "#/format/type"},
        ),
        (
            lambda: Grammar.from_structural_tag(
                {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": {"pattern": "(a)\\1"}}}
            ),
            "UnsupportedError",
            {"pointer": "#/format/json_schema/pattern", "keyword": "pattern"},
        ),
        (lambda: Grammar.from_lark("start: number"), "MalformedError", {"line": 1, "column": 8}),
        (lambda: Grammar.from_ebnf('a ::= "b"'), "InvalidArgumentError", {"source": "ebnf"}),
    ],
)
def test_grammars_of_hosts(make, error: str, expected: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(maskwright.MaskwrightError) as raised:
        make()
    assert type(raised.value).__name__ == error
    assert {name: getattr(raised.value, name) for name in expected} == expected
