#!/usr/bin/env python3
"""Draw docs/images/masks.svg and docs/images/compile.svg from the committed results in benches/results.

The results are made by the commands that docs/figures.md names.
"""
import json
import math
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benches/results"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 330, 74, 44, 150, 48
OURS, PEER, INK, FAINT = "#1d6fd8", "#c2372e", "#1f2933", "#d5dce4"
LEVELS = (("p50", "median"), ("p90", "90 %"), ("p99", "99 %"), ("p999", "99.9 %"), ("max", "worst"))


def plot(name, title, ticks, series, unit):
    """Lines over ticks that stand at equal distances, with a logarithmic axis of times in microseconds."""
    values = [value for *_, line in series for value in line]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    x = lambda index: LEFT + across * index / (len(ticks) - 1)
    y = lambda value: TOP + down * (high - math.log10(value)) / (high - low)
    parts = [f'<text x="{LEFT}" y="22" font-size="15" font-weight="600">{escape(title)}</text>']
    for power in range(low, high + 1):
        label = {-3: "1 ns", -2: "10 ns", -1: "0.1 µs", 3: "1 ms", 4: "10 ms", 5: "100 ms", 6: "1 s"}.get(power, f"{10**power:g} µs")
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(10**power):.1f}" y2="{y(10**power):.1f}" stroke="{FAINT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(10**power) + 4:.1f}" text-anchor="end">{label}</text>')
    for index, tick in enumerate(ticks):
        parts.append(f'<text x="{x(index):.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{escape(tick)}</text>')
    parts.append(f'<text x="{LEFT + across / 2:.1f}" y="{HEIGHT - 8}" text-anchor="middle" fill="#6b7785">{escape(unit)}</text>')
    # Labels stand at their lines' ends, as far apart as a line of text is high.
    free = 0
    for label, colour, dash, line in sorted(series, key=lambda one: y(one[3][-1])):
        free = max(free, y(line[-1]))
        points = " ".join(f"{x(index):.1f},{y(value):.1f}" for index, value in enumerate(line))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.2" stroke-dasharray="{dash}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{free + 4:.1f}" fill="{colour}">{escape(label)}</text>')
        free += 16
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="12.5" fill="{INK}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        *parts,
        "</svg>",
    ]
    (ROOT / "docs/images" / name).write_text("\n".join(svg) + "\n")


def masks():
    common = json.loads((RESULTS / "maskbench.json").read_text())["common"]
    series = []
    for engine, colour in (("maskwright", OURS), ("llguidance", PEER)):
        for run, dash in (("cold", ""), ("warm", "5 4")):
            times = common[engine][run]["mask_ns"]
            series.append((f"{engine}, {run}", colour, dash, [times[level] / 1000 for level, _ in LEVELS]))
    title = f"Time of a mask, over {common['schemas']:,} schemas of MaskBench"
    plot("masks.svg", title, [label for _, label in LEVELS], series, "of all masks so many take no longer")


def compiles():
    rows = json.loads((RESULTS / "tools.json").read_text())
    series = [
        (engine, colour, "", [row[engine]["p50"] for row in rows])
        for engine, colour in (("maskwright", OURS), ("llguidance", PEER))
    ]
    plot("compile.svg", "Time to compile a request", [str(row["tools"]) for row in rows], series, "tools in the request")


if __name__ == "__main__":
    masks()
    compiles()
