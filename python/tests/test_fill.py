"""A batch is its rows one by one, and drafts are the rows after each of their tokens."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

import maskwright
from maskwright import Bitmask, Constraint, Session, Vocabulary


def one_by_one(session: Session, draft: list[int], words: int) -> tuple[list[np.ndarray], int]:
    """The rows that a draft reaches, by single calls."""
    rows, copy = [], session.copy()
    for token in [*draft, None]:
        if copy.has_ended:
            return rows, len(rows)
        row = np.zeros(words, dtype=np.int32)
        copy.fill(row)
        rows.append(row)
        if token is None or token < 0 or not copy.allows(token):
            return rows, len(rows) - 1
        copy.accept(token)
    raise AssertionError


@pytest.fixture(scope="module")
def constraint(byte_vocabulary: Vocabulary) -> Constraint:
    return Constraint.from_json_schema(byte_vocabulary, {"type": "array", "items": {"enum": [1, 22]}}, whitespace="compact")


DRAFTS = {
    "none": [],
    "good": list(b"[1,2"),
    "refused": list(b"[1x1]"),
    "refused at once": list(b"x["),
    "to the end": [*b"[1]", 256, 256],
    "padded": [*b"[1", -1, -1],
    "padded behind a refusal": [*b"[x", -1],
}


@pytest.mark.parametrize("beyond", ["zero", "last", "all"])
def test_drafts(constraint: Constraint, byte_vocabulary: Vocabulary, beyond: str) -> None:
    words = byte_vocabulary.mask_words
    sessions = [constraint.session() for _ in DRAFTS]
    rows = sum(len(draft) + 1 for draft in DRAFTS.values())
    mask = np.full((rows, words), 5, dtype=np.int32)
    accepted = maskwright.fill(sessions, mask, drafts=list(DRAFTS.values()), beyond=beyond)
    at = 0
    for session, draft, count in zip(sessions, DRAFTS.values(), accepted):
        reached, taken = one_by_one(session, draft, words)
        assert count == taken
        own = mask[at : at + len(draft) + 1]
        at += len(draft) + 1
        assert len(session) == 0
        padding = next((index for index, token in enumerate(draft) if token < 0), len(draft))
        for index, row in enumerate(own):
            if index < len(reached):
                expected = reached[index]
            elif index > padding:
                expected = np.full(words, -1)
            else:
                expected = {"zero": np.zeros(words), "last": reached[-1], "all": np.full(words, -1)}[beyond]
            assert (row == expected).all(), (draft, index)


def test_a_large_batch_goes_to_threads(constraint: Constraint, byte_vocabulary: Vocabulary) -> None:
    texts = [b"", b"[", b"[1", b"[1,", b"[2", b"[22,1]"]
    sessions = []
    for index in range(600):
        session = constraint.session()
        session.advance(list(texts[index % len(texts)]))
        sessions.append(session)
    mask = Bitmask.allocate(600, byte_vocabulary)
    maskwright.fill(sessions, mask)
    single = np.zeros((600, byte_vocabulary.mask_words), dtype=np.int32)
    for index, session in enumerate(sessions):
        session.fill(single, index)
    assert (np.asarray(mask) == single).all()


def test_rows_are_given(constraint: Constraint, byte_vocabulary: Vocabulary) -> None:
    mask = np.full((6, byte_vocabulary.mask_words), 5, dtype=np.int32)
    sessions = [constraint.session(), constraint.session()]
    assert maskwright.fill(sessions, mask, rows=[4, 1], drafts=[[ord("[")], []]) == [1, 0]
    assert (mask[[0, 2, 3]] == 5).all() and (mask[4] == mask[1]).all() and (mask[5] != 5).any()


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"rows": [0, 0]}, ValueError, "overlap"),
        ({"rows": [0, 3]}, IndexError, "session 1 needs rows 3 to 3, of 3"),
        ({"rows": [0]}, ValueError, "`rows` has 1 members"),
        ({"drafts": [[], [1], []]}, ValueError, "`drafts` has 3 members"),
        ({"drafts": [[1, 1], [1]]}, IndexError, "session 1"),
        ({"beyond": "ones"}, maskwright.InvalidArgumentError, "beyond"),
    ],
)
def test_what_does_not_fit_is_refused(constraint: Constraint, byte_vocabulary: Vocabulary, options, error, match) -> None:  # type: ignore[no-untyped-def]
    mask = np.full((3, byte_vocabulary.mask_words), 5, dtype=np.int32)
    with pytest.raises(error, match=match):
        maskwright.fill([constraint.session(), constraint.session()], mask, **options)
    assert (mask == 5).all()


def test_one_that_fails_does_not_stop_the_others(constraint: Constraint, byte_vocabulary: Vocabulary) -> None:
    ended = constraint.session()
    ended.advance([*b"[]", 256])
    mask = np.full((2, byte_vocabulary.mask_words), 5, dtype=np.int32)
    with pytest.raises(maskwright.FillError) as raised:
        maskwright.fill([ended, constraint.session()], mask)
    [(index, error)] = raised.value.failures
    assert index == 0 and isinstance(error, maskwright.EndedError)
    assert not mask[0].any() and (mask[1] != 5).any()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork()")
def test_a_child_of_a_fork_is_told_that_it_has_no_threads(byte_vocabulary: Vocabulary, constraint: Constraint) -> None:
    def work() -> bool:
        """What a child checks, in a process that has filled a large batch before."""
        session = constraint.session()
        mask = np.full((2, byte_vocabulary.mask_words), 5, dtype=np.int32)
        try:
            maskwright.fill([session, session], mask)
        except maskwright.UnsupportedError:
            session.fill(mask[0])
            session.accept(ord("["))
            return bool((mask[0] != 5).any())
        return False

    many = 300
    maskwright.fill([constraint.session()] * many, np.zeros((many, byte_vocabulary.mask_words), dtype=np.int32))
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if work() else 1)
    assert os.waitpid(child, 0)[1] == 0
