#!/usr/bin/env python3
"""Hold the calls of a file, as programs spell their arguments, against what tool arguments may be by default.

    python3 harmony-judge/spellings.py target/release/maskwright toolcalls.jsonl

Each line of the file is `{"id", "tools": [...], "calls": [{"name", "arguments", "schema_valid"}]}`; instead of tools, the id of a
line that has them. Every valid call becomes a
Harmony turn in each spelling and is asked of `maskwright accept`, with properties in any order. Prints a line a spelling, then every call
that is refused in one, and exits with 1 if one is refused that writes no integer with a fraction.
"""
import json
import re
import subprocess
import sys


def like_javascript(value):
    """The value as JavaScript has it: a number without a fraction is written without one."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    if isinstance(value, list):
        return [like_javascript(item) for item in value]
    if isinstance(value, dict):
        return {key: like_javascript(item) for key, item in value.items()}
    return value


SPELLINGS = {
    "compact": lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")),
    "json.dumps": json.dumps,
    "json.dumps, ensure_ascii=False": lambda value: json.dumps(value, ensure_ascii=False),
    "JavaScript": lambda value: json.dumps(like_javascript(value), ensure_ascii=False, separators=(",", ":")),
    "indent 2": lambda value: json.dumps(value, ensure_ascii=False, indent=2),
    "indent 4": lambda value: json.dumps(value, ensure_ascii=False, indent=4),
    "tabs": lambda value: json.dumps(value, ensure_ascii=False, indent="\t"),
}


def valid_calls(path):
    with open(path, encoding="utf-8") as lines:
        rows = {row["id"]: row for row in map(json.loads, lines)}
    for row in rows.values():
        tools = row["tools"]
        tools = rows[tools]["tools"] if isinstance(tools, str) else tools
        for call in row["calls"]:
            if call["schema_valid"]:
                yield row["id"], tools, call


def accepted(program, calls, spell):
    """Whether each call is accepted as the whole of a turn."""
    rows = []
    for _, tools, call in calls:
        header = f" to=functions.{call['name']}<|channel|>commentary <|constrain|>json<|message|>"
        rows.append(json.dumps({"tools": tools, "text": header + spell(call["arguments"]) + "<|call|>"}))
    command = [program, "accept", "--order", "any", "--jsonl", "-"]
    answers = subprocess.run(command, input="\n".join(rows), capture_output=True, text=True, check=False).stdout
    verdicts = [answer.get("complete", False) for answer in map(json.loads, answers.splitlines())]
    if len(verdicts) != len(calls):
        sys.exit(f"{len(calls)} rows, {len(verdicts)} answers")
    return verdicts


def main(program, path):
    calls = list(valid_calls(path))
    unexplained = 0
    refused = {}
    for name, spell in SPELLINGS.items():
        verdicts = accepted(program, calls, spell)
        print(f"{name}: {sum(verdicts)} of {len(calls)} accepted", flush=True)
        for (row, _, call), verdict in zip(calls, verdicts):
            if not verdict:
                text = spell(call["arguments"])
                unexplained += not re.search(r"\.0+\b", text)
                refused.setdefault((row, call["name"], json.dumps(call["arguments"])), []).append(name)
    for (row, tool, arguments), names in refused.items():
        print(f"refused: {row} {tool} {arguments[:200]} ({', '.join(names)})")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
