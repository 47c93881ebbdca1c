#!/usr/bin/env python3
"""Reads turns, a JSON object a line, and prints their texts for a judge; a turn that is not complete is an error.

With the path of a JSON Schema, each text must be a value of it: the package jsonschema judges.
"""

import json
import sys

import jsonschema

validator = None
if len(sys.argv) > 1:
    with open(sys.argv[1], encoding="utf-8") as file:
        validator = jsonschema.Draft202012Validator(json.load(file))
for number, line in enumerate(sys.stdin, 1):
    turn = json.loads(line)
    if not turn["complete"]:
        sys.exit(f"turn {number} is not complete: {turn['text']!r}")
    if validator is not None:
        validator.validate(json.loads(turn["text"]))
    print(json.dumps({"text": turn["text"]}))
