"""PyTorch: tensors that `export` (with strict=False) or `make_fx` traces are staged, and sizes that vary.

Imported when a program uses PyTorch.
"""

from .. import register_backend
from .backend import TorchBackend


def register() -> None:
    register_backend(TorchBackend())
