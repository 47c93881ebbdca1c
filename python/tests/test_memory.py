"""Masks go into the memory of others, and what does not fit is refused."""

from __future__ import annotations

import array
import ctypes

import numpy as np
import pytest

import maskwright
from maskwright import Bitmask, Constraint, Vocabulary


@pytest.fixture(scope="module")
def session(byte_vocabulary: Vocabulary) -> maskwright.Session:
    return Constraint.from_json_schema(byte_vocabulary, {"enum": [10, 101]}).session()


def bits(row: np.ndarray) -> list[int]:
    return np.flatnonzero(np.unpackbits(np.ascontiguousarray(row).view(np.uint8), bitorder="little")).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_numpy(session: maskwright.Session, dtype: type) -> None:
    one = np.full(9, 7, dtype=dtype)
    session.fill(one)
    assert bits(one) == [ord("1")]
    many = np.full((4, 9), 7, dtype=dtype)
    session.fill(many, 2)
    assert bits(many[2]) == [ord("1")] and (many[[0, 1, 3]] == 7).all()


def test_rows_that_are_apart(session: maskwright.Session) -> None:
    wide = np.zeros((3, 20), dtype=np.int32)
    session.fill(wide[:, 4:13], 1)
    assert bits(wide[1, 4:13]) == [ord("1")]
    assert not wide[0].any() and not wide[2].any() and not wide[1, :4].any() and not wide[1, 13:].any()


@pytest.mark.parametrize(
    "make",
    [lambda: array.array("i", [0] * 9), lambda: memoryview(bytearray(36)).cast("i"), lambda: (ctypes.c_uint32 * 9)()],
)
def test_other_buffers(session: maskwright.Session, make) -> None:  # type: ignore[no-untyped-def]
    buffer = make()
    session.fill(buffer)
    assert bits(np.frombuffer(buffer, dtype=np.int32)) == [ord("1")]


def test_an_address_is_the_callers_word(session: maskwright.Session) -> None:
    memory = np.zeros((3, 12), dtype=np.int32)
    mask = Bitmask.from_pointer(memory.ctypes.data, rows=3, words=9, stride=12)
    session.fill(mask, 2)
    assert bits(memory[2, :9]) == [ord("1")] and not memory[:2].any()
    with pytest.raises(ValueError, match="stride"):
        Bitmask.from_pointer(memory.ctypes.data, rows=3, words=9, stride=8)
    with pytest.raises(ValueError, match="address"):
        Bitmask.from_pointer(0, rows=1, words=9)


def test_own_memory_is_seen_without_a_copy(session: maskwright.Session, byte_vocabulary: Vocabulary) -> None:
    mask = Bitmask.allocate(2, byte_vocabulary)
    seen = np.asarray(mask)
    assert seen.shape == (2, 9) and not seen.any()
    session.fill(mask, 1)
    assert bits(seen[1]) == mask.allowed(1) == [ord("1")]


def read_only() -> np.ndarray:
    frozen = np.zeros(9, dtype=np.int32)
    frozen.flags.writeable = False
    return frozen


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: np.zeros(8, dtype=np.int32), ValueError),
        (lambda: np.zeros(9, dtype=np.int64), TypeError),
        (lambda: np.zeros(9, dtype=np.float32), TypeError),
        (lambda: np.zeros((2, 2, 9), dtype=np.int32), ValueError),
        (lambda: np.zeros((9, 9), dtype=np.int32).T, BufferError),
        (lambda: np.zeros(18, dtype=np.int32)[::2], BufferError),
        (lambda: np.zeros(9, dtype=np.int32)[::-1], BufferError),
        (read_only, (BufferError, TypeError)),
        (lambda: bytes(36), TypeError),
        (lambda: array.array("d", [0.0] * 9), TypeError),
        (lambda: [0] * 9, TypeError),
    ],
)
def test_what_does_not_fit_is_refused(session: maskwright.Session, make, error) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error):
        session.fill(make())


def test_both_numbers_are_told(session: maskwright.Session) -> None:
    with pytest.raises(ValueError, match="a row has 8 words, where the vocabulary needs 9"):
        session.fill(np.zeros((2, 8), dtype=np.int32))
    with pytest.raises(IndexError, match="row 2 of 2"):
        session.fill(np.zeros((2, 9), dtype=np.int32), 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_logits(session: maskwright.Session, byte_vocabulary: Vocabulary, dtype: type) -> None:
    mask = Bitmask.allocate(1, byte_vocabulary)
    session.fill(mask)
    logits = np.zeros((2, 300), dtype=dtype)
    mask.apply(logits, logits_row=1)
    assert np.flatnonzero(np.isfinite(logits[1])).tolist() == [ord("1")]
    assert np.isfinite(logits[0]).all()
    with pytest.raises(TypeError):
        mask.apply(np.zeros(300, dtype=np.int32))
