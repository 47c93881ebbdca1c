"""The structural tags that XGrammar's and vLLM's builders make: whether they compile, and the verdicts on sampled texts.

    pip install maskwright xgrammar
    pip install --target VLLM --no-deps vllm        # for vLLM's own tags: PYTHONPATH=VLLM
    python tests/peers/tags.py

Texts come from walks under either engine, which like the strings of the tag, and from changes to such texts.
"""

import collections
import json
import random

import maskwright
import xgrammar
import xgrammar.builtin_structural_tag as builders
from xgrammar.testing import _is_grammar_accept_string

WALKS = 12
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
    "additionalProperties": False,
}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
TOOLS = [
    {"type": "function", "function": {"name": name, "strict": True, "parameters": parameters}}
    for name, parameters in [("get_weather", WEATHER), ("ping", NOTHING)]
]
NAMED = {"type": "function", "function": {"name": "get_weather"}}
PIECES = ['{"city": "Rome"}', '{"city": "a", "days": 2}', "{}", "0", "Hi ", "\n", "</think>"]
DSML = "｜DSML｜"
ARGUMENTS = {  # what stands before and behind a string, and a number
    "qwen_xml": ("<parameter=city>", "</parameter>", "<parameter=days>2</parameter>"),
    "minimax_xml": ('<parameter name="city">', "</parameter>", '<parameter name="days">2</parameter>'),
    "deepseek_xml": (f'<{DSML}parameter name="city" string="true">', f"</{DSML}parameter>", f'<{DSML}parameter name="days" string="false">2</{DSML}parameter>'),
    "deepseek_v4_1_xml": (f'<{DSML} parameter name="city" string="true">', f"</{DSML} parameter>", f'<{DSML} parameter name="days" string="false">2</{DSML} parameter>'),
    "glm_xml": ("<arg_key>city</arg_key><arg_value>", "</arg_value>", "<arg_key>days</arg_key><arg_value>2</arg_value>"),
    "kimi_k3_xml": ('<|open|>argument key="city" type="string"<|sep|>', "<|close|>argument<|sep|>", '<|open|>argument key="days" type="number"<|sep|>2<|close|>argument<|sep|>'),
    "cohere_xml": ('<cofl:value name="city" type="raw">', "</cofl:value>", '<cofl:value name="days" type="json">2</cofl:value>'),
    "minimax_m3_xml": ("]<]minimax[>[<city>", "]<]minimax[>[</city>", "]<]minimax[>[<days>2]<]minimax[>[</days>"),
}
BYTES = [bytes([byte]) for byte in range(256)]
VOCABULARY = maskwright.Vocabulary.from_tokens(BYTES, specials={"<end>": 256}, end_tokens=[256])


def of_xgrammar():
    """Every builder, with four choices of tools, with thoughts and without."""
    for model in builders._structural_tag_registry:
        for choice in ["auto", "required", NAMED, "none"]:
            for reasoning in ["enabled", "disabled"]:
                tag = builders.get_model_structural_tag(model, TOOLS, choice, reasoning)
                yield f"{model}, {named(choice)}, thoughts {reasoning}", tag.model_dump_json(by_alias=True)


def of_vllm():
    """Every model that vLLM knows a tag for, with three choices of tools."""
    import vllm.parser.harmony  # which registers its tag
    from vllm.entrypoints.openai.chat_completion import protocol
    from vllm.tool_parsers import structural_tag_registry as registry

    tools = [protocol.ChatCompletionToolsParam(**tool) for tool in TOOLS]
    models = set(registry.SUPPORTED_STRUCTURAL_TAG_MODELS) | set(registry._VLLM_STRUCTURAL_TAG_REGISTRY)
    for model in sorted(models):
        for choice in ["auto", "required", protocol.ChatCompletionNamedToolChoiceParam(**NAMED)]:
            tag = registry.get_model_structural_tag(model, tools, choice, reasoning=False)
            yield f"{model}, {named(choice)}", tag.model_dump_json(by_alias=True)


def named(choice):
    return choice if isinstance(choice, str) else "named"


def strings(node):
    """The strings of a tag that stand in its texts."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("begin", "end", "value", "separator", "triggers"):
                yield from [value] if isinstance(value, str) else [one for one in value if isinstance(one, str)]
            if key not in ("json_schema", "type", "pattern"):
                yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


def arguments(tag):
    """The pieces of arguments in the style of a tag, where it has one."""
    for style, (begin, end, number) in ARGUMENTS.items():
        if f'"{style}"' in tag:
            yield from [begin, end, begin + "Rome" + end, number]


def walk_of_ours(constraint, pieces, choose):
    session = constraint.session()
    for _ in range(choose.randrange(1, 12)):
        piece = list(choose.choice(pieces).encode())
        if session.validate(piece) == len(piece):
            session.advance(piece)
            continue
        allowed = [token for token in session.allowed_tokens() if 32 <= token < 127]
        if allowed:
            session.accept(choose.choice(allowed))
    for token in session.way_out():
        session.accept(token)
    return bytes(session.tokens).decode(errors="ignore")


def walk_of_xgrammar(compiled, pieces, choose):
    """What XGrammar takes piece by piece; without a way to an end, only what may end there counts."""
    matcher = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
    text, whole = "", None
    for _ in range(24):
        piece = choose.choice(pieces)
        if matcher.accept_string(piece):
            text += piece
            if matcher.is_completed():
                whole = text
    return whole


def changed(text, pieces, choose):
    at = choose.randrange(len(text) + 1)
    end = min(len(text), at + choose.randrange(4))
    piece = choose.choice(["", choose.choice(pieces), chr(choose.randrange(32, 127)), text[at:end] * 2])
    return text[:at] + piece + text[end:]


def main():
    info = xgrammar.TokenizerInfo([*BYTES, b"<end>"], stop_token_ids=[256])
    compiler = xgrammar.GrammarCompiler(info)
    print("| tags of | made | compile | refused | texts | same verdict | differ |\n|---|---|---|---|---|---|---|")
    refused, differences = collections.Counter(), []
    for whose, tags in [("XGrammar", of_xgrammar()), ("vLLM", of_vllm())]:
        made = compiled = texts = same = 0
        for name, tag in tags:
            made += 1
            try:
                constraint = maskwright.Constraint.from_structural_tag(VOCABULARY, tag)
            except Exception as error:
                refused[str(error).split(": ", 1)[1].split("\n")[0]] += 1
                continue
            compiled += 1
            choose = random.Random(made)
            theirs = xgrammar.Grammar.from_structural_tag(tag)
            other = compiler.compile_structural_tag(tag)
            pieces = [*sorted(set(strings(json.loads(tag)))), *arguments(tag), *PIECES]
            walks = [walk_of_ours(constraint, pieces, choose) for _ in range(WALKS)]
            walks += [walk_of_xgrammar(other, pieces, choose) for _ in range(WALKS)]
            walks = [walk for walk in walks if walk is not None]
            walks += [changed(choose.choice(walks), pieces, choose) for _ in range(2 * WALKS)]
            for text in walks:
                session = constraint.session()
                data = list(text.encode())
                ours = session.advance(data) == len(data) and session.may_end
                texts += 1
                if ours == bool(_is_grammar_accept_string(theirs, text)):
                    same += 1
                else:
                    differences.append((whose, name, text, ours))
        print(f"| {whose} | {made} | {compiled} | {made - compiled} | {texts} | {same} | {texts - same} |")
    print()
    for message, count in refused.most_common():
        print(f"- refused {count} times: {message}")
    models = collections.defaultdict(list)
    for whose, name, text, ours in differences:
        models[whose, name.split(",")[0], ours, "<|" in text].append(text)
    for (whose, model, ours, has_control), found in models.items():
        control = "with" if has_control else "without"
        print(f"- {whose}, {model}: here {ours}, {len(found)} texts {control} control tokens, such as {min(found, key=len)!r}")


main()
