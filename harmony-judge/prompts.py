"""Holds prompts of Harmony against the package openai-harmony 0.0.8, token by token.

    pip install openai-harmony==0.0.8
    TIKTOKEN_ENCODINGS_BASE=DIR python3 harmony-judge/prompts.py PROGRAM tools FILE.jsonl
    TIKTOKEN_ENCODINGS_BASE=DIR python3 harmony-judge/prompts.py PROGRAM conversations [COUNT [SEED]]
    TIKTOKEN_ENCODINGS_BASE=DIR python3 harmony-judge/prompts.py PROGRAM expect FILE.json

PROGRAM is the maskwright binary, DIR has o200k_base.tiktoken. `tools` reads rows with `tools` (OpenAI's, without
`function`), and renders each distinct one by both. `conversations` makes random conversations, renders them by both and reads
them back by both. `expect` writes what the package renders for the tools of a file: the texts of our own tests. Exits with 1
where something differs.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from openai_harmony import (
    Author,
    Conversation,
    DeveloperContent,
    HarmonyEncodingName,
    Message,
    Role,
    SystemContent,
    ToolDescription,
    load_harmony_encoding,
)

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
SPECIAL = {ENCODING.encode(name, allowed_special="all")[0]: name for name in sorted(ENCODING.special_tokens_set)}


def pieces(tokens):
    """Text between special tokens, and those as objects."""
    found, run = [], []
    for token in [*tokens, None]:
        if token is not None and token not in SPECIAL:
            run.append(token)
            continue
        if run:
            found.append(ENCODING.decode(run))
            run = []
        if token is not None:
            found.append({"token": SPECIAL[token]})
    return found


def encoded(parts):
    """The tokens of pieces."""
    tokens = []
    for part in parts:
        if isinstance(part, str):
            tokens += ENCODING.encode(part, disallowed_special=())
        else:
            tokens += ENCODING.encode(part["token"], allowed_special="all")
    return tokens


def ours(program, folder, chat, tools=None, prompt=True):
    (folder / "chat.json").write_text(json.dumps(chat))
    command = [program, "convert", "--from", "openai", "--to", "harmony", "--pieces", "--date", "2025-06-28"]
    command += ["--prompt"] if prompt else []
    if tools is not None:
        (folder / "tools.json").write_text(json.dumps(tools))
        command += ["--tools", folder / "tools.json"]
    result = subprocess.run([*command, folder / "chat.json"], capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


def head(instructions, tools):
    """The system message and, where there is something for it to say, the developer's."""
    system = SystemContent.new().with_conversation_start_date("2025-06-28")
    messages = [Message.from_role_and_content(Role.SYSTEM, system)]
    developer = DeveloperContent.new()
    if instructions:
        developer = developer.with_instructions(instructions)
    if tools:
        described = [ToolDescription.new(t["name"], t.get("description") or "", t.get("parameters")) for t in tools]
        developer = developer.with_function_tools(described)
    if instructions or tools:
        messages.append(Message.from_role_and_content(Role.DEVELOPER, developer))
    return messages


def theirs(messages):
    return ENCODING.render_conversation_for_completion(Conversation.from_messages(messages), Role.ASSISTANT)


def distinct(path):
    seen = {}
    for line in open(path):
        tools = json.loads(line)["tools"]
        for tool in tools if isinstance(tools, list) else []:
            tool = tool.get("function", tool)
            seen.setdefault(json.dumps(tool), tool)
    return list(seen.values())


def compare_tools(program, path):
    folder, wrong = Path(tempfile.mkdtemp()), 0
    tools = distinct(path)
    for tool in tools:
        expected = pieces(theirs([*head(None, [tool]), Message.from_role_and_content(Role.USER, "Hi")]))
        found = ours(program, folder, [{"role": "user", "content": "Hi"}], [tool])
        if found != expected:
            wrong += 1
            if wrong <= 5:
                print(json.dumps(tool), "\n--- openai-harmony\n", expected, "\n--- ours\n", found)
    print(f"{len(tools)} distinct tools: {len(tools) - wrong} prompts equal those of openai-harmony 0.0.8, {wrong} differ")
    return wrong


WORDS = ["Hi", "café", "日本", "a\nb", "  ", "\"q\"", "{\"a\": 1}", "# Tools", "x < y", "<|", "|>", "functions.f", "👋🏽", "\t", "--"]
TOKENS = ["<|end|>", "<|start|>assistant", "<|call|>", "<|channel|>final<|message|>"]
TOOLS = [
    {"name": "f", "description": "One.\nTwo.", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    {"name": "uber.ride", "description": "A ride.", "parameters": {"type": "object", "properties": {}}},
    {"name": "no_arguments", "description": ""},
]


def text(rng, tokens):
    words = WORDS + (TOKENS if tokens else [])
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, 6)))


def random_conversation(rng, tokens):
    """Chat messages, and the same as the package has them."""
    chat, messages = [], []
    instructions = text(rng, tokens) if rng.random() < 0.5 else None
    if instructions:
        chat.append({"role": rng.choice(["system", "developer"]), "content": instructions})
    add = lambda role, said, channel: messages.append(Message.from_role_and_content(role, said).with_channel(channel))
    for turn in range(rng.randint(1, 4)):
        said = text(rng, tokens)
        chat.append({"role": "user", "content": said})
        messages.append(Message.from_role_and_content(Role.USER, said))
        for step in range(rng.randint(0, 2)):
            message = {"role": "assistant", "content": None, "tool_calls": []}
            if rng.random() < 0.5:
                message[rng.choice(["reasoning", "reasoning_content"])] = thought = text(rng, tokens)
                add(Role.ASSISTANT, thought, "analysis")
            if rng.random() < 0.4:
                message["content"] = preamble = text(rng, tokens)
                add(Role.ASSISTANT, preamble, "commentary")
            called = [rng.choice(TOOLS)["name"] for _ in range(rng.randint(1, 2))]
            ids = [f"c{turn}{step}{place}" for place in range(len(called))]
            for id, name in zip(ids, called):
                arguments = json.dumps({"a": rng.randint(0, 9), "s": text(rng, tokens)}, ensure_ascii=rng.random() < 0.5)
                message["tool_calls"].append({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
                add(Role.ASSISTANT, arguments, "commentary")
                messages[-1] = messages[-1].with_recipient(f"functions.{name}").with_content_type("<|constrain|>json")
            chat.append(message)
            for id, name in zip(ids, called):
                answer = text(rng, tokens)
                chat.append({"role": "tool", "tool_call_id": id, "content": answer})
                author = Author.new(Role.TOOL, f"functions.{name}")
                reply = Message.from_author_and_content(author, answer).with_recipient("assistant")
                messages.append(reply.with_channel("commentary"))
        if rng.random() < 0.8:
            message = {"role": "assistant", "content": text(rng, tokens)}
            if rng.random() < 0.4:
                message["reasoning"] = thought = text(rng, tokens)
                add(Role.ASSISTANT, thought, "analysis")
            chat.append(message)
            add(Role.ASSISTANT, message["content"], "final")
    return chat, messages, instructions


def compare_conversations(program, count, seed):
    folder, rng, wrong, back = Path(tempfile.mkdtemp()), random.Random(seed), 0, 0
    for number in range(count):
        tokens = number % 2 == 1
        tools = TOOLS if rng.random() < 0.7 else None
        chat, messages, instructions = random_conversation(rng, tokens)
        rendered = theirs([*head(instructions, tools), *messages])
        found = ours(program, folder, chat, tools)
        if found != pieces(rendered):
            wrong += 1
            if wrong <= 5:
                print(json.dumps(chat), "\n--- openai-harmony\n", pieces(rendered), "\n--- ours\n", found)
            continue
        # Back: what it reads of our tokens is what it wrote, and we write what we read as it stood.
        read = ENCODING.parse_messages_from_completion_tokens(encoded(found[:-2]))
        again = theirs(read) if read else None
        same = again is not None and pieces(again) == found
        if not tokens:
            whole = ENCODING.decode(rendered[:-2])
            command = [program, "convert", "--from", "harmony", "--to", "harmony", "-"]
            result = subprocess.run(command, input=whole, capture_output=True, text=True)
            same = same and result.stdout == whole
        if not same:
            back += 1
            if back <= 5:
                print("back:", json.dumps(chat), "\n", pieces(again or []), "\n", found)
    print(f"{count} random conversations (seed {seed}): {count - wrong} equal those of openai-harmony 0.0.8, "
          f"{count - wrong - back} also read back by both")
    return wrong + back


def expect(path):
    rows = []
    for tool in json.load(open(path)):
        prompt = theirs([*head("Be brief.", [tool]), Message.from_role_and_content(Role.USER, "Hi")])
        rows.append({"tool": json.dumps(tool, ensure_ascii=False), "prompt": ENCODING.decode(prompt)})
    print(json.dumps(rows, indent=1, ensure_ascii=False))
    return 0


def main(program, what, *rest):
    match what:
        case "tools":
            return compare_tools(program, rest[0])
        case "conversations":
            return compare_conversations(program, int(rest[0]) if rest else 100, int(rest[1]) if len(rest) > 1 else 1)
        case "expect":
            return expect(rest[0])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
