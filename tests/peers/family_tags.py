"""The files of model families against XGrammar's and vLLM's structural tags of the same families, both ways, on sampled turns.

    pip install maskwright xgrammar==0.2.8
    python tests/peers/family_tags.py [TURNS [TAG ...]]

Where vLLM is installed, the tags that it builds itself are tried as well: `vllm/…`; its others are XGrammar's.

Random turns of either side are asked of the other. One that is refused is mended where it is refused, in one of the ways in which
the two are known to differ, until it is taken: these say why it was refused. What nothing mends is a `?`.
"""

import collections
import importlib.util
import random
import re
import sys

import maskwright
import xgrammar
import xgrammar.builtin_structural_tag as builders

TURNS = int(sys.argv[1]) if len(sys.argv) > 1 else 100  # by either side, for each of three choices of tools, with thoughts and without
PLACES = {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}, "live": {"type": "boolean"}}
PLACES["ids"] = {"type": "array", "items": {"type": ["string", "null"]}, "maxItems": 2}
TOOLS = [
    {"type": "function", "function": {"name": name, "strict": True, "parameters": {"type": "object", "additionalProperties": False, **members}}}
    for name, members in [("get_weather", {"properties": PLACES, "required": ["city"]}), ("ping", {"properties": {}})]
]
NAMED = {"type": "function", "function": {"name": "get_weather"}}
QWEN, EXAONE, LLAMA = "<|im_start|>assistant\n", "[|assistant|]\n", "<|start_header_id|>assistant<|end_header_id|>\n\n"
KIMI, K3, DEEPSEEK = "<|im_assistant|>assistant<|im_middle|>", '<|open|>message role="assistant"<|sep|><|open|>', "<｜Assistant｜>"
MINIMAX, EMPTY, EOS = "]~b]ai\n<think>\n", "<think>\n\n</think>\n\n", "<｜end▁of▁sentence｜>"
FENCED = ("", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")
# By XGrammar's names: the file and its flags; what the prompt ends in without thoughts and with; what ends the turn, which the
# tags leave to the host; the line breaks before a call or a list of calls, what it begins with, and what it ends with.
FAMILIES = {
    "qwen_3": ("qwen3", QWEN + EMPTY, QWEN + "<think>\n", ["<|im_end|>"], "\n", "<tool_call>", "</tool_call>"),
    "qwen_3_coder": ("qwen3-coder", QWEN + EMPTY, QWEN + "<think>\n", ["<|im_end|>"], "\n\n", "<tool_call>", "</tool_call>"),
    "exaone": ("exaone", EXAONE + EMPTY, EXAONE + "<think>\n", ["[|endofturn|]"], "\n", "<tool_call>", "</tool_call>"),
    "llama": ("llama3", LLAMA, None, ["<|eot_id|>", "<|eom_id|>"], "", '{"name"', "}}"),
    "kimi": ("kimi-k2", KIMI + "<think></think>", KIMI + "<think>", ["<|im_end|>"], "", "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    "kimi_k3": ("kimi-k3", K3 + "response<|sep|>", K3 + "think<|sep|>", ["<|end_of_msg|>", ""], "", "<|open|>tools<|sep|>", "<|close|>tools<|sep|>"),
    "deepseek_r1": ("deepseek-r1", DEEPSEEK + EMPTY, DEEPSEEK + "<think>\n", [EOS], *FENCED),
    "deepseek_v3_1": ("deepseek-v3.1", DEEPSEEK + "</think>", DEEPSEEK + "<think>", [EOS], *FENCED),
    "deepseek_v3_2": ("deepseek-v3.2", DEEPSEEK + "</think>", DEEPSEEK + "<think>", [EOS], "\n\n", "<｜DSML｜function_calls>", "</｜DSML｜function_calls>"),
    "deepseek_v4": ("deepseek-v3.2 v4", DEEPSEEK + "</think>", DEEPSEEK + "<think>", [EOS], "\n\n", "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>"),
    "minimax": ("minimax-m2", MINIMAX, MINIMAX, ["[e~["], "\n", "<minimax:tool_call>", "</minimax:tool_call>"),
    "glm_4_7": ("glm-4.5", "<|assistant|></think>", "<|assistant|><think>", ["<|user|>", "<|observation|>", ""], "", "<tool_call>", "</tool_call>"),
    "harmony": ("harmony", "<|start|>assistant", "<|start|>assistant", [""], "", "\0", "\0"),
}
# vLLM's own begin behind the thoughts, but for Harmony's, which has them whatever is asked, and leave the ends of its
# messages to the host.
if importlib.util.find_spec("vllm"):
    for name, like in {"hermes": "qwen_3", "kimi_k3": "kimi_k3", "glm_4_7": "glm_4_7", "minimax": "minimax"}.items():
        FAMILIES[f"vllm/{name}"] = (*FAMILIES[like][:2], None, *FAMILIES[like][3:])
    FAMILIES["vllm/minimax"] = ("minimax-m2", MINIMAX + "\n</think>\n\n", *FAMILIES["vllm/minimax"][2:])
    FAMILIES["vllm/kimi_k3"] = (*FAMILIES["vllm/kimi_k3"][:3], ["<|close|>message<|sep|><|end_of_msg|>", "<|end_of_msg|>", ""], *FAMILIES["kimi_k3"][4:])
    FAMILIES["vllm/harmony"] = ("harmony", None, FAMILIES["harmony"][2], ["<|return|>", "<|call|>", ""], *FAMILIES["harmony"][4:])
# Without thoughts the tag of MiniMax ends empty ones itself, with two line breaks more than the template.
HEADS = {("minimax", False): "\n</think>\n\n\n\n"}
CALL = '<|channel|>commentary to=functions.get_weather<|constrain|>json<|message|>{"city": ""}<|call|>'
TOKENS = "the format's tokens as text"
# How texts are mended where they are refused: by the tags, and by the files. FIRST, LAST and BREAKS are of the family.
BEFORE = r"(?s)(^|</think>(?:\n\n)*)(?:(?!</think>|FIRST).)+?"
OF_OURS = [
    ("text before a required call", BEFORE + "(BREAKSFIRST)", r"\1\2"),
    ("text before a required call", BEFORE + "(FIRST)", r"\1\2"),
    ("calls right behind thoughts", r"(^|</think>(?:\n\n)+)(FIRST)", r"\1\n\2"),
    ("white space around the name", r'\{\s*"name"\s*:\s*"(\w+)"\s*,\s*"(\w+)"\s*:\s*', r'{"name": "\1", "\2": '),
    ("white space around the name", r"\}\s+\}", "}}"),
    ("a line break between calls", r"(</tool_call>)\n(<tool_call>)", r"\1\2"),
    ("no parameters", r"(<function=\w+>\n)(</function>)", r"\1\n\2"),
    ("no line break behind a parameter", "(</parameter>)(</function>)", r"\1\n\2"),
    ("a call without <|constrain|>", r"( to=functions\.\w+<\|channel\|>commentary)[^{]*(<\|message\|>)", r"\1 <|constrain|>json\2"),
    *[("a call without <|constrain|>", r"(<\|channel\|>commentary to=functions\.\w+)[^{]*(<\|message\|>)", rf"\1{space}<|constrain|>json\2") for space in ("", " ")],
    ("a type of the answer", r"(<\|channel\|>final)[^{]*?(<\|message\|>)", r"\1\2"),
    ("an answer behind a required call", r"(?s)(?<=<\|call\|>)<\|start\|>assistant<\|channel\|>final.*", ""),
    ("thoughts twice", r"(?s)<\|channel\|>analysis<\|message\|>(?:(?!<\|end\|>).)*<\|end\|><\|start\|>assistant(<\|channel\|>analysis<\|)", r"\1"),
    ("words to the user before a call", r"(?s)<\|channel\|>commentary<\|message\|>(?:(?!<\|call\|>).)*?<\|end\|><\|start\|>assistant", ""),
]
OF_TAGS = [
    ("text behind a call", "(?s)(?<=LAST)(?:(?!FIRST).)+(?=FIRST)", "BREAKS"),
    ("text behind a call", "(?s)(?<=LAST)(?:(?!FIRST).)+$", ""),
    ("no line break before a call", "(?<!^)(FIRST)", r"BREAKS\1"),
    ("no line break in a call", r"(<tool_call>)(?=\{)", r"\1\n"),
    ("no line break in a call", r"(?<=\})(</tool_call>)", r"\n\1"),
    *[("the number of a call", r'(index="|functions\.\w+:)\d+', rf"\g<1>{number}") for number in range(1, 9)],
    ("no line break in a parameter", r"(<parameter=\w+>)(?!\n)", r"\1\n"),
    ("no line break in a parameter", r"(?<!\n)(</parameter>)", r"\n\1"),
    ("no line break in a parameter", r"(?s)(</parameter>\s*(?:<parameter=|</function>).*)", r"\n\1"),
    (TOKENS, '<parameter name="|</invoke>|<parameter=|</function>|<function=', ""),
    (TOKENS, r"</parameter>(?!\s*</?(?:parameter|function))", ""),
    ("a required argument is missing", r'(?s)(<\|open\|>call tool="get_weather" index="\d+"<\|sep\|>)((?:(?!<\|open\|>call ).)*)', r'\1<|open|>argument key="city" type="string"<|sep|><|close|>argument<|sep|>\2'),
    ("an argument twice", r'(?s)<\|open\|>argument key="(\w+)" type="\w+"<\|sep\|>(?:(?!<\|close\|>argument).)*<\|close\|>argument<\|sep\|>((?:(?!<\|open\|>call ).)*?<\|open\|>argument key="\1")', r"\2"),
    ("arguments of a tool without any", r'(?s)(<\|open\|>call tool="ping" index="\d+"<\|sep\|>)(?:(?!<\|close\|>call<).)+', r"\1"),
    ("half a pair of surrogates", r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", "?"),
    ("no message", "^$", CALL),
    ("thoughts alone", r"<\|(?:end|return)\|>$", "<|end|><|start|>assistant<|channel|>final<|message|><|return|>"),
    ("thoughts alone", r"<\|(?:end|return)\|>$", "<|end|><|start|>assistant" + CALL),
    ("a call on another channel", r"( to=functions\.\w+<\|channel\|>)(?:analysis|final)\b", r"\1commentary"),
    ("a call on another channel", r"(<\|channel\|>)(?:analysis|final)(?= to=functions)", r"\1commentary"),
    ("a type of the answer", r"(<\|channel\|>final)(?! to=)[^{]*?(<\|message\|>)", r"\1\2"),
    ("messages behind an answer", r"(?s)(?<=<\|return\|>)<\|start\|>.+", ""),
    ("another end of a message", r"<\|end\|>(?=<\|start\|>|$)", "<|return|>"),
    ("another end of a message", r"<\|return\|>(?=<\|start\|>|$)", "<|end|>"),
    ("another end of a message", r"<\|end\|>$", ""),
]
WORDS = ["Rome", "é", "<think>", " ", "\n", "2", "true", "null", '"', '["a"]', '{"city": "Rome"}', ": ", ", ", "}", "[", "]"]
BYTES = [bytes([byte]) for byte in range(256)]
COMPILER = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([*BYTES, b"<end>"], stop_token_ids=[256]), max_threads=1)
BITS = xgrammar.allocate_token_bitmask(1, 257)


def plain(tokens):
    return [token for token in tokens if 32 <= token < 127 or token == 10]


class Ours:
    """The file of a family over single bytes and its control tokens. Texts are as the tag has them: with its head, without an end."""

    def __init__(self, format, prompt, ends, choice, thinks, head):
        name, *flags = format.split()
        request = {"tools": TOOLS, "tool_choice": choice, "parallel_calls": True, "flags": flags}
        request |= {"prompt": prompt + head, "analysis": thinks or "think" in prompt}
        vocabulary = maskwright.Vocabulary.from_tokens(BYTES, specials={"<end>": 256}, end_tokens=[256])
        controls = {*maskwright.Constraint.from_format(vocabulary, name, **request).spelt_controls} - {"<end>"}
        self.ids = {control: 257 + place for place, control in enumerate(sorted(controls, key=lambda one: (-len(one), one)))}
        self.spellings = [*BYTES, b"", *(control.encode() for control in self.ids)]
        self.spelt = re.compile("(" + "|".join(map(re.escape, self.ids)) + ")")
        vocabulary = maskwright.Vocabulary.from_tokens(BYTES, specials={"<end>": 256, **self.ids}, end_tokens=[256])
        self.constraint = maskwright.Constraint.from_format(vocabulary, name, **request)
        self.wide = maskwright.Constraint.from_format(vocabulary, name, whitespace="json", order="any", **request)  # as in the tags
        self.ends, self.head = ends, head

    def text(self, tokens):
        return b"".join(self.spellings[token] for token in tokens).decode(errors="ignore")

    def walk(self, choose):
        session = self.constraint.session()
        for _ in range(choose.randrange(1, 60)):
            if session.is_finished:
                break
            word, allowed = list(choose.choice(WORDS).encode()), session.allowed_tokens()
            controls = [token for token in allowed if token > 255]
            if controls and (choose.random() < 0.2 or not plain(allowed)):
                session.accept(choose.choice(controls))
            elif session.validate(word) == len(word):
                session.advance(word)
            else:
                session.accept(choose.choice(plain(allowed) or allowed))
        if not session.has_ended:
            session.advance(session.way_out())
        text = self.text(session.tokens)
        return self.head + text.removesuffix(next(end for end in [*filter(None, self.ends), ""] if text.endswith(end)))

    def refused(self, text):
        """How many characters at the end of a text are refused; -1 where it is taken whole."""
        least = len(text)
        for end in self.ends:
            parts = self.spelt.split(text.removeprefix(self.head) + end)
            tokens = [token for part in parts for token in ([self.ids[part]] if part in self.ids else part.encode())]
            session = self.wide.session()
            taken = session.advance(tokens)
            if taken == len(tokens) and (session.may_end or session.has_ended):
                return -1
            least = min(least, max(0, len(self.text(tokens[taken:])) - len(end)))
        return least


def tag_of(model, choice, thinks):
    """XGrammar's tag of a family, or vLLM's own."""
    if not model.startswith("vllm/"):
        return builders.get_model_structural_tag(model, TOOLS, choice, "enabled" if thinks else "disabled")
    import vllm.parser.harmony  # which registers its tag
    from vllm.entrypoints.openai.chat_completion import protocol
    from vllm.tool_parsers.structural_tag_registry import get_model_structural_tag

    tools = [protocol.ChatCompletionToolsParam(**tool) for tool in TOOLS]
    choice = choice if isinstance(choice, str) else protocol.ChatCompletionNamedToolChoiceParam(**choice)
    return get_model_structural_tag(model.removeprefix("vllm/"), tools, choice, reasoning=thinks)


class Tag:
    """The structural tag of a family, as XGrammar reads it: control tokens are their text."""

    def __init__(self, model, choice, thinks):
        tag = tag_of(model, choice, thinks)
        self.compiled = COMPILER.compile_structural_tag(tag.model_dump_json(by_alias=True))

    def walk(self, choose, pieces, ends):
        """Pieces and bytes as they come, then mostly the ends of turns, until the text may end."""
        matcher, text = xgrammar.GrammarMatcher(self.compiled, terminate_without_stop_token=True), b""
        free = choose.randrange(1, 40)
        for step in range(400):
            if step >= free and matcher.is_completed():
                return text.decode()
            piece = matcher.find_jump_forward_string().encode()
            if not piece and choose.random() < 0.8:
                piece = choose.choice(pieces if step < free and choose.random() < 0.8 else ends).encode()
            elif not piece:
                matcher.fill_next_token_bitmask(BITS)
                allowed = plain(token for token in range(256) if int(BITS[0, token // 32]) >> token % 32 & 1)
                piece = BYTES[choose.choice(allowed)] if allowed else b""
            if piece and matcher.accept_string(piece):
                text += piece
        return None

    def refused(self, text):
        matcher = xgrammar.GrammarMatcher(self.compiled, terminate_without_stop_token=True)
        taken = next((place for place, letter in enumerate(text) if not matcher.accept_string(letter)), len(text))
        return -1 if taken == len(text) and matcher.is_completed() else len(text) - taken


def reasons(text, side, known, end):
    """Why a text is refused; `end` is that of a list of calls, where the tag takes one call and no more."""
    why, rest = [], side.refused(text)
    while rest >= 0:
        at = len(text) - rest
        here = [
            (reason, text[: match.start()] + match.expand(new) + text[match.end() :])
            for reason, pattern, new in known
            for match in re.finditer(pattern, text)
            if match.start() <= at <= match.end() + 1
        ]
        if isinstance(side, Ours):
            here.append(("white space between tags", text[:at] + text[at:].lstrip()))
        elif end:
            cuts = [text[:cut] + closed for cut in [at, text.rfind("<", 0, at)] for closed in ["", end]]
            here += [("more calls of a named tool", new) for new in cuts if side.refused(new) < 0]
        left, place = min([(side.refused(new), place) for place, (_, new) in enumerate(here)], default=(rest, 0))
        if left >= rest:
            return [*dict.fromkeys(why), "?"]
        reason, text = here[place]
        why, rest = [*why, reason], left
    return list(dict.fromkeys(why))


def main():
    print("| tag | file | turns of the file | taken by the tag | turns of the tag | taken by the file | why not by the tag | why not by the file |")
    print("|---|---|---:|---:|---:|---:|---|---|")
    examples = {}
    for model in sys.argv[2:] or FAMILIES:
        format, bare, begun, ends, breaks, first, last = FAMILIES[model]
        words = {"FIRST": re.escape(first), "LAST": re.escape(last), "BREAKS": breaks}
        known = [[[re.sub("FIRST|LAST|BREAKS", lambda word: words[word[0]], part) for part in way] for way in ways] for ways in (OF_OURS, OF_TAGS)]
        if model == "llama":
            known[0].append(("<think> in text", "</?think>", ""))
        if model == "vllm/harmony":
            known[0].append(("messages behind a call", r"(?s)<\|call\|><\|start\|>.*", ""))
        turns, taken, why = collections.Counter(), collections.Counter(), [collections.Counter(), collections.Counter()]
        for thinks, prompt in [(False, bare), (True, begun)]:
            for choice in ["auto", "required", NAMED] if prompt else []:
                ours = Ours(format, prompt, ends, choice, thinks, HEADS.get((model, thinks), ""))
                tag, choose = Tag(model, choice, thinks), random.Random(turns[0])
                ways = known[0], [*known[1], (TOKENS, ours.spelt.pattern, "")]
                texts = [ours.walk(choose) for _ in range(TURNS)]
                pieces = [*WORDS * 8, *sorted({piece for text in texts for piece in re.findall(r"<[^<>]*>\s*|\"\w*\"", text)})]
                closing = [text[place:] for text in texts for place in (text.rfind("</"), text.rfind("<"))] + ["</think>\n\n", '"', "}", '"}']
                theirs = [tag.walk(choose, pieces, closing + pieces) for _ in range(TURNS)]
                for place, (side, sampled) in enumerate([(tag, texts), (ours, theirs)]):
                    for text in sampled:
                        if text is None:
                            continue
                        found = reasons(text, side, ways[place], last if choice == NAMED else None)
                        turns[place] += 1
                        taken[place] += not found
                        why[place].update(found)
                        for reason in found if len(found) == 1 else ["?"] if "?" in found else []:
                            examples[reason, place, model] = min(examples.get((reason, place, model), text), text, key=len)
        shown = [", ".join(f"{reason} {count}" for reason, count in one.most_common()) or "—" for one in why]
        print(f"| `{model}` | `{format}` | {turns[0]} | {taken[0]} | {turns[1]} | {taken[1]} | {shown[0]} | {shown[1]} |", flush=True)
    print()
    for (reason, place, model), text in sorted(examples.items()):
        print(f"- {reason}, refused by the {['tag', 'file'][place]} of {model}: {text!r}")


main()
