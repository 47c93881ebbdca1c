"""What the tests against real engines share: the models, and the environment in which engines run without a network."""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
os.environ.setdefault("VLLM_HOST_IP", "127.0.0.1")
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("OMP_NUM_THREADS", "2")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# The vocabularies of families, which the benchmarks use, too.
sys.path.append(str(pathlib.Path(__file__).parents[2] / "benches"))

# Models are kept between runs where MASKWRIGHT_MODELS names a folder.
MODELS = pathlib.Path(os.environ.get("MASKWRIGHT_MODELS") or tempfile.mkdtemp(prefix="maskwright-models-"))


@pytest.fixture(scope="session")
def llama() -> pathlib.Path:
    """A tiny random Llama."""
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    pytest.importorskip("transformers", reason="transformers is not installed here")
    import models

    return models.llama(MODELS / "llama")


@pytest.fixture(scope="session")
def gpt_oss() -> pathlib.Path:
    """A tiny random gpt-oss over the real o200k_harmony."""
    pytest.importorskip("torch", reason="PyTorch is not installed here")
    pytest.importorskip("transformers", reason="transformers is not installed here")
    import models

    ranks = models.o200k_ranks()
    if ranks is None:
        pytest.skip("no o200k_base.tiktoken is found, neither by TIKTOKEN_ENCODINGS_BASE nor with the crate tiktoken-rs")
    os.environ["TIKTOKEN_ENCODINGS_BASE"] = str(ranks.parent)
    return models.gpt_oss(MODELS / "gpt-oss", ranks)


def _no_cuda_graphs() -> None:
    """Without a GPU nothing is captured; the stand-ins for CUDA's libraries (`stub_cuda.py`) cannot be asked."""
    try:
        import torch
    except ImportError:
        return
    if not torch.cuda.is_available():
        torch.cuda.is_current_stream_capturing = lambda: False


_no_cuda_graphs()
