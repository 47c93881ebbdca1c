"""Empty stand-ins for the CUDA libraries that PyPI's torch for Linux links against: it then loads without them.

``python tests/hosts/stub_cuda.py SITE_PACKAGES/torch/lib``. They make 2.7 GB of downloads superfluous where tests run
on a processor only. Each library gets every symbol that torch wants of it, in the version that it wants; nobody calls them.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

VENDOR = re.compile(r"lib(cu|nccl|nv)")
SYMBOL = re.compile(r"(cu|nccl|nv)")


def readelf(option: str, library: pathlib.Path) -> str:
    return subprocess.run(["readelf", option, library], capture_output=True, text=True, check=True).stdout


def versions(library: pathlib.Path) -> dict[str, str]:
    """The library from which each version of a symbol is wanted."""
    found: dict[str, str] = {}
    file = ""
    for line in readelf("-VW", library).splitlines():
        if named := re.search(r"File: (\S+)", line):
            file = named[1]
        elif (version := re.search(r"Name: (\S+)\s+Flags", line)) and file:
            found[version[1]] = file
    return found


def symbols(library: pathlib.Path) -> tuple[set[str], set[str]]:
    """The symbols that a library wants of others, and those that it has, with their versions behind an ``@``."""
    wanted: set[str] = set()
    had: set[str] = set()
    listing = subprocess.run(["readelf", "--dyn-syms", "-W", library], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        words = line.split()
        if len(words) >= 8:
            (wanted if words[6] == "UND" else had).add(words[7].replace("@@", "@"))
    return wanted, had


def stub(folder: pathlib.Path) -> None:
    libraries = sorted(folder.glob("*.so*"))
    needed = {name for library in libraries for name in re.findall(r"NEEDED.*\[(.*)\]", readelf("-dW", library))}
    missing = sorted(name for name in needed - {library.name for library in libraries} if VENDOR.match(name))
    if not missing:
        return
    file_of: dict[str, str] = {}
    wanted: set[str] = set()
    had: set[str] = set()
    for library in libraries:
        file_of |= versions(library)
        own_wanted, own_had = symbols(library)
        wanted |= own_wanted
        had |= {name.partition("@")[0] for name in own_had}
    for library in missing:
        by_version: dict[str, set[str]] = {}
        for symbol in wanted:
            name, _, version = symbol.partition("@")
            if version and file_of.get(version) == library:
                by_version.setdefault(version, set()).add(name)
            elif not version and library == missing[0] and name not in had and SYMBOL.match(name):
                by_version.setdefault("", set()).add(name)
        compile_stub(folder / library, by_version)


def compile_stub(library: pathlib.Path, by_version: dict[str, set[str]]) -> None:
    with tempfile.TemporaryDirectory() as build:
        source, script = pathlib.Path(build, "stub.c"), pathlib.Path(build, "versions.map")
        names = sorted(name for names in by_version.values() for name in names)
        source.write_text("".join(f"int {name}(void) {{ return 999; }}\n" for name in names))
        nodes = [f"{version} {{ global: {'; '.join(sorted(names))}; }};" for version, names in by_version.items() if version]
        script.write_text("\n".join(nodes))
        options = [f"-Wl,--version-script={script}"] if nodes else []
        command = ["gcc", "-shared", "-fPIC", "-o", library, f"-Wl,-soname,{library.name}", source, *options]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    stub(pathlib.Path(sys.argv[1]))
