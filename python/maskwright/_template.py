"""The chat template of a model, in the file of its vocabulary or in its folder."""

from __future__ import annotations

import json
import pathlib

from maskwright._native import chat_template_of_gguf


def template_beside(vocabulary: pathlib.Path) -> str | None:
    """The Jinja text in ``chat_template.jinja`` or ``tokenizer_config.json`` beside a vocabulary, or in a GGUF file."""
    if vocabulary.suffix == ".gguf":
        return chat_template_of_gguf(vocabulary)
    folder = vocabulary if vocabulary.is_dir() else vocabulary.parent
    file, config = folder / "chat_template.jinja", folder / "tokenizer_config.json"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    if not config.is_file():
        return None
    template = json.loads(config.read_text(encoding="utf-8")).get("chat_template")
    if isinstance(template, list):
        # Several, of which one may be for tools.
        named = {one.get("name"): one.get("template") for one in template}
        template = named.get("tool_use") or next(iter(named.values()), None)
    return template if isinstance(template, str) else None
