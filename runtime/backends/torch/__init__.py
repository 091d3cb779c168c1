"""PyTorch: tensors that `export` (with strict=False) or `make_fx` traces are staged, and sizes that vary.

Imported when a program uses PyTorch.
"""

import json

import torch
from torch.utils import (
    _pytree as pytree,
)  # where torch.export says how its arguments and results are registered

from ... import chosen
from .. import COMPILING, register_backend
from ..texts import Text
from .backend import TorchBackend
from .capture import skip_when_compiling


def register() -> None:
    pytree.register_pytree_node(
        Text,
        lambda text: (list(text.values), tuple(text.pieces)),
        lambda values, pieces: Text(pieces, list(values)),
        serialized_type_name="autograph_rs.Text",
        to_dumpable_context=json.dumps,
        from_dumpable_context=lambda text: tuple(
            p if isinstance(p, str) else tuple(p) for p in json.loads(text)
        ),
    )
    for kind in chosen.KINDS:
        pytree.register_pytree_node(
            kind, chosen.taken_apart, lambda parts, keys: chosen.made_whole(keys, parts)
        )
    register_backend(TorchBackend())
    COMPILING.append(torch.compiler.is_dynamo_compiling)
    skip_when_compiling("operators", "calls", "builtins", "frames")
