"""A tiny vLLM engine under each backend, the same requests and seeds for all.

``python benches/vllm_engine.py speed MODEL`` generates for 64 requests of one schema, and without any constraint as the
limit. ``python benches/vllm_engine.py validity MODEL SCHEMAS.jsonl [COUNT]`` generates for COUNT schemas of MaskBench (a JSON
object with ``schema`` a line) and tells how many requests were taken, finished, and valid among the finished, by the package
``jsonschema``. Each backend runs in a process of its own.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

BACKENDS = ("none", "maskwright", "xgrammar", "guidance")
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 10}, "minItems": 4, "maxItems": 8},
        "size": {"enum": ["small", "large"]},
    },
    "required": ["name", "tags", "size"],
    "additionalProperties": False,
}


def engine(model: str, backend: str) -> Any:
    from vllm import LLM

    chosen = backend if backend in ("xgrammar", "guidance") else "guidance"
    return LLM(
        model=model,
        enforce_eager=True,
        dtype="bfloat16",
        max_model_len=1024,
        max_num_seqs=64,
        seed=0,
        disable_log_stats=True,
        structured_outputs_config={"backend": chosen, "disable_any_whitespace": True},
    )


def params(schema: Any, seed: int, tokens: int, ignore_eos: bool = False) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    outputs = None if schema is None else StructuredOutputsParams(json=schema)
    return SamplingParams(
        temperature=1.0, seed=seed, max_tokens=tokens, structured_outputs=outputs, ignore_eos=ignore_eos
    )


def speed(model: str, backend: str) -> dict[str, Any]:
    llm = engine(model, backend)
    schema = None if backend == "none" else SCHEMA
    rates = []
    for turn in range(4):
        asked = [params(schema, 100 * turn + seed, 100, backend == "none") for seed in range(64)]
        start = time.perf_counter()
        outputs = llm.generate(["x"] * 64, asked, use_tqdm=False)
        spent = time.perf_counter() - start
        rates.append(sum(len(output.outputs[0].token_ids) for output in outputs) / spent)
    return {"tokens a second, by round": [round(rate) for rate in rates]}


def validity(model: str, backend: str, file: str, count: int) -> dict[str, Any]:
    import jsonschema

    lines = [json.loads(line) for line in pathlib.Path(file).read_text(encoding="utf-8").strip("\n").split("\n")]
    step = max(1, len(lines) // count)
    schemas = [line["schema"] for line in lines[::step]][:count]
    llm = engine(model, backend)
    found = {"asked": len(schemas), "refused": 0, "finished": 0, "valid": 0, "not judged": 0}
    taken = []
    for seed, schema in enumerate(schemas):
        try:
            one = params(schema, seed, 300)
            llm.llm_engine.add_request(str(seed), "x", one)
            taken.append(seed)
        except Exception:
            found["refused"] += 1
    while llm.llm_engine.has_unfinished_requests():
        for output in llm.llm_engine.step():
            [answer] = output.outputs
            if not output.finished or answer.finish_reason != "stop":
                continue
            found["finished"] += 1
            schema = schemas[int(output.request_id)]
            try:
                jsonschema.validators.validator_for(schema)(schema).validate(json.loads(answer.text))
                found["valid"] += 1
            except (jsonschema.ValidationError, json.JSONDecodeError):
                pass
            except Exception:
                found["not judged"] += 1
    return found


def main() -> None:
    what, model, *rest = sys.argv[1:]
    backend = os.environ.get("MASKWRIGHT_BENCH_BACKEND")
    if backend is not None:
        found = speed(model, backend) if what == "speed" else validity(model, backend, rest[0], int((rest + ["500"])[1]))
        print("RESULT " + json.dumps(found))
        return
    for backend in BACKENDS[what == "validity" :]:
        environment = {
            **os.environ,
            "MASKWRIGHT_BENCH_BACKEND": backend,
            "MASKWRIGHT_VLLM": "on" if backend == "maskwright" else "off",
            "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_HOST_IP": "127.0.0.1",
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "OMP_NUM_THREADS": "2",
        }
        done = subprocess.run([sys.executable, *sys.argv], env=environment, capture_output=True, text=True)
        results = [line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")]
        print(backend, *(results or [done.stderr[-2000:]]), flush=True)


if __name__ == "__main__":
    main()
