"""Puts the backend in the place of vLLM's own, which has no other way in."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from maskwright._families import FAMILIES, Family

MANAGER = "vllm.v1.structured_output"
GUIDANCE = "vllm.v1.structured_output.backend_guidance"
XGRAMMAR = "vllm.v1.structured_output.backend_xgrammar"
REGISTRY = "vllm.tool_parsers.structural_tag_registry"
PARSER = "vllm.parser.abstract_parser"
HARMONY = "vllm.parser.harmony"
COMPOSER = "vllm.parser.parser_manager"

REPLACED = {
    MANAGER: ("GuidanceBackend", "XgrammarBackend", "StructuredOutputManager"),
    GUIDANCE: ("GuidanceBackend", "validate_guidance_grammar", "has_guidance_unsupported_json_features"),
    XGRAMMAR: ("XgrammarBackend", "validate_xgrammar_grammar"),
    REGISTRY: ("register_vllm_structural_tag", "resolve_tool_strictness", "_VLLM_STRUCTURAL_TAG_REGISTRY"),
    PARSER: ("resolve_tool_strictness", "DelegatingParser"),
    HARMONY: ("_adjust_output_format", "get_harmony_structural_tag"),
    COMPOSER: ("ParserManager",),
}
"""All names that are replaced or called, by module. They are looked up when they are used, not when vLLM is loaded."""

THOUGHTS = {
    "deepseek-r1": "deepseek_r1",
    "deepseek-v3.1": "deepseek_v3",
    "deepseek-v3.2": "deepseek_v3",
    "gemma-4": "gemma4",
    "glm-4.5": "glm45",
    "granite-3.3": "granite",
    "kimi-k2": "kimi_k2",
    "kimi-k3": "kimi_k3",
    "minimax-m2": "minimax_m2",
    "qwen3": "qwen3",
    "qwen3-coder": "qwen3",
}
"""vLLM's parser that knows where the thoughts of a format end."""

_registered = False


def register() -> None:
    """The entry point: called once in each of vLLM's processes."""
    global _registered
    if _registered or os.environ.get("MASKWRIGHT_VLLM", "").lower() in ("off", "0", "false"):
        return
    from vllm.logger import init_logger

    logger = init_logger("vllm.maskwright")
    missing = _missing()
    if missing:
        logger.error(
            "maskwright: this vLLM has no %s; nothing was replaced, and vLLM's own backends are in use.",
            ", ".join(missing),
        )
        return
    _replace_backends()
    _replace_turns()
    _add_parsers()
    if os.environ.get("MASKWRIGHT_STRICT", "").lower() == "all":
        _hold_all_tools()
    _registered = True
    logger.info(
        "maskwright makes the masks of structured output: it replaces the backends auto, xgrammar and guidance, and "
        "the turns of gpt-oss, Qwen and Hermes. The parsers maskwright_… are new. MASKWRIGHT_VLLM=off leaves vLLM as it is."
    )


def _missing() -> list[str]:
    missing = []
    for module, names in REPLACED.items():
        try:
            loaded = importlib.import_module(module)
        except ImportError:
            missing.append(module)
            continue
        missing.extend(f"{module}.{name}" for name in names if not hasattr(loaded, name))
    manager = getattr(importlib.import_module(MANAGER), "StructuredOutputManager", None) if not missing else None
    if manager is not None and not hasattr(manager, "_create_grammar"):
        missing.append(f"{MANAGER}.StructuredOutputManager._create_grammar")
    return missing


def _set(module: str, name: str, value: Any) -> None:
    setattr(importlib.import_module(module), name, value)


def _get(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


def _replace_backends() -> None:
    from maskwright.vllm._backend import Backend, validate_request

    for module in (MANAGER, GUIDANCE):
        _set(module, "GuidanceBackend", Backend)
    for module in (MANAGER, XGRAMMAR):
        _set(module, "XgrammarBackend", Backend)
    _set(GUIDANCE, "validate_guidance_grammar", validate_request)
    _set(XGRAMMAR, "validate_xgrammar_grammar", validate_request)
    # Where it said yes, `auto` would go on to another backend with a request that was refused.
    _set(GUIDANCE, "has_guidance_unsupported_json_features", lambda schema: False)
    manager = _get(MANAGER, "StructuredOutputManager")
    manager.grammar_bitmask = _in_one_call(manager.grammar_bitmask)
    manager._create_grammar = _knows_the_prompt(manager._create_grammar)


def _in_one_call(grammar_bitmask: Callable[..., Any]) -> Callable[..., Any]:
    """The manager's step: all its rows are filled in one call."""
    from maskwright.vllm._backend import Backend

    @functools.wraps(grammar_bitmask)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(self.backend, Backend):
            return grammar_bitmask(self, *args, **kwargs)
        with self.backend.in_one_call():
            return grammar_bitmask(self, *args, **kwargs)

    return step


def _knows_the_prompt(create: Callable[..., Any]) -> Callable[..., Any]:
    """While the manager has a request compiled, the prompt is known: it may have the beginning of the turn."""
    from maskwright.vllm import _turns

    @functools.wraps(create)
    def created(self: Any, request: Any) -> Any:
        with _turns.begun_by(request.prompt_token_ids):
            return create(self, request)

    return created


def _replace_turns() -> None:
    """Turns of gpt-oss, Qwen and Hermes are constrained whole, by the grammars of their formats."""
    from maskwright.vllm import _turns

    register_tag = _get(REGISTRY, "register_vllm_structural_tag")
    register_tag("harmony", builtin_tools=True)(_harmony(_get(HARMONY, "get_harmony_structural_tag")))
    for model in _turns.FORMATS:
        register_tag(model)(_chatml(model, _get(REGISTRY, "_VLLM_STRUCTURAL_TAG_REGISTRY").get(model)))
    parser = _get(PARSER, "DelegatingParser")
    parser._apply_structural_tag = _tells_of_thoughts(parser._apply_structural_tag)
    _set(HARMONY, "_adjust_output_format", _answers(_get(HARMONY, "_adjust_output_format")))
    _always_hold_headers()


def _harmony(own: Callable[..., Any]) -> Callable[..., Any]:
    """vLLM's builder of tags for gpt-oss, and ours, which gives whole turns."""
    from xgrammar import StructuralTag

    from maskwright.vllm import _turns

    def build(
        tools: list[Any], builtin_tools: list[Any], tool_choice: str, reasoning: bool, token_suffix: str = ""
    ) -> Any:
        instead = own(tools, builtin_tools, tool_choice, reasoning, token_suffix)
        turn = _turns.harmony(tools, builtin_tools, tool_choice)
        if turn is None:
            return instead
        return StructuralTag.model_validate(turn.envelope(instead.model_dump()["format"]))

    return build


def _chatml(model: str, own: Callable[..., Any] | None) -> Callable[..., Any]:
    """The same for a model in ChatML, whose tags are XGrammar's where vLLM has no builder of its own."""
    from xgrammar import StructuralTag, get_model_structural_tag

    from maskwright.vllm import _turns

    def build(
        tools: list[Any], builtin_tools: list[Any], tool_choice: str, reasoning: bool, token_suffix: str = ""
    ) -> Any:
        if own is not None:
            instead = own(tools, builtin_tools, tool_choice, reasoning, token_suffix)
        elif token_suffix:
            raise ValueError(f"the structural tags of {model} have fixed tokens, and no suffix {token_suffix!r}")
        else:
            dumped = [tool.model_dump(mode="json", exclude_none=True) for tool in tools]
            named = {"type": "function", "function": {"name": tools[0].function.name}} if tool_choice == "forced" else None
            instead = get_model_structural_tag(
                model=model, tools=dumped, tool_choice=named or tool_choice, reasoning=reasoning
            )
        turn = _turns.of_format(_turns.FORMATS[model], tools, tool_choice)
        return StructuralTag.model_validate(turn.envelope(instead.model_dump()["format"]))

    return build


def _whole(family: Family) -> Callable[..., Any]:
    """The builder of tags for a family that vLLM has no tags for under the name of our parser."""
    from xgrammar import StructuralTag

    from maskwright.vllm import _turns

    def build(
        tools: list[Any], builtin_tools: list[Any], tool_choice: str, reasoning: bool, token_suffix: str = ""
    ) -> Any:
        return StructuralTag.model_validate(_turns.of_format(family.format, tools, tool_choice, family.flags).envelope())

    return build


def _add_parsers() -> None:
    """The parsers ``maskwright_…``, which read turns by the files of their formats."""
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    from maskwright.vllm import _turns

    register_tag = _get(REGISTRY, "register_vllm_structural_tag")
    thoughts = ReasoningParserManager.lazy_parsers
    for family in FAMILIES.values():
        ToolParserManager.register_lazy_module(family.parser, "maskwright.vllm._parsers", family.parser)
        if family.format in THOUGHTS:
            thoughts[family.parser] = thoughts[THOUGHTS[family.format]]
        if family.format not in _turns.TAGS:
            register_tag(family.parser)(_whole(family))
    manager = _get(COMPOSER, "ParserManager")
    manager._compose_parser = _read_whole(manager._compose_parser)


def _read_whole(compose: Callable[..., Any]) -> Callable[..., Any]:
    """A server's two parsers, composed: ours read a turn whole. gpt-oss has a reader of its own."""

    @functools.wraps(compose)
    def composed(
        tool_parser_name: str | None, reasoning_parser_name: str | None, enable_auto_tools: bool, **options: Any
    ) -> Any:
        from maskwright.vllm import _parsers

        names = [name for name in (tool_parser_name, reasoning_parser_name) if name]
        family = None if options["is_harmony"] else _parsers.family_of(names)
        if family is None:
            return compose(
                tool_parser_name=tool_parser_name,
                reasoning_parser_name=reasoning_parser_name,
                enable_auto_tools=enable_auto_tools,
                **options,
            )
        tools = tool_parser_name if enable_auto_tools else None
        if not (tools or reasoning_parser_name):
            return None
        return _parsers.compose(family, {"tool": tools, "reasoning": reasoning_parser_name}, options["tool_strict_level"])

    return composed


def _tells_of_thoughts(apply: Callable[..., Any]) -> Callable[..., Any]:
    """While a request's tag is made, it is known whether vLLM reads the thoughts by itself, and what our parser reads."""
    from maskwright.vllm import _turns

    @functools.wraps(apply)
    def applied(self: Any, request: Any) -> Any:
        family = getattr(self, "family", None)
        flags = family.flags if isinstance(family, Family) else None
        with _turns.read_as(_turns.Reading(thoughts_apart=self._reasoning_parser is not None, flags=flags)):
            return apply(self, request)

    return applied


def _answers(adjust: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A response format of gpt-oss: the final message is held to the schema, the rest of the turn to its format."""
    import json

    from maskwright.vllm import _turns

    @functools.wraps(adjust)
    def adjusted(request: Any) -> Any:
        params = request.extract_structured_outputs()
        schema = None
        if params is not None:
            schema = {"type": "object"} if params.json_object else params.json
        if schema is None:
            return adjust(request)
        turn = _turns.Turn("harmony", response_schema=json.loads(schema) if isinstance(schema, str) else schema)
        request.structured_outputs = replace(
            params, json=None, json_object=None, structural_tag=json.dumps(turn.envelope())
        )
        if hasattr(request, "response_format"):
            request.response_format = None
        else:
            request.text = None
        return request

    return adjusted


def _always_hold_headers() -> None:
    """With `tool_choice=auto` too a call has a header and a name of a tool, whether or not a tool is strict.

    It is what vLLM calls the level `function`, made the default of all its parsers that have tags.
    """
    from vllm.tool_parsers.abstract_tool_parser import ToolParser
    from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

    ToolParser.default_tool_strict_level = ToolStrictLevel.FUNCTION


def _hold_all_tools() -> None:
    from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

    resolve = _get(REGISTRY, "resolve_tool_strictness")

    @functools.wraps(resolve)
    def all_strict(tools: Any, tool_choice: Any, strict_level: Any) -> Any:
        return resolve(tools, tool_choice, max(strict_level, ToolStrictLevel.PARAMETER))

    for module in (REGISTRY, PARSER):
        _set(module, "resolve_tool_strictness", all_strict)
