"""An engine of vLLM, and what requests ask of it."""

from __future__ import annotations

import pathlib
from typing import Any

COMPACT = {"backend": "guidance", "disable_any_whitespace": True}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "book",
            "parameters": {
                "type": "object",
                "properties": {
                    "seats": {"type": "integer", "minimum": 1, "maximum": 60, "multipleOf": 7},
                    "class": {"enum": ["first", "second"]},
                },
                "required": ["seats", "class"],
                "additionalProperties": False,
            },
            "strict": True,
        },
    },
    {
        "type": "function",
        "function": {"name": "ping", "parameters": {"type": "object", "maxProperties": 0}, "strict": True},
    },
]


def engine(model: pathlib.Path, outputs: dict[str, Any] = COMPACT, **options: Any) -> Any:
    """An engine in this process, or with its core in another, as VLLM_ENABLE_V1_MULTIPROCESSING says."""
    import torch
    from vllm import LLM

    torch.manual_seed(0)
    return LLM(
        model=str(model),
        enforce_eager=True,
        dtype="bfloat16",
        max_model_len=1024,
        max_num_seqs=32,
        seed=0,
        disable_log_stats=True,
        structured_outputs_config=outputs,
        **options,
    )


def params(seed: int, structured: dict[str, Any] | None, **options: Any) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    outputs = StructuredOutputsParams(**structured) if structured is not None else None
    return SamplingParams(
        temperature=1.0, seed=seed, max_tokens=options.pop("max_tokens", 300), structured_outputs=outputs, **options
    )


def biased() -> dict[int, float]:
    """A random model never ends a message by itself."""
    from models import CONTROLS

    return {CONTROLS[name]: 12.0 for name in ("<|end|>", "<|call|>", "<|return|>")}
