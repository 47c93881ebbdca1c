"""Vocabularies come from what hosts have."""

from __future__ import annotations

import pathlib

import pytest
from conftest import ROOT

import maskwright
from maskwright import Vocabulary

TINY = ROOT / "tests" / "data" / "tiny"


def test_a_file_and_its_folder_are_one() -> None:
    folder, file = Vocabulary.from_file(TINY), Vocabulary.from_file(TINY / "tokenizer.json")
    assert len(folder) == len(file) and folder.end_tokens == file.end_tokens and folder.end_tokens
    assert folder.decode(folder.longest_tokens("Größe")) == "Größe"


def test_the_contents_tell_the_kind_of_a_file(tmp_path: pathlib.Path) -> None:
    tekken = tmp_path / "of a model.json"
    tekken.write_text(
        """{"config": {"default_vocab_size": 3, "default_num_special_tokens": 2}, "vocab": [{"rank": 0, "token_bytes": "YQ=="}],
        "special_tokens": [{"rank": 0, "token_str": "<unk>"}, {"rank": 1, "token_str": "</s>"}]}"""
    )
    read = Vocabulary.from_file(tekken)
    assert (read.specials, read.end_tokens, read.token_bytes(2)) == ({"<unk>": 0, "</s>": 1}, [1], b"a")
    ranks = tmp_path / "tokenizer.model"
    ranks.write_text("YQ== 0\nYWI= 1\n")
    read = Vocabulary.from_file(ranks, specials=[("<end>", 2)], end_tokens=[2])
    assert read.token_bytes(1) == b"ab" and read.specials == {"<end>": 2}
    with pytest.raises(maskwright.InvalidArgumentError, match="a tekken.json has its own"):
        Vocabulary.from_file(tekken, specials=[("<end>", 2)])
    (tmp_path / "cut.gguf").write_bytes(b"GGUF\x03\0\0\0")
    with pytest.raises(maskwright.MalformedError, match="the metadata end too early"):
        Vocabulary.from_file(tmp_path / "cut.gguf")


def test_hugging_face() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(TINY / "tokenizer.json"))
    read = Vocabulary.from_file(TINY)
    vocabulary = Vocabulary.from_hf(tokenizer, end_tokens=read.end_tokens)
    assert len(vocabulary) == len(read) and vocabulary.specials == read.specials
    assert all(vocabulary.token_bytes(id) == read.token_bytes(id) for id in range(len(read)))


class Encoding:
    """As `tiktoken.Encoding` answers."""

    n_vocab = 7
    eot_token = 6
    special_tokens_set = {"<|endoftext|>"}
    tokens = {0: b"a", 1: b"b", 2: b'"', 4: b"ab"}

    def encode_single_token(self, text: str) -> int:
        assert text == "<|endoftext|>"
        return 6

    def decode_single_token_bytes(self, id: int) -> bytes:
        return self.tokens[id]


def test_tiktoken() -> None:
    vocabulary = Vocabulary.from_tiktoken(Encoding())
    assert len(vocabulary) == 7 and vocabulary.end_tokens == [6]
    assert [vocabulary.token_bytes(id) for id in range(7)] == [b"a", b"b", b'"', None, b"ab", None, None]


def test_logits_beyond_the_tokens() -> None:
    vocabulary = Vocabulary.from_tokens(["1", None, "2"], specials={"<end>": 3}, end_tokens=[3], logits=64)
    assert len(vocabulary) == 64 and vocabulary.mask_words == 2
    assert vocabulary.with_logits(96).mask_words == 3
    with pytest.raises(maskwright.MalformedError, match="2 logits cannot hold token ids up to 3"):
        vocabulary.with_logits(2)


def test_o200k_is_never_downloaded(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.delenv("TIKTOKEN_ENCODINGS_BASE", raising=False)
    with pytest.raises(maskwright.InvalidArgumentError, match="no ranks") as raised:
        Vocabulary.o200k_harmony()
    assert raised.value.hint is not None and "TIKTOKEN_ENCODINGS_BASE" in raised.value.hint
    monkeypatch.setenv("TIKTOKEN_ENCODINGS_BASE", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="o200k_base.tiktoken"):
        Vocabulary.o200k_harmony()
    (tmp_path / "o200k_base.tiktoken").write_text("YQ== 0\n")
    with pytest.raises(maskwright.MalformedError, match="1 tokens, where o200k has 199998"):
        Vocabulary.o200k_harmony()


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Vocabulary.from_tokens(["a"], specials={"<e>": 0}), "given twice"),
        (lambda: Vocabulary.from_tokens([None]), "no ordinary token"),
        (lambda: Vocabulary.from_tokens(["a"], end_tokens=[0]), "end token 0"),
        (lambda: Vocabulary.from_tokenizer_json("{"), "tokenizer.json"),
        (lambda: Vocabulary.from_hf(object()), "no `tokenizer.json`"),
    ],
)
def test_what_is_wrong_is_told(make, match: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(maskwright.MaskwrightError, match=match):
        make()


def test_constraints_share_a_budget() -> None:
    most = 1 << 20
    vocabulary = Vocabulary.from_file(TINY, constraint_bytes=most)
    schema = {"type": "array", "items": {"type": "object"}}
    constraints = [maskwright.Constraint.from_json_schema(vocabulary, schema) for _ in range(24)]
    sessions = [constraint.session() for constraint in constraints]
    opening = "["
    for number in range(100):
        tokens = vocabulary.longest_tokens(f'{opening}{{"k{number}": {number}}}')
        for session in sessions:
            for token in tokens:
                session.accept(token)
        opening = ","
    assert most // 4 < vocabulary.constraint_bytes <= most + most // 4
    for session in sessions:
        session.rollback(1)
        session.accept(tokens[-1])
    del session, sessions, constraints
    assert vocabulary.constraint_bytes == 0
    assert vocabulary.with_logits(len(vocabulary) + 5).constraint_bytes == 0


def test_a_small_cache_changes_no_mask() -> None:
    schema = {"type": "object", "additionalProperties": {"type": ["string", "integer"]}}
    masks = []
    for cache_bytes in [None, 1]:
        vocabulary = Vocabulary.from_file(TINY, cache_bytes=cache_bytes)
        session = maskwright.Constraint.from_json_schema(vocabulary, schema).session()
        rows = maskwright.Bitmask.allocate(1, vocabulary)
        for token in vocabulary.longest_tokens('{"a": 1, "b": "c"}'):
            maskwright.fill([session], rows)
            masks.append(rows.allowed(0))
            session.accept(token)
    assert masks[: len(masks) // 2] == masks[len(masks) // 2 :]
