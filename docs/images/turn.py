#!/usr/bin/env python3
"""Draw docs/images/turn.svg: a turn of gpt-oss step by step, and what its mask struck out.

    cargo build --release && docs/images/turn.py

What may come next is asked of the program, not written down here: each candidate is appended to the turn so far and
given to `maskwright accept`.
"""
import json
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/maskwright"

# The piece that the turn goes on with, and what a sampler might have taken instead.
STEPS = [
    ("<|channel|>", ["Sure! ", "<|message|>"]),
    ("commentary", ["analysis", "tool_calls"]),
    (" to=functions.", [" to=weather.", "<|end|>"]),
    ("get_weather", ["search_library", "get_forecast"]),
    ("<|message|>", [" <|constrain|>json", "<|call|>"]),
    ('{"place": ', ['{"city": ', "["]),
    ('"Oslo"', ["null", "42"]),
    (', "days_ahead": ', [', "mood": ', ', "unit": ']),
    ("3", ["99", '"soon"']),
    ("}", ["]", ', "place": ']),
    ("<|call|>", ["<|return|>", "<|start|>"]),
]

LETTER, HEIGHT, PAD, GAP = 7.9, 24, 9, 8
INK, FAINT, RED, FIELD, CONTROL = "#1f2933", "#6b7785", "#c2372e", "#eef2f6", "#dbe9fb"


def allowed(texts, tools):
    """For each text, whether some turn begins with it."""
    rows = "\n".join(json.dumps({"text": text, "tools": tools}) for text in texts)
    command = [PROGRAM, "accept", "--format", "harmony", "--jsonl", "-"]
    output = subprocess.run(command, input=rows, capture_output=True, text=True, check=False).stdout
    return [json.loads(line)["accepted"] for line in output.splitlines()]


def box(x, y, text, taken, ok):
    width = len(text) * LETTER + 2 * PAD
    fill = CONTROL if text.strip().startswith("<|") else FIELD
    colour = INK if ok else RED
    parts = [f'<text x="{x + PAD:.1f}" y="{y + 16}" fill="{colour if taken or not ok else FAINT}">{escape(text)}</text>']
    if taken:
        parts.insert(0, f'<rect x="{x}" y="{y}" width="{width:.1f}" height="{HEIGHT}" rx="5" fill="{fill}"/>')
    if not ok:
        parts.append(f'<line x1="{x + PAD - 3:.1f}" y1="{y + 12}" x2="{x + width - PAD + 3:.1f}" y2="{y + 12}" stroke="{RED}"/>')
    return parts


def main():
    tools = json.loads((ROOT / "examples/tools.json").read_text())
    texts, turn = [], ""
    for taken, others in STEPS:
        texts += [turn + piece for piece in (taken, *others)]
        turn += taken
    verdicts = iter(allowed(texts, tools))
    parts, x, y, right = [], 0.0, 0, 0.0
    for taken, others in STEPS:
        width = max(len(piece) for piece in (taken, *others)) * LETTER + 2 * PAD
        if x + width > 900:
            x, y = 0.0, y + 3 * HEIGHT + 22
        for row, piece in enumerate((taken, *others)):
            parts += box(round(x, 1), y + row * (HEIGHT + 1), piece, row == 0, next(verdicts))
        x += width + GAP
        right = max(right, x)
    height = y + 3 * HEIGHT + 34
    note = "Top row: the turn. Below: what else the mask allows there, and, struck out, what it does not."
    print(f"turn.svg: {len(texts)} candidates")
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 -12 {right + 16:.0f} {height + 12:.0f}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13" xml:space="preserve">',
        f"<title>{note}</title>",
        f'<rect x="-12" y="-12" width="{right + 16:.0f}" height="{height + 12:.0f}" fill="#ffffff"/>',
        *parts,
        f'<text x="{PAD}" y="{height - 12}" fill="{FAINT}" font-family="system-ui, sans-serif" font-size="12.5">{note}</text>',
        "</svg>",
    ]
    (ROOT / "docs/images/turn.svg").write_text("\n".join(svg) + "\n")


if __name__ == "__main__":
    main()
