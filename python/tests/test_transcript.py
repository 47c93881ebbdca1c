"""The toolkit in Python is the toolkit."""

from __future__ import annotations

import json

import pytest

from maskwright import transcript
from maskwright.transcript import Control, EventStream, Message, Parser, ParserConfig, ToolRouter

CALL = (
    "<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{\"x\":\"é\"}<|call|>"
    "<|start|>tool to=assistant call_id=a name=functions.f<|message|>{\"ok\":true}<|end|>"
)


def test_what_is_read_can_be_written() -> None:
    read = transcript.parse(CALL, ParserConfig.transcript("openchatml-2.2"))
    call, reply = read.messages
    assert call.is_call and call.recipient == "functions.f" and call.terminator == "call"
    assert [(one.id, one.arguments) for one in call.calls()] == [("a", '{"x":"é"}')]
    assert read.written(reply) == CALL[CALL.index("<|start|>tool") :]
    again = transcript.render(read.messages, "openchatml-2.2")
    reread = transcript.parse(again.text, ParserConfig.transcript("openchatml-2.2"))
    assert [one.body for one in reread.messages] == [one.body for one in read.messages]
    assert "".join(piece.name if isinstance(piece, Control) else piece for piece in again.pieces) == again.text


def test_openai_both_ways() -> None:
    read = transcript.parse(CALL, ParserConfig.transcript("openchatml-2.2"))
    chat = transcript.to_openai(read.messages).output
    assert chat[0]["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"x":"é"}'}
    messages = transcript.from_openai(chat)
    assert [message.call_id for message in messages] == ["a", "a"]
    with pytest.raises(transcript.InterchangeError) as raised:
        transcript.from_openai([{"role": "nobody"}])
    assert raised.value.pointer == "#/0/role"


def test_a_conversion_says_what_it_leaves_out() -> None:
    chat = [Message("assistant", "hm", channel="analysis"), Message("assistant", "Four.", channel="final")]
    converted = transcript.convert(chat, "chatml")
    assert [message.body for message in converted.output] == ["Four."]
    assert [loss.what for loss in converted.losses] == ["private reasoning"]


def test_errors_have_codes_and_places() -> None:
    with pytest.raises(transcript.TranscriptError) as raised:
        transcript.parse("<|channel|>secret<|message|>", ParserConfig.assistant_turn("harmony"))
    assert raised.value.code.startswith("E-") and not raised.value.is_truncated
    with pytest.raises(transcript.TranscriptError) as raised:
        transcript.parse("<|channel|>final<|message|>4", ParserConfig.assistant_turn("harmony"))
    assert raised.value.is_truncated


def test_judges_are_functions() -> None:
    def judge(recipient: str, arguments: str) -> None:
        if json.loads(arguments) != {}:
            raise ValueError(f"{recipient} takes nothing")

    config = ParserConfig.assistant_turn("harmony", tools=["functions.f"], arguments=judge)
    turn = "<|channel|>commentary to=functions.f<|message|>%s<|call|>"
    transcript.parse(turn % "{}", config)
    with pytest.raises(transcript.TranscriptError, match="takes nothing"):
        transcript.parse(turn % '{"a":1}', config)


def test_a_stream_shows_what_users_may_see() -> None:
    stream = EventStream("s", ParserConfig.assistant_turn("harmony"))
    assert stream.push("<|channel|>analysis<|message|>secret<|end|>") == []
    events = stream.push("<|start|>assistant<|channel|>final<|message|>Hi")
    assert [(event.name, event.message_id, event.text) for event in events] == [("response.delta", "s.1", "Hi")]
    assert json.loads(events[0].to_json()) == {"type": "response.delta", "message_id": "s.1", "text": "Hi"}
    cancelled = stream.cancel("stop")
    assert cancelled is not None and cancelled.reason == "stop"
    stream.push("<|return|>")
    assert [message.body for message in stream.finish().messages] == ["secret", "Hi"]
    with pytest.raises(ValueError, match="finished"):
        stream.push("more")


def test_a_parser_reads_bit_by_bit() -> None:
    parser = Parser(ParserConfig.assistant_turn("harmony"), controls=["<|channel|>", "<|message|>", "<|return|>"])
    for piece in (Control("<|channel|>"), "final", Control("<|message|>"), b"Gr\xc3", b"\xb6\xc3\x9fe"):
        parser.push(piece)
    opened = parser.open()
    assert opened is not None and opened.said == "Größe" and opened.channel == "final"
    parser.push(Control("<|return|>"))
    assert parser.finish().messages[0].body == "Größe"


def test_calls_are_routed() -> None:
    call, reply = transcript.parse(CALL, ParserConfig.transcript("openchatml-2.2")).messages
    router = ToolRouter(deadline_ms=100)
    router.route("functions.*", "mine")
    [dispatch] = router.dispatch(call, 0)
    assert (dispatch.tool, dispatch.body, dispatch.deadline) == ("mine", '{"x":"é"}', 100)
    assert router.open_calls() == ["a"] and router.next_deadline() == 100
    assert router.answer(reply, 12).reply.ok
    with pytest.raises(transcript.ToolError) as raised:
        router.dispatch(call, 20)
    assert raised.value.code == "E-CALL-SCHEMA" and '"x"' not in raised.value.safe_text


def test_tools_are_offered() -> None:
    message = transcript.tool_message([{"name": "f", "description": "does it"}], "harmony")
    assert message is not None and message.role == "developer" and "f" in message.body
    assert transcript.tool_message([], "chatml") is None


def test_users_do_not_see_what_is_hidden() -> None:
    thought = Message("assistant", "hm", channel="analysis")
    with pytest.raises(transcript.HiddenError):
        transcript.show(thought)
    assert transcript.show(thought, "debug").text == "hm"
    assert transcript.view([thought]) == []
