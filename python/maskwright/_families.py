"""What the plug-ins for hosts share: the chat formats of model families, and a reader of one of their turns."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from maskwright._errors import MaskwrightError
from maskwright._native import flags_of
from maskwright.reader import Event, Message, Reader

PREFIX = "maskwright_"
"""What the names of our parsers begin with on a host's command line: ``maskwright_qwen3`` reads the format ``qwen3``."""


@dataclass(frozen=True)
class Family:
    """A family of models with one chat format, or those of one whose file has several, told apart by its flags."""

    name: str
    prompt: str
    """What a prompt ends in where the model has the whole turn still to write."""
    variant_of: str = ""
    """The format, where it is not the name."""
    flags: tuple[str, ...] = ()
    """The flags of its file that hold; of a whole family, where nothing tells."""

    @property
    def format(self) -> str:
        """The format whose file reads it."""
        return self.variant_of or self.name

    @property
    def parser(self) -> str:
        """The name of its parsers in a host."""
        return PREFIX + self.name.replace("-", "_").replace(".", "_")

    def of_model(self, tokenizer: Any) -> Family:
        """The family with the flags that hold for a model, told by a host's tokenizer; a variant is what its name says."""
        return self if self.variant_of else _told(self, tokenizer)


@functools.lru_cache(maxsize=64)
def _told(family: Family, tokenizer: Any) -> Family:
    version = getattr(tokenizer, "version", None)
    if family.format == "mistral" and isinstance(version, int):
        # The tokenizer of Mistral's own package says it.
        flags: tuple[str, ...] = ("v3",) if version < 11 else ("v11",) if version < 13 else ()
    else:
        template = getattr(tokenizer, "chat_template", None)
        if isinstance(template, dict):
            template = template.get("tool_use") or template.get("default")
        flags = tuple(sorted(flags_of(family.format, tokenizer.get_vocab(), template)))
    return replace(family, flags=flags)


FAMILIES = {
    family.name: family
    for family in [
        Family("command-r", "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"),
        Family("deepseek-r1", "<｜Assistant｜>"),
        Family("deepseek-v3", "<｜Assistant｜>"),
        Family("deepseek-v3.1", "<｜Assistant｜>"),
        Family("deepseek-v3.2", "<｜Assistant｜>"),
        Family("deepseek-v4", "<｜Assistant｜>", "deepseek-v3.2", ("v4",)),
        Family("exaone", "[|assistant|]\n"),
        Family("functionary", "<|start_header_id|>assistant<|end_header_id|>\n\n>>>"),
        Family("gemma-3", "<start_of_turn>model\n"),
        Family("gemma-4", "<|turn>model\n"),
        Family("glm-4.5", "<|assistant|>"),
        Family("granite-3.3", "<|start_of_role|>assistant<|end_of_role|>"),
        Family("kimi-k2", "<|im_assistant|>assistant<|im_middle|>"),
        Family("kimi-k3", '<|open|>message role="assistant"<|sep|>'),
        Family("llama3", "<|start_header_id|>assistant<|end_header_id|>\n\n"),
        Family("llama4", "<|header_start|>assistant<|header_end|>\n\n"),
        Family("minimax-m2", "]~b]ai\n"),
        # Where nothing tells, with ids or without.
        Family("mistral", "[/INST]", flags=("v11",)),
        Family("mistral-v3", "[/INST]", "mistral", ("v3",)),
        Family("mistral-v7", "[/INST]", "mistral", ("v3",)),
        Family("mistral-v11", "[/INST]", "mistral", ("v11",)),
        Family("mistral-v13", "[/INST]", "mistral"),
        Family("phi-4", "<|assistant|>"),
        Family("qwen3", "<|im_start|>assistant\n"),
        Family("qwen3-coder", "<|im_start|>assistant\n"),
    ]
}
"""The formats that plug-ins read, by the names of their families. gpt-oss is not among them: hosts have a way of their own for it."""


class TurnReader:
    """Reads one turn of a family, in pieces. Where it is none, the rest is content: a host has to show something.

    Without tools nothing is a call; where they are ``None``, any name is a tool's. ``prompt`` is the end of the prompt, by which it is known what of the turn
    stands in it already; one that says nothing of the kind counts as none.
    """

    def __init__(self, family: Family, tools: Sequence[dict[str, Any]] | None, prompt: str | None = None) -> None:
        options: dict[str, Any] = {"parallel_calls": True, "flags": list(family.flags)}
        if tools is not None:
            options |= {"tools": list(tools)} if tools else {"tool_choice": "none"}
        self._reader = _begun(family, prompt, options)
        self._finished = False

    def feed(self, text: str) -> list[Event]:
        """What is certain now and was not before."""
        return [] if self._finished else self._reader.feed(text)

    def finish(self) -> list[Event]:
        """The last events, once."""
        if self._finished:
            return []
        self._finished = True
        return self._reader.finish()

    @property
    def message(self) -> Message:
        """What the turn says, once it is finished."""
        message: Message | None = self._reader.message
        assert message is not None, "it is finished"
        return message


def _begun(family: Family, prompt: str | None, options: dict[str, Any]) -> Reader:
    """A reader at the end of a prompt; requests that ask for the same have one after the other what is known of it."""
    asked = json.dumps(options)
    if prompt is not None:
        # What comes before the turn says nothing of it.
        _, opening, begun = prompt.rpartition(family.prompt)
        try:
            return _first(family.format, opening + begun, asked).again()
        except MaskwrightError:
            # The end of a prompt in which the assistant is not about to speak, or of another model's template.
            pass
    return _first(family.format, family.prompt, asked).again()


@functools.lru_cache(maxsize=64)
def _first(format: str, prompt: str, asked: str) -> Reader:
    return Reader.from_format(format, lenient=True, prompt=prompt, **json.loads(asked))
