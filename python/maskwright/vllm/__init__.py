"""maskwright as vLLM's structured output backend.

``pip install maskwright`` beside vLLM is all: the entry point ``vllm.general_plugins`` calls :func:`register` in
every process of vLLM, and the backends ``auto`` (the default), ``xgrammar`` and ``guidance`` then mean this one.

- ``MASKWRIGHT_VLLM=off`` leaves vLLM as it is.
- ``MASKWRIGHT_STRICT=all`` holds the arguments of every tool to its schema. Otherwise they are held to it where the
  tool says ``strict: true`` or the server's ``--tool-strict-level`` asks for it, and are any JSON object elsewhere.
"""

from __future__ import annotations

from maskwright.vllm._register import register

__all__ = ["register"]
