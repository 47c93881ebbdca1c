"""JSON Schemas that other engines drop in part or refuse; each has only short values."""

from __future__ import annotations

from typing import Any

SCHEMAS: dict[str, Any] = {
    "multipleOf": {"type": "integer", "multipleOf": 35, "minimum": -9999, "maximum": 9999},
    "uniqueItems": {"type": "array", "items": {"enum": [1, 2, 3, 4, 5]}, "uniqueItems": True, "minItems": 3},
    "contains": {
        "type": "array",
        "items": {"enum": ["a", "b", "c"]},
        "contains": {"const": "b"},
        "minContains": 2,
        "maxContains": 2,
        "maxItems": 6,
    },
    "pattern and length": {"type": "string", "pattern": "^[a-f]+(-[0-9]+)?$", "minLength": 5, "maxLength": 8},
    "format and length": {"type": "string", "format": "date", "maxLength": 10},
    "propertyNames": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-c]{1,2}$"},
        "additionalProperties": {"type": "boolean"},
        "minProperties": 2,
        "maxProperties": 3,
    },
    "patternProperties": {
        "type": "object",
        "properties": {"score": {"type": "integer", "maximum": 10}},
        "patternProperties": {"^s[a-z]{0,4}$": {"enum": [5, 7, 10]}, "^[a-z]{0,4}e$": {"enum": [7, 10, 11]}},
        "required": ["score"],
        "maxProperties": 3,
        "additionalProperties": False,
    },
    "several allOf": {"allOf": [{"type": "string", "maxLength": 3}, {"enum": ["yes", "no", "never", 7]}]},
    "oneOf": {"oneOf": [{"type": "integer", "maximum": 9, "minimum": 0}, {"type": "integer", "minimum": 5, "maximum": 20}]},
    "not": {"type": "integer", "minimum": 0, "maximum": 20, "not": {"enum": [3, 4, 5]}},
    "if": {
        "type": "object",
        "properties": {"kind": {"enum": ["a", "b"]}, "size": {"enum": [0, 1, 22]}},
        "required": ["kind"],
        "additionalProperties": False,
        "if": {"properties": {"kind": {"const": "a"}}},
        "then": {"required": ["size"]},
        "else": {"not": {"required": ["size"]}},
    },
    "unevaluatedProperties": {
        "type": "object",
        "allOf": [{"properties": {"a": {"type": "boolean"}}}],
        "properties": {"b": {"type": "null"}},
        "required": ["a"],
        "unevaluatedProperties": False,
    },
}
