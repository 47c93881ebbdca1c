"""Counts the lines of each layer, without unit tests: `python3 docs/internals/lines.py [REVISION...]`.

"Lines" are all, "code" is without blank lines and comments. A layer that an earlier revision has under another
name is counted with the one that it became. "Remembering" is what bodies of JSON Schema remember of keys and items.
"""

import re
import subprocess
import sys

# What became of folders.
MOVED = [("src/cli/", "cli/src/"), ("src/main.rs", "cli/src/main.rs"), ("src/ffi/", "capi/src/"),
         ("src/transcript/", "transcript/src/")]
REMEMBERING = re.compile(
    r"json_schema/(lower/(distinct|unique|fresh|lowering/reading|object/stage)|normal/unique_items|shape/unique)\b")
TESTS = re.compile(r"/tests?(/|\.rs$)|_tests\.rs$")


def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout


def layer(path):
    for before, after in MOVED:
        path = path.replace(before, after) if path.startswith(before) else path
    if not path.startswith("src/"):
        return path.split("/")[0] + "/"
    if "front/json_schema/lint" in path:
        return "front/schema_lint"
    if REMEMBERING.search(path):
        return "front/json_schema: remembering"
    parts = path.split("/")
    return "/".join(parts[1:3]) if parts[1] == "front" and len(parts) > 3 else parts[1]


def counted(text):
    """All lines that are not of unit tests, and how many of them are code."""
    text = re.sub(r"^#\[cfg\(test\)\]\n(?:#\[path.*\n)?mod \w+;\n", "", text, flags=re.M)
    lines = re.split(r"^#\[cfg\(test\)\]$", text, maxsplit=1, flags=re.M)[0].splitlines()
    return len(lines), sum(1 for line in lines if line.strip() and not line.strip().startswith("//"))


def count(revision):
    layers = {}
    for path in git("ls-tree", "-r", "--name-only", revision).splitlines():
        own = re.match(r"(src|cli/src|capi/src|transcript/src)/", path)
        if own and path.endswith(".rs") and not TESTS.search(path):
            lines, code = counted(git("show", f"{revision}:{path}"))
            files, all_lines, all_code = layers.get(layer(path), (0, 0, 0))
            layers[layer(path)] = (files + 1, all_lines + lines, all_code + code)
    return layers


revisions = sys.argv[1:] or ["HEAD"]
columns = [count(revision) for revision in revisions]
print("| layer |" + "".join(f" {r}: files | lines | code |" for r in revisions))
print("|---|" + "--:|" * 3 * len(revisions))
for name in [*sorted({name for column in columns for name in column}), "all"]:
    cells = []
    for column in columns:
        sums = [sum(x) for x in zip(*column.values())] if name == "all" else column.get(name, (0, 0, 0))
        cells += [f" {number:,} |" for number in sums]
    print(f"| {name} |" + "".join(cells))
