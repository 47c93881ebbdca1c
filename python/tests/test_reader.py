"""Readers in Python are readers."""

from __future__ import annotations

import json

import pytest

import maskwright
from maskwright import reader
from maskwright.reader import Arguments, Broken, Call, CallEnd, Content, End, Event, Reasoning

TURN = (
    "\n<think>\nHm.\n</think>\n\nNow.\n<tool_call>\n"
    '{"name": "find", "arguments": {"n": [1, "é"]}}\n</tool_call>\n<tool_call>\n{"name": "stop", "arguments": {}}\n</tool_call>'
)


def told(events: list[Event]) -> tuple[str, str, list[tuple[str, str]]]:
    """All reasoning, all content, and each call."""
    thinks, says = "", ""
    calls: list[tuple[str, str]] = []
    for event in events:
        if isinstance(event, Reasoning):
            thinks += event.text
        elif isinstance(event, Content):
            says += event.text
        elif isinstance(event, Call):
            calls.append((event.name, ""))
        elif isinstance(event, Arguments):
            calls[event.index] = (calls[event.index][0], calls[event.index][1] + event.text)
    return thinks, says, calls


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_pieces_say_what_the_whole_says(size: int) -> None:
    made = maskwright.Reader.from_format("qwen3", parallel_calls=True)
    text = TURN.encode()
    events: list[Event] = []
    for at in range(0, len(text), size):
        events += made.feed(text[at : at + size])
    assert made.message is None
    events += made.finish()
    assert told(events) == ("Hm.\n", "Now.", [("find", '{"n": [1, "é"]}'), ("stop", "{}")])
    assert sum(isinstance(event, CallEnd) for event in events) == 2
    assert events[-1] == End(True, (len(text), len(text)))
    message = made.message
    assert message is not None and message == reader.read(made, TURN)
    assert message.to_openai() == {
        "role": "assistant",
        "content": "Now.",
        "reasoning_content": "Hm.\n",
        "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "find", "arguments": '{"n": [1, "é"]}'}},
            {"id": "call_1", "type": "function", "function": {"name": "stop", "arguments": "{}"}},
        ],
    }


def test_types_of_parameters_come_from_the_request() -> None:
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"s": {"type": "string"}, "n": {"type": "number"}}}}]
    made = maskwright.Reader.from_format("qwen3-coder", tools=tools)
    body = "".join(f"<parameter={name}>\n12\n</parameter>\n" for name in "sn")
    message = reader.read(made, f"\n<tool_call>\n<function=f>\n{body}</function>\n</tool_call>")
    assert json.loads(message.calls[0].arguments) == {"s": "12", "n": 12}


def test_the_prompt_may_have_begun_the_turn() -> None:
    prompt = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n"
    made = maskwright.Reader.from_format("qwen3", prompt=prompt)
    message = reader.read(made, "Hm.\n</think>\n\nYes.")
    assert (message.reasoning, message.content) == ("Hm.\n", "Yes.")


def test_what_is_no_turn() -> None:
    strict = maskwright.Reader.from_format("qwen3")
    # What was certain before the fault comes first.
    assert strict.feed("\nWell.</tool_call>{") == [Content("Well.</tool_call", (1, 17))]
    with pytest.raises(reader.ReadError) as raised:
        strict.feed("")
    assert raised.value.at == 17
    with pytest.raises(reader.ReadError):
        strict.finish()
    lenient = maskwright.Reader.from_format("qwen3", lenient=True)
    events = lenient.feed("\nWell.</tool_call>{") + lenient.finish()
    assert Broken((17, 17)) in events and events[-1] == End(False, (19, 19))
    assert lenient.message is not None and lenient.message.broken_at == 17
    closed = maskwright.Reader.from_format("qwen3", closed=True)
    closed.feed("\nYes.")
    with pytest.raises(reader.ReadError):
        closed.finish()
    with pytest.raises(maskwright.InvalidArgumentError):
        lenient.feed("more")


def test_tokens_of_a_constraint(byte_vocabulary: maskwright.Vocabulary) -> None:
    vocabulary = maskwright.Vocabulary.from_tokens(
        [bytes([byte]) for byte in range(256)],
        specials={"<tool_call>": 256, "</tool_call>": 257, "<think>": 258, "</think>": 259, "<|im_end|>": 260},
        end_tokens=[260],
    )
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}]
    constraint = maskwright.Constraint.from_format(vocabulary, "qwen3", tools=tools, tool_choice="required")
    session, made = constraint.session(), constraint.reader()
    events: list[Event] = []
    for token in [10, 256, *b'\n{"name": "f", "arguments": {"n": 7}}\n', 257, 260]:
        session.accept(token)
        events += made.feed_tokens([token])
        with pytest.raises(maskwright.InvalidArgumentError):
            made.feed_tokens([10, 999_999])
    events += made.finish()
    assert told(events) == ("", "", [("f", '{"n": 7}')])
    with pytest.raises(maskwright.InvalidArgumentError):
        maskwright.Constraint.from_json_schema(byte_vocabulary, {}).reader()
    with pytest.raises(maskwright.InvalidArgumentError):
        maskwright.Reader.from_format("qwen3").feed_tokens([10])


def test_formats_of_ones_own() -> None:
    text = 'assistant-turn = <content> [ "(" <tool.name> "|" <tool.arguments> ")" ] %s"END"'
    made = maskwright.Reader.from_abnf(text)
    with pytest.raises(maskwright.InvalidArgumentError):
        maskwright.Reader.from_format("nobody's")
    assert made.again() is not made
    # What is content may be a call as well.
    assert "<content>" in str(maskwright.Reader.unsettled(text))
    assert maskwright.Reader.unsettled('assistant-turn = <content> "<|end|>"') is None
    with pytest.raises(maskwright.InvalidArgumentError):
        maskwright.Reader.unsettled(text, start="nobody")


def test_turns_of_one_request_share_what_is_known_and_nothing_else() -> None:
    from maskwright._families import FAMILIES, TurnReader

    family = FAMILIES["qwen3"]
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in "fg"]
    call = '<tool_call>\n{{"name": "{}", "arguments": {{}}}}\n</tool_call>'

    def said(tools: list[dict[str, object]], prompt: str, text: str) -> tuple[str, str, list[str]]:
        turn = TurnReader(family, tools, prompt)
        turn.feed(text)
        turn.finish()
        return turn.message.reasoning, turn.message.content, [call.name for call in turn.message.calls]

    for before in ("", "Hello.", "<|im_start|>user\nHi<|im_end|>\n"):
        assert said(tools, before + family.prompt + "<think>\n", "Hm.</think>\n\n" + call.format("f"))[::2] == ("Hm.", ["f"])
        assert said(tools, before + family.prompt, call.format("g"))[::2] == ("", ["g"])
        assert said(tools[:1], before + family.prompt, call.format("g"))[2] == []
