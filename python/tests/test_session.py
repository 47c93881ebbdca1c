"""A session keeps its promise, and what fails leaves it as it was."""

from __future__ import annotations

import copy
import json
import random
import re
import threading

import jsonschema
import numpy as np
import pytest
from walk import random_text

import maskwright
from maskwright import Bitmask, Constraint, Vocabulary

SCHEMAS = {
    "object": {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": 8}, "n": {"type": "integer", "multipleOf": 3}},
        "required": ["name", "n"],
        "additionalProperties": False,
    },
    "distinct": {"type": "array", "items": {"enum": [1, 2, 3, 4]}, "uniqueItems": True, "minItems": 2},
    "pattern": {"type": "string", "pattern": "^[a-c]+-[0-9]{2,4}$", "maxLength": 9},
    "not": {"type": "integer", "not": {"minimum": 0, "maximum": 99}},
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_random_texts_are_valid(byte_vocabulary: Vocabulary, tiny: Vocabulary, name: str) -> None:
    schema = SCHEMAS[name]
    for vocabulary in (byte_vocabulary, tiny):
        constraint = Constraint.from_json_schema(vocabulary, schema)
        for seed in range(25):
            text = vocabulary.decode(random_text(constraint, seed))
            for end in vocabulary.end_tokens:
                text = text.removesuffix(vocabulary.decode([end]))
            jsonschema.validate(json.loads(text), schema)


def test_grammars_of_hosts(byte_vocabulary: Vocabulary) -> None:
    for constraint, texts in [
        (Constraint.from_regex(byte_vocabulary, "[0-9]{2}-(x|yz)"), lambda text: re.fullmatch("[0-9]{2}-(x|yz)", text)),
        (Constraint.from_choice(byte_vocabulary, ["yes", "no", "nobody"]), lambda text: text in ("yes", "no", "nobody")),
        (
            Constraint.from_ebnf(byte_vocabulary, 'root ::= root "+" n | n\nn ::= [0-9]'),
            lambda text: re.fullmatch("[0-9]([+][0-9])*", text),
        ),
    ]:
        for seed in range(20):
            text = byte_vocabulary.decode(random_text(constraint, seed, free=9)).removesuffix("<end>")
            assert texts(text), text


def test_the_mask_is_what_accept_takes(tiny: Vocabulary) -> None:
    constraint = Constraint.from_json_schema(tiny, SCHEMAS["object"])
    session = constraint.session()
    chance = random.Random(7)
    mask = Bitmask.allocate(1, tiny)
    for _ in range(30):
        if session.has_ended:
            break
        session.fill(mask)
        allowed = mask.allowed(0)
        assert allowed == session.allowed_tokens()
        assert allowed == [token for token in range(len(tiny)) if session.validate([token]) == 1]
        session.accept(chance.choice(allowed))


def test_a_refused_token_changes_nothing(byte_vocabulary: Vocabulary) -> None:
    session = Constraint.from_json_schema(byte_vocabulary, {"enum": ["ab"]}).session()
    assert session.advance(list(b'"a')) == 2
    for token in (ord("x"), 256, 100_000):
        with pytest.raises(maskwright.NotAllowedError):
            session.accept(token)
        assert session.tokens == list(b'"a')
    for token in (-1, 2**32):
        with pytest.raises(OverflowError):
            session.accept(token)
    assert session.allowed_tokens() == [ord("b")]
    assert session.advance(list(b'bx')) == 1


def test_the_end_and_what_is_behind_it(byte_vocabulary: Vocabulary) -> None:
    session = Constraint.from_json_schema(byte_vocabulary, {"const": "a"}).session()
    assert session.advance(list(b'"a"')) == 3
    assert session.may_end and session.is_finished and not session.has_ended
    session.accept(256)
    assert session.has_ended
    with pytest.raises(maskwright.EndedError):
        session.fill(np.zeros(9, dtype=np.int32))
    assert session.advance([1, 2]) == 0
    assert session.advance([1, 2], after_end="ignore") == 2
    session.rollback(1)
    assert not session.has_ended and session.allowed_tokens() == [256]
    with pytest.raises(maskwright.InvalidArgumentError, match="cannot take back 5"):
        session.rollback(5)
    session.reset()
    assert len(session) == 0


def test_copies_go_their_own_way(byte_vocabulary: Vocabulary) -> None:
    session = Constraint.from_json_schema(byte_vocabulary, {"enum": [10, 11]}).session()
    session.accept(ord("1"))
    other, third = session.copy(), copy.copy(session)
    other.accept(ord("0"))
    third.accept(ord("1"))
    assert (session.tokens, other.tokens, third.tokens) == ([49], [49, 48], [49, 49])


def test_what_is_forced(byte_vocabulary: Vocabulary) -> None:
    constraint = Constraint.from_json_schema(
        byte_vocabulary,
        {"type": "object", "properties": {"city": {"enum": ["Paris"]}}, "required": ["city"]},
        whitespace="compact",
    )
    session = constraint.session()
    session.accept(ord("{"))
    assert session.forced_bytes() == b'"'
    session = Constraint.from_json_schema(byte_vocabulary, {"const": {"city": "Paris"}}, whitespace="compact").session()
    assert session.forced_bytes() == b'{"city":"Paris"}'
    assert session.forced_tokens(lambda text: list(text.encode())) == list(b'{"city":"Paris"}')

    def fails(text: str) -> list[int]:
        raise RuntimeError("no tokeniser")

    with pytest.raises(RuntimeError, match="no tokeniser"):
        session.forced_tokens(fails)


def test_a_text_ends_before_its_deadline(byte_vocabulary: Vocabulary) -> None:
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    start = Constraint.from_json_schema(byte_vocabulary, schema).session()
    needed = start.tokens_needed()
    assert start.tokens_left is None and needed == 5
    with pytest.raises(maskwright.InvalidArgumentError, match="5 suffice"):
        start.deadline(4)
    chance = random.Random(7)
    for extra in range(20):
        session = start.copy()
        session.deadline(needed + extra)
        while not session.has_ended:
            session.accept(chance.choice(session.allowed_tokens()))
        assert len(session) <= needed + extra
        session.rollback(2)
        assert session.tokens_left == needed + extra - len(session)
    session.deadline(None)
    assert session.tokens_left is None


def test_stop_tokens_can_be_chosen(byte_vocabulary: Vocabulary) -> None:
    with pytest.raises(maskwright.InvalidArgumentError, match="stop token 999"):
        Constraint.from_json_schema(byte_vocabulary, True, stop_tokens=[999])
    constraint = Constraint.from_json_schema(byte_vocabulary, {"const": 1}, stop_tokens=[256])
    assert constraint.stop_tokens == [256]


def test_threads_may_share_a_session(tiny: Vocabulary) -> None:
    session = Constraint.from_json_schema(tiny, {"type": "string"}).session()
    session.accept(tiny.longest_tokens('"')[0])
    letter = tiny.longest_tokens("a")[0]
    failures: list[BaseException] = []

    def work() -> None:
        try:
            mask = Bitmask.allocate(1, tiny)
            for _ in range(300):
                session.accept(letter)
                session.fill(mask)
                maskwright.fill([session], mask)
                session.rollback(1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(session) == 1
