#!/usr/bin/env python3
"""Time compiles against the number of tools, both engines in one run: benches/results/tools.json.

    cargo build --release && benches/tools.py

For each number of tools there are fifteen schemas: a call of one of the tools, by name and arguments. No two
tools of all schemas are alike, so that nothing compiled for one helps the next.
"""
import json
import random
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "target/release/maskwright"
COUNTS = (1, 2, 4, 8, 16, 32, 64, 128)
SCHEMAS = 15
WORDS = "account amount city colour date depth end file folder id kind language limit name note order page place query range"
KINDS = (
    lambda r: {"type": "string", "maxLength": r.randrange(20, 400)},
    lambda r: {"type": "integer", "minimum": 0, "maximum": r.randrange(9, 9_999)},
    lambda r: {"enum": r.sample(WORDS.split(), 4)},
    lambda r: {"type": "boolean"},
    lambda r: {"type": "array", "items": {"type": "string"}, "maxItems": r.randrange(2, 30)},
)


def call(r, name):
    """A call of one tool with five parameters, of which two must be given."""
    names = [f"{word}_{r.randrange(100)}" for word in r.sample(WORDS.split(), 5)]
    arguments = {
        "type": "object",
        "properties": {name: r.choice(KINDS)(r) for name in names},
        "required": names[:2],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"name": {"const": name}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


def main():
    r, rows = random.Random(1), []
    for count in COUNTS:
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            for index in range(SCHEMAS):
                calls = [call(r, f"tool_{index}_{number}_{r.randrange(10**6)}") for number in range(count)]
                row = {"file": f"tools-{count}-{index}", "group": "tools", "features": [], "schema": {"anyOf": calls}, "tests": []}
                file.write(json.dumps(row) + "\n")
            file.flush()
            command = [PROGRAM, "maskbench", file.name, "--engine", "both", "--json"]
            common = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["common"]
        times = {engine: common[engine]["compile_us"] for engine in ("maskwright", "llguidance")}
        rows.append({"tools": count, "schemas": common["schemas"], **times})
        print(count, {engine: time["p50"] for engine, time in times.items()}, flush=True)
    (ROOT / "benches/results/tools.json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
