"""Vocabularies that tests share."""

from __future__ import annotations

import pathlib

import pytest

import maskwright

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def byte_vocabulary() -> maskwright.Vocabulary:
    """A token for each byte, and one that ends a text."""
    return maskwright.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)], specials={"<end>": 256}, end_tokens=[256]
    )


@pytest.fixture(scope="session")
def tiny() -> maskwright.Vocabulary:
    """The small vocabulary of the repository's own tests."""
    return maskwright.Vocabulary.from_file(ROOT / "tests" / "data" / "tiny")
