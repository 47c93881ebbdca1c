"""SGLang's own tree of drafts, its batches, and its wrapper for reasoning, over this package's backend."""

from __future__ import annotations

import json
import pathlib
import random
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from schemas import SCHEMAS

pytest.importorskip("sglang", reason="SGLang is not installed here")
torch = pytest.importorskip("torch", reason="PyTorch is not installed here")
base = pytest.importorskip(
    "sglang.srt.constrained.base_grammar_backend", reason="SGLang's constrained decoding cannot be loaded here"
)


@pytest.fixture(scope="module")
def backend(llama: pathlib.Path) -> Any:
    from transformers import AutoTokenizer

    from maskwright.sglang import MaskwrightGrammarBackend

    tokenizer = AutoTokenizer.from_pretrained(llama)
    return MaskwrightGrammarBackend(tokenizer, len(tokenizer) + 50, [tokenizer.eos_token_id], any_whitespace=False)


def test_the_backend_is_known() -> None:
    from maskwright import sglang

    sglang.register()
    assert base.GRAMMAR_BACKEND_REGISTRY["maskwright"] is sglang.create


def test_grammars_and_refusals(backend: Any) -> None:
    grammar = backend.dispatch_json(json.dumps(SCHEMAS["uniqueItems"]))
    assert isinstance(grammar, base.BaseGrammarObject)
    refused = backend.dispatch_json('{"pattern": "(a)\\\\1"}')
    assert isinstance(refused, base.InvalidGrammarObject) and "#/pattern" in refused.error_message
    assert not isinstance(backend.dispatch_json("$$ANY$$"), base.InvalidGrammarObject)
    with pytest.raises(ValueError):
        grammar.accept_token(5_000_000)


def test_batches_and_ends(backend: Any) -> None:
    size = len(backend.vocabulary)
    chance = random.Random(3)
    grammars = [backend.dispatch_json(json.dumps(schema)).copy() for schema in SCHEMAS.values()]
    mask = grammars[0].allocate_vocab_mask(size, len(grammars), "cpu")
    texts: list[list[int]] = [[] for _ in grammars]
    for _ in range(400):
        if all(grammar.is_terminated() for grammar in grammars):
            break
        type(grammars[0]).fill_vocab_mask_batched(
            [base.GrammarRow(row, grammar) for row, grammar in enumerate(grammars)], mask
        )
        logits = torch.zeros((len(grammars), size))
        grammars[0].apply_vocab_mask(logits=logits, vocab_mask=mask)
        for row, grammar in enumerate(grammars):
            allowed = torch.isfinite(logits[row]).nonzero().flatten().tolist()
            token = chance.choice(allowed)
            if grammar.is_terminated():
                assert len(allowed) >= size
                grammar.accept_token(token)
                continue
            grammar.accept_token(token)
            grammar.rollback(1)
            assert not grammar.is_terminated()
            grammar.accept_token(token)
            texts[row].append(token)
    for schema, grammar, tokens in zip(SCHEMAS.values(), grammars, texts):
        assert grammar.is_terminated()
        jsonschema.validate(json.loads(backend.vocabulary.decode(tokens[:-1])), schema)


def test_trees_of_drafts(backend: Any) -> None:
    """`traverse_tree`, node by node, against sessions of the path to each node."""
    spec_utils = pytest.importorskip("sglang.srt.speculative.spec_utils", reason="SGLang's speculation cannot be loaded here")
    chance = random.Random(5)
    size = len(backend.vocabulary)
    for _ in range(30):
        grammar = backend.dispatch_json(json.dumps(SCHEMAS["uniqueItems"]))
        nodes, children = 12, {0: []}
        parent = [0] * nodes
        for node in range(1, nodes):
            parent[node] = chance.randrange(node)
            children.setdefault(parent[node], []).append(node)
            children.setdefault(node, [])
        tokens = [0] + [chance.choice(backend.vocabulary.longest_tokens('[1,2,3]') + [*backend.stop_tokens]) for _ in range(nodes - 1)]
        first = torch.tensor([children[node][0] if children[node] else -1 for node in range(nodes)])
        siblings = torch.full((nodes,), -1)
        for own in children.values():
            for one, other in zip(own, own[1:]):
                siblings[one] = other
        mask = backend.allocate_vocab_mask(size, nodes, "cpu")
        before = mask.clone()
        spec_utils.traverse_tree(first, siblings, torch.tensor(tokens), grammar, mask)
        assert len(grammar.session) == 0
        for node in range(nodes):
            path, at = [], node
            while at:
                path.append(tokens[at])
                at = parent[at]
            session = grammar.session.copy()
            row = before[node].clone()
            if session.advance(path[::-1]) == len(path) and not session.has_ended:
                session.fill(row)
            assert (mask[node] == row).all(), (node, path)


def test_the_grammar_manager(llama: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manager of SGLang's scheduler: requests of every kind, in a batch, with a refusal and what is kept."""
    manager = pytest.importorskip("sglang.srt.constrained.grammar_manager", reason="SGLang's manager cannot be loaded here")
    import sglang.srt.runtime_context as context
    from transformers import AutoTokenizer

    from maskwright import sglang

    sglang.register()
    tokenizer = AutoTokenizer.from_pretrained(llama)
    serving = SimpleNamespace(
        skip_tokenizer_init=False, reasoning_parser=None, enable_strict_thinking=False,
        constrained_json_disable_any_whitespace=True, constrained_json_whitespace_pattern=None,
    )  # fmt: skip
    monkeypatch.setattr(context, "get_serving", lambda: serving)
    monkeypatch.setattr(manager, "get_serving", lambda: serving)
    monkeypatch.setattr(manager, "get_parallel", lambda: SimpleNamespace(pp_rank=0, pp_size=1))
    monkeypatch.setattr(base, "get_exec", lambda: SimpleNamespace(kernel=SimpleNamespace(grammar_backend="maskwright")))
    group = SimpleNamespace(world_size=1, first_rank=0, is_first_rank=True)
    config = SimpleNamespace(vocab_size=len(tokenizer) + 50, hf_eos_token_id={tokenizer.eos_token_id}, think_end_ids=None)
    scheduler = SimpleNamespace(
        server_args=SimpleNamespace(), tokenizer=tokenizer, model_config=config, dp_tp_cpu_group=None, dp_tp_group=group, pp_group=None
    )
    made = manager.GrammarManager(scheduler)
    assert isinstance(made.grammar_backend, sglang.MaskwrightGrammarBackend)

    def request(**asked: Any) -> Any:
        fields = dict.fromkeys(["json_schema", "regex", "ebnf", "structural_tag", "custom_params"])
        sampling = SimpleNamespace(**{**fields, "ebnf_full_assistant": False, **asked})
        one = SimpleNamespace(
            sampling_params=sampling, origin_input_ids=[], require_reasoning=False, grammar=None, grammar_key=None,
            grammar_wait_ct=0, aborted=None, finished=lambda: one.aborted is not None,
        )  # fmt: skip
        one.set_finish_with_abort = lambda message: setattr(one, "aborted", message)
        return one

    tag = {"type": "structural_tag", "format": {"type": "const_string", "value": "ok"}}
    asked: list[tuple[dict[str, str], str]] = [
        ({"json_schema": '{"type": "array", "items": {"type": "integer"}}'}, "[1,2]"),
        ({"regex": "[0-9]{3}"}, "123"),
        ({"ebnf": 'root ::= root "a" | "a"'}, "aaa"),
        ({"structural_tag": json.dumps(tag)}, "ok"),
    ]
    for again in [False, True]:
        requests = [request(**kind) for kind, _ in asked]
        # What was compiled before is there at once.
        assert [made.process_req_with_grammar(one) for one in requests] == [not again] * len(asked)
        waiting = len(requests) * (not again)
        while waiting:
            waiting -= len(made.get_ready_grammar_requests())
        assert not made.has_waiting_grammars()
        for one, (_, text) in zip(requests, asked):
            assert one.aborted is None
            for token in [*tokenizer.encode(text, add_special_tokens=False), tokenizer.eos_token_id]:
                one.grammar.accept_token(token)
            assert one.grammar.is_terminated()
    bad = request(json_schema='{"pattern": "(a)\\\\1"}')
    assert made.process_req_with_grammar(bad)
    while bad.aborted is None:
        made.get_ready_grammar_requests()
    assert "#/pattern" in bad.aborted


def test_reasoning_is_left_free(backend: Any) -> None:
    reasoner = pytest.importorskip("sglang.srt.constrained.reasoner_grammar_backend", reason="SGLang's reasoning cannot be loaded here")
    grammar = backend.dispatch_json('{"const": 1}')
    think_end = backend.vocabulary.specials["</think>"]
    wrapped = reasoner.ReasonerGrammarObject(grammar, [think_end])
    wrapped.maybe_init_reasoning(True)
    wrapped.accept_token(backend.vocabulary.longest_tokens("x")[0])
    wrapped.accept_token(think_end)
    wrapped.accept_token(backend.vocabulary.longest_tokens("1")[0])
    assert len(grammar.session) == 1


def test_sizes_that_do_not_fit(llama: pathlib.Path) -> None:
    from transformers import AutoTokenizer

    from maskwright.sglang import MaskwrightGrammarBackend

    with pytest.raises(ValueError, match="only 10 logits"):
        MaskwrightGrammarBackend(AutoTokenizer.from_pretrained(llama), 10)


